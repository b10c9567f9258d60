// Validators of the schemas in an OpenAPI document. ajv writes a JavaScript function for a schema, which takes
// longer than most test files need for all their requests. So the test files of one run share these functions:
// each is kept in TEST_SCRATCH under the hash of document and pointer. A file that runs alone writes its own.

import assert from "node:assert/strict";
import crypto from "node:crypto";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const require = createRequire(import.meta.url);

const FORMATS = {
  "date-time": /^\d{4}-(0\d|1[0-2])-[0-3]\d(T)[0-2]\d:[0-5]\d:[0-5]\dZ$/,
  uri: (text) => URL.canParse?.(text) ?? /^[a-z]+:\/\/[^/]+/.test(text),
};

const isObject = (value) => typeof value === "object" && value !== null;

// A copy in which `change` was applied to every object, the innermost first.
function changed(value, change) {
  if (!isObject(value)) return value;
  if (Array.isArray(value)) return value.map((one) => changed(one, change));
  return change(Object.fromEntries(Object.entries(value).map(([key, one]) => [key, changed(one, change)])));
}

const close = (schema) =>
  schema.type === "object" && isObject(schema.properties) && !("additionalProperties" in schema) ? { ...schema, additionalProperties: false } : schema;

// ajv is loaded only when a function has to be written.
function compiler(document) {
  const { Ajv2020 } = require("ajv/dist/2020.js");
  const standalone = require("ajv/dist/standalone").default;
  const { _ } = require("ajv");
  const code = { source: true, optimize: false, formats: _`formats` };
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true, validateSchema: false, code, formats: FORMATS });
  ajv.addVocabulary([...Object.keys(document), "discriminator"]); // which say nothing about a value
  ajv.addSchema(document, "api");
  return (pointer) => standalone(ajv, ajv.compile({ $ref: `api#${pointer}` }));
}

function load(source) {
  const module = { exports: {} };
  new Function("require", "module", "exports", "formats", source)(require, module, module.exports, FORMATS);
  return module.exports;
}

const hash = (...parts) => crypto.createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 32);

// Renamed when it is complete, so that no other file reads a part of it.
function kept(name, write) {
  if (process.env.TEST_SCRATCH === undefined) return write();
  const file = path.join(process.env.TEST_SCRATCH, `validator-${name}.js`);
  if (!fs.existsSync(file)) {
    fs.writeFileSync(`${file}.${process.pid}`, write());
    fs.renameSync(`${file}.${process.pid}`, file);
  }
  return fs.readFileSync(file, "utf8");
}

const errorsText = (errors) => errors.map(({ instancePath, message }) => `data${instancePath} ${message}`).join(", ");

// Returns check(pointer, value, what), which throws if the value does not match the schema at the JSON pointer.
// `closed`: objects have only the members that their schema lists.
export function validators(document, { closed = false } = {}) {
  const version = hash(JSON.stringify(document), closed);
  const made = new Map();
  let compile;
  const write = (pointer) => (compile ??= compiler(closed ? changed(document, close) : document))(pointer);
  return (pointer, value, what) => {
    if (!made.has(pointer)) made.set(pointer, load(kept(hash(version, pointer), () => write(pointer))));
    const fits = made.get(pointer);
    assert.ok(fits(value), `${what} is not as described: ${errorsText(fits.errors ?? [])}\n${JSON.stringify(value)?.slice(0, 2000)}`);
  };
}
