// Two versions on one database. As soon as a migration has committed, a node of the older version changes nothing any
// more, also if it has not asked yet whether it may serve. Nodes ask once per second; no test here calls /readyz before
// the request that must be refused.

import assert from "node:assert/strict";
import { assertUnavailable } from "../kit/expect.mjs";
import { addApp, addPerson, EVERYTHING } from "../kit/oauth.mjs";
import { psql } from "../kit/pg.mjs";
import { Client, MUSIC } from "../kit/preferences.mjs";
import { Program } from "../kit/process.mjs";
import { until } from "../kit/until.mjs";
import { onPostgres, world } from "../kit/world.mjs";

const ROUNDS = 6;
const STEP = 9999;
const LATER = `INSERT INTO schema_step (version, name, applied_at) VALUES (${STEP}, '${STEP}_later', 0)`;
const BACK = `DELETE FROM schema_step WHERE version = ${STEP}`;

async function oldNode(t) {
  const w = await world(t, { settings: { "rate-api": 0, "rate-auth": 0, "metrics-listen": "127.0.0.1:0" } });
  const person = await addPerson(w, "ada");
  const app = await addApp(w, {});
  return { w, person, app, api: await Client.connect(person, app, { scope: EVERYTHING }) };
}

const hints = async (api) => (await api.get(`agent-hints?domains=${MUSIC}&max_tokens=2000`)).text;

onPostgres(`a suppression that arrives after a migration is refused (${ROUNDS} times)`, async (t) => {
  const { w, api } = await oldNode(t);
  for (let round = 0; round < ROUNDS; round++) {
    const genre = `genre ${round}`;
    // After the previous round the node writes again when it has asked.
    await until("a write", async () => (await api.send(MUSIC, { genres: [genre] })).status === 200);
    const { atom_id } = await api.atom(genre);
    assert.match(await hints(api), new RegExp(genre)); // now it is cached
    await w.sql(LATER);
    assertUnavailable(await api.suppressing(atom_id));
    assertUnavailable(await api.send(MUSIC, { genres: ["too late"] }));
    assert.match(await hints(api), new RegExp(genre)); // reading goes on
    if (round === 0) {
      const line = await w.service.logged("the reason", ({ event }) => event === "store_schema_newer");
      assert.deepEqual([line.level, line.step], ["warn", STEP]);
      assert.match(line.problem, /does not write/);
      const readiness = await w.get("/readyz");
      assert.equal(readiness.status, 503);
      assert.match(readiness.text, /schema step 9999/);
    }
    await w.sql(BACK);
  }
  await until("a write", async () => (await api.send(MUSIC, { genres: ["in time"] })).status === 200);
  const { genres } = await api.record(MUSIC);
  assert.deepEqual(genres.toSorted(), [...Array.from({ length: ROUNDS }, (_, i) => `genre ${i}`), "in time"].sort());
  assert.equal((await w.get("/readyz")).status, 200);
});

// The lock that db/migrate.c takes before it applies a step.
onPostgres("writes that arrive during a migration wait for it, and are refused then", async (t) => {
  const { w, api, person } = await oldNode(t);
  await api.write(MUSIC, { genres: ["jazz"] });
  const { atom_id } = await api.atom("jazz");
  const migration = new Program("psql", ["-qAtX", w.address], { stdio: ["pipe", "pipe", "pipe"] });
  migration.child.stdin.write("BEGIN; LOCK TABLE schema_step IN EXCLUSIVE MODE; SELECT 'locked';\n");
  await until("the lock", () => migration.out.includes("locked"));
  const waiting = [api.suppressing(atom_id), api.send(MUSIC, { genres: ["polka"] }), w.signUp({ username: "late" })];
  const asked = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'schema_step'::regclass";
  await until("writes that wait", async () => Number(await psql(w.address, asked)) >= 2);
  assert.match(await hints(api), /jazz/); // reading goes on
  assert.equal((await person.get("/account", { "sec-fetch-site": "same-origin" })).status, 200);
  migration.child.stdin.end(`${LATER}; COMMIT;\n`);
  await migration.exit();
  for (const answer of await Promise.all(waiting)) assertUnavailable(answer);
  assert.deepEqual((await api.record(MUSIC)).genres, ["jazz"]);
  assert.equal(await w.sql("SELECT count(*) FROM user_account WHERE username = 'late'"), "0");
});

onPostgres("a read that the new schema does not allow is 503, not 500", async (t) => {
  const { w, person } = await oldNode(t);
  const page = () => person.get("/account/profile", { "sec-fetch-site": "same-origin" });
  assert.equal((await page()).status, 200);
  const migrate = (...steps) => w.sql(["BEGIN", ...steps, "INSERT INTO store_change VALUES (pg_current_xact_id(), '*')", "COMMIT"].join("; "));
  await migrate(LATER, "ALTER TABLE user_account RENAME TO person");
  for (let i = 0; i < 3; i++) assertUnavailable(await page());
  await w.service.logged("the code", ({ event, sqlstate }) => event === "store_unavailable" && sqlstate === "42P01");
  await migrate(BACK, "ALTER TABLE person RENAME TO user_account");
  await until("the page", async () => (await page()).status === 200);
});
