// A store of two PostgreSQL servers (docs/SCALE.md): one of them down touches only its users, a sign-up that ends between
// its two commits leaves the name free after minutes, and databases in the wrong order or of another store are refused.

import assert from "node:assert/strict";
import { documentClient, documentHost } from "../kit/document_host.mjs";
import { assertUnavailable } from "../kit/expect.mjs";
import { addApp, addPerson, NOW, stage } from "../kit/oauth.mjs";
import { createDatabase, psql } from "../kit/pg.mjs";
import { Client, FOOD } from "../kit/preferences.mjs";
import { connectedUsers, halfOf, halfOfName, nameIn, onTwo, record, twoServers } from "../kit/spread.mjs";
import { until } from "../kit/until.mjs";
import { world } from "../kit/world.mjs";

function twoHoursLater(w) {
  w.clock.forward(2 * 3600);
  w.deadlines.forward(2 * 3600 * 1000); // to the next round of housekeeping
}

onTwo("one of two databases down touches only its users", async (t) => {
  const { w, clusters } = await twoServers(t);
  await w.start();
  w.clock.stop(NOW);
  await addPerson(w, nameIn(0, "owner"));
  const app = await addApp(w, { owner: nameIn(0, "owner") });
  const users = await connectedUsers(w, app);
  assert.deepEqual([...new Set(users.map(({ half }) => half))].sort(), [0, 1], "users of both databases");
  for (const [half, address] of w.parts.entries()) {
    const stored = (await psql(address, "SELECT user_id FROM user_account")).split("\n");
    assert.ok(stored.every((id) => halfOf(id) === half), "each user is in one database");
    assert.equal(await psql(address, "SELECT count(*) FROM app"), "1", "the app is in both");
  }
  assert.equal((await w.users()).length, users.length + 1);

  await clusters[1].stop();
  const ready = await until("readiness to notice", async () => {
    const answer = await w.get("/readyz");
    return answer.data.problem && answer;
  });
  assert.equal(ready.status, 200);
  assert.match(ready.data.problem, /^Database 2 of 2: /);
  for (const user of [...users, ...users]) {
    const answer = await record(w, user);
    if (user.half === 1) {
      assertUnavailable(answer);
      continue;
    }
    assert.equal(answer.status, 200);
    assert.match(answer.text, new RegExp(user.name));
    await new Client(w, user).write(FOOD, { favorite_foods: [user.name, "Bread"] });
    assert.equal((await user.person.get("/account", { "sec-fetch-site": "none" })).status, 200);
    assert.equal((await app.introspect(user.access_token)).data.active, true);
    const { status, data } = await app.refresh(user.refresh_token);
    assert.equal(status, 200);
    Object.assign(user, { access_token: data.access_token, refresh_token: data.refresh_token });
    if (user.lookup === 0) assert.equal((await user.person.signIn()).status, 303);
  }
  const outcomes = [];
  for (let i = 0; i < 200 && outcomes.length < 12; i++)
    if (halfOfName(`late${i}`) === 0) outcomes.push((await w.signUp({ username: `late${i}` })).status);
  assert.ok(outcomes.includes(303), `a sign-up with both halves in the database that serves: ${outcomes}`);
  assert.ok(outcomes.every((status) => status === 303 || status === 503), `${outcomes}`);

  await clusters[1].up();
  await until("the database to serve again", async () => !(await w.get("/readyz")).data.problem);
  for (const user of users) assert.equal((await record(w, user)).status, 200);
  await w.assertSound();
});

onTwo("what one node ended is refused by another one at once, whichever database has the user", async (t) => {
  const w = await world(t, { databases: 2, settings: { "rate-signin": 0 } });
  const first = w.service;
  const second = await w.start();
  const at = (service, use) => {
    w.service = service;
    return use();
  };
  await addPerson(w, "owner");
  const app = await addApp(w, { owner: "owner" });
  const users = await connectedUsers(w, app);
  assert.deepEqual([...new Set(users.map(({ half }) => half))].sort(), [0, 1], "users of both databases");
  for (const user of users) {
    for (let i = 0; i < 3; i++) assert.equal((await at(second, () => record(w, user))).status, 200); // now it is cached
    await at(first, () => app.revoke(user.access_token));
    assert.equal((await at(second, () => record(w, user))).status, 401, `a user of database ${user.half + 1}`);
  }
});

onTwo("a name that was claimed for a user who was not added is free after five minutes", async (t) => {
  const { w } = await twoServers(t);
  w.clock.stop(NOW); // before the start: housekeeping distrusts a clock that jumps
  await w.start();
  // The user's database refuses the commit, after the claim was committed in the other one.
  await psql(w.parts[1], `
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''refused''; END';
    CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON user_account DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse();`);
  const claims = () => psql(w.parts[0], "SELECT lookup_key FROM lookup_claim");
  let name;
  for (let i = 0; i < 400 && !name; i++) {
    if (halfOfName(`eve${i}`) !== 0) continue;
    const { status } = await w.signUp({ username: `eve${i}` });
    assert.ok(status === 303 || status === 503, `${status}`);
    if (status === 503) name = `eve${i}`;
  }
  assert.equal(await claims(), name, "the claim is noted");
  assert.equal(await w.sql(`SELECT count(*) FROM user_account WHERE username = '${name}'`), "0");
  assert.equal(await psql(w.parts[0], `SELECT count(*) FROM username_lookup WHERE username = '${name}'`), "1");
  assert.ok(w.service.log.some(({ event }) => event === "store_partly_committed"));
  await psql(w.parts[1], "DROP TRIGGER refuse ON user_account");
  assert.notEqual((await w.signUp({ username: name })).status, 303, "the name is taken");

  twoHoursLater(w);
  await until("housekeeping to delete the claim", async () => (await claims()) === "", 60_000);
  assert.equal(await psql(w.parts[0], `SELECT count(*) FROM username_lookup WHERE username = '${name}'`), "0");
  assert.equal((await w.signUp({ username: name })).status, 303);
  // A claim whose user exists is kept.
  twoHoursLater(w);
  await until("housekeeping to settle the claim", async () => (await w.sql("SELECT count(*) FROM lookup_claim")) === "0", 60_000);
  assert.equal(await w.sql(`SELECT count(*) FROM username_lookup WHERE username = '${name}'`), "1");
  assert.ok((await w.usernames()).includes(name));
});

// Otherwise two transactions could wait for each other in two databases, where neither server sees a deadlock.
onTwo("an app that the first database does not have yet is not locked in another one", async (t) => {
  const host = await documentHost(t);
  const { w, ada } = await stage(t, { databases: 2, settings: { ...host.settings, "store-deadline": 15_000 } });
  const client = documentClient(w, host.publish("/client.json"));
  await ada.asked(client);
  await w.stop();
  const [first, second] = w.address.split(" ");
  const row = "app WHERE kind = 'document'";
  await psql(first, `CREATE TABLE kept AS SELECT * FROM ${row}; DELETE FROM ${row}`);
  await w.start();
  // Another node has committed the app in the second database, and not yet in the first.
  const other = psql(first, "BEGIN; INSERT INTO app SELECT * FROM kept; SELECT pg_sleep(20)").catch(() => {});
  const activity = (where) => `FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database() AND ${where}`;
  const count = async (where) => Number(await psql(first, `SELECT count(*) ${activity(where)}`));
  await until("the other node", async () => (await count("wait_event = 'PgSleep'")) === 1);
  const asked = ada.get(client.request().path);
  await until("the app to be added", async () => (await count("wait_event_type = 'Lock' AND query LIKE 'INSERT INTO app %'")) === 1);
  assert.equal(await psql(second, "SET lock_timeout = 100; UPDATE app SET name = name WHERE kind = 'document' RETURNING kind"), "document");
  await psql(first, `SELECT pg_terminate_backend(pid) ${activity("wait_event = 'PgSleep'")}`);
  assert.equal((await asked).status, 200);
  await other;
});

onTwo("a renamed or deleted user leaves no lookup row, wherever it is", async (t) => {
  const { w } = await twoServers(t);
  await w.start();
  for (let i = 0; i < 6; i++) {
    await w.addUser(`name${i}`);
    const renamed = await w.command("user", "set", `name${i}`, "--username", `other${i}`);
    assert.equal(renamed.status, 0, renamed.err);
    if (i % 2 === 1) assert.equal((await w.command("user", "delete", `other${i}`)).status, 0);
  }
  assert.deepEqual((await w.sql("SELECT username FROM username_lookup")).split("\n").sort(), ["other0", "other2", "other4"]);
  assert.deepEqual(await w.usernames(), ["other0", "other2", "other4"]);
});

onTwo("databases in another order, one of several, and an empty one among others are refused", async (t) => {
  const { w, clusters } = await twoServers(t);
  await w.start();
  await w.addUser("ada");
  await w.stop();
  const refused = async (store, sentence, wanted = 1) => {
    const { status, err } = await w.command("user", "list", { store });
    assert.equal(status, wanted, err);
    assert.match(err, sentence);
  };
  const empty = clusters[1].address(await createDatabase(clusters[1].port));
  const foreign = [clusters[0].address(await createDatabase(clusters[0].port)), clusters[1].address(await createDatabase(clusters[1].port))];
  assert.equal((await w.command("migrate", { store: foreign.join(" ") })).status, 0);
  await refused([...w.parts].reverse().join(" "), /address 1 of 2 leads to database 2 of 2/);
  await refused(w.parts[1], /address 1 of 1 leads to database 2 of 2/);
  await refused(`${w.parts[0]} ${foreign[1]}`, /database 2 of 2 belongs to another installation/);
  await refused(`${w.parts[0]} ${w.parts[0]}`, /the same database twice/, 2);
  const missing = await w.command("migrate", { store: `${w.parts[0]} ${empty}` });
  assert.equal(missing.status, 1);
  assert.match(missing.err, /database 2 of 2 is empty, but the others are in use/);
  assert.equal((await w.command("user", "list")).status, 0);
});
