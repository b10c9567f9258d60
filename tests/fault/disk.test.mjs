// Slow, full, and failing disks under the release build on SQLite (tests/fault/disk.c).

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { press } from "../kit/account.mjs";
import { assertError, assertUnavailable } from "../kit/expect.mjs";
import { addApp, addPerson, userCommand } from "../kit/oauth.mjs";
import { often } from "../kit/thorough.mjs";
import { until } from "../kit/until.mjs";
import { onSqlite, RELEASE, ROOT, world } from "../kit/world.mjs";

const PRELOAD = path.join(ROOT, "build/preload/disk.so");

const onDisk = (faults) => ({ LD_PRELOAD: PRELOAD, DISK_PATH: "penchant.db", ...faults });

async function diskWorld(t) {
  const w = await world(t, { program: RELEASE, start: false });
  await w.command("migrate");
  w.full = path.join(w.dir, "the-disk-is-full");
  return w;
}

const add = (w, name) => w.control(["user", "add", name, "--no-password", "--json"]);

// Starts the service with a fault and adds users until the fault occurs. Returns the acknowledged users.
async function untilFault(w, faults, { writers = 4 } = {}) {
  const service = await w.start({}, { env: onDisk(faults) });
  const made = [];
  const refused = [];
  let number = 0;
  await Promise.all(
    Array.from({ length: writers }, async () => {
      while (service.alive && number < 400) {
        const name = `user${number++}`;
        const { status } = await add(w, name).catch(() => ({ status: null }));
        if (status === 0) made.push(name);
        else if (status === 1) refused.push(name);
        else return;
      }
    }),
  );
  return { service, made, refused };
}

for (const at of often([1, 3, 20], [1, 2, 3, 7, 20]))
  onSqlite(`fsync number ${at} fails: the process logs it and exits, and no acknowledged write is lost`, async (t) => {
    const w = await diskWorld(t);
    const service = w.launch({}, { env: onDisk({ DISK_FAIL_FSYNC_AT: `${at}` }) });
    const made = [];
    let number = 0;
    // The fault may occur during the start; then no write was acknowledged.
    const up = await service.listening().then(() => true, () => false);
    if (up)
      await Promise.all(
        Array.from({ length: 4 }, async () => {
          while (service.alive && number < 400) {
            const name = `user${number++}`;
            const { status } = await add(w, name).catch(() => ({ status: null }));
            if (status === 0) made.push(name);
            else if (status === null) return;
          }
        }),
      );
    const end = await service.exited();
    assert.notEqual(end.status, 0, "a failed fsync was not noticed");
    assert.match(service.err, /fsync|sync|disk|I\/O|store/i);
    await w.start();
    const stored = new Set(await w.usernames());
    for (const name of made) assert.ok(stored.has(name), `${name} was acknowledged and is lost`);
    await w.assertSound();
  });

onSqlite("a failed fsync during compacting ends the process, and no acknowledged write is lost", async (t) => {
  const w = await diskWorld(t);
  const service = await w.start({}, { env: onDisk({ DISK_FAIL_FSYNC_WHILE: w.full }) });
  assert.equal((await add(w, "ada")).status, 0);
  fs.writeFileSync(w.full, "");
  await w.command("check", "--compact");
  assert.equal((await service.exited()).status, 1);
  assert.match(service.err, /store_fsync_failed/);
  fs.rmSync(w.full);
  await w.start();
  assert.deepEqual(await w.usernames(), ["ada"]);
  await w.assertSound();
});

// Nearly the largest document that can be imported for one user.
function longLife() {
  const at = "2026-01-01T00:00:00Z";
  const sources = [{ source: "user", created_at: at, updated_at: at }];
  const atoms = Array.from({ length: 2000 }, (_, i) => ({
    member: "statements", value: `${i} ${"é".repeat(150)}`, status: "active", by_user: true, created_at: at, updated_at: at, sources,
  }));
  const domains = ["music_preferences", "food_profile", "travel_profile", "coding_profile"];
  return { format: "penchant-export", version: 1, exported_at: at, user: {}, domains: Object.fromEntries(domains.map((name) => [name, { preferences: {}, atoms }])) };
}

onSqlite("compacting needs space next to the store, not in memory; if there is none, no data is lost", async (t) => {
  const w = await diskWorld(t);
  const life = path.join(w.dir, "life.json");
  fs.writeFileSync(life, JSON.stringify(longLife()));
  await w.start({}, { env: { ...onDisk({ DISK_FAIL_WRITE_WHILE: w.full }), DISK_PATH: path.join(w.dir, "etilqs") } });
  for (const name of ["ada", "grace"]) {
    assert.equal((await add(w, name)).status, 0);
    const { status, err } = await w.command("import", life, "--user", name);
    assert.equal(status, 0, err);
  }
  fs.writeFileSync(w.full, "");
  const refused = await w.command("check", "--compact");
  assert.deepEqual([refused.status, /the disk is full/.test(refused.err)], [1, true], refused.err);
  assert.equal((await add(w, "anne")).status, 0); // the store itself can still be written
  fs.rmSync(w.full);
  assert.equal((await w.command("check", "--compact")).status, 0);
  assert.deepEqual(await w.usernames(), ["ada", "anne", "grace"]);
  assert.deepEqual(fs.readdirSync(w.dir).filter((name) => name.includes("etilqs")), []);
  await w.stop();
  await w.assertSound();
});

onSqlite("a full disk is 503 and exit status 1; the service keeps running and recovers when space is free", async (t) => {
  const w = await diskWorld(t);
  await w.start({}, { env: onDisk({ DISK_FAIL_WRITE_WHILE: w.full, DISK_ERRNO: "ENOSPC" }) });
  assert.equal((await w.signUp({ username: "before" })).status, 303);
  fs.writeFileSync(w.full, "");
  assertUnavailable(await w.signUp({ username: "during" }));
  const refused = await add(w, "during2");
  assert.equal(refused.status, 1);
  const many = await Promise.all(Array.from({ length: 32 }, (_, i) => add(w, `many${i}`)));
  assert.deepEqual([...new Set(many.map(({ status }) => status))], [1]);
  assert.deepEqual(await w.usernames(), ["before"]); // reads continue
  assert.equal((await w.get("/healthz")).status, 200);
  assert.match(w.service.err, /store_commit_failed.*database or disk is full/);
  fs.rmSync(w.full);
  await until("writing to work again", async () => (await w.signUp({ username: "during" })).status === 303);
  assert.equal((await add(w, "during2")).status, 0);
  assert.deepEqual(await w.usernames(), ["before", "during", "during2"]);
  await w.stop();
  await w.assertSound();
});

onSqlite("on a full disk nothing can be added and commands say why, but sign-out and revocation succeed", async (t) => {
  const w = await diskWorld(t);
  await w.start({ "rate-auth": 0, "rate-signin": 0, "rate-signup": 0, "rate-api": 0 }, { env: onDisk({ DISK_FULL_WHILE: w.full }) });
  const ada = await addPerson(w, "ada");
  const eve = await addPerson(w, "eve");
  const app = await addApp(w);
  const other = await addApp(w, { name: "Dinner Planner" });
  const made = ["ada", "eve"];
  for (const [n, round] of ["first", "second"].entries()) {
    const tokens = await ada.connect(app);
    const more = await ada.connect(other);
    fs.writeFileSync(w.full, "");
    for (let i = 0; (await add(w, `${round}${i}`)).status === 0; i++) made.push(`${round}${i}`); // the log may have room
    assertUnavailable(await w.signUp({ username: round }));
    assertUnavailable(await app.refresh(tokens.refresh_token));
    const refused = await w.command("user", "add", round, "--no-password");
    assert.equal(refused.status, 1);
    assert.match(refused.err, /store: the disk of sqlite:\S+ is full; nothing was changed; free space and try again/);
    assert.match(w.service.err, /store_full/);

    assert.equal((await app.revoke(tokens.refresh_token)).status, 200);
    assert.equal((await app.userinfo(tokens.access_token)).status, 401);
    await press(ada, `/account/apps/${other.client_id}`, `/account/apps/${other.client_id}/disconnect`);
    assert.equal((await other.userinfo(more.access_token)).status, 401);
    await eve.signOut();
    assert.equal((await eve.get("/account")).status, 303);
    // The reserve has room for about 100 transactions; checkpoints make room for any number.
    const before = fs.statSync(`${w.file}-wal`).size;
    for (let i = 0; i < 400; i++) await userCommand(w, i % 2 ? "enable" : "disable", "eve");
    assert.ok(fs.statSync(`${w.file}-wal`).size <= before + 4 * 1024 * 1024);

    fs.rmSync(w.full);
    await until("writing to work again", async () => (await w.signUp({ username: round })).status === 303);
    made.push(round);
    await until("the log line", () => w.service.log.filter(({ event }) => event === "store_space_available").length === n + 1);
    assert.equal((await eve.signIn()).status, 303);
  }
  assert.deepEqual(await w.usernames(), made.sort());
  await w.stop();
  await w.assertSound();
  assert.deepEqual(fs.readdirSync(w.dir).filter((name) => name.includes("reserve")), []);
});

for (const [errno, from] of [["EIO", 1], ["ENOSPC", 1], ["EIO", 30], ["ENOSPC", 30]])
  onSqlite(`each write in turn fails with ${errno}, from number ${from}: no acknowledged write is lost, none is partial`, async (t) => {
    for (let n = from; n < from + 24; n += often(12, 3)) {
      const w = await diskWorld(t);
      let outcome;
      try {
        outcome = await untilFault(w, { DISK_FAIL_WRITE_AT: `${n}`, DISK_ERRNO: errno });
      } catch (refusedToStart) {
        outcome = { service: w.service, made: [], refused: [] };
        await outcome.service.exited();
      }
      const { service, made } = outcome;
      if (service.alive) await w.stop();
      else assert.notEqual((await service.exited()).status, 0);
      await w.start();
      const stored = await w.users();
      const names = new Set(stored.map((user) => user.username));
      for (const name of made) assert.ok(names.has(name), `write ${n}: ${name} was acknowledged and is lost`);
      for (const user of stored) assert.match(user.sub, /^usr_[\w-]{22}$/);
      await w.assertSound();
      await w.stop();
    }
  });

onSqlite("on a slow disk writers share an fsync, so none waits for many", async (t) => {
  const w = await diskWorld(t);
  await w.start({ "access-log": "off", "metrics-listen": "127.0.0.1:0" }, { env: onDisk({ DISK_FSYNC_MS: "50" }) });
  const commits = async () => (await w.metrics()).penchant_store_commits_total;
  const before = await commits();
  await Promise.all(Array.from({ length: 64 }, (_, i) => add(w, `user${i}`)));
  const shared = (await commits()) - before;
  // Commits are counted instead of time, because the tests share this machine.
  assert.ok(shared < 64 * 0.6, `64 writers needed ${shared} commits`);
  assert.equal((await w.users()).length, 64);
});

onSqlite("a -wal file deleted after a crash is noticed: the service refuses to start, with one line", async (t) => {
  const w = await world(t);
  await w.signUp({ username: "ada" });
  await w.kill();
  assert.ok(fs.existsSync(`${w.file}-wal`));
  const wal = fs.readFileSync(`${w.file}-wal`);
  fs.rmSync(`${w.file}-wal`);
  const service = w.launch({ "log-format": "text" });
  assert.equal((await service.exited()).status, 1);
  assert.equal(service.lines.length, 1, service.err);
  assert.match(service.err, /-wal/);
  fs.writeFileSync(`${w.file}-wal`, wal);
  await w.start();
  assert.deepEqual(await w.usernames(), ["ada"]);
});

// The fsync of the lock file is slow here, so that the kill hits it.
onSqlite("kill -9 while the lock file is marked open or closed loses nothing and is not reported as a loss", async (t) => {
  const w = await world(t, { program: RELEASE, start: false });
  const slow = onDisk({ DISK_PATH: "penchant.db.lock", DISK_FSYNC_MS: "3000" });
  const marked = (word) => until(`the mark «${word}»`, () => fs.existsSync(`${w.file}.lock`) && fs.readFileSync(`${w.file}.lock`, "utf8").startsWith(word));
  const opening = w.launch({}, { env: slow });
  await marked("open");
  opening.signal("SIGKILL");
  await opening.exited();
  await w.start();
  assert.equal((await add(w, "ada")).status, 0);
  await w.stop();

  const closing = await w.start({}, { env: slow });
  closing.signal("SIGTERM");
  await marked("closed");
  closing.signal("SIGKILL");
  await closing.exited();
  await w.start();
  assert.deepEqual(await w.usernames(), ["ada"]);
});

onSqlite("a backup works on a file system that cannot rename without replacing, and replaces nothing", async (t) => {
  const w = await diskWorld(t);
  await w.command("user", "add", "ada", "--no-password");
  const copy = path.join(w.dir, "copy.db");
  const env = onDisk({ DISK_NO_NOREPLACE: "1" });
  const first = await w.command("backup", copy, { env });
  assert.equal(first.status, 0, first.err);
  assert.deepEqual(fs.readdirSync(w.dir).filter((name) => name.startsWith("copy")), ["copy.db"]);
  assert.match((await w.penchant(["user", "list", "--store", `sqlite:${copy}`])).out, /ada/);
  const bytes = fs.readFileSync(copy);
  const again = await w.command("backup", copy, { env });
  assert.equal(again.status, 1);
  assert.match(again.err, /copy\.db exists already/);
  assert.ok(fs.readFileSync(copy).equals(bytes));
});

onSqlite("a path where no file can be created gets one line", async (t) => {
  const w = await world(t, { start: false });
  const service = w.launch({ store: "sqlite:/proc/penchant.db", "log-format": "text" });
  assert.equal((await service.exited()).status, 1);
  assert.equal(service.lines.length, 1, service.err);
  assert.match(service.err, /\/proc\/penchant\.db/);
});

// `variable` of disk.c begins the trouble, as long as the file exists.
for (const [name, variable, problem] of [
  ["reads fail", "DISK_FAIL_READ_WHILE", /database file .* cannot be read/],
  ["the file system is read-only", "DISK_READ_ONLY_WHILE", /database file cannot be written: Read-only file system/],
])
  onSqlite(`while ${name}, the service is not ready, and it serves again afterwards`, async (t) => {
    const w = await diskWorld(t);
    const trouble = path.join(w.dir, "trouble");
    await w.start({}, { env: onDisk({ [variable]: trouble }) });
    assert.equal((await add(w, "before")).status, 0);
    assert.equal((await w.get("/readyz")).status, 200);
    fs.writeFileSync(trouble, "");
    const answer = await w.get("/readyz");
    assertError(answer, 503);
    assert.match(answer.text, problem);
    assert.equal((await w.get("/healthz")).status, 200);
    if (variable === "DISK_READ_ONLY_WHILE") assert.notEqual((await add(w, "during")).status, 0);
    fs.rmSync(trouble);
    assert.equal((await w.get("/readyz")).status, 200);
    assert.equal((await add(w, "after")).status, 0);
    assert.deepEqual(await w.usernames(), ["after", "before"]);
    await w.assertSound();
  });
