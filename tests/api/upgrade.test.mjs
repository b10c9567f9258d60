// A store of an earlier schema is brought up to date when it is opened, and what people said is all there.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { open, press, says } from "../kit/account.mjs";
import { assertTokens, DAY, NOW, words } from "../kit/oauth.mjs";
import { psql } from "../kit/pg.mjs";
import { connected, fine, FOOD, MUSIC, READ_WRITE, secondApp } from "../kit/preferences.mjs";
import { run } from "../kit/process.mjs";
import { until } from "../kit/until.mjs";
import { ROOT, STORE, world } from "../kit/world.mjs";

const TRAVEL = "travel_profile";
const onPostgres = STORE === "postgres";

async function sql(w, text) {
  if (onPostgres) return psql(w.address, text);
  const { status, out, err } = await run("sqlite3", [w.file, text]);
  assert.equal(status, 0, err);
  return out;
}

const step = (name) => fs.readFileSync(path.join(ROOT, "schema", name), "utf8");

// A statement as its step has it, from its first words to the semicolon.
function statement(file, words) {
  const text = step(file);
  const from = text.indexOf(words);
  assert.ok(from >= 0, words);
  const found = text.slice(from, text.indexOf(";", from) + 1);
  return onPostgres ? found.replaceAll(" WITHOUT ROWID", "").replaceAll("INTEGER PRIMARY KEY", "BIGINT PRIMARY KEY") : found;
}

// Before step 12 each domain's row had its own card; without one it is made when it is asked for.
const backToStep11 = () => "DELETE FROM schema_step WHERE version >= 12; UPDATE user_record SET hints = NULL;\n";

// What step 10 made, as step 5 had left it.
function backToStep9() {
  const [before] = step("0005_usage.sql").split("-- What one app did in all");
  const tables = before.slice(before.indexOf("CREATE TABLE person_use"));
  return [backToStep11(), "DELETE FROM schema_step WHERE version >= 10;", "DROP TABLE import_draft;", "DROP TABLE person_ended; DROP TABLE person_use;", "DROP INDEX app_use_slot;", "ALTER TABLE app_use DROP COLUMN slot;",
    onPostgres ? tables.replaceAll(" WITHOUT ROWID", "") : tables].join("\n");
}

// What step 9 changed, as it was before.
const backToStep8 = () =>
  [
    backToStep9(),
    "DELETE FROM schema_step WHERE version >= 9;",
    "ALTER TABLE user_account ADD COLUMN generation BIGINT NOT NULL DEFAULT 1;",
    "ALTER TABLE user_account ADD COLUMN atom_sequence BIGINT NOT NULL DEFAULT 0;",
    "UPDATE user_account SET generation = (SELECT h.generation FROM user_record h WHERE h.domain = '' AND h.user_id = user_account.user_id),",
    " atom_sequence = (SELECT h.atom_sequence FROM user_record h WHERE h.domain = '' AND h.user_id = user_account.user_id);",
    "ALTER TABLE user_record RENAME TO told;",
    statement("0006_sheets.sql", "CREATE TABLE user_record"),
    "INSERT INTO user_record SELECT place - 1, user_id, domain, record, atom_count, updated_at, hints FROM told WHERE domain <> '';",
    "DROP TABLE told;",
    "ALTER TABLE token_family DROP COLUMN person_place;",
    ...["access_token", "refresh_token"].flatMap((table) => [
      `DROP INDEX ${table}_end;`,
      `ALTER TABLE ${table} RENAME TO newer;`,
      statement("0002_oauth.sql", `CREATE TABLE ${table}`),
      statement("0002_oauth.sql", `CREATE INDEX ${table}_end`),
      table === "access_token"
        ? "INSERT INTO access_token SELECT token_hash, family_id, scopes, created_at, ends_at FROM newer;"
        : "INSERT INTO refresh_token SELECT token_hash, family_id, created_at, ends_at, used_at, reuses FROM newer;",
      "DROP TABLE newer;",
    ]),
  ].join("\n");

// The tables as steps 3 and 4 made them, from the files themselves.
function tablesOfStep4() {
  const third = step("0003_preferences.sql");
  const from = third.indexOf("CREATE TABLE atom (");
  assert.ok(from > 0);
  const tables = third.slice(from) + step("0004_hints.sql");
  return onPostgres ? tables.replaceAll(" WITHOUT ROWID", "") : tables;
}

const atomColumns =
  "user_id, domain, member, value_key, atom_id, value, status, reason, suppressed_by, suppressed_at, by_user, source_count, sequence, created_at, updated_at";

test("atoms that were rows of their own are found again, with who said so and when", async (t) => {
  const w = await world(t, { start: false });
  await w.addUser("ada");
  await w.addUser("bob");
  const found = await sql(w, "SELECT user_id FROM user_account WHERE username = 'ada'");
  const ada = (typeof found === "string" ? found : JSON.stringify(found)).match(/usr_[\w-]{22}/)[0];
  const atom = (...values) => `INSERT INTO atom (${atomColumns}) VALUES ('${ada}', ${values.join(", ")});`;
  const source = (...values) => `INSERT INTO atom_source VALUES ('${ada}', ${values.join(", ")});`;
  await sql(w, [
    backToStep8(),
    "DELETE FROM schema_step WHERE version >= 6;",
    "DROP TABLE user_atoms; DROP TABLE user_record;",
    "DROP TABLE undo;", // of step 7
    "CREATE INDEX access_token_family ON access_token (family_id);", // what step 8 drops
    "CREATE INDEX refresh_token_family ON refresh_token (family_id);",
    "CREATE INDEX auth_code_family ON auth_code (family_id);",
    tablesOfStep4(),
    atom("'music_preferences'", "'favorite_artists'", "'abba'", "'atm_1'", `'"ABBA"'`, "'active'", "NULL", "NULL", "NULL", 0, 2, 3, 1700000000, 1700000500),
    atom("'music_preferences'", "'favorite_genres'", "'jazz'", "'atm_2'", `'"Jazz"'`, "'suppressed'", "'not_mine'", "'user'", 1700000900, 0, 1, 1, 1700000100, 1700000900),
    atom("'food_profile'", "'favorite_foods'", "'ramen'", "'atm_3'", `'"ramen"'`, "'held'", "NULL", "NULL", "NULL", 0, 1, 2, 1700000200, 1700000200),
    `INSERT INTO user_record VALUES ('${ada}', 'music_preferences', '{"favorite_artists":["ABBA"]}', 1, 1700000500, NULL);`,
    source("'atm_1'", "'user'", 1700000500, 1700000500),
    source("'atm_1'", "'app_gone'", 1700000000, 1700000300),
    source("'atm_2'", "'app_gone'", 1700000100, 1700000100),
    source("'atm_3'", "'app_gone'", 1700000200, 1700000200),
  ].join("\n"));

  const { status, out, err } = await w.command("export", "ada");
  assert.equal(status, 0, err);
  const { domains } = JSON.parse(out);
  const at = (seconds) => new Date(seconds * 1000).toISOString().replace(".000", "");
  assert.deepEqual(domains.music_preferences.atoms, [
    {
      atom_id: "atm_2", member: "favorite_genres", value: "Jazz", status: "suppressed", reason: "not_mine", suppressed_by: "user", suppressed_at: at(1700000900),
      by_user: false, created_at: at(1700000100), updated_at: at(1700000900),
      sources: [{ source: "app_gone", created_at: at(1700000100), updated_at: at(1700000100) }],
    },
    {
      atom_id: "atm_1", member: "favorite_artists", value: "ABBA", status: "active", by_user: false, created_at: at(1700000000), updated_at: at(1700000500),
      sources: [
        { source: "app_gone", created_at: at(1700000000), updated_at: at(1700000300) },
        { source: "user", created_at: at(1700000500), updated_at: at(1700000500) },
      ],
    },
  ]);
  assert.deepEqual(domains.food_profile.atoms.map(({ atom_id, status: held }) => [atom_id, held]), [["atm_3", "held"]]);
  const hints = await w.command("hints", "ada");
  assert.equal(hints.status, 0, hints.err);
  assert.match(hints.out, /ABBA/);
  assert.doesNotMatch(hints.out, /Jazz|ramen/);
  const bobs = JSON.parse((await w.command("export", "bob")).out);
  assert.ok(Object.values(bobs.domains).every(({ atoms }) => atoms.length === 0));
});

test("tokens that are older than seals work until they end, can be refreshed, and die with their connection", async (t) => {
  const { w, ada, app, api } = await connected(t);
  const other = await secondApp(w, ada);
  fine(await api.send(MUSIC, { favorite_artists: ["ABBA", "Low"] }));
  const before = await api.read("preferences");
  await w.stop();
  await sql(w, backToStep8());
  await w.start();

  assert.deepEqual(await api.read("preferences"), before);
  assert.equal(fine(await api.send(MUSIC, { favorite_artists: ["Can"] })).added, 1);
  const { atoms } = await api.read("preferences/atoms");
  assert.deepEqual(atoms.map(({ value }) => value).sort(), ["ABBA", "Can", "Low"]);
  assert.deepEqual(await app.worth(api.token), words(READ_WRITE));
  const renewed = assertTokens(await app.refresh(api.refresh_token), READ_WRITE);
  const page = `/account/apps/${app.client_id}`;
  await press(ada, page, `${page}/disconnect`);
  assert.deepEqual([await app.worth(api.token), await app.worth(renewed.access_token)], [null, null]);
  assert.deepEqual(await other.app.worth(other.token), words(READ_WRITE));
});

test("how often an app was used is known as before, for those who are connected", async (t) => {
  const { w, ada, api } = await connected(t);
  const other = await secondApp(w, ada);
  const page = async (one) => says(await open(ada, `/account/apps/${one.app.client_id}`));
  const found = await sql(w, "SELECT user_id FROM user_account WHERE username = 'ada'");
  const id = (typeof found === "string" ? found : JSON.stringify(found)).match(/usr_[\w-]{22}/)[0];
  await w.stop();
  const today = Math.floor(NOW / DAY);
  const stranger = "usr_" + "-_aZ09".repeat(4).slice(0, 22); // who left before: no grant
  const use = (user, app, day, calls) => `INSERT INTO person_use VALUES ('${user}', '${app.app.client_id}', ${day}, ${calls}, ${NOW - (today - day) * DAY});`;
  await sql(w, [
    backToStep9(),
    "DELETE FROM app_use;",
    `INSERT INTO app_use VALUES ('${api.app.client_id}', ${today - 1}, 5, 2, 0, 0);`,
    `INSERT INTO app_use VALUES ('app_gone', ${today - 1}, 5, 2, 0, 0);`,
    use(id, api, today - 1, 3), use(id, api, today - 7, 4), use(stranger, api, today - 1, 9), use(id, other, today - 7, 50),
  ].join("\n"));

  await w.start();
  assert.match(await page(api), /Last used yesterday ?\. 7 requests in the last 30 days\./);
  assert.match(await page(other), /50 requests in the last 30 days\./);
  await api.read("preferences");
  await w.stop();
  await w.start();
  assert.match(await page(api), /Last used (just now|today|less than a minute ago) ?\. 8 requests in the last 30 days\./);
  const rows = async (what) => Number(/\d+/.exec(JSON.stringify(await sql(w, `SELECT count(*) FROM ${what}`)))[0]);
  assert.deepEqual([await rows("person_use"), await rows("app_use WHERE app_id = 'app_gone'")], [4, 0]);
});

test("hints that an earlier version kept are told as before, and kept anew once somebody asked", async (t) => {
  const { w, api } = await connected(t, { scope: `${READ_WRITE} agent_hints` });
  await api.write(FOOD, { allergies: ["peanuts"], dietary: "vegetarian" });
  await api.write(MUSIC, { genres: ["jazz", "trip hop"] });
  await api.write(TRAVEL, { seat_preference: "aisle" });
  const asked = "agent-hints?max_tokens=200";
  const before = await api.read(asked);
  const heads = "SELECT hints FROM user_record WHERE domain = '' AND hints IS NOT NULL";
  const kept = async () => (await sql(w, heads)).replace(/\n$/, "");
  const cards = await kept();
  const travel = cards.split("\n").find((line) => line.startsWith(TRAVEL)).slice(TRAVEL.length + 1);
  assert.deepEqual(cards.split("\n").map((line) => line.split(" ")[0]), [FOOD, MUSIC, TRAVEL]);
  await w.stop();
  await sql(w, backToStep11());
  await sql(w, `UPDATE user_record SET hints = '5 LURGuchE_BhbvOmYVpU6YuSzM3siGLeymr7_wL5VXcc 0 3 \n' WHERE domain = '${FOOD}';`);
  await sql(w, `UPDATE user_record SET hints = '${travel}' WHERE domain = '${TRAVEL}';`);
  await w.start();
  assert.equal(await kept(), [`${FOOD} 5 LURGuchE_BhbvOmYVpU6YuSzM3siGLeymr7_wL5VXcc 0 3  `, `${MUSIC} `, `${TRAVEL} ${travel}`].join("\n"));
  assert.deepEqual(await api.read(asked), before);
  await until("the hints to be kept as this version does", async () => (await kept()) === cards);
  assert.deepEqual(await api.read(asked), before);
});
