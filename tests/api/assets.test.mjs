// The stylesheet and what else the pages need.

import assert from "node:assert/strict";
import test from "node:test";
import { assertCommon } from "../kit/expect.mjs";
import { stage } from "../kit/oauth.mjs";
import { world } from "../kit/world.mjs";

test("everything a page refers to is there, with its type, and may be kept by browsers", async (t) => {
  const w = await world(t);
  const seen = new Set();
  for (const page of ["/", "/signup", "/signin", "/nothing"]) {
    const { text } = await w.get(page, { accept: "text/html" });
    for (const [, url] of text.matchAll(/(?:href|src|action)="([^"#]+)"/g)) {
      if (url === "/display") continue; // only accepts the footer's form
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

test("a cached asset gets a 304", async (t) => {
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

test("browsers, password managers, and crawlers find what they look for", async (t) => {
  const { w, ada } = await stage(t);
  const icon = await w.get("/favicon.ico");
  assert.deepEqual([icon.status, icon.headers["content-type"]], [200, "image/svg+xml"]);
  assert.match(icon.text, /<svg/);
  const robots = await w.get("/robots.txt");
  assert.deepEqual([robots.status, robots.headers["content-type"]], [200, "text/plain; charset=utf-8"]);
  assert.match(robots.text, /^User-agent: \*\nDisallow: \/account\n/);
  const touch = await w.get("/apple-touch-icon.png");
  assert.deepEqual([touch.status, touch.headers["content-type"]], [200, "image/png"]);
  const manifest = await w.get("/site.webmanifest");
  assert.deepEqual([manifest.status, manifest.headers["content-type"]], [200, "application/manifest+json"]);
  const { name, start_url, icons } = JSON.parse(manifest.text);
  assert.deepEqual([name, start_url], ["Penchant", "/account"]);
  for (const { src, type } of icons) assert.equal((await w.get(src)).headers["content-type"], type);
  const start = (await w.get("/")).text;
  for (const tag of [`property="og:title" content="Penchant: `, `property="og:url" content="${w.origin}/"`, `property="og:image" content="${w.origin}/assets/touch-icon.png"`, `rel="manifest" href="/site.webmanifest"`, `rel="apple-touch-icon"`])
    assert.ok(start.includes(tag), tag);
  for (const answer of [icon, robots, touch, manifest]) assert.match(answer.headers["cache-control"], /max-age=\d+/);

  const stranger = await w.get("/.well-known/change-password", { accept: "text/html" });
  assert.equal(stranger.status, 303);
  assert.match(stranger.headers.location, /^\/signin\?next=/);
  await ada.signIn();
  const known = await ada.get("/.well-known/change-password");
  assert.deepEqual([known.status, known.headers.location], [303, "/account/security"]);
});

test("security.txt names the operator's contact and expires, and is absent without one", async (t) => {
  const w = await world(t, { settings: { "security-contact": "mailto:security@example.org" } });
  const { status, headers, text } = await w.get("/.well-known/security.txt");
  assert.deepEqual([status, headers["content-type"]], [200, "text/plain; charset=utf-8"]);
  const fields = Object.fromEntries(text.trim().split("\n").map((line) => line.split(/: (.*)/)));
  assert.deepEqual([fields.Contact, fields.Canonical], ["mailto:security@example.org", `${w.origin}/.well-known/security.txt`]);
  const days = (Date.parse(fields.Expires) - Date.now()) / 86_400_000;
  assert.ok(days > 30 && days < 365, fields.Expires); // RFC 9116 section 2.5.5
  assert.match(fields.Expires, /^\d{4}-\d\d-\d\dT00:00:00Z$/);
  assert.equal((await (await world(t)).get("/.well-known/security.txt")).status, 404);
});

test("the footer leads to the documentation, the privacy page, and the operator's own pages", async (t) => {
  const w = await world(t, { settings: { "source-url": "https://code.example/penchant", "privacy-url": "https://example.org/privacy" } });
  const { text } = await w.get("/privacy");
  const footer = /<footer class="bottom">[^]*<\/footer>/.exec(text)[0];
  for (const href of ["/developer/guide", "/privacy", "https://code.example/penchant"]) assert.ok(footer.includes(`href="${href}"`), href);
  assert.ok(text.includes('<a href="https://example.org/privacy">'));
  const bare = (await (await world(t)).get("/privacy")).text;
  assert.ok(!bare.includes("https://") && !bare.includes("Source code"), bare);
});
