// PostgreSQL goes away, comes back, is killed. Each test has a cluster of its own, with fsync on.

import assert from "node:assert/strict";
import { assertError, assertUnavailable } from "../kit/expect.mjs";
import { Cluster, psql } from "../kit/pg.mjs";
import { until } from "../kit/until.mjs";
import { onPostgres, world } from "../kit/world.mjs";

async function ownCluster(t) {
  const cluster = await Cluster.start({ durable: true });
  t.after(() => cluster.end());
  const w = await world(t, { cluster });
  return { cluster, w };
}

onPostgres("while PostgreSQL is away the answer is 503 with Retry-After, and then it works again by itself", async (t) => {
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

onPostgres("connections that the database ends are replaced, one 503 at most for each", async (t) => {
  const { cluster, w } = await ownCluster(t);
  await Promise.all(Array.from({ length: 8 }, (_, i) => w.signUp({ username: `warm${i}` })));
  await psql(cluster.address("postgres"), "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname LIKE 'w%'");
  await until("sign-up to work again", async () => (await w.signUp({ username: "again" })).status === 303, 20_000);
  for (let i = 0; i < 10; i++) assert.equal((await w.signUp({ username: `later${i}` })).status, 303);
});

onPostgres("PostgreSQL is killed -9 during writes: whatever was acknowledged is there when it is back", async (t) => {
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
    assert.equal(user.email, `${name}@example.org`);
  }
  await w.assertSound();
});

onPostgres("a service that starts while PostgreSQL is away says one line and exits 1", async (t) => {
  const { cluster, w } = await ownCluster(t);
  await w.stop();
  await cluster.stop();
  const service = w.launch({ "log-format": "text" });
  assert.equal((await service.exited()).status, 1);
  assert.equal(service.lines.length, 1, service.err);
  await cluster.up();
  await w.start();
});

onPostgres("a database that could lose what it confirmed is refused", async (t) => {
  const { cluster, w } = await ownCluster(t);
  await w.stop();
  await psql(cluster.address("postgres"), `ALTER DATABASE ${w.database} SET synchronous_commit = off`);
  const service = w.launch({ "log-format": "text" });
  assert.equal((await service.exited()).status, 1);
  assert.match(service.err, /synchronous_commit/);
});

onPostgres("rows that are locked by somebody else make a sign-up wait or fail, never hang or lie", async (t) => {
  const { cluster, w } = await ownCluster(t);
  const address = cluster.address(w.database);
  const locked = psql(address, "BEGIN; LOCK TABLE user_account IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(1.5); COMMIT");
  await until("the lock", async () => (await psql(cluster.address("postgres"), "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted AND relation > 16000")) > 0);
  const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => w.signUp({ username: `waiting${i}` })));
  await locked;
  for (const { status } of answers) assert.ok([303, 503].includes(status), `${status}`);
  const stored = new Set(await w.usernames());
  answers.forEach(({ status }, i) => assert.equal(stored.has(`waiting${i}`), status === 303));
});
