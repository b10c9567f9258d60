// Nodes on a cluster that Patroni manages: a planned switchover and a killed leader, under load. Each node
// must serve again within a second of the cluster itself, and nothing that was acknowledged may be lost.

import assert from "node:assert/strict";
import { PatroniCluster } from "../kit/patroni.mjs";
import { psql } from "../kit/pg.mjs";
import { until } from "../kit/until.mjs";
import { onPostgres, world } from "../kit/world.mjs";
import { writers } from "../kit/writers.mjs";

const NODES = 2;
const AFTER_CLUSTER_MS = 1000;
const DEADLINE_MS = 500;

const EVENTS = {
  "a planned switchover": (cluster) => cluster.switchover(),
  "a killed leader": async (cluster) => (await cluster.leader()).kill(),
};

onPostgres("nodes follow a cluster of Patroni", async (t) => {
  const cluster = await PatroniCluster.start();
  t.after(() => cluster.end());
  const w = await world(t, { cluster, start: false });
  w.address = cluster.address(w.database);
  const nodes = [];
  for (let i = 0; i < NODES; i++) nodes.push(Object.assign(Object.create(w), { service: await w.start({ "store-deadline": DEADLINE_MS, "rate-auth": 0 }) }));
  const acknowledged = [];
  let round = 0;
  for (const [name, event] of Object.entries(EVENTS)) {
    await until("synchronous replication", () => cluster.replicates(), 60_000);
    const probe = cluster.probe(w.database);
    t.after(() => probe.stop());
    const loads = nodes.map((node, i) => writers(node, 2, `r${round}n${i}w`));
    for (const { stop } of loads) t.after(stop);
    round++;
    for (const { seen } of loads) await until("writes", () => seen.made.length >= 10);
    const before = await cluster.leader();
    await event(cluster);
    const after = await until("another leader", async () => {
      const leader = await cluster.leader();
      return leader !== undefined && leader !== before && leader;
    }, 60_000);
    for (const { seen } of loads) {
      const made = seen.made.length;
      await until("writes on the new leader", () => seen.made.length >= made + 10, 60_000);
    }
    await Promise.all([...loads, probe].map(({ stop }) => stop()));
    for (const { seen } of loads) {
      t.diagnostic(`${name}: node without success for ${Math.round(seen.longest)} ms, the cluster for ${Math.round(probe.seen.longest)} ms; ${seen.made.length} writes, statuses ${[...seen.statuses]}`);
      assert.ok(seen.longest < probe.seen.longest + AFTER_CLUSTER_MS, `${name}: ${seen.longest} ms, the cluster ${probe.seen.longest} ms`);
      assert.deepEqual([...seen.statuses].filter((status) => ![303, 503].includes(status)), []);
      acknowledged.push(...seen.made);
    }
    const stored = new Set((await psql(cluster.address(w.database).replace(/@[^/]*/, `@127.0.0.1:${after.port}`), "SELECT username FROM user_account")).split("\n"));
    assert.deepEqual(acknowledged.filter((one) => !stored.has(one)), [], "acknowledged and lost");
    for (const node of nodes) await until("readiness", async () => (await node.get("/readyz")).status === 200, 3000);
  }
});
