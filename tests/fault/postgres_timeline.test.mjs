// An asynchronous replica is promoted and has lost acknowledged writes: no node answers from the lost timeline. The
// replica gives the same transaction ids again, and a counter would give the same generations again.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { assertError, assertUnavailable } from "../kit/expect.mjs";
import { at, nodesOn, RATES, via } from "../kit/pg_load.mjs";
import { addApp, addPerson, EVERYTHING } from "../kit/oauth.mjs";
import { Cluster, databaseAddress, freePort, PG_PASSWORD, psql } from "../kit/pg.mjs";
import { Client, FOOD } from "../kit/preferences.mjs";
import { Program } from "../kit/process.mjs";
import { until } from "../kit/until.mjs";
import { onPostgres, world } from "../kit/world.mjs";

const KEPT = "gluten";
const LOST = "peanuts";
const NEXT = "shellfish";

const allergies = (answer) => {
  assert.equal(answer.status, 200, answer.text);
  return [KEPT, LOST, NEXT].filter((one) => answer.text.includes(one));
};
const READS = {
  record: (api) => api.get(`preferences/${FOOD}`),
  hints: (api) => api.get(`agent-hints?domains=${FOOD}&max_tokens=2000`),
  atoms: (api) => api.get(`preferences/atoms?domain=${FOOD}`),
};

async function assertEverywhere(clients, expected, when) {
  for (const [i, api] of clients.entries())
    for (const [name, read] of Object.entries(READS))
      for (let again = 0; again < 3; again++) assert.deepEqual(allergies(await read(api)), expected, `${name} of node ${i} ${when}`);
}

const generation = (address) => psql(address, "SELECT generation FROM user_record WHERE generation IS NOT NULL");
const nextTransaction = async (address) => BigInt(await psql(address, "SELECT pg_snapshot_xmax(pg_current_snapshot())"));

// A user with an app and a fact that the replica has, and a client of each node.
async function stage(w, nodes) {
  const person = await addPerson(w, "ada");
  const app = await addApp(w, {});
  const client = await Client.connect(person, app, { scope: EVERYTHING });
  await client.write(FOOD, { allergies: [KEPT] });
  return nodes.map((node) => via(client, node));
}

// `promote` makes the replica the server that the nodes reach.
async function loseWrites({ w, nodes, primary, replica }, promote) {
  const clients = await stage(w, nodes);
  const [old, next] = [primary, replica].map((one) => one.address(w.database));
  await assertEverywhere(clients, [KEPT], "before");
  await replica.unfollow(primary);
  await clients[0].write(FOOD, { allergies: [LOST] });
  // More transactions than the nodes need to connect to the replica.
  for (let i = 0; i < 5; i++) await clients[0].write("music_preferences", { favorite_artists: [`Lost band ${i}`] });
  await assertEverywhere(clients, [KEPT, LOST], "on the old timeline"); // now it is cached
  const { app, refresh_token: kept } = clients[0];
  const refreshed = await app.refresh(kept);
  assert.equal(refreshed.status, 200, refreshed.text);
  const lost = { generation: await generation(old), transaction: await nextTransaction(old) };
  await promote();
  for (const api of clients) await until("an answer", async () => (await READS.record(api)).status === 200);
  assert.ok((await nextTransaction(next)) < lost.transaction, "the replica gives transaction ids again");
  await assertEverywhere(clients, [KEPT], "after the promotion");
  const refused = await until("an answer of PostgreSQL", async () => [await app.refresh(refreshed.data.refresh_token)].find(({ status }) => status !== 503));
  assert.deepEqual([refused.status, refused.data.error], [400, "invalid_grant"]);
  assert.match(refused.data.error_description, /^The database lost the refresh token in a failover\./);
  assert.notEqual(await app.worth(kept), null, "the authorization was not revoked");
  await until("a write", async () => (await clients[1].send(FOOD, { allergies: [NEXT] })).status === 200);
  assert.notEqual(await generation(next), lost.generation, "the next write has the generation of the lost one");
  await assertEverywhere(clients, [KEPT, NEXT], "on the new timeline");
  // Every transaction id that was lost is given again, to writes that both nodes must notice.
  for (let i = 0; (await nextTransaction(next)) <= lost.transaction; i++) {
    const artist = `Band ${i}`;
    await clients[i % 2].write("music_preferences", { favorite_artists: [artist] });
    for (const api of clients) assert.ok((await api.record("music_preferences")).favorite_artists.includes(artist), artist);
  }
  return clients;
}

onPostgres("a failover loses a write that nodes have cached: the next answer is the database's", async (t) => {
  const all = await nodesOn(t, { replica: "asynchronous" });
  await loseWrites(all, async () => {
    await all.primary.kill();
    await all.replica.promote();
  });
});

// The connections of the nodes survive: only the server's incarnation says that it is another one.
onPostgres("a pooler moves connections to a replica that lost a write: the next answer is the database's", async (t) => {
  const primary = await Cluster.start();
  t.after(() => primary.end());
  const w = await world(t, { cluster: primary, start: false });
  const replica = await primary.replica({ synchronous: false });
  t.after(() => replica.end());
  const port = await freePort();
  const file = path.join(primary.dir, "pgbouncer.ini");
  const leadTo = (server) =>
    fs.writeFileSync(file, `[databases]
* = host=127.0.0.1 port=${server.port} user=penchant password=${PG_PASSWORD}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir = ${primary.dir}
auth_type = any
pool_mode = transaction
server_login_retry = 1
admin_users = penchant
`);
  leadTo(primary);
  const pooler = new Program("/usr/sbin/pgbouncer", [file], primary.options());
  t.after(() => (pooler.signal("SIGKILL"), pooler.exit()));
  w.address = databaseAddress(port, w.database);
  await until("PgBouncer", () => psql(w.address, "SELECT 1").catch(() => false));
  const nodes = [];
  for (let i = 0; i < 2; i++) nodes.push(at(w, await w.start(RATES)));
  const connects = async () => (await Promise.all(nodes.map((node) => node.metrics()))).map((one) => one.penchant_store_cache_drops_total);
  const before = await connects();
  const moveTo = async (server) => {
    leadTo(server);
    await psql(databaseAddress(port, "pgbouncer"), "RELOAD");
    await until("the other server", async () => (await psql(w.address, "SHOW port")) === String(server.port));
  };
  const clients = await loseWrites({ w, nodes, primary, replica }, async () => {
    await replica.promote();
    await moveTo(replica);
  });
  for (const [i, count] of (await connects()).entries()) assert.ok(count > before[i], `node ${i} dropped nothing`);
  // The old primary, which still accepts writes, is refused.
  const kept = await generation(primary.address(w.database));
  await moveTo(primary);
  for (let round = 0; round < 3; round++)
    for (const [i, api] of clients.entries()) {
      assertUnavailable(await api.send(FOOD, { allergies: ["soy"] }));
      for (const read of Object.values(READS)) assertUnavailable(await read(api));
      const readiness = await nodes[i].get("/readyz");
      assertError(readiness, 503);
      assert.match(readiness.text, /old primary: its timeline is older/);
    }
  assert.equal(await generation(primary.address(w.database)), kept, "nothing was written");
  await moveTo(replica);
  for (const api of clients) await until("an answer", async () => (await READS.record(api)).status === 200);
  await assertEverywhere(clients, [KEPT, NEXT], "on the new timeline again");
});
