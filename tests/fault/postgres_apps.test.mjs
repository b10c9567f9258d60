// The limit of apps per user holds when one user adds several apps at the same time.

import assert from "node:assert/strict";
import { textOf } from "../kit/html.mjs";
import { addPerson } from "../kit/oauth.mjs";
import { RATES } from "../kit/pg_load.mjs";
import { register } from "../kit/portal.mjs";
import { Program } from "../kit/process.mjs";
import { until } from "../kit/until.mjs";
import { onPostgres, world } from "../kit/world.mjs";

const MAX = 100;
const AT_ONCE = 4;
const WAITING = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

// Locks the table of apps: apps can be counted, but not added.
async function stopAdding(w) {
  const holder = new Program("psql", ["-qAtX", w.address], { stdio: ["pipe", "pipe", "pipe"] }).unref();
  holder.child.stdin.write("BEGIN; LOCK TABLE app IN SHARE ROW EXCLUSIVE MODE; SELECT 'locked';\n");
  await until("the lock", () => holder.out.includes("locked"));
  return async () => {
    holder.child.stdin.end("ROLLBACK;\n");
    await holder.exit();
  };
}

onPostgres("of apps that one user adds at the same time, only the last one below the limit is added", async (t) => {
  const w = await world(t, { databases: 1, settings: { ...RATES, "store-deadline": 8000 } });
  const [ada, eve] = [await addPerson(w, "ada"), await addPerson(w, "eve")];
  for (let i = 1; i < MAX; i++) assert.equal((await register(ada, { name: `App ${i}`, kind: "public" })).answer.status, 303);
  const release = await stopAdding(w);
  const added = Array.from({ length: AT_ONCE }, (_, i) => register(ada, { name: `Late ${i}`, kind: "public" }));
  await until("all to wait", async () => Number(await w.sql(WAITING)) === AT_ONCE);
  const other = register(eve, { name: "Of another user", kind: "public" }); // waits for the table only
  await until("that of the other user", async () => Number(await w.sql(`${WAITING} AND wait_event = 'relation'`)) >= 2);
  await release();
  const answers = (await Promise.all(added)).map(({ answer }) => answer);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 400, 400, 400]);
  for (const answer of answers) if (answer.status === 400) assert.match(textOf(answer.text), /has 100 apps, the maximum/);
  assert.equal((await other).answer.status, 303);
  const [{ sub }] = (await w.users()).filter(({ username }) => username === "ada");
  assert.equal(await w.sql(`SELECT count(*) FROM app WHERE owner_id = '${sub}'`), `${MAX}`);
});

onPostgres("an app that is added while its owner is deleted is not added", async (t) => {
  const w = await world(t, { databases: 1, settings: { ...RATES, "store-deadline": 8000 } });
  const ada = await addPerson(w, "ada");
  assert.equal((await register(ada, { name: "Early", kind: "public" })).answer.status, 303);
  const release = await stopAdding(w);
  const deleted = w.command("user", "delete", "ada"); // waits for its app, after it has deleted the row of the user
  await until("the deletion to wait", async () => Number(await w.sql(WAITING)) === 1);
  const added = register(ada, { name: "Too late", kind: "public" });
  await until("the app to wait", async () => Number(await w.sql(WAITING)) === 2);
  await release();
  assert.equal((await deleted).status, 0);
  const { answer } = await added;
  assert.equal(answer.status, 400);
  assert.match(textOf(answer.text), /User usr_\S+ does not exist/);
  assert.equal(await w.sql("SELECT count(*) FROM app"), "0");
});
