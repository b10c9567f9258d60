// Signals, closed descriptors, a blocked log, and resource limits.

import assert from "node:assert/strict";
import fs from "node:fs";
import net from "node:net";
import test from "node:test";
import { Connection } from "../kit/http.mjs";
import { until } from "../kit/until.mjs";
import { RELEASE, world } from "../kit/world.mjs";

const freePort = () =>
  new Promise((resolve) => {
    const probe = net.createServer();
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });

// Starts a service whose log is not captured; it is up when it responds.
async function startBlind(w, options) {
  const port = await freePort();
  const service = w.launch({ listen: `127.0.0.1:${port}` }, options);
  service.origin = `http://127.0.0.1:${port}`;
  await until("it to answer", () => {
    assert.ok(service.alive, `it ended: ${JSON.stringify(service.end)}`);
    return w.get("/healthz").catch(() => null);
  });
  return service;
}

test("a blocked log: requests continue, and lines are dropped and counted", async (t) => {
  const w = await world(t, { settings: { "metrics-listen": "127.0.0.1:0" } });
  await w.metrics();
  w.service.child.stderr.pause(); // the pipe fills up, and then the queue
  const path = `/nothing/${"x".repeat(1500)}`;
  await until(
    "the first line to be dropped",
    async () => {
      await Promise.all(Array.from({ length: 50 }, () => w.get(path)));
      return (await w.metrics()).penchant_log_lines_dropped_total > 0;
    },
    60_000,
  );
  assert.equal((await w.get("/healthz")).status, 200);
  assert.equal((await w.signUp({ username: "ada" })).status, 303);
  w.service.child.stderr.resume();
  await w.service.logged("that lines were dropped", (line) => /dropped/.test(line.event));
  assert.deepEqual(await w.usernames(), ["ada"]);
});

test("a closed log pipe: requests continue, and the service still stops cleanly", async (t) => {
  const w = await world(t);
  w.service.child.stderr.destroy();
  for (let i = 0; i < 20; i++) assert.equal((await w.get("/healthz")).status, 200);
  assert.equal((await w.signUp({ username: "ada" })).status, 303);
  w.service.signal("SIGTERM");
  assert.deepEqual(await w.service.exited(), { status: 0, signal: null });
  assert.deepEqual(await w.usernames(), ["ada"]);
});

test("started without standard input, output, and error, it does not open the store as one of them", async (t) => {
  const w = await world(t, { start: false });
  const service = await startBlind(w, { launch: (program, args) => ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", program, ...args] });
  for (const fd of [0, 1, 2]) assert.equal(fs.readlinkSync(`/proc/${service.pid}/fd/${fd}`), "/dev/null", `descriptor ${fd}`);
  assert.equal((await w.signUp({ username: "ada" })).status, 303);
  service.signal("SIGTERM");
  assert.equal((await service.exited()).status, 0);
  assert.deepEqual(await w.usernames(), ["ada"]);
});

test("repeated SIGTERM loses no acknowledged write", async (t) => {
  for (const times of [2, 12]) {
    const w = await world(t);
    const made = [];
    const clients = Array.from({ length: 8 }, async (_, i) => {
      const answer = await w.signUp({ username: `user${i}` }).catch(() => null);
      if (answer?.status === 303) made.push(`user${i}`);
    });
    await w.get("/healthz");
    for (let i = 0; i < times; i++) w.service.signal("SIGTERM");
    const end = await w.service.exited();
    // A second SIGTERM may end the process at once, but no write is lost.
    assert.ok(end.status === 0 || end.signal === "SIGTERM", JSON.stringify(end));
    await Promise.all(clients);
    const stored = new Set(await w.usernames());
    for (const name of made) assert.ok(stored.has(name));
  }
});

test("SIGPIPE does not end the service", async (t) => {
  const w = await world(t);
  w.service.signal("SIGPIPE");
  assert.equal((await w.get("/healthz")).status, 200);
  assert.equal((await w.signUp({ username: "ada" })).status, 303);
});

test("with 64 descriptors it survives more clients than it can accept, and recovers when they disconnect", async (t) => {
  const w = await world(t, { start: false });
  await w.start({ pool: 2, threads: 1, workers: 4 }, { launch: (program, args) => ["prlimit", "--nofile=64:64", program, ...args] });
  const crowd = [];
  for (let i = 0; i < 120; i++) crowd.push(await Connection.open(w.port).catch(() => null));
  const there = crowd.filter(Boolean);
  there.forEach((connection) => connection.send("GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n"));
  await until("a response", () => there.some((connection) => connection.bytes.includes("200 OK")));
  there.forEach((connection) => connection.destroy());
  await until("it to answer again", async () => (await w.get("/healthz").catch(() => ({}))).status === 200);
  await until("it to store again", async () => (await w.signUp({ username: "ada" }).catch(() => ({}))).status === 303);
  assert.deepEqual(await w.usernames(), ["ada"]);
});

test("when clients take all descriptors, the threads still open the store", async (t) => {
  const w = await world(t, { start: false });
  const workers = 4;
  await w.start({ pool: 8, threads: 1, workers }, { launch: (program, args) => ["prlimit", "--nofile=120:120", program, ...args] });
  const form = "grant_type=refresh_token&refresh_token=x&client_id=app_nobody";
  const first = [];
  for (let i = 0; i < workers; i++) first.push(await w.connect());
  const crowd = [];
  for (let i = 0; i < 200; i++) crowd.push(await Connection.open(w.port).catch(() => null));
  for (const connection of crowd) connection?.send("GET /healthz HTTP/1.1\r\nHost: h\r\n");
  // Each of these takes a worker, which has not read from the store before.
  for (const connection of first)
    connection.send(`POST /oauth/token HTTP/1.1\r\nHost: h\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${form.length}\r\n\r\n${form}`);
  for (const connection of first) assert.ok([400, 401, 429].includes((await connection.answer()).status), "the store is out of reach");
  for (const connection of crowd) connection?.destroy();
  assert.doesNotMatch(w.service.err, /store_reader_failed/);
});

test("too few descriptors stop the start or are enough, never a crash", async (t) => {
  const w = await world(t, { start: false });
  for (const limit of [8, 12, 16, 24]) {
    const service = w.launch({ "log-format": "text" }, { launch: (program, args) => ["prlimit", `--nofile=${limit}:${limit}`, program, ...args] });
    await until("a decision", () => !service.alive || service.err.includes("listening"));
    service.signal("SIGTERM");
    const end = await service.exited();
    assert.equal(end.signal, null, `${limit}: ${service.err}`);
    assert.ok([0, 1].includes(end.status), `${limit}: ${end.status} ${service.err}`);
  }
});

test("no core dump is written, which could contain a password", async (t) => {
  const w = await world(t, { program: RELEASE });
  const limits = fs.readFileSync(`/proc/${w.service.pid}/limits`, "utf8");
  assert.match(limits, /Max core file size\s+0\s+0/);
});

// RssAnon, not VmRSS: how many pages of the program's file and of the libraries count as resident depends on what the
// machine happens to have in memory. The pages of the file are bounded by its size. Each limit is less than 1 MiB above
// what it was.
const OWN_KIB = { sqlite: 10_200, postgres: 8_900 };
const FILE_KIB = 15_000; // with the tables of the token counter and of the classifiers, which processes share: 11,600

test("the release starts with under 100 ms of CPU time and has under 10 MiB of its own when idle", async (t) => {
  const w = await world(t, { program: RELEASE, start: false });
  await w.command("migrate");
  await w.start();
  // CPU time, because the tests share this machine: fields 14 and 15 of stat, in hundredths of a second.
  const stat = fs.readFileSync(`/proc/${w.service.pid}/stat`, "utf8").split(") ")[1].split(" ");
  const ms = (Number(stat[11]) + Number(stat[12])) * 10;
  assert.ok(ms < 100, `${ms} ms`);
  const own = Number(/RssAnon:\s+(\d+) kB/.exec(fs.readFileSync(`/proc/${w.service.pid}/status`, "utf8"))[1]);
  assert.ok(own < OWN_KIB[w.kind], `${own} kB`);
  if (process.env.SHOW_MEMORY) console.log(`${own} kB`);
  const file = fs.statSync(RELEASE).size / 1024;
  assert.ok(file < FILE_KIB, `the file has ${file} KiB`);
});
