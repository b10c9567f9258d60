// PostgreSQL hangs, locks, and refuses, but its connections stay open. No request waits much longer than
// store-deadline, and the service recovers by itself.

import assert from "node:assert/strict";
import { assertError, assertUnavailable } from "../kit/expect.mjs";
import { addApp, addPerson, EVERYTHING } from "../kit/oauth.mjs";
import { Cluster, psql } from "../kit/pg.mjs";
import { Client, MUSIC } from "../kit/preferences.mjs";
import { Program } from "../kit/process.mjs";
import { until } from "../kit/until.mjs";
import { onPostgres, world } from "../kit/world.mjs";

const DEADLINE_MS = 500;
const SLACK_MS = 5000; // of a busy machine; without a deadline requests would wait for as long as PostgreSQL hangs

async function ownCluster(t, settings, flags) {
  const cluster = await Cluster.start({ durable: true, flags });
  t.after(() => cluster.end());
  const w = await world(t, { cluster, settings: { "store-deadline": DEADLINE_MS, "metrics-listen": "127.0.0.1:0", ...settings } });
  return { cluster, w };
}

const page = (person) => person.get("/account", { "sec-fetch-site": "same-origin" });

// /readyz always answers within a second. If only the machine is busy, one of three answers is in time.
async function readiness(w) {
  const took = [];
  while (took.length < 3) {
    const { answer, ms } = await timed(w.get("/readyz"));
    if (ms < 1000) return answer;
    took.push(ms);
  }
  assert.fail(`/readyz took ${took.join(", ")} ms`);
}

const ready = (w, within) => until("readiness", async () => (await readiness(w)).status === 200, within);

async function timed(request) {
  const began = performance.now();
  const answer = await request;
  return { answer, ms: performance.now() - began };
}

onPostgres("while PostgreSQL hangs every request gets 503 in time, and it recovers by itself", async (t) => {
  const { cluster, w } = await ownCluster(t);
  const ada = await addPerson(w, "before");
  await ready(w, 15_000); // on a busy machine, a query may miss the short deadline before
  cluster.freeze();
  for (let round = 0; round < 2; round++) {
    const asked = [timed(w.signUp({ username: `during${round}` })), ...Array.from({ length: 30 }, () => timed(page(ada)))];
    for (const answer of await Promise.all(Array.from({ length: 6 }, () => readiness(w)))) {
      assertError(answer, 503);
      assert.match(answer.text, /does not respond/);
    }
    for (const { answer, ms } of await Promise.all(asked)) {
      assertUnavailable(answer);
      assert.ok(ms < 2 * DEADLINE_MS + SLACK_MS, `${ms} ms`);
    }
  }
  assert.equal((await w.get("/healthz")).status, 200);
  const metrics = await w.metrics();
  assert.ok(metrics["penchant_store_deadlines_missed_total"] > 0);
  assert.ok(metrics["penchant_store_transactions_failed_total"] >= 62, `${metrics["penchant_store_transactions_failed_total"]}`);
  cluster.thaw();
  await ready(w, 15_000);
  await until("a sign-up", async () => (await w.signUp({ username: "after" })).status === 303);
  const users = await w.usernames();
  assert.deepEqual(users.filter((name) => !name.startsWith("during")), ["after", "before"]);
});

onPostgres("writes of one user while PostgreSQL hangs wait for one deadline, not for one after the other", async (t) => {
  const deadline = 2000;
  const { cluster, w } = await ownCluster(t, { "store-deadline": deadline });
  const api = await Client.connect(await addPerson(w, "ada"), await addApp(w, {}), { scope: EVERYTHING });
  await api.write(MUSIC, { genres: ["before"] });
  const longest = [];
  // A busy machine may delay one round.
  for (let round = 0; round < 3 && !(Math.min(...longest) < 1.6 * deadline); round++) {
    cluster.freeze();
    const asked = await Promise.all(Array.from({ length: 8 }, (_, i) => timed(api.send(MUSIC, { genres: [`during ${i}`] }))));
    for (const { answer } of asked) assertUnavailable(answer);
    longest.push(Math.max(...asked.map(({ ms }) => ms)));
    cluster.thaw();
    await ready(w, 15_000);
  }
  assert.ok(Math.min(...longest) < 1.6 * deadline, `${longest.map(Math.round).join(", ")} ms`);
  await until("a write", async () => (await api.send(MUSIC, { genres: ["after"] })).status === 200);
  const { genres } = await api.record(MUSIC);
  assert.ok(genres.includes("before") && genres.includes("after"), genres.join(", "));
});

// One process of the server is stopped while it waits for a lock, so that the server cannot cancel the statement.
// Null: the sign-up was answered before the process was found.
async function hangOne(cluster, w, username) {
  const holder = new Program("psql", ["-qAtX", cluster.address(w.database)], { stdio: ["pipe", "pipe", "pipe"] });
  holder.child.stdin.write(`BEGIN; INSERT INTO username_lookup (username, user_id) VALUES ('${username}', 'usr_0'); SELECT 'held';\n`);
  await until("the name", () => holder.out.includes("held"));
  const hanging = { ended: false };
  hanging.answer = w.signUp({ username }).finally(() => (hanging.ended = true));
  const waiting = "SELECT COALESCE(MAX(pid), 0) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
  let pid = 0;
  await until("the lock", async () => (pid = Number(await psql(cluster.address("postgres"), waiting))) > 0 || hanging.ended);
  if (pid > 0) process.kill(pid, "SIGSTOP");
  hanging.release = async () => {
    if (pid > 0) process.kill(pid, "SIGCONT");
    holder.child.stdin.end("ROLLBACK;\n");
    await holder.exit();
  };
  if (!hanging.ended) return hanging;
  await hanging.release();
  return null;
}

onPostgres("one statement that hangs fails alone, and no other request does", async (t) => {
  const { cluster, w } = await ownCluster(t, { "store-deadline": 4000, cache: 0 });
  const ada = await addPerson(w, "ada");
  // On a busy machine the process may be found too late, or the server may not confirm in time that it answers: try again.
  const rounds = [];
  for (let round = 0; round < 5 && !rounds.includes("200"); round++) {
    await until("a connection", async () => (await page(ada)).status === 200);
    const hanging = await hangOne(cluster, w, `taken${round}`);
    if (hanging === null) continue;
    const statuses = new Set();
    while (!hanging.ended) statuses.add((await page(ada)).status);
    for (let i = 0; i < 10; i++) statuses.add((await page(ada)).status);
    await hanging.release();
    assertUnavailable(await hanging.answer);
    rounds.push([...statuses].join(" "));
  }
  assert.ok(rounds.includes("200"), `statuses of each round: ${rounds.join(", ")}`);
  assert.ok((await w.metrics())["penchant_store_deadlines_missed_total"] > 0);
});

onPostgres("SIGTERM ends the service while PostgreSQL hangs in the middle of requests", async (t) => {
  const { cluster, w } = await ownCluster(t, { "store-deadline": 60_000 });
  const ada = await addPerson(w, "before");
  cluster.freeze();
  const asked = Array.from({ length: 20 }, () => page(ada).catch(() => null));
  await until("requests", async () => (await w.metrics())["penchant_workers_busy"] > 0);
  const { ms } = await timed(w.stop(20_000));
  assert.ok(ms < 10_000 + SLACK_MS, `${ms} ms`); // the time to drain
  await Promise.all(asked);
  cluster.thaw();
});

onPostgres("a lock that is held too long is 503, and the connection survives", async (t) => {
  const { cluster, w } = await ownCluster(t);
  assert.equal((await w.signUp({ username: "before" })).status, 303);
  const holder = new Program("psql", ["-qAtX", cluster.address(w.database)], { stdio: ["pipe", "pipe", "pipe"] });
  holder.child.stdin.write("BEGIN; LOCK TABLE user_account IN ACCESS EXCLUSIVE MODE; SELECT 'locked';\n");
  await until("the lock", () => holder.out.includes("locked"));
  const opened = (await w.metrics())["penchant_store_connects_total"];
  for (let i = 0; i < 3; i++) {
    const { answer, ms } = await timed(w.signUp({ username: "during" }));
    assertUnavailable(answer);
    assert.ok(ms < DEADLINE_MS + SLACK_MS, `${ms} ms`);
  }
  const metrics = await w.metrics();
  assert.equal(metrics["penchant_store_connects_total"], opened);
  assert.equal(metrics["penchant_store_deadlines_missed_total"], 0);
  assert.ok(metrics["penchant_store_transactions_failed_total"] >= 3);
  holder.child.stdin.end("COMMIT;\n");
  await holder.exit();
  assert.equal((await w.signUp({ username: "after" })).status, 303);
  assert.deepEqual(await w.usernames(), ["after", "before"]);
});

onPostgres("lock_timeout of the server is 503", async (t) => {
  const { cluster, w } = await ownCluster(t, { "store-deadline": 20_000 });
  await w.stop();
  await psql(cluster.address("postgres"), `ALTER DATABASE ${w.database} SET lock_timeout = 100`);
  await w.start();
  const holder = new Program("psql", ["-qAtX", cluster.address(w.database)], { stdio: ["pipe", "pipe", "pipe"] });
  holder.child.stdin.write("BEGIN; LOCK TABLE user_account IN ACCESS EXCLUSIVE MODE; SELECT 'locked';\n");
  await until("the lock", () => holder.out.includes("locked"));
  assertUnavailable(await w.signUp({ username: "during" }));
  holder.child.stdin.end("COMMIT;\n");
  await holder.exit();
  assert.equal((await w.signUp({ username: "after" })).status, 303);
});

onPostgres("a request that waits gets a new connection when the server accepts them again, even if none is returned", async (t) => {
  const { cluster, w } = await ownCluster(t, { "store-deadline": 20_000 });
  const ada = await addPerson(w, "ada");
  const admin = cluster.address("postgres");
  const holder = new Program("psql", ["-qAtX", cluster.address(w.database)], { stdio: ["pipe", "pipe", "pipe"] });
  // Not a lock on the table: a new connection prepares its statements.
  holder.child.stdin.write("BEGIN; INSERT INTO username_lookup (username, user_id) SELECT 'later' || i, 'usr_' || i FROM generate_series(0, 99) AS i; SELECT 'held';\n");
  await until("the names", () => holder.out.includes("held"));
  await psql(admin, `ALTER DATABASE ${w.database} ALLOW_CONNECTIONS false`);
  const open = (await w.metrics())["penchant_store_connections"];
  let returned = 0;
  const blocked = Array.from({ length: open }, (_, i) => w.signUp({ username: `later${i}` }).finally(() => returned++));
  await until("every connection in use", async () => (await psql(admin, "SELECT count(*) FROM pg_locks WHERE NOT granted")) === String(open));
  const waiting = page(ada);
  await until("a request that waits", async () => (await w.metrics())["penchant_store_waiting"] > 0);
  await psql(admin, `ALTER DATABASE ${w.database} ALLOW_CONNECTIONS true`);
  assert.equal((await waiting).status, 200);
  assert.equal(returned, 0);
  holder.child.stdin.end("ROLLBACK;\n");
  await holder.exit();
  for (const { status } of await Promise.all(blocked)) assert.equal(status, 303);
});

onPostgres("readiness lost only its own connection, and the server refuses another one: one of the pool serves", async (t) => {
  const { cluster, w } = await ownCluster(t, { "store-deadline": 20_000 });
  const ada = await addPerson(w, "ada");
  const admin = cluster.address("postgres");
  const backends = `FROM pg_stat_activity WHERE datname = '${w.database}' AND application_name = 'penchant'`;
  const own = `${backends} AND query LIKE 'SELECT (SELECT c.relname FROM pg_locks%'`; // its last statement
  const accept = (value) => psql(admin, `ALTER DATABASE ${w.database} ALLOW_CONNECTIONS ${value}`);
  assert.equal((await readiness(w)).status, 200);
  await accept(false);
  await until("its connection to be ended", async () => (await psql(admin, `SELECT count(pg_terminate_backend(pid)) ${own}`)) === "1");
  await until("its connection to be lost", async () => (await psql(admin, `SELECT count(*) ${own}`)) === "0");
  for (let round = 0; round < 5; round++) {
    await ready(w, 15_000);
    assert.equal((await page(ada)).status, 200);
  }
  const remain = await psql(admin, `SELECT string_agg(pid::text, ' ') ${backends}`);
  await ready(w, 15_000);
  assert.equal(await psql(admin, `SELECT string_agg(pid::text, ' ') ${backends}`), remain, "nothing was opened or closed");
  // Without any connection it is not ready.
  await psql(admin, `SELECT pg_terminate_backend(pid) ${backends}`);
  await until("503", async () => (await readiness(w)).status === 503);
  await accept(true);
  await ready(w, 15_000);
  assert.equal((await page(ada)).status, 200);
});

onPostgres("a server without free connections: requests share those that are open", async (t) => {
  const { w } = await ownCluster(t, { "store-deadline": 20_000 }, { max_connections: 4, superuser_reserved_connections: 0 });
  const ada = await addPerson(w, "ada");
  // How many of sixty reads need a connection of their own depends on how many share a statement.
  let refused = false;
  const logged = w.service.logged("a refused connection", ({ event }) => event === "store_connect_failed").then(() => (refused = true));
  for (let round = 0; round < 100 && !refused; round++) {
    const answers = await Promise.all(Array.from({ length: 60 }, () => page(ada)));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  }
  await logged;
});

onPostgres("a primary that turned read-only is left, and used again when it accepts writes", async (t) => {
  const { cluster, w } = await ownCluster(t);
  assert.equal((await w.signUp({ username: "before" })).status, 303);
  const readOnly = async (value) => {
    await psql(cluster.address("postgres"), `ALTER SYSTEM SET default_transaction_read_only = ${value}`);
    cluster.server.signal("SIGHUP");
  };
  await readOnly("on");
  await until("readiness to end", async () => /read-only/.test((await readiness(w)).text));
  await until("503", async () => (await w.signUp({ username: "during" })).status === 503);
  await readOnly("off");
  await until("a sign-up", async () => (await w.signUp({ username: "after" })).status === 303, 5000);
  await w.service.logged("the reason", ({ event }) => event === "store_read_only");
});

onPostgres("a node whose schema another node has updated is not ready and does not write", async (t) => {
  const w = await world(t, { settings: { "store-deadline": DEADLINE_MS } });
  assert.equal((await readiness(w)).status, 200);
  await w.sql("INSERT INTO schema_step (version, name, applied_at) VALUES (9999, '9999_later', 0)");
  assert.match((await readiness(w)).text, /schema step 9999/);
  assertUnavailable(await w.signUp({ username: "during" }));
  await w.sql("DELETE FROM schema_step WHERE version = 9999");
  assert.equal((await readiness(w)).status, 200);
  assert.equal((await w.signUp({ username: "after" })).status, 303);
});

onPostgres("a node with a wrong clock is not ready, and uses the database's time", async (t) => {
  const w = await world(t, { settings: { "store-deadline": DEADLINE_MS } });
  const ada = await addPerson(w, "ada");
  w.faults.skewClock(40 * 86400);
  assert.match((await readiness(w)).text, /clock .* differs by 345(6000|5999) seconds/);
  assert.equal((await page(ada)).status, 200); // her session is not expired
  assert.equal((await w.signUp({ username: "grace" })).status, 303);
  const created = await w.sql("SELECT created_at FROM user_account WHERE username = 'grace'");
  assert.ok(Math.abs(created - Date.now() / 1000) < 60, created);
  w.faults.skewClock(0);
  await ready(w, 15_000);
});
