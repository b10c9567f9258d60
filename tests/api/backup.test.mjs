// A copy while people write: it opens, it is sound, and holds everything acknowledged before it began.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { createDatabase } from "../kit/pg.mjs";
import { run } from "../kit/process.mjs";
import { until } from "../kit/until.mjs";
import { onOneDatabase, onSeveralDatabases, onSqlite, STORE, world } from "../kit/world.mjs";

// The usernames in a copy, read by the program itself (from PostgreSQL after restoring the dump).
async function namesIn(w, file) {
  let store = `sqlite:${file}`;
  if (STORE === "postgres") {
    store = w.address.replace(/[^/]+$/, await createDatabase(w.pgPort));
    const restored = await restore(file, store);
    assert.equal(restored.status, 0, restored.err);
  }
  const checked = await w.command("check", { store });
  assert.equal(checked.status, 0, checked.out + checked.err);
  const listed = await w.command("user", "list", "--json", { store });
  assert.equal(listed.status, 0, listed.err);
  return new Set(listed.data.users.map((user) => user.username));
}

const restore = (file, store) =>
  fs.readFileSync(file).subarray(0, 5).toString() === "PGDMP" ? run("pg_restore", ["--no-owner", "-d", store, file]) : run("psql", ["-qX", "-v", "ON_ERROR_STOP=1", "-f", file, store]);

onOneDatabase("while writes go on, the copy holds every user acknowledged before it began", async (t) => {
  const w = await world(t);
  const acknowledged = [];
  let stop = false;
  const writers = Array.from({ length: STORE === "sqlite" ? 12 : 4 }, async (_, n) => {
    for (let i = 0; !stop; i++) {
      const name = `w${n}-${i}`;
      const made =
        STORE === "sqlite" ? (await w.control(["user", "add", name, "--no-password"])).status === 0 : (await w.signUp({ username: name })).status === 303;
      assert.ok(made, name);
      acknowledged.push(name);
    }
  });
  try {
    await until("some writes", () => acknowledged.length > 20, 60_000);
    for (let copy = 0; copy < 3; copy++) {
      const file = path.join(w.dir, `copy${copy}`);
      const before = [...acknowledged];
      const { status, err } = await w.command("backup", file);
      assert.equal(status, 0, err);
      assert.equal(fs.statSync(file).mode & 0o077, 0, "others may read the copy");
      const names = await namesIn(w, file);
      for (const name of before) assert.ok(names.has(name), `${name} is not in copy ${copy}`);
    }
  } finally {
    stop = true;
    await Promise.all(writers);
  }
});

onOneDatabase("a stopped service can be copied too, and the copy is a store like any other", async (t) => {
  const w = await world(t, { start: false });
  await w.addUser("ada");
  const file = path.join(w.dir, "copy");
  const { status, err } = await w.command("backup", file);
  assert.equal(status, 0, err);
  assert.deepEqual([...(await namesIn(w, file))], ["ada"]);
  if (STORE === "sqlite") {
    await w.start({ store: `sqlite:${file}` });
    assert.equal((await w.signUp({ username: "grace" })).status, 303);
  }
});

onOneDatabase("a copy is one plain file, and looking through it leaves nothing beside it", async (t) => {
  const w = await world(t);
  await w.addUser("ada");
  const folder = path.join(w.dir, "copies");
  const file = path.join(folder, "copy");
  fs.mkdirSync(folder);
  const { status, err } = await w.command("backup", file);
  assert.equal(status, 0, err);
  if (STORE === "sqlite") assert.equal((await w.command("check", { store: `sqlite:${file}` })).out, "the store is sound\n");
  assert.deepEqual(fs.readdirSync(folder), ["copy"]);
});

onSqlite("a copy put beside the log of the store that was there before is refused, and neither is touched", async (t) => {
  const w = await world(t);
  const file = path.join(w.dir, "copy");
  assert.equal((await w.signUp({ username: "ada" })).status, 303);
  assert.equal((await w.command("backup", file)).status, 0);
  assert.equal((await w.signUp({ username: "grace" })).status, 303);
  await w.kill();
  fs.copyFileSync(file, w.file);
  const log = fs.readFileSync(`${w.file}-wal`);
  assert.ok(log.length > 0);
  const service = w.launch({ "log-format": "text" });
  assert.equal((await service.exited()).status, 1, service.err);
  assert.equal(service.lines.length, 1, service.err);
  const said = new RegExp(`store: ${w.file} is a backup, and ${w.file}-wal is the log of another store.*-shm and \\.lock`);
  assert.match(service.err, said);
  for (const words of [["check"], ["check", "--compact"], ["backup", path.join(w.dir, "again")], ["user", "list"]]) {
    const { status, err } = await w.command(...words);
    assert.equal(status, 1, words.join(" "));
    assert.match(err, said);
  }
  assert.ok(fs.readFileSync(w.file).equals(fs.readFileSync(file)), "the copy was changed");
  assert.ok(fs.readFileSync(`${w.file}-wal`).equals(log), "the log was changed");
  for (const ending of ["-wal", "-shm", ".lock"]) fs.rmSync(w.file + ending, { force: true });
  await w.start();
  assert.deepEqual(await w.usernames(), ["ada"]);
  await w.assertSound();
  await w.kill(); // its own log, from here on, is its own
  await w.start();
  assert.deepEqual(await w.usernames(), ["ada"]);
});

onOneDatabase("a copy never overwrites a file, and a failed one leaves none", async (t) => {
  const w = await world(t);
  await w.addUser("ada");
  const file = path.join(w.dir, "precious");
  fs.writeFileSync(file, "do not touch");
  const taken = await w.command("backup", file);
  assert.equal(taken.status, 1);
  assert.match(taken.err, /precious/);
  assert.equal(fs.readFileSync(file, "utf8"), "do not touch");
  const before = fs.readdirSync(w.dir).sort();
  const nowhere = await w.command("backup", path.join(w.dir, "absent/copy"));
  assert.equal(nowhere.status, 1);
  assert.match(nowhere.err, /absent/);
  assert.deepEqual(fs.readdirSync(w.dir).sort(), before);
});

onSeveralDatabases("a backup of several databases has a file for each; restore and move refuse them, and say what to do", async (t) => {
  const w = await world(t);
  await w.addUser("ada");
  const file = path.join(w.dir, "copy");
  const { status, out, err } = await w.command("backup", file);
  const stores = w.address.split(" ");
  assert.deepEqual([status, out, err], [0, `copied the store to ${file}.1of${stores.length} and so on, a file per database\n`, ""]);
  const moved = await w.penchant(["move", "--from", w.address, "--to", `sqlite:${file}`]);
  assert.deepEqual([moved.status, moved.err], [1, "penchant: move: --from: the store has several databases, and move copies one; use penchant backup and restore, one database at a time\n"]);
  const other = path.join(w.dir, "other.db");
  assert.equal((await w.command("user", "add", "eve", "--no-password", { store: `sqlite:${other}` })).status, 0);
  const into = await w.penchant(["move", "--from", `sqlite:${other}`, "--to", w.address]);
  assert.deepEqual([into.status, into.err], [1, "penchant: move: --to: move copies to one database; name an empty one alone, and then spread the users as docs/SCALE.md says\n"]);
  assert.ok(!fs.existsSync(file));
  for (const number of stores.keys()) {
    const copy = `${file}.${number + 1}of${stores.length}`;
    assert.equal(fs.readFileSync(copy).subarray(0, 5).toString(), "PGDMP");
    const refused = await w.command("restore", copy);
    const sentence = "the store has several databases; restore one at a time, with its address alone in --store (docs/SCALE.md)";
    assert.deepEqual([refused.status, refused.out, refused.err], [1, "", `penchant: restore: ${sentence}\n`]);
  }
  assert.deepEqual(await w.usernames(), ["ada"]);
});
