// Three nodes on one PostgreSQL, each with a cache: how many change queries they send, what empties the caches, and limits that
// count over all nodes. postgres_strict.test.mjs tests that no answer is stale.

import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { assertUnavailable } from "../kit/expect.mjs";
import { addApp, addPerson, EVERYTHING, Person } from "../kit/oauth.mjs";
import { Cluster, psql } from "../kit/pg.mjs";
import { Client, MUSIC } from "../kit/preferences.mjs";
import { READS, RATES, threeNodes } from "../kit/nodes.mjs";
import { until } from "../kit/until.mjs";
import { onPostgres, PASSWORD, world } from "../kit/world.mjs";

// ---- how many change queries ----

onPostgres("a hundred warm reads ask the database far less often than a hundred times", async (t) => {
  const { w, nodes: [node] } = await threeNodes(t);
  const person = await addPerson(w, "ada");
  const app = await addApp(w, {});
  const api = await Client.connect(person, app, { scope: EVERYTHING });
  await api.write(MUSIC, { genres: ["jazz"] });
  const what = { token: api.token };
  for (let i = 0; i < 3; i++) await READS.record(node.origin, what);
  const dropped = (await w.metrics()).penchant_store_cache_drops_total;
  // A change query serves the requests that have arrived, so the node is stopped while they are sent.
  const before = await w.metrics();
  for (let i = 0; i < 10; i++) {
    node.service.signal("SIGSTOP");
    const reads = Array.from({ length: 50 }, () => READS.record(node.origin, what));
    await pause(100);
    node.service.signal("SIGCONT");
    await Promise.all(reads);
  }
  const after = await w.metrics();
  const queries = after.penchant_store_syncs_total - before.penchant_store_syncs_total;
  assert.ok(after.penchant_store_synced_total - before.penchant_store_synced_total >= 500);
  assert.ok(queries < 100, `${queries} queries for 500 reads`);
  assert.equal((await w.metrics()).penchant_store_cache_drops_total, dropped);
});

onPostgres("reads that run as one statement get the data of their own user", async (t) => {
  const w = await world(t, { settings: { ...RATES, cache: 0 } });
  const people = [];
  for (let i = 0; i < 6; i++) people.push(await addPerson(w, `user${i}`));
  const app = await addApp(w, { owner: "user0" });
  const clients = [];
  for (const [i, person] of people.entries()) {
    const api = await Client.connect(person, app, { scope: EVERYTHING });
    await api.write(MUSIC, { genres: [`genre ${i} of its own`] });
    clients.push(api);
  }
  await app.revoke(clients.at(-1).token);
  const check = async (name, i) => {
    const { status, text } = await READS[name](w.origin, clients[i]);
    const expected = i === clients.length - 1 ? [401, []] : [200, name === "profile" ? [] : [String(i)]];
    const genres = [...text.matchAll(/genre (\d) of its own/g)].map(([, number]) => number);
    assert.deepEqual([status, [...new Set(genres)]], expected, `${name} of user ${i}`);
    if (status === 200 && name === "profile") assert.match(text, new RegExp(`"user${i}"`));
  };
  const shared = async () => (await w.metrics()).penchant_store_reads_shared_total;
  // How many arrive together depends on how busy the machine is.
  for (let round = 0; round < 5 || (round < 200 && (await shared()) <= 20); round++)
    await Promise.all(clients.flatMap((_, i) => ["record", "hints", "profile", "record", "hints"].map((name) => check(name, i))));
  assert.ok((await shared()) > 20, `${await shared()} reads ran together`);
});

// ---- what empties the caches ----

const drops = async (node) => (await node.metrics()).penchant_store_cache_drops_total;

async function warmNode(t, options) {
  const w = await world(t, { ...options, settings: RATES });
  const person = await addPerson(w, "ada");
  const app = await addApp(w, {});
  const api = await Client.connect(person, app, { scope: EVERYTHING });
  await api.write(MUSIC, { genres: ["jazz"] });
  for (let i = 0; i < 3; i++) assert.equal((await READS.record(w.origin, { token: api.token })).status, 200);
  return { w, api, person, app, record: () => READS.record(w.origin, { token: api.token }) };
}

onPostgres("after a lost connection everything is read again", async (t) => {
  const { w, api, record } = await warmNode(t);
  const before = await drops(w);
  await w.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%store_sync%' AND pid <> pg_backend_pid() AND datname = current_database()");
  assert.equal((await record()).status, 200);
  assert.ok((await drops(w)) > before, "nothing was dropped");
  await api.write(MUSIC, { genres: ["polka"] });
  assert.match((await record()).text, /polka/);
});

onPostgres("a node that slept while old changes were deleted drops what it has cached", async (t) => {
  const { w, record } = await warmNode(t);
  const before = await drops(w);
  w.service.signal("SIGSTOP");
  await w.sql("UPDATE app SET status = 'disabled'"); // its change row was deleted
  await w.sql("WITH gone AS (DELETE FROM store_change RETURNING 1) INSERT INTO store_change SELECT pg_current_xact_id(), '<' || pg_snapshot_xmax(pg_current_snapshot())");
  w.service.signal("SIGCONT");
  assert.equal((await record()).status, 401);
  assert.ok((await drops(w)) > before);
});

onPostgres("a change that many rows describe, or that no row can describe, drops everything", async (t) => {
  const { w, record } = await warmNode(t);
  for (const rows of ["SELECT pg_current_xact_id(), '1' FROM generate_series(1, 1100)", "SELECT pg_current_xact_id(), '*'", "SELECT pg_current_xact_id(), 'what?'"]) {
    const before = await drops(w);
    await w.sql(`INSERT INTO store_change ${rows}`);
    assert.equal((await record()).status, 200);
    assert.ok((await drops(w)) > before, rows);
  }
});

onPostgres("a long transaction does not hide the changes of shorter ones, and its own count when it commits", async (t) => {
  const { w, api, app, record } = await warmNode(t);
  const address = w.address;
  const long = psql(address, `BEGIN; UPDATE app SET status = 'disabled' WHERE app_id = '${app.client_id}'; INSERT INTO store_change VALUES (pg_current_xact_id(), '*'); SELECT pg_sleep(2); COMMIT`);
  await until("the long transaction", async () => (await psql(address, "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'BEGIN; UPDATE app%' AND state = 'active' AND pid <> pg_backend_pid()")) > 0);
  for (let i = 0; i < 5; i++) {
    await api.write(MUSIC, { favorite_artists: [`artist ${i}`] });
    assert.match((await record()).text, new RegExp(`artist ${i}`));
  }
  await long;
  assert.equal((await record()).status, 401);
});

onPostgres("rows of a dump of another server neither stop writes nor the cache", async (t) => {
  const { w, api } = await warmNode(t);
  await w.stop();
  await w.sql("INSERT INTO store_change SELECT (pg_current_xact_id()::text::bigint + n)::text::xid8, '*' FROM generate_series(1000, 1100) n");
  await w.start();
  assert.equal(await w.sql("SELECT count(*) FROM store_change WHERE xid >= pg_snapshot_xmax(pg_current_snapshot())"), "0");
  assert.equal((await READS.record(w.origin, { token: api.token })).status, 200);
});

onPostgres("every write has its change row, in a table that is not logged", async (t) => {
  const { w } = await warmNode(t);
  assert.equal(await w.sql("SELECT relpersistence FROM pg_class WHERE relname = 'store_change'"), "u");
  assert.notEqual(await w.sql("SELECT count(*) FROM store_change"), "0");
});

onPostgres("if the database cannot be asked, nothing is answered from memory", async (t) => {
  const cluster = await Cluster.start({ durable: true });
  t.after(() => cluster.end());
  const { w, record } = await warmNode(t, { cluster });
  await cluster.stop();
  for (let i = 0; i < 5; i++) assertUnavailable(await record());
  await cluster.up();
  await until("an answer", async () => (await record()).status === 200);
  assert.equal((await w.get("/healthz")).status, 200);
});

onPostgres("a crash of the server, which empties the change log, drops what is cached", async (t) => {
  const cluster = await Cluster.start({ durable: true });
  t.after(() => cluster.end());
  const { w, record } = await warmNode(t, { cluster });
  const before = await drops(w);
  await cluster.kill();
  await cluster.up();
  await until("an answer", async () => (await record()).status === 200);
  assert.ok((await drops(w)) > before);
});

onPostgres("failed sign-ins count over all nodes, by account and by network", async (t) => {
  const LIMIT = 6;
  const { w, nodes } = await threeNodes(t, { settings: { "rate-signin": LIMIT, "trusted-proxies": "127.0.0.1" } });
  for (const username of ["ada", "grace"]) await addPerson(w, username, { signedIn: false });
  let address = 0;
  const attempt = async (node, username, password, from = `192.0.2.${++address}`) =>
    (await new Person(node).post("/signin", { username, password }, { "x-forwarded-for": from })).status;
  const statuses = [];
  for (let i = 0; i < LIMIT + 3; i++) statuses.push(await attempt(nodes[i % 3], "ada", "wrong kettle sings at dusk"));
  assert.deepEqual(statuses, [...Array(LIMIT).fill(401), 429, 429, 429]);
  for (const node of nodes) assert.equal(await attempt(node, "ada", PASSWORD), 429, "a right guess is distinguished from a wrong one");
  assert.equal(await attempt(nodes[1], "grace", PASSWORD), 303);
  const same = "198.51.100.7";
  const parallel = await Promise.all(Array.from({ length: 12 }, (_, i) => attempt(nodes[i % 3], `nobody${i}`, "wrong kettle sings at dusk", same)));
  assert.deepEqual([parallel.filter((status) => status === 401).length, parallel.filter((status) => status === 429).length], [LIMIT, 12 - LIMIT]);
  assert.equal(await attempt(nodes[2], "grace", PASSWORD, same), 429);
  assert.ok(!(await w.sql("SELECT string_agg(attempt_key, ' ') FROM attempt")).includes("192.0.2"), "addresses are stored as digests");
});

onPostgres("failed attempts of clients count over all nodes, by client and by network", async (t) => {
  const LIMIT = 6;
  const { w, nodes } = await threeNodes(t, { settings: { "rate-auth": LIMIT, "trusted-proxies": "127.0.0.1" } });
  await addPerson(w, "ada");
  const app = await addApp(w, { owner: "ada" });
  let address = 0;
  const attempt = async (node, { client_id }, client_secret, from = `192.0.2.${++address}`) =>
    (await new Person(node).post("/oauth/introspect", { token: "x", client_id, client_secret }, { "x-forwarded-for": from })).status;
  const wrong = `pn_cs_${"a".repeat(49)}`;
  const statuses = [];
  for (let i = 0; i < LIMIT + 3; i++) statuses.push(await attempt(nodes[i % 3], app, wrong));
  assert.deepEqual(statuses, [...Array(LIMIT).fill(401), 429, 429, 429]);
  for (const node of nodes) assert.equal(await attempt(node, app, app.client_secret), 200, "the app itself is not blocked");
  const same = "198.51.100.7", nobody = { client_id: "nobody" };
  const parallel = await Promise.all(Array.from({ length: 12 }, (_, i) => attempt(nodes[i % 3], nobody, wrong, same)));
  assert.deepEqual([parallel.filter((status) => status === 401).length, parallel.filter((status) => status === 429).length], [LIMIT, 12 - LIMIT]);
  for (const node of nodes) {
    assert.equal(await attempt(node, nobody, wrong, same), 429);
    const counted = await w.sql("SELECT sum(times) FROM attempt");
    assert.equal(await attempt(node, app, app.client_secret, same), 429, "a node that has learned of the limit refuses right secrets as well");
    assert.equal(await w.sql("SELECT sum(times) FROM attempt"), counted);
  }
});

onPostgres("calls with a token count over all nodes, about", async (t) => {
  const LIMIT = 20;
  const { w, nodes } = await threeNodes(t, { settings: { "rate-api": LIMIT } });
  const person = await addPerson(w, "ada");
  const api = await Client.connect(person, await addApp(w, {}), { scope: EVERYTHING });
  let served = 0, ended = false;
  const calls = nodes.flatMap((node) => [0, 1, 2].map(async () => {
    while (!ended) {
      const { status } = await READS.record(node.origin, api);
      assert.ok([200, 429].includes(status), `status ${status}`);
      served += status === 200 ? 1 : 0;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }));
  const inSeconds = async (seconds) => {
    const before = served, began = Date.now();
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    return ((served - before) * 1000) / (Date.now() - began);
  };
  await until("the count of each node", async () => (await w.sql("SELECT count(*) FROM api_rate")).trim() === "3");
  await inSeconds(2); // a round of each node after the counts of all were there
  const rate = await inSeconds(5);
  ended = true;
  await Promise.all(calls);
  assert.ok(rate < 1.6 * LIMIT, `${rate.toFixed(1)} calls per second with a limit of ${LIMIT}; each node for itself would allow ${3 * LIMIT}`);
  assert.ok(!(await w.sql("SELECT string_agg(row_to_json(api_rate)::text, ' ') FROM api_rate")).includes(api.token));
});
