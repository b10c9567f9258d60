// After a failover, the old primary comes back: on its old timeline, still writable, and without what was written since.
// A node that has used the new timeline does not use it, whatever happens to the new primary.

import assert from "node:assert/strict";
import { assertError, assertUnavailable } from "../kit/expect.mjs";
import { addApp, addPerson, EVERYTHING, userCommand } from "../kit/oauth.mjs";
import { psql } from "../kit/pg.mjs";
import { at, hosts, nodesOn, RATES, via } from "../kit/pg_load.mjs";
import { proxy } from "../kit/pg_proxy.mjs";
import { Client, FOOD } from "../kit/preferences.mjs";
import { until } from "../kit/until.mjs";
import { onPostgres } from "../kit/world.mjs";

const OLD = "gluten";
const NEW = "peanuts";
const REASON = /^The database that accepts writes is an old primary: its timeline is older/;

// Requests that are answered from memory, by a read of the database, and by a write.
const read = (api) => api.get(`preferences/${FOOD}`);
const readCold = (api) => api.get(`agent-hints?domains=${FOOD}&max_tokens=${500 + Math.floor(Math.random() * 1000)}`);
const write = (api) => api.send(FOOD, { allergies: ["shellfish"] });
const recordsOf = (server, w) => psql(server.address(w.database), "SELECT * FROM user_record ORDER BY user_id, domain");

const serves = (api, value) => until("an answer", async () => [await read(api)].find(({ status, text }) => status === 200 && text.includes(value)), 20_000);

async function assertRefused(api, node) {
  for (const ask of [read, readCold, write]) assertUnavailable(await ask(api));
  const readiness = await until("the reason", async () => [await node.get("/readyz")].find(({ text }) => text.includes("old primary")));
  assertError(readiness, 503);
  assert.match(readiness.data.error_description, REASON);
}

onPostgres("an old primary that comes back is not used, also when the new one is gone", async (t) => {
  const { w, nodes, primary, replica, between } = await nodesOn(t, { replica: "asynchronous", proxied: true });
  const person = await addPerson(w, "ada");
  const first = await Client.connect(person, await addApp(w, {}), { scope: EVERYTHING });
  const clients = nodes.map((node) => via(first, node));
  await first.write(FOOD, { allergies: [OLD] });
  await replica.unfollow(primary);
  between.isCut = true;
  for (const [i, api] of clients.entries()) await until(`503 of node ${i}`, async () => (await read(api)).status === 503);
  await replica.promote();
  for (const api of clients) await serves(api, OLD);
  await until("a write", async () => (await clients[0].send(FOOD, { allergies: [NEW] })).status === 200);
  for (const api of clients) await serves(api, NEW);
  const before = await recordsOf(primary, w);
  between.isCut = false;
  for (const stop of ["stop", "kill"]) {
    await replica[stop]();
    for (const [i, api] of clients.entries()) await until(`503 of node ${i}`, async () => (await readCold(api)).status === 503);
    for (let round = 0; round < 3; round++) for (const [i, api] of clients.entries()) await assertRefused(api, nodes[i]);
    await replica.up();
    for (const api of clients) await serves(api, NEW);
  }
  for (const node of nodes) {
    const line = await node.service.logged("the old primary", ({ event }) => event === "store_old_primary");
    assert.deepEqual([line.level, line.port, line.timeline, line.used], ["warn", `${between.port}`, 1, 2]);
    assert.equal(node.service.log.filter(({ event }) => event === "store_old_primary").length, 1, "it is logged once");
  }
  assert.equal(await recordsOf(primary, w), before, "nothing was written to the old primary");
  // A restart accepts the older data.
  await replica.stop();
  await nodes[0].service.signal("SIGTERM");
  await nodes[0].service.exited();
  const again = via(first, Object.assign(Object.create(w), { service: await w.start() }));
  const { text } = await serves(again, OLD);
  assert.ok(!text.includes(NEW), text);
});

// The old primary was not stopped: both servers accept writes.
async function twoPrimaries(t) {
  const all = await nodesOn(t, { replica: "asynchronous", count: 0 });
  const { w, primary, replica } = all;
  const between = await proxy(t, replica.port); // of the first node and the replica
  w.address = hosts([primary.port, between.port], w.database);
  await w.start(RATES);
  w.address = hosts([primary.port, replica.port], w.database);
  const person = await addPerson(w, "ada");
  const app = await addApp(w, {});
  const api = await Client.connect(person, app, { scope: EVERYTHING });
  await api.write(FOOD, { allergies: [OLD] });
  await replica.unfollow(primary);
  const promote = async () => {
    await replica.promote();
    await until("the promotion", async () => (await psql(replica.address("postgres"), "SELECT pg_is_in_recovery()")) === "f");
  };
  return { ...all, between, app, api, promote };
}

const usersOf = (server, w) => psql(server.address(w.database), "SELECT string_agg(username || ' ' || epoch, ', ' ORDER BY username) FROM user_account");

onPostgres("a node or command that starts while the old primary still accepts writes uses the new one", async (t) => {
  const { w, primary, replica, promote } = await twoPrimaries(t);
  await w.stop();
  await promote();
  await userCommand(w, "disable", "ada");
  await userCommand(w, "enable", "ada");
  assert.deepEqual([await usersOf(primary, w), await usersOf(replica, w)], ["ada 0", "ada 1"]);
  await w.start(RATES);
  await addPerson(w, "grace");
  assert.deepEqual([await usersOf(primary, w), await usersOf(replica, w)], ["ada 0", "ada 1, grace 0"]);
  await w.service.logged("the old primary", ({ event }) => event === "store_old_primary");
});

onPostgres("a node that uses the old primary finds the new one, and reports the refresh tokens that are lost", async (t) => {
  const { w, primary, replica, between, app, api, promote } = await twoPrimaries(t);
  const node = at(w, w.service);
  between.isCut = true;
  await promote();
  // Another node uses the new primary first, and records until when writes may be lost.
  const other = at(w, await w.start(RATES));
  await via(api, other).write(FOOD, { allergies: [NEW] });
  const recorded = "SELECT lost_until FROM lost_writes";
  const first = Number(await psql(replica.address(w.database), recorded));
  assert.ok(first > 0);
  const kept = api.refresh_token;
  await until("a time after that", () => Date.now() / 1000 > first + 1);
  const lost = await via(app, node).refresh(kept);
  assert.equal(lost.status, 200, lost.text);
  between.isCut = false;
  await serves(via(api, node), NEW);
  assert.ok(Number(await psql(replica.address(w.database), recorded)) > first, "the time range was extended");
  for (const one of [node, other]) {
    const refused = await via(app, one).refresh(lost.data.refresh_token);
    assert.deepEqual([refused.status, refused.data.error], [400, "invalid_grant"]);
    assert.match(refused.data.error_description, /^The database lost the refresh token in a failover\./);
  }
  assert.notEqual(await via(app, other).worth(kept), null, "the authorization was not revoked");
  const before = await recordsOf(primary, w);
  await via(api, node).write(FOOD, { allergies: ["shellfish"] });
  await serves(via(api, other), "shellfish");
  assert.equal(await recordsOf(primary, w), before, "nothing was written to the old primary");
});
