// Parts of PostgreSQL hang: one of its processes, or everything that needs one table.

import assert from "node:assert/strict";
import { nodesOn, startLoad } from "../kit/pg_load.mjs";
import { psql } from "../kit/pg.mjs";
import { Program } from "../kit/process.mjs";
import { pause, until } from "../kit/until.mjs";
import { onPostgres } from "../kit/world.mjs";

const DEADLINE_MS = 2000; // the default
const SLACK_MS = 5000; // of a busy machine
const DRAIN_MS = 10_000;

// A process that holds a lock would stop more than its own connection, so only an idle one is stopped. While a lock of the
// server itself is held, not even the question for the state is answered. False: it was not idle, or it has ended.
async function stopIdle(address, pid) {
  const state = () => psql(address, `SELECT state FROM pg_stat_activity WHERE pid = ${pid}`);
  for (let attempt = 0; attempt < 20; attempt++) {
    if ((await state()) === "") return false;
    process.kill(pid, "SIGSTOP");
    const found = state();
    if ((await Promise.race([found, pause(DEADLINE_MS)])) === "idle") return true;
    process.kill(pid, "SIGCONT");
    await found;
  }
  return false;
}

onPostgres("each process of the server that serves a node can hang, and the node serves everything without it", async (t) => {
  const all = await nodesOn(t, { count: 1 });
  const { primary, w, nodes: [node] } = all;
  const address = primary.address(w.database);
  const load = await startLoad(t, all);
  const [one] = load.loads;
  await one.served(0);
  const pids = (await psql(address, "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'penchant' ORDER BY pid")).split("\n").map(Number);
  const took = [];
  for (const pid of pids) {
    if (!(await stopIdle(address, pid))) continue;
    try {
      const stopped = performance.now();
      // The one that was stopped may be used late: until then nothing has failed.
      await one.served(stopped + 2 * DEADLINE_MS);
      took.push(one.outage(stopped).ms);
      await until("readiness", async () => (await node.get("/readyz")).status === 200, 10_000);
    } finally {
      process.kill(pid, "SIGCONT");
    }
  }
  await load.stop();
  t.diagnostic(`longest outage while each of ${took.length} processes was stopped: ${took.join(", ")} ms; ${load.report()}`);
  assert.ok(took.length >= 3, `${took.length} of ${pids.length} processes were stopped`); // the pool, readiness, the change query
  assert.ok(Math.max(...took) < 2 * DEADLINE_MS + SLACK_MS, `${took.join(", ")} ms`);
});

onPostgres("SIGTERM ends the nodes while a table that every request reads is locked", async (t) => {
  const all = await nodesOn(t, { settings: { "store-deadline": 60_000, cache: 0 } });
  const load = await startLoad(t, all);
  for (const one of load.loads) await one.served(0);
  const address = all.primary.address(all.w.database);
  const holder = new Program("psql", ["-qAtX", address], { stdio: ["pipe", "pipe", "pipe"] }).unref(); // also if the test fails
  holder.child.stdin.write("BEGIN; LOCK TABLE access_token IN ACCESS EXCLUSIVE MODE; SELECT 'locked';\n");
  await until("the lock", () => holder.out.includes("locked"));
  await until("requests of both nodes that wait", async () => Number(await psql(address, "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")) >= 4);
  const ms = await load.terminate(2 * (DRAIN_MS + SLACK_MS));
  t.diagnostic(`${Math.round(ms)} ms`);
  assert.ok(ms < DRAIN_MS + SLACK_MS, `${ms} ms`);
  holder.child.stdin.end("COMMIT;\n");
  await holder.exit();
});
