// scale.mjs - what users cost on PostgreSQL: bytes of each table, and processor time per request of the node and of the
// database. docs/SCALE.md calculates with these figures.
//
//   make build/penchant build/bench/people build/bench/load && node bench/scale.mjs [USERS [DATABASES [COPIES]]]
//
// 2,000 users in one database unless given. Several databases are on one server; the sizes are those of the first. With
// COPIES, everything is measured again after each user was copied so many times: `5000 1 199` ends with a million users.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cases } from "./cases.mjs";
import { addCopies } from "./copies.mjs";
import { load, writeRequests } from "./load.mjs";
import { startPostgres } from "./postgres.mjs";
import { cpuSeconds, makeFolder, run } from "./process.mjs";
import { startPenchant } from "./servers.mjs";
import { settings, tools } from "./settings.mjs";

const users = Number(process.argv[2] ?? 2000);
const databases = Number(process.argv[3] ?? 1);
const copies = Number(process.argv[4] ?? 0);
const MEASURED = ["hints, warm", "hints, cold", "introspect, cold", "refresh", "preference write", "sign-in"];
const cpuOf = (pid) => 1e6 * cpuSeconds(pid);

const postgres = await startPostgres();
const sql = async (text) => (await run("psql", [postgres.store, "-AtF", "\t", "-c", text])).trimEnd().split("\n").map((line) => line.split("\t"));

const stores = [postgres.store];
for (let i = 2; i <= databases; i++) {
  await sql(`CREATE DATABASE part${i}`);
  stores.push(postgres.store.replace(/[^/]+$/, `part${i}`));
}
const store = stores.join(" ");

const file = join(makeFolder(), "tokens");
const { atoms } = JSON.parse(await run(tools.people, [store, String(users), String(users), file]));
const [first, ...lines] = readFileSync(file, "utf8").trimEnd().split("\n");
const [client_id, client_secret, ...password] = first.split(" ");
const tokens = lines.map((line) => Object.fromEntries(line.split(" ").map((value, i) => [["name", "access", "refresh"][i], value])));
const town = { app: { client_id, client_secret }, password: password.join(" "), tokens };

async function printSizes(all) {
  const sizes = await sql("SELECT relname, pg_table_size(oid), pg_indexes_size(oid) FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY pg_total_relation_size(oid) DESC");
  console.log(`${all} users with ${(atoms / users).toFixed(0)} atoms each, bytes per user:\n`);
  console.log("| table | rows per user | bytes per user | with indexes | bytes per row, with indexes |\n|---|---|---|---|---|");
  let total = 0;
  for (const [name, table, indexes] of sizes) {
    const both = Number(table) + Number(indexes);
    const [[rows]] = await sql(`SELECT count(*) FROM ${name}`);
    total += both;
    if (both > 20 * all) console.log(`| \`${name}\` | ${(rows / all).toFixed(1)} | ${Math.round(table / all)} | ${Math.round(both / all)} | ${Math.round(both / Math.max(rows, 1))} |`);
  }
  console.log(`| all | | | ${Math.round(total / all)} | |\n`);
}

// The copies are not asked for: their tokens are unknown.
async function printRequests() {
  console.log("| request | µs of the node | µs of the database | transactions |\n|---|---|---|---|");
  for (const name of MEASURED) {
    const row = cases.find((each) => each.store === "postgresql" && each.name === name);
    const server = await startPenchant(store, { cache: row.cache });
    const requests = [await row.request(town, server)].flat();
    const path = writeRequests(server.port, requests);
    const send = (seconds) => load(server.port, path, row.status, row.once ? "once" : seconds, row.follow, row.connections ?? settings.connections);
    if (!row.once && !row.follow) await send(1);
    const count = async () => Number((await sql("SELECT pg_stat_clear_snapshot(), sum(xact_commit + xact_rollback) FROM pg_stat_database WHERE datname = 'postgres' OR datname LIKE 'part%'"))[0].at(-1));
    const before = { node: cpuOf(server.pid), database: cpuOf(postgres.pid), transactions: await count() };
    const { requests: sent } = await send(settings.seconds);
    await new Promise((resolve) => setTimeout(resolve, 1500)); // PostgreSQL reports its counts once per second
    const after = { node: cpuOf(server.pid), database: cpuOf(postgres.pid), transactions: await count() };
    console.log(`| ${name} | ${Object.keys(before).map((what) => ((after[what] - before[what]) / sent).toFixed(1)).join(" | ")} |`);
    await server.stop();
  }
}

await sql("VACUUM");
await printSizes(users);
await printRequests();
if (copies > 0) {
  await addCopies(sql, copies);
  await printSizes(users * (copies + 1));
  await printRequests();
}
await postgres.stop();
process.exit(0);
