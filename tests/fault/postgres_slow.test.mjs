// A database that needs half a second more for every statement: requests are slow or get 503, readiness answers in
// time, and nothing acknowledged is lost.

import assert from "node:assert/strict";
import { assertFigures, nodesOn, startLoad } from "../kit/pg_load.mjs";
import { until } from "../kit/until.mjs";
import { onPostgres } from "../kit/world.mjs";

const DELAY_MS = 500;
const WRITES = 2; // of each node, while statements are slow
const SIGN_UPS = 3;
const OTHER_PROCESSES_MS = 5000; // of a busy machine

onPostgres("with statements that take 500 ms more, requests are served or 503, and no write is lost", async (t) => {
  const all = await nodesOn(t, { proxied: true });
  const { w, between, nodes } = all;
  const load = await startLoad(t, all);
  for (const one of load.loads) await one.served(0);
  for (const one of load.loads) one.forget();
  const from = performance.now();
  const written = load.loads.map((one) => one.written.length);
  between.delayMs = DELAY_MS;
  // Transactions of many statements.
  const signUps = await Promise.all(Array.from({ length: SIGN_UPS }, (_, i) => nodes[i % 2].signUp({ username: `slow${i}` })));
  for (const one of load.loads) await one.served(performance.now());
  await until("writes", () => load.loads.every((one, i) => one.has(() => one.written.length >= written[i] + WRITES)), 120_000);
  between.delayMs = 0;
  await assertFigures(t, "statements take 500 ms more", load, { from, ended: performance.now(), address: all.primary.address(w.database), within: 3000 + OTHER_PROCESSES_MS });
  for (const node of nodes) await until("readiness", async () => (await node.get("/readyz")).status === 200);
  await load.stop();
  t.diagnostic(load.report());
  for (const { status, text } of signUps) assert.ok([303, 503].includes(status), `${status} ${text}`);
  const names = new Set((await w.sql("SELECT username FROM user_account")).split("\n"));
  for (const [i, { status }] of signUps.entries()) if (status === 303) assert.ok(names.has(`slow${i}`), "acknowledged and lost");
});
