// PostgreSQL answers reads, but its commits hang, because the synchronous replica is gone. Such a commit cannot be
// cancelled, and its server process waits also after the node has closed the connection.

import assert from "node:assert/strict";
import { assertUnavailable } from "../kit/expect.mjs";
import { assertFigures, nodesOn, startLoad, timed } from "../kit/pg_load.mjs";
import { psql } from "../kit/pg.mjs";
import { MUSIC } from "../kit/preferences.mjs";
import { Program } from "../kit/process.mjs";
import { until } from "../kit/until.mjs";
import { onPostgres, world } from "../kit/world.mjs";

const DEADLINE_MS = 2000; // the default
const POOL = 8; // the default
const NODES = 2;
const SLACK_MS = 3000; // of a busy machine
const DRAIN_MS = 10_000;
const READS = ["read", "cold", "introspect"];

const loseReplica = (primary) => primary.configure("synchronous_standby_names", "'gone'");
const hanging = async (primary) => Number(await psql(primary.address("postgres"), "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"));

async function untilNotReady(nodes) {
  for (const node of nodes)
    await until("readiness to end", async () => {
      const { status, text } = await node.get("/readyz");
      return status === 503 && /synchronous replica/.test(text);
    });
}

onPostgres("commits hang: reads are served, writes get 503, the server keeps free connections, and it recovers by itself", async (t) => {
  const all = await nodesOn(t, { count: NODES });
  const { primary, nodes, w } = all;
  const load = await startLoad(t, all);
  for (const one of load.loads) await one.served(0);
  for (const one of load.loads) one.forget();
  const from = performance.now();
  await loseReplica(primary);
  // More than the connections of the pool, also of the kind that has a transaction of its own.
  const signUps = await Promise.all(nodes.flatMap((node, n) => Array.from({ length: 2 * POOL }, (_, i) => timed(node.signUp({ username: `new${n}x${i}` })))));
  for (const { answer, ms } of signUps) {
    assertUnavailable(answer);
    assert.ok(ms < 5000 + 2 * DEADLINE_MS + SLACK_MS, `${ms} ms`);
  }
  assert.ok(signUps.some(({ answer }) => /may or may not have been made/.test(answer.text)), "nothing says that the outcome is unknown");
  await untilNotReady(nodes);
  const stuck = await hanging(primary);
  const since = performance.now();
  const refused = await Promise.all(load.loads.flatMap(({ api }) => Array.from({ length: 2 * POOL }, (_, i) => timed(api.send(MUSIC, { genres: [`refused ${i}`] })))));
  for (const { answer } of refused) assert.match(answer.text, /nothing was changed/);
  const longest = Math.max(...refused.map(({ ms }) => ms));
  for (const one of load.loads) await until("reads", () => one.has(() => READS.every((kind) => one.successes[kind].some((time) => time > since + DEADLINE_MS))));
  for (const one of load.loads) await one.refused(["write", "refresh"]);
  const later = await hanging(primary);
  t.diagnostic(`${stuck} commits hang, ${later} some seconds later; writes refused after up to ${Math.round(longest)} ms`);
  assert.ok(stuck > 0 && stuck <= 2 * NODES * POOL, `${stuck} commits hang`);
  assert.ok(later <= stuck, `${later} commits hang, ${later - stuck} more than before`);
  assert.ok(longest < SLACK_MS, `refused after ${longest} ms`);
  for (const one of load.loads) assert.deepEqual([...one.statuses.keys()].filter((name) => READS.some((kind) => name === `${kind} 503`)), [], "reads failed");

  await primary.configure("synchronous_standby_names", "''");
  await assertFigures(t, "commits hang", load, { from, ended: performance.now(), address: primary.address(w.database), within: 3000 + SLACK_MS });
  for (const node of nodes) await until("readiness", async () => (await node.get("/readyz")).status === 200);
  await load.stop();
  t.diagnostic(load.report());
});

onPostgres("SIGTERM ends the nodes while commits hang", async (t) => {
  const all = await nodesOn(t);
  const load = await startLoad(t, all);
  for (const one of load.loads) await one.served(0);
  await loseReplica(all.primary);
  await until("commits that hang", async () => (await hanging(all.primary)) >= NODES);
  const ms = await load.terminate(2 * (DRAIN_MS + SLACK_MS));
  assert.ok(ms < DRAIN_MS + SLACK_MS, `${ms} ms`);
});

onPostgres("a promoted replica waits for a replica of its own: it is read, and written when it has one", async (t) => {
  const { w, nodes, primary, replica } = await nodesOn(t, { replica: "synchronous" });
  const load = await startLoad(t, { w, nodes });
  for (const one of load.loads) await one.served(0);
  await loseReplica(replica);
  await primary.kill();
  await psql(replica.address("postgres"), "SELECT pg_promote()");
  const promoted = performance.now();
  for (const one of load.loads) await until("reads", () => one.has(() => READS.every((kind) => one.successes[kind].some((time) => time > promoted))));
  await untilNotReady(nodes);
  await replica.configure("synchronous_standby_names", "''");
  const since = performance.now();
  for (const one of load.loads) await one.served(since);
  assert.equal(await psql(replica.address(w.database), "SELECT count(*) FROM lost_writes"), "1");
  await load.stop();
});

// A process that hangs while it commits, as with a disk that hangs.
async function hangCommit(w) {
  const before = Number(await w.sql("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'"));
  const script = "INSERT INTO store_change SELECT pg_current_xact_id(), '0' FROM pg_sleep(600)";
  const process = new Program("psql", ["-qAtX", "-c", script, `${w.address}?application_name=penchant`]);
  const late = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep' AND query_start < clock_timestamp() - interval '${DEADLINE_MS} milliseconds'`;
  await until("the deadline to pass", async () => Number(await w.sql(late)) > before);
  return process;
}

onPostgres("one commit that hangs does not end writing, because others may succeed, but two do", async (t) => {
  const w = await world(t, { databases: 1 });
  const processes = [await hangCommit(w)];
  for (let round = 0; round < 3; round++) assert.equal((await w.get("/readyz")).status, 200); // each asks the database
  assert.equal((await w.signUp({ username: "one" })).status, 303);
  processes.push(await hangCommit(w));
  await until("readiness to end", async () => /does not complete commits/.test((await w.get("/readyz")).text));
  const { answer, ms } = await timed(w.signUp({ username: "two" }));
  assertUnavailable(answer);
  assert.ok(ms < DEADLINE_MS, `${ms} ms`);
  await w.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'");
  for (const process of processes) await process.exit();
  await until("readiness", async () => (await w.get("/readyz")).status === 200);
  assert.equal((await w.signUp({ username: "three" })).status, 303);
  assert.deepEqual(await w.usernames(), ["one", "three"]);
});
