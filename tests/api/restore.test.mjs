// A restore brings back preferences and consent, and nothing that gives access.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { createDatabase } from "../kit/pg.mjs";
import { connected, FOOD, MUSIC, READ_WRITE } from "../kit/preferences.mjs";
import { onPostgres, onSqlite, STORE, world } from "../kit/world.mjs";

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
