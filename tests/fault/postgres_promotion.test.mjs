// The primary fails in every way that it can, and its replica is promoted, under load on two nodes with the default
// deadline. Every node serves again within 3 s of the promotion, without help, and nothing acknowledged is lost.

import assert from "node:assert/strict";
import { assertFigures, assertStored, nodesOn, startLoad } from "../kit/pg_load.mjs";
import { psql } from "../kit/pg.mjs";
import { until } from "../kit/until.mjs";
import { onPostgres } from "../kit/world.mjs";

const ROUNDS = Number(process.env.FAILOVER_ROUNDS ?? 1);
const WITHIN_MS = 3000;
const DRAIN_MS = 10_000;
const SLACK_MS = 5000; // of a busy machine; a node that hangs never ends

const WAYS = {
  "the primary died": { fail: ({ primary }) => primary.kill() },
  "the primary hangs": { fail: ({ primary }) => primary.freeze() },
  "the primary is partitioned": { proxied: true, fail: ({ between }) => (between.swallows = true) },
  "the replica is partitioned from the primary": { fail: ({ primary, replica }) => replica.unfollow(primary) }, // no write can commit
  "the primary turned read-only": { fail: ({ primary }) => primary.configure("default_transaction_read_only", "on") },
};

// New connections do not try the host that hung. On a busy machine the other one may be slow once, and for some seconds
// after a missed deadline, each node looks every second whether another host was promoted.
async function assertTriedLast({ w, nodes, replica, between }) {
  const tried = [];
  while (tried.length < 40 && !tried.includes(0)) {
    const before = between.accepted;
    await psql(replica.address(w.database), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'penchant'");
    for (const node of nodes) await until("readiness", async () => (await node.get("/readyz")).status === 200, 20_000);
    tried.push(between.accepted - before);
  }
  assert.ok(tried.includes(0), `connections to the host that hung, of each round: ${tried}`);
}

for (let round = 0; round < ROUNDS; round++)
  for (const [name, { fail, proxied }] of Object.entries(WAYS))
    onPostgres(`${name} and its replica is promoted: both nodes serve within 3 s, and nothing is lost (${round + 1})`, async (t) => {
      const all = await nodesOn(t, { replica: "synchronous", proxied });
      const { w, replica } = all;
      const load = await startLoad(t, all, replica.address(w.database));
      for (const one of load.loads) await one.served(0);
      const from = performance.now();
      await fail(all);
      // The nodes now look for a server that accepts writes.
      for (const one of load.loads) await one.refused(["write", "refresh"]);
      load.reference.slowest = 0;
      await replica.promote();
      const ended = performance.now();
      const outages = await Promise.all(load.loads.map((one) => one.served(ended)));
      t.diagnostic(`after the promotion in ms ${JSON.stringify(outages)}, slowest psql beside it ${Math.round(load.reference.slowest)} ms; ${load.report()}`);
      await assertFigures(t, name, load, { from, ended, address: replica.address(w.database), within: WITHIN_MS + load.reference.slowest });
      for (const one of load.loads) one.assertAnswered();
      if (proxied) await assertTriedLast(all);
      // A node that was stuck after a promotion did not even end.
      if (name === "the primary hangs") {
        for (const one of load.loads) one.forget();
        replica.freeze();
        for (const one of load.loads) await one.refused();
        for (const one of load.loads) one.assertAnswered();
      }
      const took = await load.terminate(30_000);
      if (replica.frozen?.length > 0) replica.thaw();
      await load.stop();
      assert.ok(took < DRAIN_MS + SLACK_MS, `${took} ms`);
      await assertStored(replica.address(w.database), load.loads);
    });
