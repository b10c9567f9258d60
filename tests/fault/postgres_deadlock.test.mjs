// Three nodes write for the same few users and families at the same time. Each node groups its writes into transactions
// that change rows of many users. If two of them took their rows in different orders, each would wait for the other until
// PostgreSQL rolled one back: it counts these deadlocks.

import assert from "node:assert/strict";
import { behindPgBouncer } from "../kit/pgbouncer.mjs";
import { at, RATES, threeNodes, via } from "../kit/nodes.mjs";
import { addApp, addPerson, EVERYTHING } from "../kit/oauth.mjs";
import { psql } from "../kit/pg.mjs";
import { Client, FOOD, MUSIC } from "../kit/preferences.mjs";
import { onPostgres } from "../kit/world.mjs";

const USERS = 6;
const ROUNDS = 12;

// Every user's app writes, refreshes, and is read on all nodes at once. A refresh token that two nodes get at once is
// answered by both: the second one is a retry.
async function writeTogether(w, nodes) {
  const clients = [];
  for (let i = 0; i < USERS; i++) await addPerson(w, `owner${i}`, { signedIn: false });
  for (let i = 0; i < USERS; i++) {
    const person = await addPerson(w, `user${i}`);
    const app = await addApp(w, { owner: `owner${i}`, name: `App ${i}` });
    clients.push(await Client.connect(person, app, { scope: EVERYTHING }));
  }
  const statuses = {};
  const note = (name, { status }) => (statuses[`${name} ${status}`] = (statuses[`${name} ${status}`] ?? 0) + 1);
  // In another order on each node, so that only the service can put them into the same one.
  const orders = [clients, clients.toReversed(), [...clients.slice(USERS / 2), ...clients.slice(0, USERS / 2)]];
  for (let round = 0; round < ROUNDS; round++) {
    await Promise.all(nodes.flatMap((node, n) => orders[n].flatMap((client) => {
      const api = via(client, node);
      return [
        api.send(MUSIC, { favorite_artists: [`artist ${round % 4} of ${n}`] }).then((answer) => note("write", answer)),
        api.send(FOOD, { cuisines: [`cuisine ${round % 4}`] }).then((answer) => note("write", answer)),
        via(client.app, node).refresh(client.refresh_token).then((answer) => {
          note("refresh", answer);
          if (answer.status === 200) client.next = answer.data;
        }),
      ];
    })));
    for (const client of clients) Object.assign(client, { token: client.next.access_token, refresh_token: client.next.refresh_token });
  }
  for (const client of clients) {
    const { favorite_artists } = await client.record(MUSIC);
    assert.equal(favorite_artists.length, 4 * nodes.length);
  }
  const allowed = new Set(["write 200", "refresh 200"]);
  assert.deepEqual(Object.keys(statuses).filter((name) => !allowed.has(name)), [], JSON.stringify(statuses));
  for (const node of nodes) assert.ok((await node.metrics()).penchant_store_groups_total > 0, "no transaction was shared");
}

async function assertNone(address, database) {
  const counted = await psql(address, `SELECT deadlocks FROM pg_stat_database WHERE datname = '${database}'`);
  assert.equal(counted, "0", "PostgreSQL found deadlocks");
}

onPostgres("three nodes that write for the same users at once do not deadlock", async (t) => {
  const { w, nodes } = await threeNodes(t);
  await writeTogether(w, nodes);
  await assertNone(w.address, w.database);
});

onPostgres("nor behind PgBouncer", async (t) => {
  const { cluster, w } = await behindPgBouncer(t, { mode: "transaction", size: 6 });
  const nodes = [];
  for (let i = 0; i < 3; i++) nodes.push(at(w, await w.start(RATES)));
  w.service = nodes[0].service;
  await writeTogether(w, nodes);
  await assertNone(cluster.address("postgres"), w.database);
});
