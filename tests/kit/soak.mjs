// `make soak`: the long tests. A hundred rounds of kill -9 on each store, two minutes of mixed load with
// random crashes, three disaster drills (the store is lost under load and restored), twenty promotions of a
// replica while the primary is dead, hangs, is partitioned, or is read-only, a switchover and a killed leader in
// a cluster of Patroni, six thousand changes on one of three nodes with reads on all, an upgrade under load, expired tokens deleted while
// refreshes make more,
// four thousand random walks through OAuth, fifty thousand
// bodies generated from the schemas, two million texts for the token counter, two million hint responses
// checked for their invariants, hints about eleven thousand generated users, the pages in all four views and
// on PostgreSQL, clients that sign in to MCP on PostgreSQL, the unit and API tests under ThreadSanitizer,
// more places at which a disk fails,
// leak checks where they are too slow for `make check`, the HTTP tests with libmicrohttpd 1.0.1, the Debian
// package in a clean system, and the commands of docs/OPERATING.md in another one.

import os from "node:os";
import path from "node:path";
import { sanitizers } from "./process.mjs";
import { conclude, countingTask, execute, fileTask, ROOT, testFiles, unitBinaries, unitTask, unitTasks } from "./runner.mjs";
import { runShared } from "./shared.mjs";
import { choose } from "./words.mjs";

const HOUR = 3_600_000;
const fault = (name) => path.join(ROOT, "tests/fault", `${name}.test.mjs`);
const ON_DISK = { TMPDIR: os.tmpdir() };
const stores = { sqlite: "SQLite", postgres: "PostgreSQL" };

// Runs a task with the library that tests/libmicrohttpd builds; skips it, with the reason, if there is none.
const LIBRARY = "libmicrohttpd 1.0.1";
let built;
const withLibrary = (makeTask) => ({
  ...makeTask({}),
  async run(shared) {
    const { status, out, err } = await (built ??= execute(`${ROOT}/tests/libmicrohttpd`, [], { within: HOUR }));
    if (status !== 0) return { passed: 0, failures: [], skipped: [{ skipped: "all tests", why: err.trim().split("\n").at(-1) }] };
    return makeTask({ LD_LIBRARY_PATH: out.trim() }).run(shared);
  },
});

const tasks = [
  countingTask("build", "reproducible_test", `${ROOT}/tests/reproducible_test`, ["build/penchant"], HOUR),
  countingTask("build", "deb_test", `${ROOT}/tests/deb_test`, [], HOUR),
  countingTask("build", "operating_test", `${ROOT}/tests/operating_test`, [], HOUR),
  ...Object.entries(stores).flatMap(([STORE, title]) => [
    fileTask(`kill -9 on ${title}`, fault("kill"), { STORE, ...ON_DISK, KILL_ROUNDS: process.env.KILL_ROUNDS ?? "100" }, HOUR),
    fileTask(`steady state on ${title}`, fault("steady"), { STORE, ...ON_DISK, SOAK: "1", STEADY_PACE: "1", STEADY_REFRESHES: process.env.STEADY_REFRESHES ?? "3000" }, HOUR),
    // Optimized, so that refreshes make rows as quickly as the machine allows.
    fileTask(`steady rate on ${title}`, fault("steady"), { STORE, ...ON_DISK, PENCHANT: "build/swift/penchant", STEADY_LOAD: "build/bench/load" }, HOUR),
    fileTask(`mixed load on ${title}`, fault("mixed_load"), { STORE, ...ON_DISK, LOAD_SECONDS: process.env.LOAD_SECONDS ?? "120" }, HOUR),
    fileTask(`model on ${title}`, path.join(ROOT, "tests/api/oauth_model.test.mjs"), { STORE, MODEL_WALKS: process.env.MODEL_WALKS ?? "4000" }, HOUR),
    fileTask(`preferences on ${title}`, path.join(ROOT, "tests/api/preferences_together.test.mjs"), { STORE, MODEL_SEEDS: process.env.MODEL_SEEDS ?? "150" }, HOUR),
    fileTask(`schemas on ${title}`, path.join(ROOT, "tests/api/preferences_schema.test.mjs"), { STORE, SCHEMA_ROUNDS: process.env.SCHEMA_ROUNDS ?? "25" }, HOUR),
    ...testFiles("api").map((file) => fileTask(`TSan api on ${title}`, file, { STORE, PENCHANT: "build/tsan/penchant" }, HOUR)),
  ]),
  ...testFiles("api").filter((file) => !/\/(move|restore)\.test/.test(file)).map((file) => fileTask("api on two-databases", file, { STORE: "postgres", DATABASES: "2" }, HOUR)),
  // Threads that only a trouble of the database wakes, and those of several databases.
  ...["postgres_cancel", "postgres_hang", "spread", "spread_hang"].map((name) => fileTask("TSan fault on PostgreSQL", fault(name), { STORE: "postgres", ...ON_DISK, PENCHANT: "build/tsan/penchant" }, HOUR)),
  ...["oauth_refresh", "oauth_races", "preferences_merging", "sign_up"].map((name) => fileTask("TSan api on two-databases", path.join(ROOT, "tests/api", `${name}.test.mjs`), { STORE: "postgres", DATABASES: "2", PENCHANT: "build/tsan/penchant" }, HOUR)),
  fileTask("disaster drill on SQLite", fault("drill"), { STORE: "sqlite", ...ON_DISK, LOAD_SECONDS: process.env.LOAD_SECONDS ?? "60", DRILL_ROUNDS: process.env.DRILL_ROUNDS ?? "3" }, HOUR),
  fileTask("fault on PostgreSQL", fault("nth_call"), { STORE: "postgres", ...ON_DISK }, HOUR),
  ...["mcp_conformance", "mcp_sign_in"].map((name) => fileTask("clients on PostgreSQL", path.join(ROOT, "tests/clients", `${name}.test.mjs`), { STORE: "postgres", SOAK: "1" }, HOUR)),
  fileTask("failing disks on SQLite", fault("disk"), { STORE: "sqlite", ...ON_DISK, SOAK: "1" }, HOUR),
  fileTask("memory on PostgreSQL", fault("memory"), { STORE: "postgres", SOAK: "1" }, HOUR),
  fileTask("failover on PostgreSQL", fault("postgres_promotion"), { STORE: "postgres", ...ON_DISK, FAILOVER_ROUNDS: process.env.FAILOVER_ROUNDS ?? "5" }, HOUR),
  ...testFiles("cluster").map((file) => fileTask("cluster on PostgreSQL", file, { STORE: "postgres", ...ON_DISK }, HOUR)),
  ...Object.entries(stores).flatMap(([STORE, title]) => testFiles("versions").map((file) => fileTask(`versions on ${title}`, file, { STORE }, HOUR))),
  fileTask("nodes on PostgreSQL", fault("postgres_strict"), { STORE: "postgres", ...ON_DISK, NODES_ROUNDS: process.env.NODES_ROUNDS ?? "80", NODES_SEED: process.env.NODES_SEED ?? `${Date.now() % 1e6}` }, HOUR),
  fileTask("oracle", path.join(ROOT, "tests/oracle/hints.test.mjs"), { HINTS_SHARE: "1", HINTS_SEED: `${Date.now() % 1e6}` }, HOUR),
  fileTask("oracle", path.join(ROOT, "tests/oracle/tokenizer.test.mjs"), { TOKENIZER_SHARE: "10", TOKENIZER_SEED: `${Date.now() % 1e6}` }, HOUR),
  fileTask("oracle", path.join(ROOT, "tests/oracle/hints.test.mjs"), { HINTS_SHARE: "20", HINTS_SEED: `${Date.now() % 1e6}` }, 2 * HOUR),
  ...testFiles("eval").map((file) => fileTask("eval", file, { EVAL_SHARE: "30", SOAK: "1" }, HOUR)),
  ...testFiles("browser").map((file) => fileTask("browser", file, { STORE: "sqlite", EVERY_VIEW: "1", SCREENSHOTS: "1", SOAK: "1" }, HOUR)),
  ...testFiles("browser").map((file) => fileTask("browser on PostgreSQL", file, { STORE: "postgres" }, HOUR)),
  ...unitTasks("TSan unit", unitBinaries("tsan")),
  ...unitBinaries("check")
    .filter((binary) => binary.includes("/unit/http/"))
    .map((binary) => withLibrary((env) => unitTask(LIBRARY, binary, async () => env))),
  ...["wire", "connections", "deadlines", "drain"].map((name) =>
    withLibrary((env) => fileTask(LIBRARY, path.join(ROOT, "tests/api", `${name}.test.mjs`), { STORE: "sqlite", ...env }, HOUR)),
  ),
  ...unitTasks("leaks in unit", unitBinaries("check"), sanitizers(true)),
];

const words = process.argv.slice(2);
conclude(await runShared(choose(tasks, words), { partial: words.length > 0 }));
