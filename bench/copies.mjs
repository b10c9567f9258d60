// copies.mjs - makes many users of few on PostgreSQL: every row that belongs to a user is copied with other keys. The copies
// cannot sign in, because nobody has their tokens; they make tables and indexes as large as those of so many users.
const TABLES = ["user_account", "username_lookup", "user_atoms", "user_record", "app_grant", "token_family", "access_token", "refresh_token", "user_usage", "activity", "activity_day", "activity_chain", "activity_first"];

// The start stays, because it is the shard.
const COPIED = {
  username: "username || '_' || n",
  ...Object.fromEntries(["user_id", "family_id", "grant_id", "token_hash"].map((name) => [name, `left(${name}, 8) || left(md5(n || ${name}), 10) || substr(${name}, 19)`])),
  ...Object.fromEntries(["row_key", "user_row_key", "user_key"].map((name) => [name, `${name} # (n::bigint << 20)`])),
};

// `sql` runs a statement and returns rows of text. Indexes are made again at the end, which is faster.
export async function addCopies(sql, copies) {
  await sql("ALTER SYSTEM SET maintenance_work_mem = '1GB'");
  await sql("ALTER SYSTEM SET max_wal_size = '16GB'");
  await sql("SELECT pg_reload_conf()");
  for (const table of TABLES) {
    const columns = (await sql(`SELECT attname FROM pg_attribute WHERE attrelid = '${table}'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`)).flat();
    const indexes = await sql(`SELECT indexrelid::regclass, indisprimary, pg_get_indexdef(indexrelid), pg_get_constraintdef(c.oid) FROM pg_index LEFT JOIN pg_constraint c ON conindid = indexrelid WHERE indrelid = '${table}'::regclass`);
    for (const [name, isPrimary] of indexes) await sql(isPrimary === "t" ? `ALTER TABLE ${table} DROP CONSTRAINT ${name}` : `DROP INDEX ${name}`);
    await sql(`INSERT INTO ${table} (${columns.join(", ")}) SELECT ${columns.map((name) => COPIED[name] ?? name).join(", ")} FROM ${table}, generate_series(1, ${copies}) AS n`);
    for (const [name, isPrimary, index, constraint] of indexes) await sql(isPrimary === "t" ? `ALTER TABLE ${table} ADD CONSTRAINT ${name} ${constraint}` : index);
  }
  await sql("VACUUM ANALYZE");
  await sql("CHECKPOINT");
}
