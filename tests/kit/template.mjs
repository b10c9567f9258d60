// A store with its schema. Most tests start with a copy of it, which is faster than creating the schema
// each time. tests/run creates one of each kind per run and passes them in TEST_SQLITE_TEMPLATE and
// TEST_POSTGRES_TEMPLATE; a test file that runs alone creates its own.

import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { createDatabase, databaseAddress } from "./pg.mjs";
import { environment, run } from "./process.mjs";

async function migrate(program, ...stores) {
  const { status, err } = await run(program, ["migrate", ...stores.flatMap((store) => ["--store", store])], { env: environment() });
  assert.equal(status, 0, `penchant migrate: ${err}`);
}

// The path of a SQLite file, which is deleted when this process exits.
async function makeSqlite(program) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "penchant-template-"));
  process.on("exit", () => fs.rmSync(dir, { recursive: true, force: true }));
  const file = path.join(dir, "template.db");
  await migrate(program, `sqlite:${file}`);
  return file;
}

// The name of a database in the cluster at this port.
async function makePostgres(program, port) {
  const name = await createDatabase(port);
  await migrate(program, databaseAddress(port, name));
  return name;
}

// The names of the databases of one store, separated by spaces.
async function makeSpread(program, port) {
  const names = [await createDatabase(port), await createDatabase(port)];
  await migrate(program, ...names.map((name) => databaseAddress(port, name)));
  return names.join(" ");
}

// The environment that tests/run passes to test files.
export async function makeTemplates(program, port) {
  return {
    TEST_SQLITE_TEMPLATE: await makeSqlite(program),
    ...(port !== undefined && { TEST_POSTGRES_TEMPLATE: await makePostgres(program, port), TEST_SPREAD_TEMPLATE: await makeSpread(program, port) }),
  };
}

let sqlite;
let postgres;
let spread;

export const sqliteTemplate = (program) => (sqlite ??= process.env.TEST_SQLITE_TEMPLATE ?? makeSqlite(program));
export const postgresTemplate = (program, port) => (postgres ??= process.env.TEST_POSTGRES_TEMPLATE ?? makePostgres(program, port));
export const spreadTemplate = (program, port) => (spread ??= process.env.TEST_SPREAD_TEMPLATE ?? makeSpread(program, port));
