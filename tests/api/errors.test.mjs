// All errors have the same format; browsers get a page.

import assert from "node:assert/strict";
import test from "node:test";
import { assertCommon, assertError, assertPage } from "../kit/expect.mjs";
import { pause } from "../kit/until.mjs";
import { world } from "../kit/world.mjs";

const BROWSER = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
const KIB = 1024;

test("an unknown path is a 404 in the standard format, for every method", async (t) => {
  const w = await world(t);
  for (const method of ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"]) assertError(await w.ask(method, "/nothing/here"), 404);
  const head = await w.ask("HEAD", "/nothing/here");
  assert.equal(head.status, 404);
  assertCommon(head);
  assert.equal(head.text, "");
});

test("a browser gets the same error as a page", async (t) => {
  const w = await world(t);
  const page = await w.get("/nothing/here", BROWSER);
  assertPage(page, 404);
  assert.match(page.text, new RegExp(page.headers["x-request-id"]));
  assertPage(await w.ask("DELETE", "/signup", { headers: BROWSER }), 405);
});

test("an Accept header with */* or JSON first gets JSON", async (t) => {
  const w = await world(t);
  for (const accept of ["*/*", "application/json", "application/json, text/html;q=0.5", "text/html;q=0", "", "text/plain", ";;;q=", "text/html;q=0.1, application/json"])
    assertError(await w.get("/nothing", { accept }), 404);
});

test("each rejected request gets a new X-Request-Id, never the client's own", async (t) => {
  const w = await world(t);
  const ids = new Set();
  for (let i = 0; i < 20; i++) ids.add((await w.get("/nothing", { "x-request-id": "mine-mine-mine" })).headers["x-request-id"]);
  assert.equal(ids.size, 20);
  assert.ok(!ids.has("mine-mine-mine"));
});

test("only the canonical form of a path is found", async (t) => {
  const w = await world(t);
  const tricks = [
    "//signup", "/signup/", "/signup//", "/SIGNUP", "/Signup", "/signup;x=1", "/signup;", "/;/signup", "/./signup",
    "/x/../signup", "/signup/.", "/signup/..", "/%2e/signup", "/%2e%2e/signup", "/%2E%2E%2Fsignup", "/%73ignup", "/signup%2f",
    "/signup%20", "/signup%09", "/signup%0a", "/signup%00", "/signup%00.css", "/%00", "/\\signup", "/%5csignup", "/signup%c0%ae",
    "/%c0%ae%c0%ae/signup", "/%e0%80%af", "/%252e%252e/signup", "/%2573ignup", "/signup%", "/signup%2", "/signup%zz", "/%u0073ignup",
    "/oauth;x/token", "/V1/", "/healthz/../signup", "/healthz%3f", "/assets", "/assets/", "/assets//", "/assets/.", "/assets/..",
    "/assets/../signup", "/assets/..%2f..%2fetc%2fpasswd", "/assets/%2e%2e%2fsignup", "/assets//etc/passwd", "/assets/%2fetc%2fpasswd",
    "/assets/../../../../etc/passwd", "/assets/....//....//etc/passwd", "/assets/..\\..\\etc\\passwd", "/assets/style.css%00.html",
    "/assets/style.css/", "/assets/nothing.css", "/assets/0001_users.sql", "/assets/error.html",
  ];
  for (const path of tricks) {
    const answer = await w.raw(`GET ${path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`);
    assert.ok([400, 404].includes(answer.status), `${path}: ${answer.status}`);
    assertError(answer, answer.status);
    assert.doesNotMatch(answer.text, /root:|CREATE TABLE/);
  }
});

test("no request parameter is returned as markup", async (t) => {
  const w = await world(t);
  for (const path of ["/%3Cscript%3Ealert(1)%3C/script%3E", "/?error_description=<img/src=x/onerror=alert(1)>", "/signup?username=%22%3E%3Cscript%3E"]) {
    const { text } = await w.get(encodeURI(path).replace(/%25/g, "%"), BROWSER);
    assert.doesNotMatch(text, /<script>|<img\/src|"><script/i);
  }
});

test("a body over the route's limit is 413, before it is sent if its length is known", async (t) => {
  const w = await world(t);
  const connection = await w.connect();
  connection.send(`POST /signup HTTP/1.1\r\nHost: h\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${100 * KIB * KIB}\r\n\r\n`);
  assertError(await connection.answer(), 413);
  await connection.untilClosed();
});

test("a chunked body over the route's limit is 413", async (t) => {
  const w = await world(t);
  const connection = await w.connect();
  connection.send("POST /signup HTTP/1.1\r\nHost: h\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n");
  connection.send(`4000\r\n${"a".repeat(0x4000)}\r\n`.repeat(3) + "0\r\n\r\n");
  assertError(await connection.answer(), 413);
  assert.deepEqual(await w.users(), []);
});

test("a chunked body that never ends is cut off at the deadline", async (t) => {
  const w = await world(t);
  const connection = await w.connect();
  connection.send("POST /signup HTTP/1.1\r\nHost: h\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (let i = 0; i < 1500 && !connection.closed; i++) {
    connection.send(`4000\r\n${"a".repeat(0x4000)}\r\n`);
    if (i % 20 === 0) await pause(1);
  }
  await connection.untilClosed();
  assert.ok(connection.socket.bytesWritten < 22_000_000, "it reads on and on");
  assert.deepEqual(await w.users(), []);
});

test("a body on a route without one is rejected, and its bytes are never parsed as a request", async (t) => {
  const w = await world(t);
  const smuggled = "GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n";
  const connection = await w.connect();
  connection.send(`GET /nothing HTTP/1.1\r\nHost: h\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`);
  const first = await connection.answer();
  assert.ok([404, 413].includes(first.status), `${first.status}`);
  connection.send("GET /healthz HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  await connection.untilClosed();
  assert.ok(!w.service.err.includes("smuggled"), "the body was read as a request");
});

test("a target past 8 KiB is 414, a head past 16 KiB or 100 fields is 431", async (t) => {
  const w = await world(t);
  const fine = await w.get(`/healthz?${"q".repeat(6 * KIB)}`);
  assert.equal(fine.status, 200);
  assertError(await w.raw(`GET /healthz?${"q".repeat(9 * KIB)} HTTP/1.1\r\nHost: h\r\n\r\n`), 414);
  const many = Array.from({ length: 101 }, (_, i) => `X-${i}: v\r\n`).join("");
  assertError(await w.raw(`GET /healthz HTTP/1.1\r\nHost: h\r\n${many}\r\n`), 431);
  // Past what the library can hold it may answer in its own words.
  const huge = await w.raw(`GET /healthz HTTP/1.1\r\nHost: h\r\nX: ${"v".repeat(20 * KIB)}\r\n\r\n`);
  assert.ok(huge === null || huge.status === 431, `${huge?.status}`);
  const endless = await w.raw(`GET /${"a".repeat(64 * KIB)} HTTP/1.1\r\nHost: h\r\n\r\n`);
  assert.ok(endless === null || [414, 431].includes(endless.status), `${endless?.status}`);
});

test("the same limits apply when the bytes arrive one by one", async (t) => {
  const w = await world(t);
  const connection = await w.connect();
  connection.socket.setNoDelay(true);
  const bytes = `GET /healthz?${"q".repeat(200)} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`;
  for (const byte of bytes) {
    connection.send(byte);
    await new Promise(setImmediate);
  }
  assert.equal((await connection.answer()).status, 200);
});

test("a form with another Content-Type is 415", async (t) => {
  const w = await world(t);
  const send = (type) => w.ask("POST", "/signup", { headers: type ? { "content-type": type } : {}, body: "username=ada" });
  for (const type of ["application/json", "text/plain", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded; charset=utf-16", "nonsense", undefined])
    assertError(await send(type), 415);
  for (const type of ["application/x-www-form-urlencoded", "Application/X-WWW-Form-Urlencoded; Charset=UTF-8", 'application/x-www-form-urlencoded;charset="utf-8"'])
    assert.equal((await send(type)).status, 400, type); // understood, and lacking a password
});

test("pages are not for scripts of other sites", async (t) => {
  const w = await world(t);
  for (const path of ["/", "/signup", "/signin", "/assets/nothing", "/assets/style.css"]) {
    const answer = await w.get(path, { origin: "https://elsewhere.example" });
    assert.equal(answer.headers["access-control-allow-origin"], undefined);
    assert.equal(answer.headers["access-control-allow-credentials"], undefined);
  }
});

test("Host and proxy headers are ignored: links and origin come from the settings", async (t) => {
  const w = await world(t, { settings: { "base-url": "https://penchant.example" } });
  const lies = {
    host: "evil.example",
    "x-forwarded-host": "evil.example",
    "x-forwarded-proto": "gopher",
    "x-forwarded-for": "203.0.113.66",
    forwarded: "for=203.0.113.66;host=evil.example;proto=gopher",
    "x-original-url": "/signup",
    "x-rewrite-url": "/signup",
    "x-http-method-override": "DELETE",
  };
  for (const path of ["/", "/signup", "/nothing"]) {
    const honest = await w.get(path, BROWSER);
    const lied = await w.get(path, { ...BROWSER, ...lies });
    assert.equal(lied.status, honest.status);
    assert.doesNotMatch(lied.text + JSON.stringify(lied.headers), /evil|gopher|203\.0\.113/);
  }
  // An origin equal to the Host header sent is still not ours.
  const crossed = await w.signUp({ username: "mallory" }, { headers: { host: "evil.example", origin: "https://evil.example" } });
  assert.equal(crossed.status, 403);
  await w.service.logged("the request", (line) => line.path === "/nothing");
  assert.ok(!w.service.err.includes("203.0.113.66"), "an address a stranger made up is logged as the client's");
});

test("X-Forwarded-For is used from a trusted proxy only", async (t) => {
  const w = await world(t, { settings: { "trusted-proxies": "127.0.0.1/32" } });
  await w.get("/nothing/proxied", { "x-forwarded-for": "198.51.100.7" });
  const line = await w.service.logged("the proxied request", (one) => one.path === "/nothing/proxied");
  assert.equal(line.client, "198.51.100.7");
  await w.get("/nothing/forged", { "x-forwarded-for": "203.0.113.1, 198.51.100.8" });
  const forged = await w.service.logged("the forged request", (one) => one.path === "/nothing/forged");
  assert.equal(forged.client, "198.51.100.8"); // what the proxy itself saw, not what was sent to it
});

test("a header named in Connection is still read", async (t) => {
  const w = await world(t);
  const crossed = await w.signUp({ username: "mallory" }, { headers: { origin: "https://evil.example", connection: "close, origin, sec-fetch-site" } });
  assert.equal(crossed.status, 403);
  assert.deepEqual(await w.users(), []);
});
