// One of several databases has a wrong clock: it is logged and named in /readyz, and touches no user, also not its own.

import assert from "node:assert/strict";
import { addApp, addPerson } from "../kit/oauth.mjs";
import { psql } from "../kit/pg.mjs";
import { assertServed, connectedUsers, nameIn, onTwo } from "../kit/spread.mjs";
import { until } from "../kit/until.mjs";
import { world } from "../kit/world.mjs";

// clock_timestamp() of every connection reads the table.
const CLOCK = (name) => `
  CREATE SCHEMA wrong;
  CREATE TABLE wrong.clock (off INTERVAL NOT NULL);
  INSERT INTO wrong.clock VALUES ('0');
  CREATE FUNCTION wrong.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
    AS 'SELECT pg_catalog.clock_timestamp() + off FROM wrong.clock';
  ALTER DATABASE ${name} SET search_path = public, wrong, pg_catalog`;

async function start(t) {
  const w = await world(t, { databases: 2, start: false, settings: { "rate-signin": 0, "rate-api": 0, "rate-auth": 0 } });
  w.parts = w.address.split(" ");
  for (const [i, part] of w.parts.entries()) await psql(part, CLOCK(w.databases[i]));
  await w.start();
  await addPerson(w, nameIn(0, "owner"));
  const app = await addApp(w, { owner: nameIn(0, "owner") });
  const users = await connectedUsers(w, app);
  assert.deepEqual([...new Set(users.map(({ half }) => half))].sort(), [0, 1], "users of both databases");
  const shift = (database, seconds) => psql(w.parts[database], `UPDATE wrong.clock SET off = '${seconds} seconds'`);
  return { w, app, users, shift };
}

// Everything, for the users of both databases; the times that it writes are right.
async function works(w, app, users) {
  for (const user of users) {
    await assertServed(w, app, user);
    const { exp, iat } = (await app.introspect(user.access_token)).data;
    assert.ok(Math.abs(iat - Date.now() / 1000) < 60, `issued at ${iat}`);
    assert.ok(exp > iat && exp < Date.now() / 1000 + 7200, `expires at ${exp}`);
    assert.equal((await user.person.signIn()).status, 303);
  }
  assert.equal((await w.signUp({ username: `late${Math.floor(performance.now())}` })).status, 303);
}

const problem = async (w) => {
  const { status, data } = await w.get("/readyz");
  assert.equal(status, 200);
  return data.problem ?? "";
};

onTwo("a wrong clock of one of two databases is named, and touches no user", async (t) => {
  const { w, app, users, shift } = await start(t);
  await works(w, app, users);
  for (const [database, seconds] of [[1, 3600], [0, 40 * 86400], [0, -3600]]) {
    const logged = () => w.service.log.filter(({ event }) => event === "store_clock_differs");
    const before = logged().length;
    await shift(database, seconds);
    const sentence = new RegExp(`^Database ${database + 1} of 2: The clock of its server differs by ${seconds} seconds from the others. Correct it.$`);
    await until("readiness to name it", async () => sentence.test(await problem(w)));
    await works(w, app, users);
    await until("the log to name it", () => logged().length > before);
    assert.deepEqual(logged().slice(before).map((line) => [line.level, line.database, line.seconds]), [["warn", database + 1, seconds]], "once");
    assert.match(await problem(w), sentence);
    await shift(database, 0);
    await until("readiness", async () => (await problem(w)) === "");
  }
  assert.equal(w.service.log.filter(({ event }) => event === "store_not_ready").length, 0, "none is down");
});

onTwo("a node on two databases whose own clock is wrong is not ready, and goes on serving", async (t) => {
  const { w, app, users } = await start(t);
  for (const seconds of [300, -300]) {
    w.faults.skewClock(seconds);
    const ready = await until("503", async () => [await w.get("/readyz")].find(({ status }) => status === 503));
    assert.match(ready.text, new RegExp(`The clock of this machine differs by ${seconds} seconds from the database's`));
    await works(w, app, users);
    w.faults.skewClock(0);
    await until("readiness", async () => (await w.get("/readyz")).status === 200);
  }
  const lines = () => w.service.log.filter(({ event }) => event === "store_not_ready" || event === "store_ready");
  await until("the log to say so", () => lines().length === 4);
  assert.deepEqual(lines().map(({ event }) => event), ["store_not_ready", "store_ready", "store_not_ready", "store_ready"]);
});
