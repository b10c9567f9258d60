// The only connection of the pool is in use for longer than requests wait. unit/postgres/pool_test.c tests their order.

import assert from "node:assert/strict";
import { assertUnavailable } from "../kit/expect.mjs";
import { assertFigures, RATES, startLoad, timed } from "../kit/pg_load.mjs";
import { MUSIC } from "../kit/preferences.mjs";
import { Program } from "../kit/process.mjs";
import { until } from "../kit/until.mjs";
import { onPostgres, world } from "../kit/world.mjs";

const WAIT_MS = 5000; // for a connection
const SLACK_MS = 5000; // of a busy machine
const REQUESTS = 12;

// A name that another transaction holds: a sign-up with it keeps a connection until that transaction ends.
async function holdName(w, username) {
  const holder = new Program("psql", ["-qAtX", w.address], { stdio: ["pipe", "pipe", "pipe"] });
  holder.child.stdin.write(`BEGIN; INSERT INTO username_lookup (username, user_id) VALUES ('${username}', 'usr_0'); SELECT 'held';\n`);
  await until("the name", () => holder.out.includes("held"));
  return async () => {
    holder.child.stdin.end("ROLLBACK;\n");
    await holder.exit();
  };
}

onPostgres("requests that get no connection are 503 after the wait, and are served when one is free", async (t) => {
  const w = await world(t, { databases: 1, settings: { ...RATES, cache: 0, pool: 1, "store-deadline": 60_000 } });
  const load = await startLoad(t, { w, nodes: [w] });
  const [one] = load.loads;
  await one.served(0);
  const { api } = one;
  const requests = (ask) => Array.from({ length: REQUESTS }, (_, i) => timed(ask(i)));
  const reads = () => requests(() => api.get(`preferences/${MUSIC}`));
  const writes = () => requests((i) => api.send(MUSIC, { genres: [`genre ${i}`] }));

  const release = await holdName(w, "held");
  one.forget();
  const from = performance.now();
  const held = w.signUp({ username: "held" });
  const locked = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await until("the connection in use", async () => (await w.sql(locked)) === "1");
  const answers = await Promise.all([...reads(), ...writes()]);
  const longest = Math.max(...answers.map(({ ms }) => ms));
  t.diagnostic(`503 after ${Math.round(Math.min(...answers.map(({ ms }) => ms)))} to ${Math.round(longest)} ms`);
  for (const { answer, ms } of answers) {
    assertUnavailable(answer);
    assert.ok(ms > WAIT_MS - 100, `503 after ${ms} ms`);
  }
  assert.ok(longest < WAIT_MS + SLACK_MS, `${longest} ms`);

  // On a busy machine the connection may be free too late for them.
  let ended = false;
  const waiting = Promise.all([...reads(), ...writes()]).finally(() => (ended = true));
  await until("requests that wait", async () => ended || (await w.metrics())["penchant_store_waiting"] > 0);
  await one.refused();
  await release();
  const free = performance.now();
  for (const { answer, ms } of await waiting) assert.ok(answer.status === 200 || ms > WAIT_MS - 100, answer.text);
  assert.equal((await held).status, 303);
  for (const { answer } of await Promise.all([...reads(), ...writes()])) assert.equal(answer.status, 200, answer.text);
  await assertFigures(t, "every connection of the pool is in use", load, { from, ended: free, address: w.address, within: SLACK_MS });
  await load.stop();
  await until("no request to wait", async () => (await w.metrics())["penchant_store_waiting"] === 0);
});
