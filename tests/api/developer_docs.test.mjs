// What a developer reads, and an agent: open to everybody, and made from what the program does.

import assert from "node:assert/strict";
import test from "node:test";
import { assertCommon, assertPage } from "../kit/expect.mjs";
import { textOf } from "../kit/html.mjs";
import { world } from "../kit/world.mjs";

const asPerson = { accept: "text/html" };

test("the reference has every endpoint of the description, with its parameters", async (t) => {
  const w = await world(t);
  const page = await w.get("/developer/reference", asPerson);
  assertPage(page);
  const text = textOf(page.text);
  const { data } = await w.get("/openapi.json");
  for (const [path, methods] of Object.entries(data.paths))
    for (const [method, operation] of Object.entries(methods)) {
      if (!operation.operationId) continue;
      assert.match(page.text, new RegExp(`id="${operation.operationId}"`), `${method} ${path}`);
      assert.ok(text.includes(`${method.toUpperCase()} ${path}`), `${method} ${path}`);
      for (const parameter of operation.parameters ?? []) if (parameter.name) assert.ok(text.includes(parameter.name), parameter.name);
    }
  assert.doesNotMatch(page.text, /\{\{|`/);
});

test("guide, errors and llms.txt name this service's own addresses and every error it has", async (t) => {
  const settings = { "base-url": "https://api.penchant.test", "auth-url": "https://penchant.test" };
  const w = await world(t, { settings });
  const guide = await w.get("/developer/guide", asPerson);
  assertPage(guide);
  assert.match(textOf(guide.text), /base=https:\/\/api\.penchant\.test/);
  assert.match(textOf(guide.text), /https:\/\/penchant\.test\/oauth\/authorize\?response_type=code/);

  const errors = textOf((await w.get("/developer/errors", asPerson)).text);
  for (const name of ["invalid_client", "invalid_grant", "invalid_scope", "invalid_request", "invalid_token", "insufficient_scope", "not_found", "unsupported_media_type", "unsupported_grant_type", "access_denied", "rate_limited", "temporarily_unavailable", "server_error"])
    assert.ok(errors.includes(name), name);

  const llms = await w.get("/llms.txt");
  assert.equal(llms.status, 200);
  assertCommon(llms);
  assert.match(llms.headers["content-type"], /^text\/plain; charset=utf-8$/);
  assert.match(llms.text, /^# Penchant\n\n> /);
  assert.doesNotMatch(llms.text, /\{\{/);
  for (const address of llms.text.matchAll(/https:\/\/(?:api\.)?penchant\.test(\/[\w./{}-]*)/g)) {
    const where = address[1].replace("{domain}", "music_preferences").replace(/[.:]$/, "");
    const answer = await w.get(where, asPerson);
    assert.notEqual(answer.status, 404, where);
  }
});
