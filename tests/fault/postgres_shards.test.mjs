// A database with users is divided into two by the shard number alone (docs/SCALE.md): every row of a user is then in one
// of them, each half serves its users as before and knows nothing of the others, and if one stops, the other's users notice
// nothing.

import assert from "node:assert/strict";
import { assertUnavailable } from "../kit/expect.mjs";
import { addApp, addPerson, assertInvalidGrant, NOW } from "../kit/oauth.mjs";
import { Cluster, psql } from "../kit/pg.mjs";
import { Client, FOOD } from "../kit/preferences.mjs";
import { onPostgres, world } from "../kit/world.mjs";

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const SHARDS = 4096;
const halfOf = (id) => (DIGITS.indexOf(id[4]) * 64 + DIGITS.indexOf(id[5]) < SHARDS / 2 ? 0 : 1);

// The number of the shard, from the column that carries it.
const digits = (first, second) => `((strpos('${DIGITS}', ${first}) - 1) * 64 + strpos('${DIGITS}', ${second}) - 1)`;
const ofId = (column) => digits(...[1, 2].map((i) => `substr(${column}, strpos(${column}, '_') + ${i}, 1)`));
const ofHash = (column) => digits(`substr(${column}, 1, 1)`, `substr(${column}, 2, 1)`);
const SHARD = {
  user_account: ofId("user_id"),
  user_picture: ofId("picture_id"),
  session: ofHash("session_hash"),
  passkey: ofId("user_id"),
  recovery_code: ofId("user_id"),
  one_time_link: ofHash("link_hash"),
  outbox: ofId("mail_id"),
  user_atoms: "(row_key >> 50)",
  user_record: "(row_key >> 50)",
  undo: ofId("user_id"),
  import_draft: ofId("user_id"),
  auth_request: ofHash("request_hash"),
  app_grant: ofId("grant_id"),
  token_family: ofId("family_id"),
  auth_code: ofHash("code_hash"),
  access_token: "(row_key >> 48)",
  refresh_token: "(row_key >> 48)",
  user_usage: digits(...[9, 8].map((i) => `chr((user_key / ${78n ** BigInt(i)} % 78)::int + 45)`)), // ten digits of 78
  usage_revocation: ofId("user_id"),
  activity: ofId("user_id"),
  activity_day: ofId("user_id"),
  activity_chain: ofId("user_id"),
  activity_first: ofId("user_id"),
  // Lookup rows stay with their users while each half serves alone.
  username_lookup: ofId("user_id"),
  email_lookup: ofId("user_id"),
  passkey_lookup: ofId("user_id"),
};

// In a store of several databases, lookup rows are spread by their own key.
const LOOKUP = { username_lookup: "username", email_lookup: "email_key", passkey_lookup: "credential_id" };
const ofKey = (column) =>
  `((SELECT sum(get_byte(b, i)::bigint * (i + 1) * (i + 17))::bigint FROM (SELECT convert_to(${column}, 'UTF8') AS b) AS k, generate_series(0, length(b) - 1) AS i) * 40503 % 65536 / 16)`;

const EVERYWHERE = ["api_rate", "app", "app_logo", "app_refusal", "app_usage", "attempt", "challenge_key", "clock_state", "deleted_app", "lookup_claim", "lost_writes", "schema_step", "store_change", "store_part", "used_challenge"];

const countsOf = async (address) =>
  Object.fromEntries(await Promise.all(Object.keys(SHARD).map(async (table) => [table, Number(await psql(address, `SELECT count(*) FROM ${table}`))])));

// A world as clients of one node see it.
const at = (w, service) => Object.assign(Object.create(w), { service });
const via = (one, w) => Object.assign(Object.create(one), { w });

async function connectedUsers(w, app) {
  const users = [];
  for (let i = 0; i < 40 && new Set(users.map(({ half }) => half)).size < 2; i++) {
    const person = await addPerson(w, `user${i}`);
    const shared = await person.connect(app);
    const { sub } = (await app.userinfo(shared.access_token)).data;
    await new Client(w, shared).write(FOOD, { favorite_foods: [`Soup ${i}`] });
    users.push({ person, sub, half: halfOf(sub), name: `Soup ${i}`, ...shared });
  }
  return users;
}

const record = (w, { access_token }) => w.ask("GET", `/v1/preferences/${FOOD}`, { headers: { authorization: `Bearer ${access_token}` } });

onPostgres("users are divided between two databases by their shard number, and one database down touches only its users", async (t) => {
  const first = await Cluster.start();
  t.after(() => first.end());
  const w = await world(t, { cluster: first, settings: { "rate-signin": 0 } });
  w.clock.stop(NOW);
  await addPerson(w, "ada");
  const app = await addApp(w);
  const users = await connectedUsers(w, app);
  assert.equal(new Set(users.map(({ half }) => half)).size, 2, "users of both halves");
  const second = await first.replica();
  t.after(() => second.end());
  await w.stop();
  const addresses = [first, second].map((cluster) => cluster.address(w.database));
  const before = await countsOf(addresses[0]);
  for (const table of ["user_account", "session", "user_record", "user_atoms", "app_grant", "token_family", "access_token", "refresh_token", "auth_code", "activity", "user_usage", "username_lookup"])
    assert.ok(before[table] > 0, `${table} has rows`);
  const tables = (await psql(addresses[0], "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'")).split("\n");
  assert.deepEqual(tables.sort(), [...Object.keys(SHARD), ...EVERYWHERE].sort(), "every table has a place");
  await psql(first.address("postgres"), "ALTER SYSTEM RESET synchronous_standby_names");
  first.server.signal("SIGHUP");
  await second.promote();

  // Each half deletes what belongs to the other.
  for (const [half, address] of addresses.entries())
    for (const [table, shard] of Object.entries(SHARD)) await psql(address, `DELETE FROM ${table} WHERE ${shard} ${half === 0 ? ">=" : "<"} ${SHARDS / 2}`);
  const halves = await Promise.all(addresses.map(countsOf));
  for (const table of Object.keys(SHARD)) assert.equal(halves[0][table] + halves[1][table], before[table], `${table}: each row is in one half`);

  const nodes = [];
  for (const store of addresses) nodes.push(at(w, await w.start({ store })));
  for (const user of users) {
    const [own, other] = [nodes[user.half], nodes[1 - user.half]];
    const answer = await record(own, user);
    assert.equal(answer.status, 200);
    assert.match(answer.text, new RegExp(user.name));
    assert.equal((await record(other, user)).status, 401);
    assertInvalidGrant(await via(app, other).refresh(user.refresh_token));
    assert.equal((await via(user.person, own).get("/account", { "sec-fetch-site": "none" })).status, 200);
    assert.equal((await via(user.person, own).signIn()).status, 303);
    const { status, data } = await via(app, own).refresh(user.refresh_token);
    assert.equal(status, 200);
    user.access_token = data.access_token;
  }

  await second.stop();
  for (const user of users) {
    const answer = await record(nodes[user.half], user);
    if (user.half === 0) assert.equal(answer.status, 200);
    else assertUnavailable(answer);
  }
  await second.up();

  // Both become one store: as docs/SCALE.md describes it.
  for (const { service } of nodes) {
    service.signal("SIGTERM");
    assert.equal((await service.exited()).status, 0);
  }
  for (const [table, key] of Object.entries(LOOKUP)) {
    const rows = (await psql(addresses.join(" "), `SELECT ${key}, user_id, ${ofKey(key)} FROM ${table}`)).split("\n").filter(Boolean).map((line) => line.split("|"));
    for (const [half, address] of addresses.entries()) {
      await psql(address, `TRUNCATE ${table}`);
      for (const [value, id, shard] of rows) if (Number(shard) < SHARDS / 2 === (half === 0)) await psql(address, `INSERT INTO ${table} VALUES ('${value}', '${id}')`);
    }
  }
  await psql(addresses[1], "UPDATE app_usage SET calls = 0, tokens = 0, refused = 0, failed = 0; DELETE FROM app_refusal");
  for (const [half, address] of addresses.entries()) await psql(address, `UPDATE store_part SET number = ${half + 1}, parts = 2`);
  await w.start({ store: addresses.join(" ") });
  for (const user of users) {
    assert.match((await record(w, user)).text, new RegExp(user.name));
    assert.equal((await user.person.get("/account", { "sec-fetch-site": "none" })).status, 200);
    assert.equal((await user.person.signIn()).status, 303);
  }
});
