// `penchant move`: everything from one engine to the other, compared row by row; an interrupted move
// continues, and nothing else may use its target meanwhile.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { flashOf, open } from "../kit/account.mjs";
import { challengeFor, Passkey } from "../kit/authenticator.mjs";
import { addApp, Person, stage } from "../kit/oauth.mjs";
import { createDatabase, databaseAddress, psql, sharedPort } from "../kit/pg.mjs";
import { Client, FOOD, MUSIC } from "../kit/preferences.mjs";
import { Program, run, sanitizerReport } from "../kit/process.mjs";
import { sqlite } from "../kit/sqlite.mjs";
import { until } from "../kit/until.mjs";
import { onSqlite, PASSWORD, STORE, world } from "../kit/world.mjs";

const ORIGIN = "http://localhost:8080";
const SCOPE = "agent_hints preferences:read preferences:write";
const isPostgres = (address) => address.startsWith("postgresql:");

// A new address of the engine that is not tested, or of the other one.
async function newStore(w, kind = STORE === "sqlite" ? "postgres" : "sqlite") {
  if (kind === "sqlite") return `sqlite:${path.join(w.dir, "moved.db")}`;
  const port = await sharedPort();
  return databaseAddress(port, await createDatabase(port));
}

async function sql(address, text) {
  if (isPostgres(address)) return psql(address, text);
  return sqlite(address.slice("sqlite:".length), text);
}

// Tables and columns as the database itself lists them, not as the program does.
async function tablesOf(address) {
  const text = isPostgres(address)
    ? `SELECT relname, string_agg(attname || ' ' || format_type(atttypid, NULL), ',' ORDER BY attnum) FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
       WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND attnum > 0 GROUP BY relname`
    : `SELECT m.name, group_concat(c.name || ' ' || lower(c.type)) FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' GROUP BY m.name`;
  const tables = (await sql(address, text)).split("\n").map((line) => line.split("|"));
  return new Map(tables.filter(([name]) => !["lost_writes", "schema_step", "store_change", "store_part"].includes(name)).map(([name, columns]) => [name, columns.split(",").map((column) => column.split(" "))]));
}

// Every row of every table as text, in one order for both engines.
async function contentOf(address) {
  const content = {};
  for (const [table, columns] of await tablesOf(address)) {
    const names = columns.map(([name]) => name).sort();
    const cells = names.map((name) => `COALESCE(CAST(${name} AS TEXT), '<null>')`).join(" || '¦' || ");
    content[table] = { names, rows: (await sql(address, `SELECT ${isPostgres(address) ? `replace(${cells}, chr(10), '¶')` : `replace(${cells}, char(10), '¶')`} FROM ${table}`)).split("\n").sort() };
  }
  return content;
}

// One row in every table that the test has not filled through the program.
async function fillEmptyTables(address) {
  const tables = await tablesOf(address);
  for (const [table, columns] of tables) {
    if ((await sql(address, `SELECT COUNT(*) FROM ${table}`)) !== "0") continue;
    const values = columns.map(([name, type]) => (type === "text" ? `'ü ${name}'` : "4102444800123"));
    await sql(address, `INSERT INTO ${table} (${columns.map(([name]) => name).join(", ")}) VALUES (${values.join(", ")})`);
  }
  return tables.size;
}

const move = (w, from, to) => w.penchant(["move", "--from", from, "--to", to, "--json"]);

test("everything is in the new store, and access, secrets, passkeys, and suppressions work there", async (t) => {
  const { w, ada, app } = await stage(t, { settings: { "auth-url": ORIGIN, "base-url": ORIGIN } });
  const api = await Client.connect(ada, app, { scope: SCOPE });
  await api.write(MUSIC, { favorite_artists: ["Björk", "polka"] });
  await api.write(FOOD, { allergies: ["peanuts"] });
  assert.equal((await api.suppressing((await api.atom("polka")).atom_id)).status, 200);
  const other = await Client.connect(ada, await addApp(w, { owner: "ada", name: "Revoked" }), { scope: SCOPE });
  await other.app.revoke(other.refresh_token);
  const passkey = new Passkey({ origin: ORIGIN });
  const form = /name="form" value="([^"]+)"/.exec((await open(ada, "/account/security")).text)[1];
  assert.equal((await ada.post("/account/passkeys", { form, name: "Laptop", ...passkey.register(await challengeFor(ada, "add")) })).status, 303);
  await w.stop();
  const tables = await fillEmptyTables(w.address);
  const before = await contentOf(w.address);

  const to = await newStore(w);
  const { status, data, err } = await move(w, w.address, to);
  assert.equal(status, 0, err);
  const rows = Object.values(before).reduce((sum, table) => sum + table.rows.length, 0);
  assert.deepEqual(data, { tables, rows, found: 0 });
  assert.deepEqual(await contentOf(to), before, "the new store");
  assert.deepEqual(await contentOf(w.address), before, "the old store");

  await w.start({ store: to });
  assert.deepEqual(await api.record(MUSIC), { favorite_artists: ["Björk"] });
  assert.equal((await api.atom("polka")).status, "suppressed");
  assert.equal((await other.get(`preferences/${MUSIC}`)).status, 401, "a revoked token");
  await api.renew();
  assert.deepEqual((await api.record(FOOD)).allergies, ["peanuts"]);
  assert.match(flashOf(await open(ada, "/account/security")) + (await open(ada, "/account/security")).text, /Laptop/);
  const browser = new Person(w);
  const answer = await browser.post("/signin/passkey", passkey.sign(await challengeFor(browser, "sign_in")));
  assert.equal(answer.status, 303);
  await api.write(MUSIC, { favorite_artists: ["polka"] });
  assert.deepEqual(await api.record(MUSIC), { favorite_artists: ["Björk"] }, "a suppressed value does not come back");
  await w.stop();

  const back = await newStore(w, STORE);
  const after = await contentOf(to);
  assert.equal((await move(w, to, back)).status, 0);
  assert.deepEqual(await contentOf(back), after, "moved back");
  assert.equal((await w.command("check", { store: back })).out, "the store is sound\n");
});

test("after kill -9 the target is rejected by everything but the same move, which continues", async (t) => {
  const w = await world(t, { start: false });
  await w.addUser("ada");
  const many = 30_000;
  const numbers = isPostgres(w.address) ? `generate_series(1, ${many}) AS n(i)` : `(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${many}) SELECT i FROM n)`;
  await sql(w.address, `INSERT INTO used_challenge SELECT 'challenge ' || i, i FROM ${numbers}`);
  const before = await contentOf(w.address);
  const to = await newStore(w);
  const copied = async () => {
    if (isPostgres(to)) return Number(await psql(to, "SELECT COUNT(*) FROM used_challenge").catch(() => 0)) > 0;
    return fs.existsSync(`${to.slice(7)}-wal`) && fs.statSync(`${to.slice(7)}-wal`).size > 2_000_000;
  };
  const moving = new Program(w.program, ["move", "--from", w.address, "--to", to], { env: w.env() });
  await until("some rows", copied, 60_000);
  moving.signal("SIGKILL");
  await moving.exit();
  assert.equal(moving.end.signal, "SIGKILL", "the move was complete before it was killed");
  assert.equal(sanitizerReport(moving.err), null);

  const service = w.launch({ store: to, "log-format": "text" });
  assert.equal((await service.exited()).status, 1, service.err);
  assert.match(service.err, /a move to this store is not complete; run the same `penchant move` again to continue, or delete this store/);
  assert.equal((await w.command("user", "list", { store: to })).status, 1);
  const stranger = await newStore(w, "sqlite").then((address) => address.replace("moved", "stranger"));
  assert.equal((await w.command("user", "add", "eve", "--no-password", { store: stranger })).status, 0);
  const wrong = await move(w, stranger, to);
  assert.equal(wrong.status, 1);
  assert.match(wrong.err, /contains a part of .*; use that as --from, or delete the store/);

  const { status, data, err } = await move(w, w.address, to);
  assert.equal(status, 0, err);
  assert.ok(data.found > 0 && data.found < many, `continued after ${data.found} rows`);
  assert.deepEqual(await contentOf(to), before);
  await w.start({ store: to });
  assert.deepEqual((await w.command("user", "list", "--json", { store: to })).data.users.map(({ username }) => username), ["ada"]);
});

// The mark of a PostgreSQL source is libpq's form of its address, so only SQLite's is written here.
onSqlite("a row that was changed in the target meanwhile is noticed, and the target stays refused", async (t) => {
  const w = await world(t, { start: false });
  for (const name of ["ada", "grace"]) await w.addUser(name);
  const to = await newStore(w);
  assert.equal((await w.command("migrate", { store: to })).status, 0);
  const first = await sql(w.address, "SELECT user_id FROM user_account ORDER BY user_id LIMIT 1");
  await sql(to, `INSERT INTO schema_step VALUES (0, '${w.address}', 0)`);
  await sql(to, `INSERT INTO user_account (user_id, username, status, position, created_at, updated_at) VALUES ('${first}', 'mallory', 'active', 1, 1, 1)`);
  const { status, err } = await move(w, w.address, to);
  assert.equal(status, 1);
  assert.match(err, /table user_account differs between the two stores \(2 and 2 rows\); one of them was changed during the move/);
  assert.equal((await w.command("user", "list", { store: to })).status, 1, "the target is still refused");
});

test("a move is rejected while a service runs on either side, into a store with data, and without a target", async (t) => {
  const w = await world(t);
  await w.addUser("ada");
  const to = await newStore(w);
  const inUse = await move(w, w.address, to);
  assert.equal(inUse.status, 1);
  assert.match(inUse.err, /in use/);
  await w.stop();

  assert.equal((await w.command("user", "add", "eve", "--no-password", { store: to })).status, 0);
  const full = await move(w, w.address, to);
  assert.equal(full.status, 1);
  assert.match(full.err, /the store that --to names is not empty; use a new file or an empty database/);
  assert.deepEqual((await w.command("user", "list", "--json", { store: to })).data.users.map(({ username }) => username), ["eve"]);

  await w.start({ store: to });
  const other = await move(w, w.address, to);
  assert.equal(other.status, 1);
  assert.match(other.err, /in use/);
  for (const [words, sentence] of [
    [["--from", w.address], /name the new store with --to/],
    [["--from", w.address, "--to", w.address], /--from and --to name the same store/],
    [["--from", w.address, "--to", "mysql://x"], /--to must be sqlite:FILE or postgresql:/],
    [["--from", "nonsense", "--to", w.address], /--from must be sqlite:FILE or postgresql:/],
  ]) {
    const { status, err } = await w.penchant(["move", ...words]);
    assert.equal(status, 2);
    assert.match(err, sentence);
  }
  const absent = await move(w, `sqlite:${path.join(w.dir, "absent.db")}`, `sqlite:${path.join(w.dir, "new.db")}`);
  assert.equal(absent.status, 2);
  assert.match(absent.err, /no store found at/);
  assert.ok(!(inUse.err + full.err + other.err).includes(PASSWORD));
});
