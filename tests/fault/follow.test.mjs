// `penchant backup --follow`: the disk of the store is lost, either side is killed, the log starts again;
// what was copied is restored.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { Follower, logsOf, recordsOf } from "../kit/follow.mjs";
import { connected, MUSIC } from "../kit/preferences.mjs";
import { Program, sanitizerReport } from "../kit/process.mjs";
import { pause, until } from "../kit/until.mjs";
import { onPostgres, onSqlite, world } from "../kit/world.mjs";

const folderOf = (w) => path.join(w.dir, "followed");

// The disk of the store is gone: every file but the followed folder.
function destroy(w) {
  for (const name of fs.readdirSync(w.dir)) if (name.startsWith("penchant.db")) fs.rmSync(path.join(w.dir, name), { recursive: true });
}

const restore = (w, ...more) => w.penchant(["restore", folderOf(w), "--store", w.address, "--json", ...more]);

// Into an empty place: the name under which an old store is kept has seconds.
async function restoredNames(w, ...more) {
  destroy(w);
  const { status, err, data } = await restore(w, ...more);
  assert.equal(status, 0, err);
  await w.assertSound();
  return { names: await w.usernames(), ...data, err };
}

const addUser = (w, name) => w.control(["user", "add", name, "--no-password"]).then(({ status, err }) => assert.equal(status, 0, err));

onSqlite("both sides are killed and the store is deleted: everything copied is back, and nothing that gives access", async (t) => {
  const { w, ada, app, api } = await connected(t);
  const follower = new Follower(w, folderOf(w));
  assert.deepEqual(await follower.ready().then(({ continued }) => continued), false);
  await follower.shipped(() => api.write(MUSIC, { favorite_artists: ["Björk"] }));
  const revoked = await ada.connect(app, { scope: "preferences:read" });
  await follower.shipped(() => app.revoke(revoked.refresh_token));
  await follower.shipped(() => addUser(w, "grace"));
  await Promise.all([follower.kill(), w.kill()]);
  assert.equal(sanitizerReport(follower.program.err), null);
  const { names } = await restoredNames(w);
  assert.deepEqual(names, ["ada", "grace"]);
  assert.deepEqual(fs.readdirSync(w.dir).filter((name) => /\.followed$|restored/.test(name)), []);
  await w.start();
  for (const token of [api.token, revoked.access_token]) assert.equal((await w.get(`/v1/preferences/${MUSIC}`, { authorization: `Bearer ${token}` })).status, 401);
  assert.equal((await app.refresh(api.refresh_token)).data.error, "invalid_grant");
  await ada.signIn();
  const { access_token } = await ada.connect(app, { scope: "preferences:read" });
  const record = await w.get(`/v1/preferences/${MUSIC}`, { authorization: `Bearer ${access_token}` });
  assert.deepEqual(record.data.preferences.favorite_artists, ["Björk"]);
});

onSqlite("the log starts again and is emptied while it is followed: nothing is missed", async (t) => {
  const w = await world(t);
  const follower = new Follower(w, folderOf(w));
  await follower.ready();
  const names = [];
  for (let round = 0; round < 4; round++) {
    for (const name of [`ann${round}`, `bob${round}`]) {
      await addUser(w, name);
      names.push(name);
    }
    if (round % 2 === 0) assert.equal((await w.command("check", "--compact")).status, 0);
    else {
      await w.stop();
      await w.start();
    }
  }
  assert.deepEqual(await follower.stop(), { status: 0, signal: null });
  assert.equal(logsOf(folderOf(w)).length, 1, "one generation");
  await w.stop();
  assert.deepEqual((await restoredNames(w)).names, names.sort());
});

onSqlite("a transaction that has reached the log and is then rolled back is not copied", async (t) => {
  const w = await world(t);
  const follower = new Follower(w, folderOf(w));
  await follower.ready();
  await follower.shipped(() => addUser(w, "ada"));
  const logBytes = () => fs.statSync(`${w.file}-wal`).size;
  const before = logBytes();
  // With a cache of five pages, most of them are written to the log before the end of the transaction.
  const writer = new Program("/usr/bin/sqlite3", [w.file], { stdio: ["pipe", "pipe", "pipe"] });
  t.after(() => writer.signal("SIGKILL"));
  writer.child.stdin.write("PRAGMA cache_size = 5; BEGIN; CREATE TABLE spilled (x); INSERT INTO spilled SELECT randomblob(4000) FROM generate_series(1, 300); SELECT 'written';\n");
  await until("the pages", () => writer.out.includes("written"));
  assert.ok(logBytes() > before + 500_000, `${before}, ${logBytes()}: ${writer.err}`);
  await pause(1000); // the follower looks every 200 ms
  writer.child.stdin.end("ROLLBACK;\n");
  assert.equal((await writer.exit()).status, 0, writer.err);
  await follower.shipped(() => addUser(w, "grace"));
  await Promise.all([follower.kill(), w.kill()]);
  assert.deepEqual((await restoredNames(w)).names, ["ada", "grace"]);
});

onSqlite("a follower that was killed continues where it was, or begins a new copy if the log has started again", async (t) => {
  const w = await world(t);
  const folder = folderOf(w);
  const names = [];
  const add = async (follower) => {
    names.push(`user${names.length}`);
    await (follower ? follower.shipped(() => addUser(w, names.at(-1))) : addUser(w, names.at(-1)));
  };
  let follower = new Follower(w, folder);
  await follower.ready();
  await add(follower);
  for (let round = 0; round < 3; round++) {
    await follower.kill();
    fs.appendFileSync(logsOf(folder).at(-1), Buffer.alloc(50 + 300 * round, 0x50)); // an interrupted write
    await add(null);
    follower = new Follower(w, folder);
    assert.equal((await follower.ready()).continued, true);
    await add(follower);
  }
  await follower.kill();
  await w.stop(); // empties the log
  await w.start();
  await add(null);
  follower = new Follower(w, folder, "--keep", "1");
  assert.equal((await follower.ready()).continued, false);
  assert.equal(logsOf(folder).length, 1, "the older copy is deleted");
  await add(follower);
  await Promise.all([follower.kill(), w.kill()]);
  assert.deepEqual((await restoredNames(w)).names, names.sort());
});

onSqlite("the store as it was at a time, from any place at which the log was cut", async (t) => {
  const w = await world(t);
  const follower = new Follower(w, folderOf(w));
  await follower.ready();
  const times = [];
  for (let i = 0; i < 3; i++) {
    await follower.shipped(() => addUser(w, `user${i}`));
    await pause(1100 - (Date.now() % 1000)); // times have seconds
    times.push(new Date(Math.floor(Date.now() / 1000) * 1000 - 1000).toISOString().replace(".000Z", "Z"));
  }
  await follower.kill();
  await w.kill();
  for (let i = 0; i < 3; i++) {
    const { names, as_of } = await restoredNames(w, "--at", times[i]);
    assert.deepEqual(names, ["user0", "user1", "user2"].slice(0, i + 1));
    assert.ok(as_of <= times[i], `${as_of} is after ${times[i]}`);
  }
  const early = await restore(w, "--at", "2020-01-01T00:00:00Z");
  assert.equal(early.status, 2);
  assert.match(early.err, /has nothing from that time; the earliest is 20\d\d-/);
  for (const [from, at] of [[folderOf(w), "yesterday"], [w.file, "2027-01-01T00:00:00Z"]]) {
    const wrong = await w.penchant(["restore", from, "--at", at, "--store", w.address]);
    assert.equal(wrong.status, 2);
    assert.match(wrong.err, /--at must be a time such as/);
  }

  const [log] = logsOf(folderOf(w));
  const whole = fs.readFileSync(log);
  const records = recordsOf(log);
  const complete = records.findIndex((record) => record.complete);
  for (const cut of [records.at(-1).end - 1, records.at(-1).at + 40, records.at(-1).at, records[complete].end]) {
    fs.writeFileSync(log, whole.subarray(0, cut));
    const { names, err } = await restoredNames(w);
    assert.ok(["user0", "user1"].slice(0, names.length).every((name, i) => names[i] === name), names.join());
    assert.equal(/the last \d+ bytes of the log are incomplete or damaged/.test(err), !records.some(({ end }) => end === cut), `${cut}`);
  }
  const damaged = Buffer.from(whole);
  damaged[records[complete].end + 300] ^= 1;
  fs.writeFileSync(log, damaged);
  assert.match((await restoredNames(w)).err, /the last \d+ bytes of the log are incomplete or damaged and are not used/);
  fs.writeFileSync(log, whole.subarray(0, records[complete].at));
  const nothing = await restore(w);
  assert.equal(nothing.status, 2);
  assert.match(nothing.err, /contains nothing that `penchant backup --follow` has written/);
});

onSqlite("what cannot be followed or restored is refused with the reason, and nothing changes", async (t) => {
  const w = await world(t);
  await w.addUser("ada");
  const folder = folderOf(w);
  const follower = new Follower(w, folder);
  await follower.ready();
  const second = await w.command("backup", "--follow", folder);
  assert.equal(second.status, 1);
  assert.match(second.err, /another process follows a store to/);
  const running = await restore(w);
  assert.equal(running.status, 1);
  assert.match(running.err, /is in use; stop the service and try again/);
  for (const [words, status, sentence] of [
    [["--follow", path.join(w.dir, "absent")], 2, /cannot open the folder .*absent/],
    [["--follow", folder, "--to", folder], 2, /either a FILE or a folder/],
    [["--follow", folder, "--keep", "0"], 2, /--keep must be a whole number/],
  ]) {
    const answer = await w.command("backup", ...words);
    assert.equal(answer.status, status, answer.err);
    assert.match(answer.err, sentence);
  }
  const copy = path.join(w.dir, "copy.db");
  assert.equal((await w.command("backup", copy)).status, 0);
  fs.mkdirSync(path.join(w.dir, "other"));
  const plain = await w.penchant(["backup", "--follow", path.join(w.dir, "other"), "--store", `sqlite:${copy}`]);
  assert.equal(plain.status, 1);
  assert.match(plain.err, /has no write-ahead log yet; start the service once/);
  await w.stop();
  destroy(w);
  assert.equal((await follower.program.exit()).status, 2);
  assert.match(follower.program.err, /no longer exists; restore it with `penchant restore/);
  assert.deepEqual((await restoredNames(w)).names, ["ada"]);
});

onPostgres("a PostgreSQL store is not followed, nor restored from a folder", async (t) => {
  const w = await world(t);
  fs.mkdirSync(folderOf(w));
  const followed = await w.command("backup", "--follow", folderOf(w));
  assert.equal(followed.status, 1);
  assert.match(followed.err, /--follow is for SQLite; on PostgreSQL use its own log archiving or replication/);
  const restored = await restore(w);
  assert.equal(restored.status, 1);
  assert.match(restored.err, /only a SQLite store can be restored from one/);
});
