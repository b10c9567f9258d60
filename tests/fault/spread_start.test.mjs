// A node starts while one of two databases is down: it serves the users of the other one, and uses the database as soon
// as it is back and was checked. Rows that all databases have are repaired when one comes back, and from time to time.

import assert from "node:assert/strict";
import { assertUnavailable } from "../kit/expect.mjs";
import { addApp, addPerson, NOW } from "../kit/oauth.mjs";
import { psql } from "../kit/pg.mjs";
import { Client, FOOD } from "../kit/preferences.mjs";
import { assertServed, connectedUsers, nameIn, onTwo, record, twoServers } from "../kit/spread.mjs";
import { until } from "../kit/until.mjs";
import { world } from "../kit/world.mjs";

const MINUTES = 60_000;
const events = (w, name) => w.service.log.filter(({ event }) => event === name);
const appNames = (w) => Promise.all(w.parts.map((part) => psql(part, "SELECT name FROM app ORDER BY name")));
const withoutProblem = (w) => until("every database to serve", async () => !(await w.get("/readyz")).data.problem, 60_000);

for (const [down, name] of ["first", "second"].entries())
  onTwo(`a node that starts while the ${name} of two databases is down serves the users of the other`, async (t) => {
    const { w, clusters } = await twoServers(t);
    await w.start();
    const owner = nameIn(1 - down, "owner");
    await addPerson(w, owner);
    const app = await addApp(w, { owner, name: "Finder" });
    const users = await connectedUsers(w, app);
    await w.stop();
    // As a change that was committed in one of them only.
    await psql(w.parts[1], "UPDATE app SET name = 'Interrupted'");
    await clusters[down].stop();

    await w.start();
    const ready = await w.get("/readyz");
    assert.equal(ready.status, 200);
    assert.equal(ready.data.problem, `Database ${down + 1} of 2: The database does not respond. Try again in a few seconds.`);
    const [missing] = events(w, "store_database_missing");
    assert.equal(missing.database, down + 1);
    assert.match(missing.problem, /cannot connect to PostgreSQL/);
    for (const user of users) {
      if (user.half === down) {
        assertUnavailable(await record(w, user));
        assertUnavailable(await app.refresh(user.refresh_token));
        continue;
      }
      await assertServed(w, app, user);
      if (user.lookup !== down) assert.equal((await user.person.signIn()).status, 303);
    }
    assert.equal(events(w, "store_database_missing").length, 1, "the problem is logged once");
    assert.equal(events(w, "store_database_opened").length, 0);

    await clusters[down].up();
    await withoutProblem(w);
    assert.deepEqual(events(w, "store_database_opened").map(({ database }) => database), [down + 1]);
    assert.deepEqual(await appNames(w), ["Finder", "Finder"], "repaired before its first use");
    assert.equal(events(w, "store_app_repaired").length, 1);
    for (const user of users) {
      const answer = await record(w, user);
      assert.equal(answer.status, 200);
      assert.match(answer.text, new RegExp(user.name));
      await new Client(w, user).write(FOOD, { favorite_foods: [user.name, "Salt"] });
      assert.match((await record(w, user)).text, /Salt/, "nothing outdated is cached");
    }
    assert.equal((await w.signUp({ username: "late" })).status, 303);
    // It is monitored like one that was there from the start.
    await clusters[down].stop();
    await until("readiness to notice", async () => (await w.get("/readyz")).data.problem);
    for (const user of users) assert.equal((await record(w, user)).status, user.half === down ? 503 : 200);
    await clusters[down].up();
    await withoutProblem(w);
    await w.assertSound();
  });

onTwo("a node that starts without a database does not use another one in its place", async (t) => {
  const w = await world(t, { databases: 2, settings: { "rate-signin": 0 } });
  w.parts = w.address.split(" ");
  const app = await addApp(w, { owner: (await addPerson(w, "owner")).username });
  const users = await connectedUsers(w, app);
  await w.stop();
  const [, second] = w.databases;
  const admin = w.parts[1].replace(`/${second}`, "/postgres");
  await psql(admin, `ALTER DATABASE ${second} RENAME TO ${second}_kept`);
  await w.start();
  await psql(admin, `CREATE DATABASE ${second}`); // with the same name, and empty
  const problems = () => events(w, "store_database_missing").map(({ problem }) => problem);
  await until("the node to look at it", async () => problems().some((problem) => /database 2 of 2 is empty, but the others are in use/.test(problem)), 60_000);
  const ready = await w.get("/readyz");
  assert.equal(ready.status, 200);
  assert.equal(ready.data.problem, "Database 2 of 2: The database answers, but must not be used. The log says why.");
  for (const user of users) assert.equal((await record(w, user)).status, user.half === 1 ? 503 : 200);
  assert.equal(await psql(w.parts[1], "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"), "0", "nothing was created there");

  // The node looks at it every second, and does not stay connected.
  const renamed = () => psql(admin, `ALTER DATABASE ${second} RENAME TO ${second}_empty`).then(() => true, () => false);
  await until("the empty one to be renamed", renamed, 60_000);
  await psql(admin, `ALTER DATABASE ${second}_kept RENAME TO ${second}`);
  await withoutProblem(w);
  for (const user of users) assert.equal((await record(w, user)).status, 200);
  await psql(admin, `DROP DATABASE ${second}_empty`);
});

// Its server answers, but statements that need the table wait: those that compare the databases, and those that the
// node prepares. Before, the start waited for ten minutes, and starts of other nodes with it.
onTwo("a node starts while a table of one database is locked, and serves the users of the other", async (t) => {
  const w = await world(t, { databases: 2, start: false, settings: { "rate-signin": 0 } });
  w.parts = w.address.split(" ");
  await w.start();
  const app = await addApp(w, { owner: (await addPerson(w, nameIn(0, "owner"))).username, name: "Finder" });
  const users = await connectedUsers(w, app);
  await w.stop();
  await psql(w.parts[1], "UPDATE app SET name = 'Interrupted'");
  const locking = psql(w.parts[1], "BEGIN; LOCK TABLE app IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(600)").catch(() => {});
  const sleeping = "FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()";
  await until("the lock", async () => (await psql(w.parts[1], `SELECT count(*) ${sleeping}`)) === "1");

  await w.start();
  assert.equal(events(w, "store_repair_failed").length, 1);
  for (const user of users.filter(({ half }) => half === 0)) {
    assert.equal((await record(w, user)).status, 200);
    await new Client(w, user).write(FOOD, { favorite_foods: [user.name, "Bread"] });
  }
  const other = users.find(({ half }) => half === 1);
  assertUnavailable(await record(w, other));

  await psql(w.parts[1], `SELECT pg_terminate_backend(pid) ${sleeping}`);
  await locking;
  await withoutProblem(w);
  assert.equal((await record(w, other)).status, 200);
  await until("a repair", async () => (await appNames(w)).join() === "Finder,Finder", 60_000);
  await w.assertSound();
});

onTwo("a store is created with all its databases, and commands need all of them", async (t) => {
  const { w, clusters } = await twoServers(t);
  const refused = async (number) => {
    const service = w.launch({ "log-format": "text" });
    assert.equal((await service.exited(90_000)).status, 1);
    assert.match(service.err, new RegExp(`^penchant: store: database ${number} of 2: cannot connect to PostgreSQL: .*\n$`));
  };
  await clusters[1].stop();
  await refused(2);
  assert.equal(await psql(w.parts[0], "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"), "0", "nothing was created");
  await clusters[1].up();
  await w.start();
  await w.addUser("ada");
  await w.stop();
  await clusters[1].stop();
  const listed = await w.command("user", "list");
  assert.equal(listed.status, 1);
  assert.match(listed.err, /database 2 of 2: cannot connect to PostgreSQL/);
  await clusters[0].stop();
  await refused(1); // none answers
});

onTwo("what all databases have is repaired when one comes back, and from time to time", async (t) => {
  const { w, clusters } = await twoServers(t);
  await w.start();
  w.clock.stop(NOW);
  await addPerson(w, "owner");
  await addApp(w, { owner: "owner", name: "Finder" });
  const interrupt = () => psql(w.parts[1], "UPDATE app SET name = 'Interrupted'");
  const same = () => until("a repair", async () => (await appNames(w)).join() === "Finder,Finder", 60_000);

  await interrupt();
  await clusters[1].stop();
  await until("readiness to notice", async () => (await w.get("/readyz")).data.problem);
  await clusters[1].up();
  await same();

  await interrupt();
  w.deadlines.forward(11 * MINUTES);
  await same();
  assert.equal(events(w, "store_app_repaired").length, 2);
  assert.equal(events(w, "store_repair_failed").length, 0);
});
