// The documents for developers and agents: public, and generated from the program.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { assertCommon, assertPage } from "../kit/expect.mjs";
import { textOf, unescape } from "../kit/html.mjs";
import { stage } from "../kit/oauth.mjs";
import { ROOT, world } from "../kit/world.mjs";

const asPerson = { accept: "text/html" };

test("the reference has a page for every endpoint of the description, with its parameters", async (t) => {
  const w = await world(t);
  const overview = await w.get("/developer/reference", asPerson);
  assertPage(overview);
  const { data } = await w.get("/openapi.json");
  const ways = []; // from each to the next
  for (const [path, methods] of Object.entries(data.paths))
    for (const [method, operation] of Object.entries(methods)) {
      const { operationId: id, parameters = [] } = operation;
      if (!id) continue;
      assert.match(overview.text, new RegExp(`<li id="${id}"><a href="/developer/reference/${id}"`), "an old link with its anchor still leads there");
      assert.ok(textOf(overview.text).includes(`${method.toUpperCase()} ${path}`), `${method} ${path}`);
      const page = await w.get(`/developer/reference/${id}`, asPerson);
      assertPage(page);
      assert.ok(textOf(page.text).includes(`${method.toUpperCase()} ${path}`), `${method} ${path}`);
      assert.ok(textOf(page.text).includes(operation.summary), id);
      assert.equal(textOf(page.text).split(textOf(operation.description.split(/[`.]/)[0])).length, 2, `${id} says once what it does`);
      for (const parameter of parameters) if (parameter.name) assert.ok(textOf(page.text).includes(parameter.name), parameter.name);
      for (const status of Object.keys(operation.responses)) if (status !== "default") assert.ok(textOf(page.text).includes(status), `${id} ${status}`);
      assert.doesNotMatch(page.text, /\{\{|`/, id);
      ways.push([id, /rel="next"/.test(page.text) ? /href="\/developer\/reference\/(\w+)" rel="next"/.exec(page.text)[1] : undefined]);
    }
  const next = new Map(ways);
  const reached = [];
  for (let id = /<li id="(\w+)"/.exec(overview.text)[1]; id; id = next.get(id)) reached.push(id);
  assert.deepEqual(reached.sort(), [...next.keys()].sort(), "from the first to the last");
  assert.equal((await w.get("/developer/reference/no_such", asPerson)).status, 404);
});

test("the reference has a page for the record of every domain", async (t) => {
  const w = await world(t);
  const overview = await w.get("/developer/reference", asPerson);
  const { data } = await w.get("/openapi.json");
  const ways = { prev: new Map(), next: new Map() };
  for (const domain of data.components.schemas.DomainName.enum) {
    assert.match(overview.text, new RegExp(`<li id="${domain}"><a href="/developer/reference/records/${domain}"`));
    const page = await w.get(`/developer/reference/records/${domain}`, asPerson);
    assertPage(page);
    for (const member of Object.keys(data.components.schemas[domain].properties)) assert.ok(textOf(page.text).includes(member), member);
    for (const way of ["prev", "next"]) ways[way].set(domain, new RegExp(`href="/developer/reference/records/(\\w+)" rel="${way}"`).exec(page.text)?.[1]);
  }
  const order = [...overview.text.matchAll(/href="\/developer\/reference\/records\/(\w+)"/g)].map(([, domain]) => domain);
  order.forEach((domain, i) => assert.deepEqual([ways.prev.get(domain), ways.next.get(domain)], [order[i - 1], order[i + 1]], domain));
  assert.equal((await w.get("/developer/reference/records/no_such", asPerson)).status, 404);
});

test("the first requests for the reference, several at once, get the same complete pages as later ones", async (t) => {
  const w = await world(t);
  const paths = ["/developer/reference", "/developer/reference/getTokens", "/developer/reference/records/music_preferences"];
  const content = ({ text }) => /<main[\s\S]*<\/main>/.exec(text)?.[0];
  const first = await Promise.all([...paths, ...paths, ...paths].map((path) => w.get(path, asPerson)));
  for (const [i, page] of first.entries()) {
    assert.equal(page.status, 200, paths[i % paths.length]);
    assert.equal(content(page), content(await w.get(paths[i % paths.length], asPerson)));
    assert.ok(content(page).length > 500);
  }
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

test("the Connect button: two images with a name, without scripts, and its code in the portal and in the guide", async (t) => {
  const { w, ada, app } = await stage(t, { settings: { "base-url": "http://127.0.0.1:8080" } });
  const html = fs.readFileSync(path.join(ROOT, "pages/connect-button.txt"), "utf8").replaceAll("{{base_url}}", "http://127.0.0.1:8080");
  assert.match(html, /<img [^>]*alt="Connect with Penchant"/);
  for (const [, where] of html.matchAll(/"http:\/\/127\.0\.0\.1:8080(\/assets\/[^"]+)"/g)) {
    const image = await w.get(where);
    assert.deepEqual([image.status, image.headers["content-type"]], [200, "image/svg+xml"], where);
    assert.match(image.headers["content-security-policy"], /default-src 'none'/);
    assert.equal(image.headers["cross-origin-resource-policy"], undefined, "other sites may show it");
    assert.match(image.text, /role="img" aria-label="Connect with Penchant"/);
    assert.doesNotMatch(image.text, /<script|<style|style=|href=|on\w+=/);
  }
  const page = await ada.get(`/developer/apps/${app.client_id}/connect`);
  assertPage(page);
  const shown = /<code id="button-html">([^]*?)<\/code>/.exec(page.text)[1];
  assert.equal(unescape(shown), html);
  assert.ok(fs.readFileSync(path.join(ROOT, "docs/GUIDE.md"), "utf8").includes(html));
});
