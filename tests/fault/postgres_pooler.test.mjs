// PgBouncer between the service and PostgreSQL, with fewer connections than the service has: each transaction
// may run on another one, so nothing can be prepared or set for later ones.

import assert from "node:assert/strict";
import { addApp, addPerson, assertDead, assertTokens, EVERYTHING } from "../kit/oauth.mjs";
import { psql } from "../kit/pg.mjs";
import { behindPgBouncer } from "../kit/pgbouncer.mjs";
import { Client, MUSIC } from "../kit/preferences.mjs";
import { onPostgres } from "../kit/world.mjs";

const POOL = 3;

onPostgres("a service works through PgBouncer in transaction mode", async (t) => {
  const { cluster, w } = await behindPgBouncer(t, { mode: "transaction", size: POOL });
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
  assert.equal(metrics.penchant_store_transactions_failed_total, 0);
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

onPostgres("in session mode a pool that is too small ends the start with a reason", async (t) => {
  const { w } = await behindPgBouncer(t, { mode: "session", size: 1, within: 600 });
  const first = await w.start();
  const second = w.launch();
  const { status } = await second.exited(60_000); // the documented 5 seconds, on a busy machine
  assert.equal(status, 1);
  assert.match(second.err, /it accepts connections, but did not answer in time; if a connection pooler is in between, its pool may be too small/);
  w.service = first;
  const readiness = await w.get("/readyz");
  assert.equal(readiness.status, 503); // it needs three connections
  assert.match(readiness.text, /does not respond/);
  assert.equal((await w.get("/healthz")).status, 200);
});
