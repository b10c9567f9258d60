// SIGTERM: what was accepted is answered, nothing acknowledged is lost, the end is quiet.

import assert from "node:assert/strict";
import test from "node:test";
import { until } from "../kit/until.mjs";
import { onSqlite, PASSWORD, world } from "../kit/world.mjs";

test("an idle service stops at once, and logs that it drains", async (t) => {
  const w = await world(t);
  const began = Date.now();
  await w.stop();
  assert.ok(Date.now() - began < 5000, "an idle service takes long to end");
  assert.ok(w.service.log.some((line) => /drain|stop/.test(line.event)), w.service.err);
});

test("with drain-delay /readyz is 503 while requests are still accepted; a second signal ends the delay", async (t) => {
  const w = await world(t, { settings: { "drain-delay": 60 } });
  w.service.signal("SIGTERM");
  await until("the end of readiness", async () => (await w.get("/readyz")).status === 503);
  assert.equal((await w.signUp({ username: "late" })).status, 303);
  const began = Date.now();
  await w.stop();
  assert.ok(Date.now() - began < 10_000, "the second signal did not end the delay");
});

test("SIGINT drains the service like SIGTERM", async (t) => {
  const w = await world(t);
  w.service.signal("SIGINT");
  assert.deepEqual(await w.service.exited(), { status: 0, signal: null });
  assert.deepEqual(w.service.log.find(({ event }) => event === "stopping").signal, "INT");
});

test("a service started with nohup continues when the terminal is closed", async (t) => {
  const w = await world(t, { start: false });
  await w.start({}, { launch: (program, args) => ["sh", "-c", 'trap "" HUP; exec "$@"', "sh", program, ...args] });
  w.service.signal("SIGHUP");
  assert.equal((await w.get("/readyz")).status, 200);
  await w.stop();
});

test("idle connections do not hold it back", async (t) => {
  const w = await world(t);
  const kept = await w.connect();
  kept.send("GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n");
  await kept.answer();
  const silent = await w.connect();
  const began = Date.now();
  await w.stop();
  assert.ok(Date.now() - began < 8000);
  await kept.untilClosed();
  await silent.untilClosed();
});

// Hashing is cheap: threads that hash have the lowest priority, and on a busy machine 16 real hashes may take longer than
// the 10 seconds after which the service cuts connections.
test("under load every accepted sign-up gets a response, and every acknowledged one is stored", async (t) => {
  const w = await world(t);
  const made = [];
  const cut = [];
  let stopping = false;
  const client = async (number) => {
    for (let i = 0; !stopping || i === 0; i++) {
      const username = `c${number}-${i}`;
      try {
        const answer = await w.signUp({ username });
        if (answer.status === 303) made.push(username);
        else assert.equal(answer.status, 503, answer.text);
      } catch (error) {
        // A late connection may be refused; a connection must not be cut in the middle of a response.
        cut.push({ username, code: error.code ?? error.message });
        return;
      }
    }
  };
  const clients = Array.from({ length: 16 }, (_, i) => client(i));
  await until("some sign-ups", () => made.length >= 10, 60_000);
  stopping = true;
  await w.stop();
  await Promise.all(clients);
  const stored = new Set(await w.usernames());
  // Connections that were in the kernel's queue when the listener closed are reset without a response.
  const tooLate = ({ username, code }) => code === "ECONNREFUSED" || (code === "ECONNRESET" && !stored.has(username));
  assert.deepEqual(cut.filter((each) => !tooLate(each)), []);
  for (const username of made) assert.ok(stored.has(username), `${username} was acknowledged and is lost`);
  await w.assertSound();
});

test("a sign-up whose body is still on its way when the end is asked for is finished", async (t) => {
  const w = await world(t);
  const body = new URLSearchParams({ username: "slow", password: PASSWORD }).toString();
  const connection = await w.connect();
  connection.send(`POST /signup HTTP/1.1\r\nHost: h\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`);
  await until("100 Continue", () => connection.bytes.includes("100 "));
  connection.send(body.slice(0, 10));
  w.service.signal("SIGTERM");
  await w.service.logged("draining", (line) => /drain|stop/.test(line.event));
  connection.send(body.slice(10));
  assert.equal((await connection.answer()).status, 303);
  assert.deepEqual(await w.service.exited(), { status: 0, signal: null });
  assert.deepEqual(await w.usernames(), ["slow"]);
});

test("while draining, /healthz is 200 and /readyz is 503, and then no connections are accepted", async (t) => {
  const w = await world(t);
  const kept = await w.connect();
  kept.send("GET /readyz HTTP/1.1\r\nHost: h\r\n\r\n");
  assert.equal((await kept.answer()).status, 200);
  // A request that is under way keeps the service from ending while we look.
  const slow = await w.connect();
  slow.send("POST /signup HTTP/1.1\r\nHost: h\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 11\r\nExpect: 100-continue\r\n\r\n");
  await until("100 Continue", () => slow.bytes.includes("100 "));
  const ready = await w.connect();
  ready.send("GET /readyz HTTP/1.1\r\nHost: h\r\n"); // its head is half there when the drain begins
  await w.get("/healthz");
  w.service.signal("SIGTERM");
  await w.service.logged("draining", (line) => /drain|stop/.test(line.event));
  ready.send("\r\n");
  const answer = await ready.answer();
  assert.equal(answer.status, 503);
  slow.send("username=ad");
  assert.equal((await slow.answer()).status, 400);
  assert.deepEqual(await w.service.exited(), { status: 0, signal: null });
  await assert.rejects(w.get("/healthz"), { code: "ECONNREFUSED" });
});

onSqlite("commands under way in the service are finished too", async (t) => {
  const w = await world(t);
  let made = [];
  let ended = false;
  const loops = Array.from({ length: 8 }, async (_, n) => {
    for (let i = 0; !ended; i++) {
      const name = `k${n}-${i}`;
      const result = await w.control(["user", "add", name, "--no-password", "--json"]).catch(() => ({ status: null }));
      if (result.status === 0) made.push(name);
      else if (result.status === null) return;
    }
  });
  await until("some", () => made.length > 50);
  await w.stop();
  ended = true;
  await Promise.all(loops);
  const stored = new Set(await w.usernames());
  for (const name of made) assert.ok(stored.has(name), `${name} was acknowledged and is lost`);
});
