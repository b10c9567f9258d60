// kill -9 between the commits of two databases: a proxy kills the service when it is about to commit in the second
// one, after the first has committed. After the restart nothing is stuck, and no acknowledged write is lost.

import assert from "node:assert/strict";
import { confirmed, formOn, open } from "../kit/account.mjs";
import { formTo } from "../kit/html.mjs";
import { addApp, addPerson, EVERYTHING, NOW } from "../kit/oauth.mjs";
import { psql } from "../kit/pg.mjs";
import { pageOf } from "../kit/portal.mjs";
import { behindProxies, halfOf, halfOfName, nameIn, onTwo } from "../kit/spread.mjs";
import { soon, until } from "../kit/until.mjs";

const MINUTE = 60;

// The service dies when the transaction that runs the statement is about to commit in this database.
function killAtCommit(w, between, statement) {
  return new Promise((resolve) => {
    Object.assign(between, { onCommitOf: statement, onCommit: () => (w.service.signal("SIGKILL"), resolve("killed")) });
  });
}

// Sends the request, which gets no answer, and starts the service again.
async function crash(w, killed, request, restart) {
  const unanswered = request().catch(() => "no answer");
  assert.equal(await soon("the commit in the second database", Promise.race([killed, unanswered.then((answer) => answer?.status ?? "killed")]), 30_000), "killed");
  await w.service.exited();
  await unanswered;
  await restart();
}

function later(w, minutes) {
  w.clock.forward(minutes * MINUTE);
  w.deadlines.forward(minutes * MINUTE * 1000); // to the next round of housekeeping
}

// The same statement in each database.
const inEach = (w, sql) => Promise.all(w.parts.map((part) => psql(part, sql)));
const noted = async (w) => (await inEach(w, "SELECT count(*) FROM lookup_claim")).join(" ");

// A user whose name is in one database and whose rows are in the other one.
async function dividedUser(w, prefix) {
  for (let i = 0; i < 40; i++) {
    const name = nameIn(0, `${prefix}${i}x`);
    const person = await addPerson(w, name);
    const { sub: user_id } = (await w.users()).find(({ username }) => username === name);
    if (halfOf(user_id) === 1) return Object.assign(person, { user_id });
  }
  throw new Error("forty users in the same database");
}

onTwo("kill -9 during a sign-up, after the name was claimed: it can be taken five minutes later", async (t) => {
  const { w, proxies, start } = await behindProxies(t);
  w.clock.stop(NOW);
  await start();
  const acknowledged = [];
  let name;
  for (let i = 0; i < 60 && name === undefined; i++) {
    const username = nameIn(0, `eve${i}x`);
    const killed = killAtCommit(w, proxies[1], "user_add");
    const asked = w.signUp({ username }).catch(() => undefined);
    const answer = await soon("an answer or a commit", Promise.race([killed, asked]), 30_000);
    if (answer === "killed") name = username;
    else assert.equal(answer.status, 303);
    if (answer !== "killed") acknowledged.push(username);
    await (answer === "killed" ? asked : undefined);
  }
  assert.ok(name, "a user for the second database");
  await w.service.exited();
  assert.deepEqual(await inEach(w, `SELECT count(*) FROM username_lookup WHERE username = '${name}'`), ["1", "0"], "the name was claimed");
  assert.deepEqual(await inEach(w, `SELECT count(*) FROM user_account WHERE username = '${name}'`), ["0", "0"], "the user was not added");
  await start();
  assert.deepEqual(await w.usernames(), [...acknowledged].sort(), "every acknowledged user");
  assert.notEqual((await w.signUp({ username: name })).status, 303, "the name is taken");
  later(w, 6);
  await until("housekeeping to free the name", async () => (await inEach(w, `SELECT count(*) FROM username_lookup WHERE username = '${name}'`))[0] === "0", 60_000);
  assert.equal((await w.signUp({ username: name })).status, 303);
  later(w, 6);
  await until("housekeeping to settle the notes", async () => (await noted(w)) === "0 0", 60_000);
  assert.deepEqual(await w.usernames(), [...acknowledged, name].sort());
  await w.assertSound();
});

onTwo("kill -9 while an account is deleted: it is whole or deleted, and its name is not stuck", async (t) => {
  const { w, proxies, start } = await behindProxies(t);
  w.clock.stop(NOW);
  await start();
  const deletion = async (person) => {
    await person.signIn();
    await confirmed(person);
    const page = await open(person, "/account/data");
    const form = formOn(page, "/account/data/delete").filled({ ticks: ["yes"] });
    return () => person.post("/account/data/delete", form);
  };
  const person = await dividedUser(w, "ada");
  const app = await addApp(w, { owner: person.username });
  // The note in the database of the name and the deletion of the app are committed, the user's rows are not.
  let request = await deletion(person);
  await crash(w, killAtCommit(w, proxies[1], "user_delete"), request, start);
  assert.ok((await w.usernames()).includes(person.username));
  assert.equal((await person.signIn()).status, 303);
  assert.deepEqual(await inEach(w, `SELECT count(*) FROM app WHERE app_id = '${app.client_id}'`), ["0", "0"], "the app is the same in both databases");
  later(w, 6);
  await until("housekeeping to settle the note", async () => (await noted(w)) === "0 0", 60_000);
  assert.equal((await person.signIn()).status, 303, "the name still leads to the user");

  // The user's rows are deleted, the lookup row is not.
  request = await deletion(person);
  await crash(w, killAtCommit(w, proxies[0], "username_release"), request, start);
  assert.ok(!(await w.usernames()).includes(person.username));
  assert.equal((await inEach(w, `SELECT count(*) FROM username_lookup WHERE username = '${person.username}'`))[0], "1");
  assert.equal((await person.signIn()).status, 401);
  later(w, 6);
  await until("housekeeping to free the name", async () => (await noted(w)) === "0 0", 60_000);
  assert.equal((await w.signUp({ username: person.username })).status, 303);
  for (const table of ["session", "app_grant", "user_record"])
    assert.equal(await psql(w.parts[1], `SELECT count(*) FROM ${table} WHERE ${table === "user_record" ? "false" : `user_id = '${person.user_id}'`}`), "0", table);
  await w.assertSound();
});

onTwo("kill -9 while an app is deleted: it is deleted everywhere after the restart, with the grants of its users", async (t) => {
  const { w, proxies, start } = await behindProxies(t);
  w.clock.stop(NOW);
  await start();
  const owner = await dividedUser(w, "owner");
  const app = await addApp(w, { owner: owner.username });
  const other = await addApp(w, { owner: owner.username, name: "Other" });
  const users = [];
  for (let i = 0; i < 40 && new Set(users.map(({ half }) => half)).size < 2; i++) {
    const person = await addPerson(w, `user${i}`);
    const set = await person.connect(app);
    const kept = await person.connect(other, { scope: EVERYTHING });
    const { sub } = (await app.userinfo(set.access_token)).data;
    users.push({ ...set, kept, half: halfOf(sub) });
  }
  const where = `/developer/apps/${app.client_id}/delete`;
  const page = await pageOf(owner, app, "/delete");
  const form = formTo(page.text, where).filled();
  await crash(w, killAtCommit(w, proxies[0], "app_delete"), () => owner.post(where, form), start);
  assert.deepEqual(await inEach(w, "SELECT count(*) FROM app"), ["1", "1"]);
  assert.deepEqual(await inEach(w, `SELECT count(*) FROM deleted_app WHERE app_id = '${app.client_id}'`), ["1", "1"]);
  assert.ok(w.service.log.some(({ event, by }) => event === "store_app_repaired" && by === "deleting"));
  for (const { access_token, kept } of users) {
    assert.equal((await other.userinfo(access_token)).status, 401);
    assert.equal((await other.userinfo(kept.access_token)).status, 200);
  }
  later(w, 2);
  await until("housekeeping to delete the grants", async () => (await inEach(w, `SELECT count(*) FROM app_grant WHERE app_id = '${app.client_id}'`)).join(" ") === "0 0", 60_000);
  assert.equal((await pageOf(owner, app)).status, 404);
  assert.equal((await pageOf(owner, other)).status, 200);
  await w.assertSound();
});

onTwo("what every database has is made the same when a service starts", async (t) => {
  const { w, start } = await behindProxies(t);
  w.clock.stop(NOW);
  await start();
  await addPerson(w, "ada");
  const ids = [];
  for (const name of ["Renamed", "Missing", "Disabled", "Same", "Old", "New"]) ids.push((await addApp(w, { name })).client_id);
  const [renamed, missing, disabled, , old, young] = ids;
  await w.service.signal("SIGKILL");
  await w.service.exited();
  await psql(w.parts[1], `UPDATE app SET name = 'Another' WHERE app_id = '${renamed}'; DELETE FROM app WHERE app_id = '${missing}';
    UPDATE app SET epoch = epoch + 1, status = 'disabled' WHERE app_id = '${disabled}'; UPDATE challenge_key SET private_key = 'x';
    INSERT INTO challenge_key SELECT 1, 'x' WHERE NOT EXISTS (SELECT 1 FROM challenge_key);
    UPDATE app SET created_at = created_at - 7200 WHERE app_id = '${old}';
    INSERT INTO app_logo VALUES ('${renamed}', 'second'), ('${disabled}', 'second'), ('${old}', 'second')`);
  await psql(w.parts[0], `DELETE FROM app WHERE app_id IN ('${old}', '${young}'); INSERT INTO challenge_key VALUES (1, 'y') ON CONFLICT (id) DO UPDATE SET private_key = 'y';
    INSERT INTO app_logo VALUES ('${renamed}', 'first'), ('${missing}', 'first')`);
  await inEach(w, "DELETE FROM store_change");
  await start();
  const apps = await inEach(w, "SELECT name, status FROM app WHERE name <> 'New' ORDER BY name");
  assert.equal(apps[0], ["Disabled|disabled", "Missing|active", "Renamed|active", "Same|active"].join("\n"));
  assert.equal(apps[1], apps[0]);
  assert.deepEqual(await inEach(w, "SELECT count(*) FROM app WHERE name = 'New'"), ["0", "1"], "another node may be adding it");
  assert.deepEqual(await inEach(w, `SELECT count(*) FROM deleted_app WHERE app_id = '${old}'`), ["1", "1"]);
  assert.deepEqual(await inEach(w, "SELECT private_key FROM challenge_key"), ["y", "y"]);
  const logos = await inEach(w, "SELECT name, image FROM app_logo LEFT JOIN app USING (app_id) ORDER BY name");
  assert.equal(logos[0], ["Disabled|second", "Missing|first", "Renamed|first"].join("\n"));
  assert.equal(logos[1], logos[0]);
  const repaired = () => w.service.log.filter(({ event }) => event === "store_app_repaired").length;
  assert.equal(repaired(), 4);
  // One row for each app that was copied or deleted there: other nodes forget what they have cached.
  assert.deepEqual(await inEach(w, "SELECT count(*) FROM store_change WHERE slots = '*'"), ["2", "3"]);
  await w.stop();
  await start();
  assert.equal(repaired(), 0, "the second start finds them the same");
});
