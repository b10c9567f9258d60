// Validates responses against the program's OpenAPI document (`penchant help api --json`, the same as
// /openapi.json): path, method, status, content type, headers, and every member of the body. A response
// must not contain anything that is not described. Accepted requests are validated too.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { environment, run } from "./process.mjs";
import { validators } from "./validators.mjs";

const METHODS = { GET: "get", HEAD: "get", POST: "post" };
// Errors that any endpoint may return before its handler runs. 500 is a bug and never allowed.
const BEFORE_ITS_ENDPOINT = [400, 413, 414, 417, 431];

const kept = new Map();

// The document of this program with these domain definitions; read once per process.
export function descriptionOf(program, domains) {
  const key = `${program} ${domains}`;
  if (!kept.has(key)) kept.set(key, ask(program, domains));
  return kept.get(key);
}

async function ask(program, domains) {
  return new Description(JSON.parse(await documentOf(program, domains)));
}

// Test files of one run share the document of the built-in domains, because the program takes longer to make it
// than a test file to read it. It is renamed when it is complete, so that no other file reads a part of it.
async function documentOf(program, domains) {
  if (process.env.TEST_SCRATCH === undefined || domains !== undefined) return generate(program, domains);
  const file = path.join(process.env.TEST_SCRATCH, `openapi-${path.relative("/", program).replaceAll("/", "-")}.json`);
  if (!fs.existsSync(file)) {
    const unfinished = `${file}.${process.pid}`;
    fs.writeFileSync(unfinished, await generate(program));
    fs.renameSync(unfinished, file);
  }
  return fs.readFileSync(file, "utf8");
}

async function generate(program, domains) {
  const words = ["help", "api", "--json", ...(domains === undefined ? [] : ["--domains", domains])];
  const { status, out, err } = await run(program, words, { env: environment() });
  assert.equal(status, 0, `penchant ${words.join(" ")}: ${err}`);
  return out;
}

// ---- the document ----

const escaped = (key) => encodeURIComponent(`${key}`.replace(/~/g, "~0").replace(/\//g, "~1"));
const pointerTo = (...keys) => keys.map((key) => `/${escaped(key)}`).join("");

export class Description {
  constructor(document) {
    this.document = document;
    this.domains = document.components.schemas.DomainName.enum;
    this.checkAnswer = validators(document, { closed: true });
    this.checkRequest = validators(document);
    this.places = Object.keys(document.paths)
      .sort((a, b) => a.includes("{") - b.includes("{"))
      .map((path) => ({ path, matches: new RegExp(`^${path.replace(/[.]/g, "\\.").replace(/\{[^}]+\}/g, "[^/]+")}$`) }));
  }

  // A value and its position, with references resolved.
  follow(...keys) {
    let value = keys.reduce((one, key) => one?.[key], this.document);
    while (value?.$ref) {
      keys = value.$ref.slice(2).split("/");
      value = keys.reduce((one, key) => one[key], this.document);
    }
    return { value, keys };
  }

  // Throws if the response to this request is not described.
  hold({ method, where, form, json }, answer) {
    const [path, query = ""] = where.split("?", 2);
    const place = this.places.find(({ matches }) => matches.test(path))?.path;
    const what = `${method} ${path} ${answer.status}`;
    if (method === "OPTIONS") return;
    if (place === "/mcp" && method !== "POST") return; // rejected, as JSON-RPC: see api/mcp.test.mjs
    if (place === undefined) return this.holdNowhere(path, answer, what);
    const operation = [place, METHODS[method]];
    if (this.document.paths[place][operation[1]] === undefined) return this.holdOtherMethod(answer, what);
    this.holdAnswer(operation, method, path, answer, what);
    if (answer.status < 300) this.holdRequest(operation, { query, form, json }, what);
  }

  holdNowhere(path, answer, what) {
    if (/^\/v1(\/|$)/.test(path)) assert.ok(answer.status >= 400, `${what}: nothing of that path is described`);
  }

  holdOtherMethod(answer, what) {
    const page = /^text\/html/.test(answer.headers["content-type"]);
    assert.ok([405, ...BEFORE_ITS_ENDPOINT, 503].includes(answer.status), `${what}: the method is not described`);
    if (answer.data && !page) this.checkAnswer(pointerTo("components", "schemas", "Error"), answer.data, what);
  }

  holdAnswer([place, method], asked, path, answer, what) {
    const responses = ["paths", place, method, "responses"];
    const own = this.follow(...responses, `${answer.status}`);
    const { value, keys } = own.value !== undefined || !BEFORE_ITS_ENDPOINT.includes(answer.status) ? own : this.follow(...responses, "default");
    assert.ok(value, `${what}: the status is not described: ${answer.text}`);
    this.holdHeaders(value, keys, answer, what);
    if (asked !== "HEAD") this.holdBody(value, keys, path, answer, what);
  }

  holdHeaders({ headers = {} }, keys, answer, what) {
    for (const name of Object.keys(headers)) {
      const header = this.follow(...keys, "headers", name);
      const sent = answer.headers[name.toLowerCase()];
      if (header.value.required) assert.ok(sent !== undefined, `${what}: no ${name}`);
      if (sent !== undefined) this.checkAnswer(pointerTo(...header.keys, "schema"), sent, `${what}: ${name}`);
    }
    for (const name of ["etag", "retry-after", "www-authenticate", "location", "content-disposition"])
      if (answer.headers[name] !== undefined) assert.ok(Object.keys(headers).some((one) => one.toLowerCase() === name), `${what}: ${name} is not described`);
  }

  holdBody({ content }, keys, path, answer, what) {
    if (content === undefined) return assert.equal(answer.text, "", `${what}: a body that is not described`);
    const type = (answer.headers["content-type"] ?? "").split(";")[0];
    assert.ok(content[type], `${what}: the type ${type} is not described`);
    if (type !== "application/json") return;
    assert.notEqual(answer.data, undefined, `${what}: there is no body`);
    this.checkAnswer(pointerTo(...keys, "content", type, "schema"), answer.data, what);
    this.holdRecord(path, answer.data, what);
    this.holdError(content[type], answer, what);
  }

  // A record has only members of its own domain.
  holdRecord(path, data, what) {
    const [, domain] = /^\/v1\/preferences\/([^/]+)$/.exec(path) ?? [];
    if (this.domains.includes(domain) && data.preferences) this.checkAnswer(pointerTo("components", "schemas", domain), data.preferences, what);
    if (path === "/v1/preferences/export")
      for (const [name, { preferences }] of Object.entries(data.domains ?? {})) this.checkAnswer(pointerTo("components", "schemas", name), preferences, `${what}: ${name}`);
  }

  // The examples of an error contain every possible code.
  holdError({ example, examples = {} }, { status, data }, what) {
    const named = [example, ...Object.values(examples).map((one) => one.value)].map((one) => one?.error).filter((name) => typeof name === "string");
    if (status >= 400 && named.length > 0) assert.ok(named.includes(data.error), `${what}: ${data.error} is not described there`);
  }

  // ---- accepted requests ----

  holdRequest([place, method], { query, form, json }, what) {
    const { requestBody, parameters = [] } = this.document.paths[place][method];
    const sent = new URLSearchParams(query);
    for (const [at] of parameters.entries()) {
      const { value: parameter, keys } = this.follow("paths", place, method, "parameters", at);
      if (parameter.in !== "query") continue;
      const text = sent.get(parameter.name);
      if (parameter.required) assert.ok(text, `${what}: was accepted without ${parameter.name}`);
      if (!text) continue;
      const value = this.follow(...keys, "schema").value.type === "integer" ? Number(text) : text;
      this.checkRequest(pointerTo(...keys, "schema"), value, `${what}: ${parameter.name}`);
    }
    if (requestBody === undefined) return;
    const [type] = Object.keys(requestBody.content);
    const body = type === "application/json" ? json : fields(form);
    if (body !== undefined) this.checkRequest(pointerTo("paths", place, method, "requestBody", "content", type, "schema"), body, `${what}: the accepted body`);
  }
}

const fields = (form) => form && Object.fromEntries(Array.isArray(form) ? form : Object.entries(form));
