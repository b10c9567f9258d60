// PostgreSQL is stopped, restarted, and killed. Each test has its own cluster, with fsync on.

import assert from "node:assert/strict";
import { assertError, assertUnavailable } from "../kit/expect.mjs";
import { addPerson } from "../kit/oauth.mjs";
import { Cluster, psql } from "../kit/pg.mjs";
import { until } from "../kit/until.mjs";
import { onPostgres, world } from "../kit/world.mjs";

async function ownCluster(t) {
  const cluster = await Cluster.start({ durable: true });
  t.after(() => cluster.end());
  const w = await world(t, { cluster });
  return { cluster, w };
}

onPostgres("while PostgreSQL is down the response is 503 with Retry-After, and the service recovers by itself", async (t) => {
  const { cluster, w } = await ownCluster(t);
  assert.equal((await w.signUp({ username: "before" })).status, 303);
  await cluster.stop();
  for (let i = 0; i < 5; i++) assertUnavailable(await w.signUp({ username: "during" }));
  assertError(await w.get("/readyz"), 503);
  assert.equal((await w.get("/healthz")).status, 200);
  assert.equal((await w.get("/signup")).status, 200);
  const command = await w.command("user", "list");
  assert.equal(command.status, 1);
  assert.equal(command.err.trim().split("\n").length, 1, command.err);
  await cluster.up();
  await until("readiness", async () => (await w.get("/readyz")).status === 200);
  const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => w.signUp({ username: `after${i}` })));
  assert.deepEqual(answers.map(({ status }) => status), new Array(12).fill(303));
  assert.equal((await w.users()).length, 13);
});

// Lets the pool open connections: eight requests at a time, whose reads do not share a statement.
async function fillPool(w) {
  const warm = await addPerson(w, "warm");
  await until("eight pages at a time", async () => {
    const pages = await Promise.all(Array.from({ length: 8 }, () => warm.get("/account/activity", { "sec-fetch-site": "same-origin" })));
    return pages.every(({ status }) => status === 200);
  });
}

const OURS = "FROM pg_stat_activity WHERE application_name = 'penchant'";

onPostgres("connections that the database closes are replaced without a failed request", async (t) => {
  const { cluster, w } = await ownCluster(t);
  await fillPool(w);
  // The service may already have opened new ones when these have ended.
  const closed = await psql(cluster.address("postgres"), `SELECT string_agg(pid::text, ',') FILTER (WHERE pg_terminate_backend(pid)) ${OURS}`);
  await until("their end", async () => (await psql(cluster.address("postgres"), `SELECT count(*) ${OURS} AND pid IN (${closed})`)) === "0");
  for (let i = 0; i < 10; i++) assert.equal((await w.signUp({ username: `later${i}` })).status, 303);
  assert.equal((await w.users()).length, 11);
});

onPostgres("the first request after a restart of PostgreSQL succeeds", async (t) => {
  const { cluster, w } = await ownCluster(t);
  for (const [ask, status] of [[() => w.signUp({ username: "ada" }), 303], [() => w.get("/readyz"), 200]]) {
    await fillPool(w);
    await cluster.stop();
    await cluster.up();
    assert.equal((await ask()).status, status);
    for (const { username } of await w.users()) assert.equal((await w.command("user", "delete", username)).status, 0);
  }
});

onPostgres("kill -9 of PostgreSQL during writes loses no acknowledged write", async (t) => {
  const { cluster, w } = await ownCluster(t);
  const made = new Set();
  const tried = new Set();
  let stop = false;
  const writers = Array.from({ length: 12 }, async (_, n) => {
    for (let i = 0; !stop; i++) {
      const username = `w${n}-${i}`;
      tried.add(username);
      const { status } = await w.signUp({ username, email: `${username}@example.org` });
      assert.ok([303, 503].includes(status), `${status}`);
      if (status === 303) made.add(username);
    }
  });
  for (let round = 0; round < 2; round++) {
    const enough = made.size + 10;
    await until("writes", () => made.size >= enough, 60_000);
    await cluster.kill();
    await cluster.up();
  }
  const enough = made.size + 5;
  await until("writes after the last return", () => made.size >= enough, 60_000);
  stop = true;
  await Promise.all(writers);
  const users = new Map((await w.users()).map((user) => [user.username, user]));
  for (const name of made) assert.ok(users.has(name), `${name} was acknowledged and is lost`);
  for (const [name, user] of users) {
    assert.ok(tried.has(name));
    assert.equal(user.unconfirmed_email, `${name}@example.org`);
  }
  await w.assertSound();
});

onPostgres("an address with several servers: one line gives the reason of each", async (t) => {
  const w = await world(t, { start: false });
  const store = `postgresql://penchant@127.0.0.1:1,127.0.0.1:2,127.0.0.1:${w.pgPort}/nothing_here`;
  const service = w.launch({ "log-format": "text", store });
  assert.equal((await service.exited()).status, 1);
  assert.equal(service.lines.length, 1, service.err);
  assert.match(service.err, /port 1 failed: Connection refused; .*port 2 failed: Connection refused; .*database "nothing_here" does not exist/);
});

onPostgres("a service that starts while PostgreSQL is down writes one line and exits with 1", async (t) => {
  const { cluster, w } = await ownCluster(t);
  await w.stop();
  await cluster.stop();
  const service = w.launch({ "log-format": "text" });
  assert.equal((await service.exited()).status, 1);
  assert.equal(service.lines.length, 1, service.err);
  await cluster.up();
  await w.start();
});

onPostgres("a database that could lose committed writes is refused", async (t) => {
  const { cluster, w } = await ownCluster(t);
  await w.stop();
  await psql(cluster.address("postgres"), `ALTER DATABASE ${w.database} SET synchronous_commit = off`);
  const service = w.launch({ "log-format": "text" });
  assert.equal((await service.exited()).status, 1);
  assert.match(service.err, /synchronous_commit/);
});

onPostgres("rows locked by another session make a sign-up wait or fail, never hang or report a false result", async (t) => {
  const { cluster, w } = await ownCluster(t);
  const address = cluster.address(w.database);
  const locked = psql(address, "BEGIN; LOCK TABLE activity IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(1.5); COMMIT");
  await until("the lock", async () => (await psql(cluster.address("postgres"), "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted AND relation > 16000")) > 0);
  const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => w.signUp({ username: `waiting${i}` })));
  await locked;
  for (const { status } of answers) assert.ok([303, 503].includes(status), `${status}`);
  const stored = new Set(await w.usernames());
  answers.forEach(({ status }, i) => assert.equal(stored.has(`waiting${i}`), status === 303));
});
