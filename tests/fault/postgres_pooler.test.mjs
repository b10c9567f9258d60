// PgBouncer between the service and PostgreSQL, with fewer connections than the service has: each transaction
// may run on another one, so nothing can be prepared or set for later ones.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { addApp, addPerson, assertDead, assertTokens, EVERYTHING } from "../kit/oauth.mjs";
import { Cluster, databaseAddress, freePort, PG_PASSWORD, psql } from "../kit/pg.mjs";
import { Client, MUSIC } from "../kit/preferences.mjs";
import { Program } from "../kit/process.mjs";
import { until } from "../kit/until.mjs";
import { onPostgres, world } from "../kit/world.mjs";

const POOL = 3;

async function behindPgBouncer(t, mode) {
  const cluster = await Cluster.start({});
  t.after(() => cluster.end());
  const w = await world(t, { cluster, start: false });
  const port = await freePort();
  const file = path.join(cluster.dir, "pgbouncer.ini");
  const lines = [
    "[databases]",
    `* = host=127.0.0.1 port=${cluster.port} user=penchant password=${PG_PASSWORD}`,
    "[pgbouncer]",
    `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir = ${cluster.dir}\nauth_type = any`,
    `pool_mode = ${mode}\ndefault_pool_size = ${POOL}\nmax_client_conn = 200`,
  ];
  fs.writeFileSync(file, `${lines.join("\n")}\n`);
  const pooler = new Program("/usr/sbin/pgbouncer", [file], cluster.options());
  t.after(() => (pooler.signal("SIGKILL"), pooler.exit()));
  const address = databaseAddress(port, w.database);
  await until("PgBouncer", () => psql(address, "SELECT 1").catch(() => false));
  w.address = address;
  return { cluster, w };
}

onPostgres("a service works through PgBouncer in transaction mode", async (t) => {
  const { cluster, w } = await behindPgBouncer(t, "transaction");
  const settings = { "rate-auth": 0, "rate-api": 0, "rate-signin": 0, "rate-refresh": 0, "metrics-listen": "127.0.0.1:0" };
  await w.start(settings);
  const people = [];
  for (let i = 0; i < 8; i++) people.push(await addPerson(w, `user${i}`));
  const app = await addApp(w, { owner: "user0" });
  const clients = await Promise.all(people.map((person) => Client.connect(person, app, { scope: EVERYTHING })));
  for (let round = 0; round < 5; round++) {
    const answers = await Promise.all(clients.map((api) => api.send(MUSIC, { favorite_artists: [`Band ${round}`] })));
    assert.deepEqual(answers.map(({ status }) => status), Array(8).fill(200));
    const read = await Promise.all(clients.flatMap((api) => [api.record(MUSIC), api.record(MUSIC)]));
    for (const { favorite_artists } of read) assert.equal(favorite_artists.length, round + 1);
    await Promise.all(clients.map((api) => api.renew()));
  }
  const metrics = await w.metrics();
  assert.ok(metrics.penchant_store_groups_total > 0);
  assert.ok(metrics.penchant_store_synced_total > 0, "nothing was answered from memory");
  assert.equal(metrics.penchant_store_failed_total, 0);
  const servers = await psql(cluster.address("postgres"), `SELECT count(*) FROM pg_stat_activity WHERE datname = '${w.database}'`);
  assert.ok(Number(servers) <= POOL, `${servers} connections`);

  const first = w.service;
  const second = await w.start(settings);
  const set = await people[1].connect(app);
  for (let i = 0; i < 3; i++) assert.equal((await app.userinfo(set.access_token)).status, 200);
  w.service = first;
  assert.equal((await app.revoke(set.refresh_token)).status, 200);
  w.service = second;
  await assertDead(app, set);
  assertTokens(await app.refresh(clients[2].refresh_token), EVERYTHING);
});
