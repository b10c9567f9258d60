// SQL on a database file of SQLite.

import { run } from "./process.mjs";

// The output as text. The service may use the file meanwhile: waits for its locks.
export async function sqlite(file, sql) {
  const { status, out, err } = await run("sqlite3", ["-bail", "-cmd", ".timeout 30000", file, sql]);
  if (status !== 0) throw new Error(`sqlite3: ${sql}: ${err}`);
  return out.trim();
}
