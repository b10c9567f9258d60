// The stylesheet and what else the pages need.

import assert from "node:assert/strict";
import test from "node:test";
import { assertCommon } from "../kit/expect.mjs";
import { world } from "../kit/world.mjs";

test("everything a page refers to is there, with its type, and may be kept by browsers", async (t) => {
  const w = await world(t);
  const seen = new Set();
  for (const page of ["/", "/signup", "/signup/done", "/nothing"]) {
    const { text } = await w.get(page, { accept: "text/html" });
    for (const [, url] of text.matchAll(/(?:href|src|action)="([^"#]+)"/g)) {
      assert.match(url, /^\/(?!\/)/, `${page} refers to ${url}`);
      seen.add(url);
    }
  }
  const types = { css: "text/css; charset=utf-8", js: /^(text|application)\/javascript/, svg: "image/svg+xml", png: "image/png", ico: /^image\// };
  const assets = [...seen].filter((url) => url.startsWith("/assets/"));
  assert.ok(assets.some((url) => /\.css$/.test(url.split("?")[0])));
  for (const url of seen) {
    const answer = await w.get(url);
    // Pages that need a session redirect to sign-in and back.
    if (answer.status === 303) assert.equal(answer.headers.location, `/signin?next=${encodeURIComponent(url)}`);
    else assert.equal(answer.status, 200, url);
    assertCommon(answer);
    if (!assets.includes(url)) continue;
    const type = types[/\.(\w+)$/.exec(url.split("?")[0])[1]];
    assert.match(answer.headers["content-type"], type instanceof RegExp ? type : new RegExp(`^${type.replace(/[+.]/g, "\\$&")}$`), url);
    assert.doesNotMatch(answer.headers["cache-control"], /no-store/);
  }
});

test("a cached asset is answered with 304", async (t) => {
  const w = await world(t);
  const url = /href="(\/assets\/[^"]+\.css[^"]*)"/.exec((await w.get("/")).text)[1];
  const first = await w.get(url);
  assert.match(first.headers.etag ?? "", /^"[^"]+"$/);
  for (const known of [first.headers.etag, `"other", ${first.headers.etag}`, "*", `W/${first.headers.etag}`]) {
    const again = await w.get(url, { "if-none-match": known });
    assert.equal(again.status, 304, known);
    assert.equal(again.text, "");
    assert.equal(again.headers.etag, first.headers.etag);
  }
  assert.equal((await w.get(url, { "if-none-match": '"other"' })).status, 200);
});
