// Care of the store: one process, check, migrate, damage, a store from the future.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { addApp, addPerson, stage, userinfo } from "../kit/oauth.mjs";
import { onPostgres, onSqlite, STORE, world } from "../kit/world.mjs";

// Starts it and sees it refuse: one line, that status.
async function refuses(w, status, said, settings = {}) {
  const service = w.launch({ "log-format": "text", ...settings });
  assert.equal((await service.exited()).status, status, service.err);
  assert.equal(service.lines.length, 1, service.err);
  assert.match(service.err, said);
}

onSqlite("a second service on the same file is refused, and the first goes on", async (t) => {
  const w = await world(t);
  await w.signUp({ username: "ada" });
  const first = w.service;
  await refuses(w, 1, /in use/);
  w.service = first;
  assert.equal((await w.signUp({ username: "grace" })).status, 303);
  assert.deepEqual(await w.usernames(), ["ada", "grace"]);
});

onPostgres("two services on one database serve the same users", async (t) => {
  const w = await world(t);
  const first = w.service;
  const second = await w.start();
  assert.notEqual(first.origin, second.origin);
  assert.equal((await w.signUp({ username: "ada" })).status, 303);
  w.service = first;
  assert.equal((await w.signUp({ username: "ada" })).status, 400);
});

onPostgres("many services that start at once on a fresh database agree on its schema", async (t) => {
  const w = await world(t, { start: false });
  const services = Array.from({ length: 6 }, () => w.launch());
  await Promise.all(services.map((service) => service.listening()));
  assert.equal((await w.signUp({ username: "ada" })).status, 303);
});

test("a store that cannot be opened: one line, exit 1", async (t) => {
  const w = await world(t, { start: false });
  if (STORE === "postgres") {
    await refuses(w, 1, /PostgreSQL|connect/, { store: "postgresql://penchant@127.0.0.1:1/nothing" });
    await refuses(w, 1, /nothing_here|does not exist/, { store: w.address.replace(/[^/]+$/, "nothing_here") });
    return;
  }
  await refuses(w, 1, /absent|No such file/, { store: `sqlite:${w.dir}/absent/penchant.db` });
  fs.mkdirSync(path.join(w.dir, "folder"));
  await refuses(w, 1, /folder/, { store: `sqlite:${w.dir}/folder` });
  fs.writeFileSync(path.join(w.dir, "text.db"), "this is not a database, and long enough to be one ".repeat(200));
  await refuses(w, 1, /text\.db|not a database/, { store: `sqlite:${w.dir}/text.db` });
  assert.match(fs.readFileSync(path.join(w.dir, "text.db"), "utf8"), /^this is not a database/); // nothing harmed
});

test("check reports an intact store, stopped and running", async (t) => {
  const w = await world(t);
  for (let i = 0; i < 20; i++) await w.command("user", "add", `user${i}`, "--no-password");
  await w.assertSound();
  await w.stop();
  await w.assertSound();
  const { out } = await w.command("check");
  assert.match(out, /sound/i);
});

// Root may write everything, unless it drops that capability.
const asAnybody = process.getuid() === 0 ? (program, args) => ["setpriv", "--bounding-set=-dac_override", program, ...args] : undefined;

onSqlite("a store that is not writable stops the start, with the file and the missing permission", async (t) => {
  const w = await world(t, { start: false });
  await w.addUser("ada");
  const folder = path.join(w.dir, "folder");
  const file = path.join(folder, "penchant.db");
  const cases = [
    { closed: "penchant.db", mode: 0o400, said: `file ${file} ` },
    { closed: "penchant.db-wal", mode: 0o400, said: `file ${file}-wal ` },
    { closed: "penchant.db.lock", mode: 0o400, said: `file ${file}.lock ` },
    { closed: "", mode: 0o500, said: `folder ${folder}/ ` },
    { closed: "", mode: 0o500, said: `folder ${folder}/ `, without: "penchant.db.lock" },
  ];
  for (const { closed, mode, said, without } of cases) {
    fs.mkdirSync(folder);
    fs.copyFileSync(w.file, file);
    for (const beside of ["penchant.db-wal", "penchant.db-shm", "penchant.db.lock"]) if (beside !== without) fs.writeFileSync(path.join(folder, beside), "");
    fs.chmodSync(path.join(folder, closed), mode);
    const service = w.launch({ "log-format": "text", store: `sqlite:${file}` }, { launch: asAnybody });
    assert.equal((await service.exited()).status, 1, service.err);
    assert.equal(service.lines.length, 1, service.err);
    assert.ok(service.err.startsWith(`penchant: store: the ${said}is not writable: Permission denied; `), service.err);
    assert.match(service.err, /chown/);
    assert.deepEqual(fs.readFileSync(file), fs.readFileSync(w.file));
    fs.chmodSync(folder, 0o700);
    fs.rmSync(folder, { recursive: true });
  }
});

// Every command that does not itself begin a store.
const NEED_A_STORE = [
  "user list", "user disable ada", "user enable ada", "user passwd ada", "user delete ada",
  "app list", "app add --owner ada --name x --redirect-uri https://x.example/ --scope agent_hints", "app rotate-secret a", "app disable a", "app enable a", "app delete a",
  "hints ada", "export ada", "export --all", "import documents", "check", "check --compact",
];

test("a command without a store reports it, exits with 2, and creates none", async (t) => {
  const w = await world(t, { start: false });
  fs.writeFileSync(path.join(w.dir, "documents"), "{}");
  fs.writeFileSync(path.join(w.dir, "empty.db"), "");
  const before = fs.readdirSync(w.dir).sort();
  // On PostgreSQL the database is there, and has none of our tables.
  const places = STORE === "sqlite" ? [`sqlite:${w.dir}/absent.db`, `sqlite:${w.dir}/absent/penchant.db`, `sqlite:${w.dir}/empty.db`] : [w.address];
  const commands = STORE === "sqlite" ? [...NEED_A_STORE, "backup copy"] : NEED_A_STORE;
  for (const command of commands)
    for (const store of places) {
      const { status, out, err } = await w.command(...command.split(" "), { store, stdin: "a long passphrase\n" });
      assert.deepEqual([status, out], [2, ""], `${command}: ${err}`);
      assert.match(err, /^penchant: store: no store found at .*(db|dbname='\w+').*--store.*penchant serve.*\n$/, command);
      assert.deepEqual(fs.readdirSync(w.dir).sort(), before, command);
    }
  const asked = await w.command("export", "--all", "--json", { store: places[0] });
  assert.deepEqual([asked.status, asked.error.error], [2, "not_found"], asked.err);
  if (STORE === "sqlite") assert.equal(fs.statSync(path.join(w.dir, "empty.db")).size, 0);
  else assert.equal(await w.sql("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"), "0");
});

test("migrate and user add begin a store", async (t) => {
  for (const command of ["migrate", "user add ada --no-password"]) {
    const w = await world(t, { start: false });
    assert.equal((await w.command(...command.split(" "))).status, 0);
    assert.equal((await w.command("user", "list")).status, 0);
    await w.start();
  }
});

onPostgres("check reports a missing database", async (t) => {
  const w = await world(t, { start: false });
  assert.equal((await w.command("migrate")).status, 0);
  const { status, err } = await w.command("check", { store: w.address.replace(/[^/]+$/, "absent") });
  assert.equal(status, 1);
  assert.equal(err.trim().split("\n").length, 1, err);
});

onSqlite("a damaged file is reported by check, whichever page it hits, and nothing crashes", async (t) => {
  const w = await world(t, { start: false });
  for (let i = 0; i < 3; i++) await w.command("user", "add", `user${i}`, "--no-password");
  await w.start();
  await Promise.all(Array.from({ length: 300 }, (_, i) => w.control(["user", "add", `many${i}`, "--no-password", "--name", "n".repeat(80)])));
  await w.stop();
  const whole = fs.readFileSync(w.file);
  assert.ok(whole.length > 40_000, `${whole.length}`);
  // A page of an empty table has nothing that could be damaged: those that hold rows.
  const holdsRows = (page) => whole.subarray(page * 4096 + 8, page * 4096 + 100).some((byte) => byte !== 0);
  const pages = Array.from({ length: whole.length / 4096 - 1 }, (_, i) => i + 1).filter(holdsRows);
  assert.ok(pages.length >= 8, `${pages}`);
  for (const page of pages.filter((_, i) => i % 3 === 0)) {
    const damaged = Buffer.from(whole);
    damaged.fill(0xa5, page * 4096 + 8, page * 4096 + 3000);
    fs.writeFileSync(w.file, damaged);
    const { status, out, err } = await w.command("check");
    assert.equal(status, 1, `page ${page}: ${out}${err}`);
    assert.ok((out + err).trim().length > 10);
  }
  // Reading from it is an error, never a crash (the kit looks for the sanitizer's words).
  const listed = await w.command("user", "list", "--json");
  assert.ok([0, 1].includes(listed.status), listed.err);
  fs.writeFileSync(w.file, whole);
  await w.assertSound();
});

test("migrate brings an empty store up to date and changes nothing the second time", async (t) => {
  const w = await world(t, { start: false });
  for (let i = 0; i < 3; i++) {
    const { status, err } = await w.command("migrate");
    assert.equal(status, 0, err);
  }
  await w.addUser("ada");
  assert.equal((await w.command("migrate")).status, 0);
  assert.deepEqual(await w.usernames(), ["ada"]);
});

test("migrate on a running service reports an up-to-date schema", async (t) => {
  const w = await world(t);
  assert.equal((await w.command("migrate")).status, 0);
  assert.equal((await w.get("/readyz")).status, 200);
});

test("a store of a newer version is rejected and not changed", async (t) => {
  const w = await world(t, { start: false });
  await w.addUser("ada");
  const future = "INSERT INTO schema_step (version, name, applied_at) VALUES (9000, 'from_the_future', 0)";
  await w.sql(future);
  await refuses(w, 1, /9000.*newer|newer.*9000/);
  const { status, err } = await w.command("user", "list");
  assert.equal(status, 1);
  assert.match(err, /newer/);
  assert.equal((await w.command("migrate")).status, 1);
});

onSqlite("a lock file that is a symbolic link is not followed", async (t) => {
  const w = await world(t, { start: false });
  const victim = path.join(w.dir, "victim");
  fs.writeFileSync(victim, "precious");
  fs.symlinkSync(victim, `${w.file}.lock`);
  const service = w.launch({ "log-format": "text" });
  assert.equal((await service.exited()).status, 1);
  assert.match(service.err, /penchant\.db\.lock/);
  assert.equal(fs.readFileSync(victim, "utf8"), "precious");
});

test("after an account is deleted, check --compact leaves no row of its codes and tokens", async (t) => {
  const { w, ada, app } = await stage(t);
  const grace = await addPerson(w, "grace");
  const gone = await grace.connect(app);
  const set = await ada.connect(app);
  await app.refresh(set.refresh_token);
  const other = await addApp(w, { owner: "grace", name: "Dinner Planner" });
  await ada.connect(other);
  assert.equal((await w.command("user", "delete", "grace")).status, 0);
  const rows = async (table) => Number(await w.sql(`SELECT count(*) FROM ${table}`));
  assert.ok((await rows("auth_code")) > 0, "the test looks at the wrong table");
  assert.equal((await w.command("user", "delete", "ada")).status, 0);
  assert.equal((await w.command("check", "--compact")).status, 0);
  for (const table of ["auth_code", "access_token", "refresh_token", "token_family", "app_grant"]) assert.equal(await rows(table), 0, table);
  assert.equal((await userinfo(w, gone.access_token)).status, 401);
});
