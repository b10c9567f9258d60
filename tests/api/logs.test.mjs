// What the service writes about itself.

import assert from "node:assert/strict";
import test from "node:test";
import { until } from "../kit/until.mjs";
import { PASSWORD, world } from "../kit/world.mjs";

test("with log-format json each line is an object with time, level, and event, and a request has its status", async (t) => {
  const w = await world(t);
  const answer = await w.get("/signup?secret=in-the-query");
  const line = await w.service.logged("the request", (one) => one.path === "/signup");
  assert.match(line.time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assert.equal(line.level, "info");
  assert.equal(line.method, "GET");
  assert.equal(line.status, 200);
  assert.equal(line.request ?? line.request_id ?? line.id, answer.headers["x-request-id"]);
  assert.equal(line.client, "127.0.0.1");
  assert.ok(!w.service.err.includes("in-the-query"), "a query can carry a secret and does not belong in a log");
});

test("in text every line begins with time, level and event", async (t) => {
  const w = await world(t, { settings: { "log-format": "text" } });
  await w.get("/healthz");
  await w.get("/nothing%20here");
  await until("the request's line", () => w.service.lines.some((line) => line.includes("/nothing")));
  for (const line of w.service.lines) assert.match(line, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ (error|warn|info|debug) [a-z]/);
});

// H22: what a client sends can neither end a line nor steer a terminal.
const NASTY = "\x1b[31mred\x1b[0m \x07 \x7f \t quote\" back\\slash";

test("input of clients is escaped in both formats", async (t) => {
  for (const format of ["json", "text"]) {
    const w = await world(t, { settings: { "log-format": format, "log-level": "debug" } });
    await w.raw(`GET /nothing/%0d%0aforged%1b[31m HTTP/1.1\r\nHost: h\r\nUser-Agent: ${NASTY}\r\nConnection: close\r\n\r\n`);
    await w.signUp({ username: "ada\r\n2026-01-01T00:00:00Z info forged", name: NASTY });
    await w.raw(`GET /\x1b[2J HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`);
    await w.get("/last");
    await until("the last request's line", () => w.service.err.includes("/last"));
    assert.doesNotMatch(w.service.err, /[\x00-\x09\x0b-\x1f\x7f]/, format);
    for (const line of w.service.lines) {
      if (format === "json") JSON.parse(line);
      else assert.match(line, /^\d{4}-/);
      assert.doesNotMatch(line, /^2026-01-01T00:00:00Z info forged/);
    }
  }
});

test("a very long path is one line, cut and well formed", async (t) => {
  const w = await world(t);
  await w.get(`/${"long".repeat(1500)}`);
  await w.get("/last");
  await w.service.logged("the last", (line) => line.path === "/last");
  for (const line of w.service.lines) assert.ok(Buffer.byteLength(line) <= 2048, `${line.length}`);
});

test("the access log can be turned off, and levels leave out what is below them", async (t) => {
  const quiet = await world(t, { settings: { "access-log": "off" } });
  await quiet.get("/nothing");
  await quiet.get("/signup");
  await quiet.stop();
  assert.ok(!quiet.service.log.some((line) => line.path === "/signup"), quiet.service.err);

  const w = await world(t, { start: false });
  const service = w.launch({ "log-level": "error", listen: "127.0.0.1:0" });
  await until("it to be up or gone", () => service.alive);
  service.signal("SIGTERM"); // before it listens, or behind: both are an end without trouble
  await service.exited();
  assert.ok(service.log.every((line) => line.level === "error"), service.err);
});

test("passwords are in no line at any level, whether the sign-up went well or not", async (t) => {
  const w = await world(t, { settings: { "log-level": "debug" } });
  await w.signUp({ username: "ada" });
  await w.signUp({ username: "ada" });
  await w.signUp({ username: "x", password: "unseen teapot waits 31" });
  await w.ask("POST", "/signup", { headers: { "content-type": "application/json" }, body: JSON.stringify({ password: PASSWORD }) });
  await w.ask("POST", "/signup", { headers: { "content-type": "application/x-www-form-urlencoded" }, body: `password=${PASSWORD}&password=${PASSWORD}` });
  await w.command("user", "passwd", "ada", { stdin: "fresh teapot waits 32\n" });
  w.secrets.add("fresh teapot waits 32");
  await w.get("/last");
  await w.service.logged("the last", (line) => line.path === "/last");
  // The world's end looks for every password in every line.
});
