// The Prometheus page: its format, its counts, and that it identifies no user.

import assert from "node:assert/strict";
import test from "node:test";
import { ask } from "../kit/http.mjs";
import { until } from "../kit/until.mjs";
import { world } from "../kit/world.mjs";

const observed = { settings: { "metrics-listen": "127.0.0.1:0" } };

// Samples whose name and labels contain all these words.
const matching = (metrics, ...words) => Object.entries(metrics).filter(([name]) => words.every((word) => name.includes(word)));
const sum = (entries) => entries.reduce((total, [, value]) => total + value, 0);

test("every family has a type and a help line, and every sample belongs to one", async (t) => {
  const w = await world(t, observed);
  const page = await ask(await w.service.metricsOrigin(), "GET", "/metrics");
  assert.match(page.headers["content-type"], /^text\/plain; version=0\.0\.4/);
  const types = new Map();
  const helps = new Set();
  for (const line of page.text.trimEnd().split("\n")) {
    const [, kind, family, rest] = /^# (TYPE|HELP) (\S+) (.+)$/.exec(line) ?? [];
    if (kind === "TYPE") {
      assert.ok(!types.has(family), `${family} is declared twice`);
      types.set(family, rest);
    } else if (kind === "HELP") helps.add(family);
    else {
      const name = /^[a-zA-Z_:][\w:]*/.exec(line)[0];
      const family = types.has(name) ? name : name.replace(/_(bucket|sum|count)$/, "");
      assert.ok(types.has(family) && helps.has(family), `${line} belongs to no family`);
      assert.match(name, /^(penchant|process)_/);
      if (types.get(family) === "counter") assert.match(name, /_total$/);
    }
  }
  await w.metrics(); // parses as samples, none told twice
});

test("requests are counted per route and status, and the histogram counts the same", async (t) => {
  const w = await world(t, observed);
  for (let i = 0; i < 7; i++) await w.get("/signup");
  for (let i = 0; i < 3; i++) await w.signUp({ username: "x" });
  await w.signUp({ username: "ada" });
  for (let i = 0; i < 5; i++) await w.get(`/nothing/${i}`);
  // A request is counted when its answer has left, a moment after the client has it.
  const metrics = await until("all to be counted", async () => {
    const now = await w.metrics();
    return sum(matching(now, "requests_total", "/signup", "GET")) === 7 && sum(matching(now, "requests_total", "4xx").concat(matching(now, 'status="4'))) >= 8 ? now : null;
  });
  const posts = matching(metrics, "requests_total", '"/signup"', "POST");
  assert.equal(sum(posts), 4);
  assert.equal(sum(posts.filter(([name]) => /"3/.test(name))), 1);
  assert.equal(sum(posts.filter(([name]) => /"4/.test(name))), 3);
  assert.equal(sum(matching(metrics, "_count", '"/signup"', "POST")), 4);
  // Buckets only grow, and the last holds all.
  const buckets = matching(metrics, "_bucket", '"/signup"', "POST");
  assert.ok(buckets.length > 5);
  for (let i = 1; i < buckets.length; i++) assert.ok(buckets[i][1] >= buckets[i - 1][1], buckets[i][0]);
  assert.match(buckets.at(-1)[0], /le="\+Inf"/);
  assert.equal(buckets.at(-1)[1], 4);
});

test("unknown paths share one series, so that clients cannot grow the page", async (t) => {
  const w = await world(t, observed);
  await w.get("/nothing");
  const before = Object.keys(await w.metrics()).length;
  for (let i = 0; i < 200; i++) await w.get(`/made/up/${i}`);
  const after = await w.metrics();
  assert.ok(Object.keys(after).length <= before + 40, "the page grows with what is asked");
  assert.equal(matching(after, "made").length, 0);
});

test("metrics of store, workers, and process are included, and nothing that identifies a user", async (t) => {
  const w = await world(t, observed);
  await w.signUp({ username: "somebody", email: "somebody@example.org", name: "Some Body" });
  const page = await ask(await w.service.metricsOrigin(), "GET", "/metrics");
  for (const word of ["store|db|commit", "worker", "connections", "process_resident_memory_bytes|resident", "start_time", "log"])
    assert.match(page.text, new RegExp(word), word);
  assert.doesNotMatch(page.text, /somebody|Some Body|usr_|127\.0\.0\.1/);
});

test("the metrics listener has the same error format and no other routes", async (t) => {
  const w = await world(t, observed);
  const origin = await w.service.metricsOrigin();
  for (const [method, path, status] of [["GET", "/nothing", 404], ["GET", "/signup", 404], ["POST", "/metrics", 405]]) {
    const answer = await ask(origin, method, path);
    assert.equal(answer.status, status);
    assert.equal(typeof answer.data.error_description, "string");
    assert.ok(answer.headers["x-request-id"]);
  }
  assert.equal((await w.get("/metrics")).status, 404);
});

test("a name that another site points at the metrics listener gets nothing", async (t) => {
  const w = await world(t, { settings: { ...observed.settings, "base-url": "https://penchant.example" } });
  const origin = await w.service.metricsOrigin();
  const status = async (host) => (await ask(origin, "GET", "/metrics", { headers: { host } })).status;
  for (const host of ["evil.example", "127.0.0.1.evil.example:9090", "localhost.evil.example", "penchant.example.evil.example", "x.penchant.example"])
    assert.equal(await status(host), 403, host);
  for (const host of ["127.0.0.1:9090", "[::1]:9090", "localhost:9090", "penchant", "Penchant.example:9090"]) assert.equal(await status(host), 200, host);
});
