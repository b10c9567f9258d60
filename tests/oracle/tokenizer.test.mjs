// Compares the token counter with npm's gpt-tokenizer. For three characters gpt-tokenizer differs from
// OpenAI's tiktoken, which the counter follows; they are left out. TOKENIZER_SHARE=10 compares a hundred
// times as many texts; TOKENIZER_SEED selects others.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { countTokens, decode, setMergeCacheSize } from "gpt-tokenizer/encoding/o200k_base";
import { kindOf, packVocabulary, UNICODE } from "../../tools/tokenizer_data.mjs";
import { sanitizers } from "../kit/process.mjs";
import { ROOT } from "../kit/runner.mjs";
import { dice, makePage, makePiece, makeText, material } from "./tokenizer_texts.mjs";

const PROBE = path.join(ROOT, "build/check/oracle/tokenizer_probe");
const TOKENS = 199_998;
const SHARE = Number(process.env.TOKENIZER_SHARE ?? 0.05);
const SEED = Number(process.env.TOKENIZER_SEED ?? 2026);

// ---- the two counters ----

setMergeCacheSize(0); // once its cache is full it takes four times as long as without one
const oracle = (text) => countTokens(text, { disallowedSpecial: new Set() });

// Counts of the program.
async function counted(texts) {
  const child = spawn(PROBE, [], { stdio: ["pipe", "pipe", "inherit"], env: { ...process.env, ...sanitizers() } });
  let out = "";
  child.stdout.setEncoding("latin1").on("data", (some) => (out += some));
  const ended = new Promise((resolve) => child.on("close", resolve));
  child.stdin.on("error", () => {});
  for (let i = 0; i < texts.length; i += 1000) {
    const parts = texts.slice(i, i + 1000).flatMap((text) => {
      const bytes = Buffer.from(text);
      const head = Buffer.alloc(4);
      head.writeUInt32LE(bytes.length);
      return [head, bytes];
    });
    if (!child.stdin.write(Buffer.concat(parts))) await new Promise((resolve) => child.stdin.once("drain", resolve));
  }
  child.stdin.end();
  assert.equal(await ended, 0);
  const counts = out.trimEnd().split("\n").map(Number);
  assert.equal(counts.length, texts.length);
  return counts;
}

async function agree(texts) {
  const counting = counted(texts);
  const expected = texts.map(oracle);
  const counts = await counting;
  const wrong = texts.flatMap((text, i) => (counts[i] === expected[i] ? [] : [{ text, counted: counts[i], expected: expected[i] }]));
  const shown = wrong.sort((a, b) => a.text.length - b.text.length).slice(0, 10);
  assert.deepEqual(shown, [], `${wrong.length} of ${texts.length} differ, the shortest are shown`);
}

// ---- comparable characters ----

// The program's class of a character. If Node.js has another version of Unicode, characters with a
// different class are not compared.
const CLASSES = (() => {
  const kinds = new Array(0x110000);
  for (const line of fs.readFileSync(path.join(ROOT, "data/unicode_classes.txt"), "utf8").split("\n")) {
    const [, first, last, kind] = /^([0-9A-F]+) ([0-9A-F]+) (.)$/.exec(line) ?? [];
    if (kind) kinds.fill(kind, parseInt(first, 16), parseInt(last, 16) + 1);
  }
  return kinds;
})();

const isTiktokens = (point) => point === 0x85 || point === 0xfeff; // white space to one of the two
const isSurrogate = (point) => point >= 0xd800 && point <= 0xdfff;
const sameClass = (point) => kindOf(point) === CLASSES[point];
const usable = (point) => !isSurrogate(point) && !isTiktokens(point) && sameClass(point);
const comparable = (text) => !/'\u017f|[\u0085\ufeff]/u.test(text) && !/\p{Cs}/u.test(text);

const vocabulary = () => {
  const texts = [];
  for (let rank = 0; rank < TOKENS; rank++) {
    const text = decode([rank]);
    if (!text.includes("\ufffd") && comparable(text)) texts.push(text);
  }
  return texts;
};

const tokens = vocabulary();
const m = material(usable, tokens);

// Compares the given number of texts in batches.
async function agreeOn(count, maker) {
  const d = dice(SEED);
  for (let left = count * SHARE; left > 0; ) {
    const texts = [];
    for (; texts.length < 50_000 && left > 0; left--) {
      let text;
      do text = maker(d);
      while (!comparable(text));
      texts.push(text);
    }
    await agree(texts);
  }
}

// ---- tests ----

test("the vocabulary equals that of the package", () => {
  assert.ok(packVocabulary().equals(fs.readFileSync(path.join(ROOT, "data/o200k_base.tokens"))));
});

test("the character classes equal those of their Unicode version", { skip: process.versions.unicode !== UNICODE && `this Node knows Unicode ${process.versions.unicode}` }, () => {
  for (let point = 0; point < 0x110000; point++)
    assert.ok(isSurrogate(point) || sameClass(point), `U+${point.toString(16)}`);
});

test("every token is one token, alone and next to another", async () => {
  const d = dice(1);
  await agree(tokens.flatMap((text, rank) => (rank % 4 === 0 ? [text, text + d.pick(tokens)] : [text])));
});

test("every character has the same count next to letters, digits, punctuation, and spaces", async () => {
  const texts = [];
  for (let point = 0; point < 0x110000; point++) {
    const kind = CLASSES[point]; // of the many that are alike, some
    const some = kind === undefined && point > 0x3000 ? 97 : kind === "O" && point > 0x3400 ? 41 : 1;
    if (!usable(point) || point % some !== 0) continue;
    const c = String.fromCodePoint(point);
    const text = `A${c}a ${c}B1${c}.${c}\n${c}`;
    if (comparable(text)) texts.push(text);
  }
  await agree(texts);
});

test(`${200_000 * SHARE} texts in many scripts have the same count`, async () => {
  await agreeOn(200_000, (d) => makeText(m, d, d.chance(0.03) ? 400 : 30));
});

test("pieces of hundreds and thousands of bytes have the same count", async () => {
  await agreeOn(600, (d) => makePiece(m, d, d.chance(0.1) ? 1000 : 150));
});

test("texts of thousands of characters have the same count", async () => {
  await agreeOn(2_500, (d) => makePage(m, d, d.between(400, 4_000)));
});
