// A statement that missed its deadline is cancelled in PostgreSQL, alone, also behind PgBouncer. Everything here would
// last for ten minutes if nothing cancelled it.

import assert from "node:assert/strict";
import { assertUnavailable } from "../kit/expect.mjs";
import { addPerson } from "../kit/oauth.mjs";
import { Cluster, psql } from "../kit/pg.mjs";
import { behindPgBouncer } from "../kit/pgbouncer.mjs";
import { Program } from "../kit/process.mjs";
import { until } from "../kit/until.mjs";
import { onPostgres, world } from "../kit/world.mjs";

const SETTINGS = { "store-deadline": 500, "metrics-listen": "127.0.0.1:0" };
const SECONDS = 600;

const count = async (cluster, where) => Number(await psql(cluster.address("postgres"), `SELECT count(*) FROM pg_stat_activity WHERE ${where}`));
const page = (person) => person.get("/account", { "sec-fetch-site": "same-origin" });
const missed = async (w) => (await w.metrics())["penchant_store_deadlines_missed_total"];

// Another program of the same role, whose statement must not be cancelled.
async function bystander(t, cluster, address) {
  const program = new Program("psql", ["-qAtX", address, "-c", `SELECT 'bystander', pg_sleep(${SECONDS})`]);
  t.after(() => (program.signal("SIGKILL"), program.exit()));
  const runs = async () => program.alive && (await count(cluster, "query LIKE 'SELECT ''bystander%' AND state = 'active'")) === 1;
  await until("the bystander", runs);
  return runs;
}

async function locked(t, cluster, w) {
  const holder = new Program("psql", ["-qAtX", cluster.address(w.database)], { stdio: ["pipe", "pipe", "pipe"] });
  t.after(() => (holder.signal("SIGKILL"), holder.exit()));
  holder.child.stdin.write("BEGIN; LOCK TABLE user_account IN ACCESS EXCLUSIVE MODE; SELECT 'locked';\n");
  await until("the lock", () => holder.out.includes("locked"));
  return async () => {
    holder.child.stdin.end("COMMIT;\n");
    await holder.exit();
  };
}

// It catches the cancellation by statement_timeout, which then no longer applies.
const STUBBORN = `
  CREATE FUNCTION stubborn() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      BEGIN PERFORM pg_sleep(${SECONDS}); EXCEPTION WHEN query_canceled THEN PERFORM pg_sleep(${SECONDS}); END;
      RETURN NEW;
    END $$;
  CREATE TRIGGER stubborn BEFORE INSERT ON user_account FOR EACH ROW WHEN (NEW.username = 'stubborn') EXECUTE FUNCTION stubborn()`;
const SLEEPS = "wait_event = 'PgSleep' AND query NOT LIKE 'SELECT ''bystander%'";

async function ownCluster(t) {
  const cluster = await Cluster.start({});
  t.after(() => cluster.end());
  return { cluster, w: await world(t, { cluster, settings: SETTINGS }) };
}

onPostgres("a statement that outlasts statement_timeout is cancelled, and no other one", async (t) => {
  const { cluster, w } = await ownCluster(t);
  await psql(cluster.address(w.database), STUBBORN);
  const undisturbed = await bystander(t, cluster, cluster.address(w.database));
  assertUnavailable(await w.signUp({ username: "stubborn" }));
  assert.ok((await missed(w)) > 0);
  await until("the statement to end", async () => (await count(cluster, SLEEPS)) === 0);
  assert.ok(await undisturbed());
  await until("a sign-up", async () => (await w.signUp({ username: "after" })).status === 303);
  assert.deepEqual(await w.usernames(), ["after"]);
});

onPostgres("a read behind PgBouncer that missed its deadline is cancelled, and no other one", async (t) => {
  const { cluster, w } = await behindPgBouncer(t, { mode: "transaction", size: 8 });
  await w.start(SETTINGS);
  const ada = await addPerson(w, "ada");
  const undisturbed = await bystander(t, cluster, w.address);
  const unlock = await locked(t, cluster, w);
  // Several at once: the first of their connections are closed while the requests for others are still to be sent.
  for (const answer of await Promise.all(Array.from({ length: 8 }, () => page(ada)))) assertUnavailable(answer);
  assert.ok((await missed(w)) > 0, "the server has no statement_timeout for reads there");
  await until("the statement to end", async () => (await count(cluster, "wait_event_type = 'Lock'")) === 0);
  assert.ok(await undisturbed());
  await unlock();
  await until("the page", async () => (await page(ada)).status === 200);
});

// Otherwise the server would report a transaction as committed that no replica has.
onPostgres("a COMMIT that waits for a replica is not cancelled", async (t) => {
  const { cluster, w } = await ownCluster(t);
  const replica = await cluster.replica();
  t.after(() => replica.end());
  assert.equal((await w.signUp({ username: "before" })).status, 303);
  replica.freeze();
  const answer = await w.signUp({ username: "waiting" });
  assert.equal(answer.status, 503);
  assert.match(answer.text, /may or may not have been made/);
  assert.ok((await missed(w)) > 0);
  assert.ok((await count(cluster, "wait_event = 'SyncRep' AND query LIKE '%COMMIT%'")) > 0);
  assert.deepEqual(await w.usernames(), ["before"]);
  replica.thaw();
  await until("the commit", async () => (await w.usernames()).length === 2);
});

onPostgres("SIGTERM does not wait for a cancel request that hangs", async (t) => {
  const { cluster, w } = await ownCluster(t);
  const ada = await addPerson(w, "ada");
  cluster.freeze();
  for (let i = 0; i < 3; i++) assertUnavailable(await page(ada));
  assert.ok((await missed(w)) > 0);
  await w.stop(30_000); // the request would wait for as long as the server hangs
  cluster.thaw();
});
