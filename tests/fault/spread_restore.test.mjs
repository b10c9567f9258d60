// One of two databases is restored from a backup while users of the other one went on: nothing of the other is lost, the
// apps are those of the other one, every name leads to its user, and no name is blocked by a user who does not exist.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { addApp, addPerson, NOW } from "../kit/oauth.mjs";
import { psql } from "../kit/pg.mjs";
import { Client, FOOD } from "../kit/preferences.mjs";
import { connectedUsers, halfOf, halfOfName, onTwo, record } from "../kit/spread.mjs";
import { until } from "../kit/until.mjs";
import { world } from "../kit/world.mjs";

// A user with rows in one database, and a name in one.
async function userIn(w, half, lookup, prefix) {
  for (let i = 0; i < 200; i++) {
    const name = `${prefix}${i}`;
    if (halfOfName(name) !== lookup) continue;
    const person = await addPerson(w, name);
    const { sub } = (await w.users()).find(({ username }) => username === name);
    if (halfOf(sub) === half) return person;
  }
  throw new Error("two hundred users elsewhere");
}

async function rename(w, from, to) {
  const { status, err } = await w.command("user", "set", from, "--username", to);
  assert.equal(status, 0, err);
}

const freeName = (half, prefix) => Array.from({ length: 99 }, (_, i) => `${prefix}${i}`).find((name) => halfOfName(name) === half);

for (const [restored, which] of ["first", "second"].entries())
  onTwo(`the ${which} of two databases is restored from a backup, and the other one loses nothing`, async (t) => {
    const other = 1 - restored;
    const w = await world(t, { databases: 2, start: false, settings: { "rate-signin": 0 } });
    w.parts = w.address.split(" ");
    w.clock.stop(NOW);
    await w.start();
    const owner = (await userIn(w, other, other, "owner")).username;
    const app = await addApp(w, { owner, name: "Kept" });
    const deleted = await addApp(w, { owner, name: "Deleted" });
    const disabled = await addApp(w, { owner, name: "Disabled" });
    const users = await connectedUsers(w, app);
    const renamed = await userIn(w, other, restored, "renamed");
    const giver = await userIn(w, restored, restored, "giver");
    const leaver = await userIn(w, restored, other, "leaver");
    const removed = await userIn(w, other, restored, "removed");

    const file = path.join(w.dir, "backup");
    const backup = await w.command("backup", file);
    assert.equal(backup.status, 0, backup.err);
    assert.equal(backup.out, `copied the store to ${file}.1of2 and so on, a file per database\n`);

    // After the backup, in both databases.
    const added = await addApp(w, { owner, name: "Added" });
    assert.equal((await w.command("app", "delete", deleted.client_id)).status, 0);
    assert.equal((await w.command("app", "disable", disabled.client_id)).status, 0);
    const late = await userIn(w, other, restored, "late");
    const lost = await userIn(w, restored, other, "lost");
    // An email address that a user of the other database added, whose lookup row is in the restored one.
    const email = Array.from({ length: 99 }, (_, i) => `late${i}@example.org`).find((key) => halfOfName(key) === restored);
    const { sub } = (await w.users()).find(({ username }) => username === late.username);
    await psql(w.parts[other], `UPDATE user_account SET email = '${email}', email_key = '${email}' WHERE user_id = '${sub}'`);
    await psql(w.parts[restored], `INSERT INTO email_lookup (email_key, user_id) VALUES ('${email}', '${sub}')`);
    // A passkey likewise.
    const credential = Array.from({ length: 99 }, (_, i) => `credential${i}`).find((key) => halfOfName(key) === restored);
    await psql(w.parts[other], `INSERT INTO passkey VALUES ('${sub}', '${credential}', 'pky_late', 'Key', -7, 'x', 0, 0, 0)`);
    await psql(w.parts[restored], `INSERT INTO passkey_lookup (credential_id, user_id) VALUES ('${credential}', '${sub}')`);
    const old = renamed.username;
    await rename(w, old, freeName(restored, "other"));
    // A name that a user of the restored database gave away, and a user of the other one has now.
    const given = giver.username;
    await rename(w, given, freeName(restored, "gave"));
    await rename(w, owner, given);
    assert.equal((await w.command("user", "delete", leaver.username)).status, 0);
    assert.equal((await w.command("user", "delete", removed.username)).status, 0);
    for (const user of users) await new Client(w, user).write(FOOD, { favorite_foods: ["Late bread"] });
    await psql(w.parts[other], "DELETE FROM deleted_app"); // as housekeeping does two hours later
    await w.stop();

    const name = w.databases[restored];
    const admin = w.parts[restored].replace(`/${name}`, "/postgres");
    await psql(admin, `DROP DATABASE ${name} WITH (FORCE)`);
    await psql(admin, `CREATE DATABASE ${name}`);
    const copy = `${file}.${restored + 1}of2`;
    const refused = await w.command("restore", copy);
    assert.equal(refused.status, 1);
    assert.match(refused.err, /restore one at a time, with its address alone in --store/);
    const restore = await w.command("restore", copy, { store: w.parts[restored] });
    assert.equal(restore.status, 0, restore.err);

    await w.start();
    assert.deepEqual(w.service.log.filter(({ event }) => event === "store_restored_repaired").map(({ database }) => database), [restored + 1]);
    const apps = await Promise.all(w.parts.map((part) => psql(part, "SELECT name, status FROM app ORDER BY name")));
    assert.equal(apps[other], "Added|active\nDisabled|disabled\nKept|active");
    assert.equal(apps[restored], apps[other]);
    assert.deepEqual(await Promise.all(w.parts.map((part) => psql(part, "SELECT restored FROM store_part"))), ["0", "0"]);
    assert.equal((await addPerson(w, "connects").then((person) => person.connect(added))).token_type, "Bearer");

    // Users of the other database: nothing changed. Those of the restored one sign in again.
    for (const user of users) {
      const answer = await record(w, { ...user });
      assert.equal(answer.status, user.half === other ? 200 : 401);
      if (user.half === other) assert.match(answer.text, /Late bread/);
      assert.equal((await app.refresh(user.refresh_token)).status, user.half === other ? 200 : 400);
      assert.equal((await user.person.signIn()).status, 303, `${user.person.username} has a name in database ${user.lookup + 1}`);
    }
    const signIn = async (person, username) => (await Object.assign(person, { username }).signIn()).status;
    assert.equal(await signIn(late, late.username), 303, "a user who was added after the backup");
    assert.equal(await psql(w.parts[restored], `SELECT user_id FROM email_lookup WHERE email_key = '${email}'`), sub, "the user's email address");
    assert.equal(await psql(w.parts[restored], `SELECT user_id FROM passkey_lookup WHERE credential_id = '${credential}'`), sub, "the user's passkey");
    assert.equal(await signIn(renamed, freeName(restored, "other")), 303, "a user who was renamed after it");
    assert.equal(await signIn(renamed, old), 401);
    assert.equal(await signIn(leaver, leaver.username), 303, "a user who was deleted after it is back");
    assert.equal(await psql(w.parts[restored], `SELECT user_id FROM username_lookup WHERE username = '${given}'`), (await w.users()).find((user) => user.username === given && halfOf(user.sub) === other).sub);

    // Names of users who do not exist are free after five minutes.
    for (const free of [lost.username, old, removed.username]) assert.notEqual((await w.signUp({ username: free })).status, 303);
    w.clock.forward(6 * 60);
    w.deadlines.forward(6 * 60_000);
    await until("housekeeping to settle the notes", async () => (await w.sql("SELECT count(*) FROM lookup_claim")) === "0", 60_000);
    for (const free of [lost.username, old, removed.username]) assert.equal((await w.signUp({ username: free })).status, 303, free);
    await w.stop();
    await w.start();
    assert.equal(w.service.log.filter(({ event }) => /^store_.*repaired$/.test(event)).length, 0, "the next start finds nothing to repair");
    await w.assertSound();
  });

onTwo("a backup of two databases has a file for each, and --keep counts them together", async (t) => {
  const w = await world(t, { databases: 2, settings: { "rate-signin": 0 } });
  await w.addUser("ada");
  const folder = path.join(w.dir, "backups");
  fs.mkdirSync(folder);
  const times = ["20250101T000000Z", "20250102T000000Z"];
  const others = ["penchant-20250101T000000Z.db.1of", "penchant-20250101T000000Z.db.old", "penchant-20250101T000000Z.dbx1of2"];
  for (const name of [...times.flatMap((time) => [`penchant-${time}.db.1of2`, `penchant-${time}.db.2of2`]), ...others]) fs.writeFileSync(path.join(folder, name), "");
  const { status, out, err } = await w.command("backup", "--to", folder, "--keep", "2", "--json");
  assert.equal(status, 0, err);
  const made = JSON.parse(out);
  assert.equal(made.databases, 2);
  const kept = [1, 2].flatMap((number) => [`penchant-${times[1]}.db.${number}of2`, `${path.basename(made.file)}.${number}of2`]);
  assert.deepEqual(fs.readdirSync(folder).sort(), [...others, ...kept].sort());
  const again = await w.command("backup", made.file);
  assert.equal(again.status, 1);
  assert.match(again.err, /1of2 exists already/);
});
