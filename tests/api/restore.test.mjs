// A restore brings back preferences and consent, and nothing that gives access.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { addPerson, Person } from "../kit/oauth.mjs";
import { createDatabase } from "../kit/pg.mjs";
import { connected, FOOD, MUSIC, READ_WRITE } from "../kit/preferences.mjs";
import { makeCodes, recover, signsIn } from "../kit/recovery.mjs";
import { sqlite } from "../kit/sqlite.mjs";
import { onPostgres, onSqlite, PASSWORD, STORE, world } from "../kit/world.mjs";

// A restore needs an empty database; on SQLite it replaces the file.
const target = async (w) => (STORE === "sqlite" ? w.address : w.address.replace(/[^/]+$/, await createDatabase(w.pgPort)));

test("preferences and consent come back; sessions, codes, and tokens do not", async (t) => {
  const { w, ada, app, api } = await connected(t);
  await api.write(MUSIC, { favorite_artists: ["Björk"] });
  const unredeemed = await ada.authorize(app, { scope: READ_WRITE });
  const file = path.join(w.dir, "copy");
  assert.equal((await w.command("backup", file)).status, 0);

  await api.write(FOOD, { allergies: ["peanuts"] });
  await w.stop();
  const store = await target(w);
  const restored = await w.penchant(["restore", file, "--store", store, "--json"]);
  assert.equal(restored.status, 0, restored.err);
  await w.start({ store });

  assert.equal((await api.get(`preferences/${MUSIC}`)).status, 401);
  assert.equal((await app.refresh(api.refresh_token)).data.error, "invalid_grant");
  assert.equal((await app.exchange(unredeemed)).data.error, "invalid_grant");
  assert.equal((await ada.get("/account")).status, 303); // to sign-in

  await ada.signIn();
  const { access_token } = await ada.connect(app, { scope: READ_WRITE });
  const record = await w.get(`/v1/preferences/${MUSIC}`, { authorization: `Bearer ${access_token}` });
  assert.deepEqual(record.data.preferences.favorite_artists, ["Björk"]);
  const later = await w.get(`/v1/preferences/${FOOD}`, { authorization: `Bearer ${access_token}` });
  assert.equal(later.data.preferences?.allergies, undefined);
  assert.equal((await w.command("check", { store })).status, 0);
});

// Restores over the store, or without it.
async function restoreCodes(w, file, { lost = false } = {}) {
  await w.stop();
  if (lost) for (const name of fs.readdirSync(w.dir)) if (name.startsWith("penchant.db")) fs.rmSync(path.join(w.dir, name));
  const store = await target(w);
  const { status, err, data } = await w.penchant(["restore", file, "--store", store, "--json"]);
  assert.equal(status, 0, err);
  await w.start({ store });
  return data.recovery_codes_revoked;
}

const used = async (w, username, code) => (await recover(w, { username, code })).status === 303;

onSqlite("a recovery code that was used or replaced after the backup is not valid after a restore, and the others are", async (t) => {
  const w = await world(t, { settings: { "rate-signin": 0 } });
  const [ada, eve, bob] = [await addPerson(w, "ada"), await addPerson(w, "eve"), await addPerson(w, "bob")];
  const codes = { ada: await makeCodes(ada), eve: await makeCodes(eve), bob: await makeCodes(bob) };
  const file = path.join(w.dir, "copy");
  assert.ok(await used(w, "ada", codes.ada[9]));
  assert.equal((await w.command("backup", file)).status, 0);
  for (const code of codes.ada.slice(0, 2)) assert.ok(await used(w, "ada", code));
  const replacing = await makeCodes(eve);
  const late = await makeCodes(await addPerson(w, "zoe")); // not in the backup
  assert.equal(await restoreCodes(w, file), false);
  for (const code of [...codes.ada.slice(0, 2), codes.ada[9]]) assert.ok(!(await used(w, "ada", code)), "used before the restore");
  for (const code of [codes.eve[0], replacing[0]]) assert.ok(!(await used(w, "eve", code)), "replaced, or not in the backup");
  assert.ok(!(await used(w, "zoe", late[0])));
  for (const code of codes.ada.slice(2, 9)) assert.ok(await used(w, "ada", code));
  for (const code of codes.bob) assert.ok(await used(w, "bob", code));
});

test("without the old store, no recovery code is valid after a restore, and the user signs in or gets a link", async (t) => {
  const w = await world(t, { settings: { "rate-signin": 0 } });
  const codes = await makeCodes(await addPerson(w, "ada"));
  const file = path.join(w.dir, "copy");
  assert.equal((await w.command("backup", file)).status, 0);
  assert.ok(await used(w, "ada", codes[0]));
  assert.equal(await restoreCodes(w, file, { lost: true }), true);
  for (const code of codes) assert.ok(!(await used(w, "ada", code)));
  assert.ok(await signsIn(w, PASSWORD));
  assert.equal((await w.command("user", "recover", "ada", { store: w.service.store })).status, 0);
  const again = new Person(w, { username: "ada" });
  await again.signIn();
  assert.ok(await used(w, "ada", (await makeCodes(again))[0]));
});

onSqlite("a restore over a store that has none of the recovery codes revokes them all and reports it", async (t) => {
  const w = await world(t, { settings: { "rate-signin": 0 } });
  const other = await world(t);
  const [file, without] = [path.join(w.dir, "copy"), path.join(w.dir, "without")];
  const ada = await addPerson(w, "ada");
  assert.equal((await w.command("backup", without)).status, 0);
  const codes = await makeCodes(ada);
  assert.equal((await w.command("backup", file)).status, 0);
  await makeCodes(await addPerson(other, "eve"));
  await Promise.all([w.stop(), other.stop()]);
  const empty = path.join(w.dir, "empty.db");
  await w.start({ store: `sqlite:${empty}` });
  await w.stop();
  for (const [from, store, revoked] of [[without, w.address, false], [file, other.address, true], [file, `sqlite:${empty}`, true]]) {
    const { status, err, data } = await w.penchant(["restore", from, "--store", store, "--json"]);
    assert.equal(status, 0, err);
    assert.equal(data.recovery_codes_revoked, revoked, store);
  }
  await w.start({ store: other.address });
  assert.ok(!(await used(w, "ada", codes[0])));
});

onSqlite("an old store that is damaged does not decide which recovery codes are valid", async (t) => {
  const w = await world(t, { settings: { "rate-signin": 0 } });
  const codes = await makeCodes(await addPerson(w, "ada"));
  const file = path.join(w.dir, "copy");
  assert.equal((await w.command("backup", file)).status, 0);
  await w.stop();
  const bytes = fs.readFileSync(w.file);
  bytes.fill(0xaa, 4096 * 3, 4096 * 6);
  fs.writeFileSync(w.file, bytes);
  const { status, out, err } = await w.penchant(["restore", file, "--store", w.address]);
  assert.equal(status, 0, err);
  assert.match(out, /^restored; users sign in again and make new recovery codes; the old store is /);
  await w.start();
  for (const code of codes) assert.ok(!(await used(w, "ada", code)));
  assert.ok(await signsIn(w, PASSWORD));
});

onSqlite("of many recovery codes, a restore deletes those that were used", async (t) => {
  const w = await world(t);
  await w.addUser("ada");
  const file = path.join(w.dir, "copy");
  await w.stop();
  const fill = async (range) => sqlite(w.file, `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)
    INSERT INTO recovery_code SELECT 'usr_' || (i / 10), 'hash' || i FROM n WHERE i ${range}`);
  await fill("BETWEEN 500 AND 2999");
  assert.equal((await w.command("backup", file)).status, 0);
  await sqlite(w.file, "DELETE FROM recovery_code WHERE substr(code_hash, 5) % 7 = 0");
  await fill("NOT BETWEEN 500 AND 2999");
  const { status, err } = await w.penchant(["restore", file, "--store", w.address]);
  assert.equal(status, 0, err);
  const kept = Array.from({ length: 2500 }, (_, i) => i + 500).filter((i) => i % 7 !== 0);
  assert.equal(Number(await sqlite(w.file, "SELECT count(*) FROM recovery_code")), kept.length);
  assert.equal(Number(await sqlite(w.file, "SELECT sum(substr(code_hash, 5)) FROM recovery_code")), kept.reduce((sum, i) => sum + i, 0));
});

onSqlite("the old store is kept, with its log, and is still a store", async (t) => {
  const w = await world(t);
  const file = path.join(w.dir, "copy");
  await w.addUser("ada");
  assert.equal((await w.command("backup", file)).status, 0);
  await w.addUser("grace");
  await w.kill(); // leaves a log
  const { status, out, err } = await w.penchant(["restore", file, "--store", w.address]);
  assert.equal(status, 0, err);
  assert.match(out, /^restored; users sign in again; the old store is (.*)\n$/);
  const aside = /old store is (.*)\n/.exec(out)[1];
  assert.deepEqual(fs.readdirSync(w.dir).filter((name) => /restored/.test(name)), []);
  const names = async (store) => (await w.penchant(["user", "list", "--json", "--store", store])).data.users.map(({ username }) => username).sort();
  assert.deepEqual(await names(w.address), ["ada"]);
  assert.deepEqual(await names(`sqlite:${aside}`), ["ada", "grace"]);
});

onSqlite("a restore is refused while the service runs, from a damaged file, and from none; nothing changes", async (t) => {
  const w = await world(t);
  const file = path.join(w.dir, "copy");
  await w.addUser("ada");
  assert.equal((await w.command("backup", file)).status, 0);
  await w.addUser("grace");
  const running = await w.penchant(["restore", file, "--store", w.address]);
  assert.equal(running.status, 1);
  assert.match(running.err, /is in use; stop the service and try again/);
  await w.stop();

  const damaged = path.join(w.dir, "damaged");
  const bytes = fs.readFileSync(file);
  bytes.fill(0xaa, 4096 * 3, 4096 * 6);
  fs.writeFileSync(damaged, bytes);
  const before = fs.readFileSync(w.file);
  for (const [from, sentence] of [[damaged, /is damaged|malformed|not a database/], [path.join(w.dir, "absent"), /cannot read .*absent/]]) {
    const { status, err } = await w.penchant(["restore", from, "--store", w.address]);
    assert.equal(status, 1, from);
    assert.match(err, sentence);
  }
  assert.ok(fs.readFileSync(w.file).equals(before), "the store was changed");
  assert.deepEqual(fs.readdirSync(w.dir).filter((name) => /replaced|restored/.test(name)), []);
});

onPostgres("a database that is not empty is not overwritten", async (t) => {
  const w = await world(t);
  const file = path.join(w.dir, "copy");
  await w.addUser("ada");
  assert.equal((await w.command("backup", file)).status, 0);
  await w.addUser("grace");
  const { status, err } = await w.penchant(["restore", file, "--store", w.address]);
  assert.equal(status, 1);
  assert.match(err, /nothing was changed; the database must exist and be empty/);
  assert.deepEqual(await w.usernames(), ["ada", "grace"]);
});

test("backups for a timer: dated names, the newest are kept, other files are not touched", async (t) => {
  const w = await world(t);
  const folder = path.join(w.dir, "backups");
  fs.mkdirSync(folder);
  await w.addUser("ada");
  w.clock.stop(1_800_000_000);
  fs.writeFileSync(path.join(folder, "penchant-notes.db"), "mine");
  for (let i = 0; i < 4; i++) {
    assert.equal((await w.command("backup", "--to", folder, "--keep", "2")).status, 0);
    w.clock.forward(3600);
  }
  assert.deepEqual(fs.readdirSync(folder).sort(), ["penchant-20270115T100000Z.db", "penchant-20270115T110000Z.db", "penchant-notes.db"]);
  for (const words of [["--to", folder, "--keep", "0"], ["--keep", "2", path.join(w.dir, "x")], ["--to", folder, "x"], []]) {
    const { status, err } = await w.command("backup", ...words);
    assert.equal(status, 2, words.join(" "));
    assert.match(err, /--keep must be|either a FILE or a folder/);
  }
});
