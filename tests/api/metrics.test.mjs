// The Prometheus page: its format, its counts, and that it identifies no user.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { ask } from "../kit/http.mjs";
import { connected } from "../kit/preferences.mjs";
import { FROM, mailServer } from "../kit/smtp.mjs";
import { until } from "../kit/until.mjs";
import { onPostgres, onSqlite, ROOT, world } from "../kit/world.mjs";

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
  await w.metrics(); // parses as samples, none twice
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
  assert.equal(sum(matching(metrics, "duration_seconds_count", '"/signup"', "POST", 'status="4xx"')), 3);
  // Buckets only grow, and the last holds all.
  const buckets = matching(metrics, "_bucket", '"/signup"', "GET", 'status="2xx"');
  assert.ok(buckets.length > 5);
  for (let i = 1; i < buckets.length; i++) assert.ok(buckets[i][1] >= buckets[i - 1][1], buckets[i][0]);
  assert.match(buckets.at(-1)[0], /le="\+Inf"/);
  assert.equal(buckets.at(-1)[1], 7);
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

const pageOf = async (w) => (await ask(await w.service.metricsOrigin(), "GET", "/metrics")).text;

const promtool = (words, input) => {
  try {
    return execFileSync("promtool", words, { input, encoding: "utf8", stdio: ["pipe", "pipe", "pipe"] });
  } catch ({ stdout, stderr }) {
    assert.fail(`promtool ${words.join(" ")}: ${stdout}${stderr}`);
  }
};

test("promtool finds nothing to criticize", async (t) => {
  const server = await mailServer(t);
  const w = await world(t, { settings: { ...observed.settings, "smtp-url": server.url, "smtp-from": FROM } });
  await w.signUp({ username: "ada" });
  promtool(["check", "metrics"], await pageOf(w));
});

onPostgres("alert rules and dashboard are valid and name only metrics that exist", async (t) => {
  const server = await mailServer(t);
  const settings = { ...observed.settings, "smtp-url": server.url, "smtp-from": FROM };
  const exposed = new Set();
  for (const store of ["sqlite", "postgres"])
    for (const [, family, type] of (await pageOf(await world(t, { store, settings }))).matchAll(/^# TYPE (\S+) (\S+)$/gm))
      for (const ending of type === "histogram" ? ["_bucket", "_sum", "_count"] : [""]) exposed.add(family + ending);
  const rules = path.join(ROOT, "deploy/prometheus/penchant.rules.yml");
  promtool(["check", "rules", rules]);
  const board = JSON.parse(fs.readFileSync(path.join(ROOT, "deploy/grafana/penchant.json"), "utf8"));
  const expressions = board.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  // Each expression of the dashboard as a rule, so that promtool parses it; Grafana fills in the variables.
  const plain = expressions.map((expr) => expr.replaceAll("$__rate_interval", "5m").replaceAll("$instance", ".+"));
  const parsed = path.join(fs.mkdtempSync("/tmp/penchant-rules-"), "dashboard.yml");
  t.after(() => fs.rmSync(path.dirname(parsed), { recursive: true }));
  fs.writeFileSync(parsed, JSON.stringify({ groups: [{ name: "dashboard", rules: plain.map((expr, i) => ({ record: `panel:${i}`, expr })) }] }));
  promtool(["check", "rules", parsed]);
  const used = [fs.readFileSync(rules, "utf8").replaceAll(/^.*(action|summary|#).*$/gm, ""), ...plain, "penchant_build_info"].flatMap((text) => text.match(/\b(penchant|process)_\w+/g) ?? []);
  assert.ok(used.length > 30);
  assert.deepEqual([...new Set(used)].filter((name) => !exposed.has(name)), []);
  assert.equal(new Set(board.panels.map(({ id }) => id)).size, board.panels.length);
});

onSqlite("files of the store, its snapshots, and the free disk are measured", async (t) => {
  const w = await world(t, observed);
  await w.addUser("ada");
  const metrics = await w.metrics();
  assert.equal(metrics.penchant_store_file_bytes, fs.statSync(w.file).size);
  assert.equal(metrics.penchant_store_wal_bytes, fs.statSync(`${w.file}-wal`).size);
  assert.ok(metrics.penchant_store_wal_bytes > 0);
  const { bavail, bsize } = fs.statfsSync(w.dir);
  assert.ok(Math.abs(metrics.penchant_store_disk_free_bytes - bavail * bsize) < 0.2 * bavail * bsize);
  assert.equal(metrics.penchant_store_oldest_snapshot_seconds, 0);
});

onSqlite("hits and misses of the cache are counted", async (t) => {
  const { w, api } = await connected(t, observed);
  const get = (where) => api.read(where);
  const count = async () => {
    const { penchant_cache_hits_total: hits, penchant_cache_misses_total: misses } = await w.metrics();
    return { hits, misses };
  };
  await get("preferences");
  const before = await count();
  for (let i = 0; i < 5; i++) await get("preferences");
  const after = await count();
  assert.ok(after.hits >= before.hits + 5, JSON.stringify([before, after]));
  assert.equal(after.misses, before.misses);
  const { penchant_cache_entries: entries, penchant_cache_bytes: bytes } = await w.metrics();
  assert.ok(entries > 0 && bytes > 0);
});

test("the expiry of the certificate is exposed", async (t) => {
  const w = await world(t, { start: false });
  const [cert, key] = ["cert.pem", "key.pem"].map((file) => path.join(w.dir, file));
  execFileSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "20", "-subj", "/CN=localhost", "-keyout", key, "-out", cert], { stdio: "ignore" });
  await w.start({ ...observed.settings, "tls-cert": cert, "tls-key": key });
  const expires = Date.parse(execFileSync("openssl", ["x509", "-in", cert, "-noout", "-enddate"], { encoding: "utf8" }).split("=")[1]) / 1000;
  const samples = matching(await w.metrics(), "penchant_tls_certificate_expiry_timestamp_seconds");
  assert.deepEqual(samples, [['penchant_tls_certificate_expiry_timestamp_seconds{listener="main"}', expires]]);
});

test("email that waits and is sent is counted", async (t) => {
  const server = await mailServer(t);
  await server.become("later");
  const w = await world(t, { settings: { ...observed.settings, "smtp-url": server.url, "smtp-from": FROM } });
  const tries = (metrics, result) => metrics[`penchant_mail_attempts_total{result="${result}"}`];
  w.clock.stop(); // so that the second try, a minute after the first, is due when the test says so
  assert.equal((await w.metrics()).penchant_mail_waiting, 0);
  await w.signUp({ username: "ada", email: "ada@example.org" });
  await until("a failed try", async () => tries(await w.metrics(), "failed") === 1);
  w.deadlines.forward(10_000); // the outbox is counted every ten seconds
  const waiting = await until("the count", async () => {
    const metrics = await w.metrics();
    return metrics.penchant_mail_waiting > 0 ? metrics : null;
  });
  assert.equal(waiting.penchant_mail_waiting, 1);
  assert.equal(tries(waiting, "sent"), 0);
  w.clock.forward(50);
  assert.equal((await w.metrics()).penchant_mail_oldest_seconds, 50);
  await server.become("accept");
  w.clock.forward(50);
  await until("it is sent", async () => tries(await w.metrics(), "sent") === 1);
});
