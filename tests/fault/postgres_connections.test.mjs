// Other programs take every connection of the server while two nodes serve a mixed load: requests share the connections
// that are open, and nothing fails. Only when those are lost, and others take their places, is there an outage.

import assert from "node:assert/strict";
import { Crowd } from "../kit/pg_crowd.mjs";
import { assertFigures, nodesOn, startLoad } from "../kit/pg_load.mjs";
import { until } from "../kit/until.mjs";
import { onPostgres } from "../kit/world.mjs";

const CONNECTIONS = 40;
const within = 3000 + 5000; // of a busy machine; a node that is stuck never serves again
const OF_NODES = "FROM pg_stat_activity WHERE application_name = 'penchant' AND pid <> pg_backend_pid()";

onPostgres("a server without free connections: open ones serve a mixed load, and lost ones come back when there is room", async (t) => {
  const all = await nodesOn(t, { flags: { max_connections: CONNECTIONS, superuser_reserved_connections: 0 } });
  const address = all.primary.address(all.w.database);
  const crowd = new Crowd(t, all.primary, all.w.database);
  // Each node has a connection or two, and its requests at the same time would use more.
  const load = await startLoad(t, all, undefined, async () => assert.ok((await crowd.fill()) > CONNECTIONS / 2));
  for (const { service } of all.nodes) await service.logged("a refused connection", ({ event, problem }) => event === "store_connect_failed" && /too many clients/.test(problem));
  let from = performance.now();
  const written = load.loads.map((one) => one.written.length + 5);
  await until("writes", () => load.loads.every((one, i) => one.has(() => one.written.length >= written[i])));
  for (const node of all.nodes) assert.equal((await node.get("/readyz")).status, 200);
  for (const one of load.loads) assert.deepEqual([...one.statuses].filter(([name]) => !name.endsWith(" 200")), [], "open connections serve");
  crowd.leave();
  await assertFigures(t, "too many connections, those of the nodes are open", load, { from, ended: performance.now(), address, within });

  // The nodes connect again at once, so that the crowd gets all places only after some rounds.
  from = performance.now();
  for (const one of load.loads) one.forget();
  const isOut = async () => (await Promise.all(all.nodes.map((node) => node.get("/readyz")))).every(({ status }) => status === 503);
  let refused = false;
  const waiting = Promise.all(load.loads.map((one) => one.refused())).finally(() => (refused = true));
  await until("requests of every kind to be refused", async () => {
    await crowd.fill();
    if (refused && (await isOut())) return true;
    crowd.run(`SELECT pg_terminate_backend(pid) ${OF_NODES}`);
    return false;
  });
  await waiting;
  crowd.leave();
  await assertFigures(t, "too many connections, those of the nodes are lost", load, { from, ended: performance.now(), address, within });
  for (const node of all.nodes) await until("readiness", async () => (await node.get("/readyz")).status === 200, 20_000);
  await load.stop();
});
