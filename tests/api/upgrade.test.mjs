// A store of an earlier schema is brought up to date when it is opened, and what people said is all there.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { psql } from "../kit/pg.mjs";
import { run } from "../kit/process.mjs";
import { ROOT, STORE, world } from "../kit/world.mjs";

const onPostgres = STORE === "postgres";

async function sql(w, text) {
  if (onPostgres) return psql(w.address, text);
  const { status, out, err } = await run("sqlite3", [w.file, text]);
  assert.equal(status, 0, err);
  return out;
}

// The tables as step 3 made them, from the file itself.
function tablesOfStep3() {
  const step = fs.readFileSync(path.join(ROOT, "schema/0003_preferences.sql"), "utf8");
  const from = step.indexOf("CREATE TABLE atom (");
  const to = step.indexOf("-- A person's record of one domain");
  assert.ok(from > 0 && to > from);
  const tables = step.slice(from, to);
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
    "DELETE FROM schema_step WHERE version >= 6;",
    "DROP TABLE user_atoms;",
    "DROP TABLE undo;", // of step 7
    tablesOfStep3(),
    atom("'music_preferences'", "'favorite_artists'", "'abba'", "'atm_1'", `'"ABBA"'`, "'active'", "NULL", "NULL", "NULL", 0, 2, 3, 1700000000, 1700000500),
    atom("'music_preferences'", "'favorite_genres'", "'jazz'", "'atm_2'", `'"Jazz"'`, "'suppressed'", "'not_mine'", "'user'", 1700000900, 0, 1, 1, 1700000100, 1700000900),
    atom("'food_profile'", "'favorite_foods'", "'ramen'", "'atm_3'", `'"ramen"'`, "'held'", "NULL", "NULL", "NULL", 0, 1, 2, 1700000200, 1700000200),
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
  const bobs = JSON.parse((await w.command("export", "bob")).out);
  assert.ok(Object.values(bobs.domains).every(({ atoms }) => atoms.length === 0));
});
