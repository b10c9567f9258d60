// The tests of `make check`, on SQLite and PostgreSQL, after they are built.
//   tests/run                 runs all of them
//   tests/run WORD…           runs some: api/sign_up, "api/sign_up on PostgreSQL", unit/base, "fault on SQLite", PostgreSQL
//   tests/run --quick         runs those of `make check-quick`
//   tests/run --needs WORD…   prints the make targets that these tests need

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { replayTask, targets } from "./fuzz.mjs";
import { conclude, countingTask, exitCodeTask, fileTask, ROOT, testFiles, unitBinaries, unitTasks } from "./runner.mjs";
import { runShared } from "./shared.mjs";
import { choose, wordsOf } from "./words.mjs";

const onStore = (folder, store, title, env = {}) =>
  testFiles(folder).map((file) => fileTask(`${folder} on ${title}`, file, { STORE: store, ...env }));

const together = (tasks) => tasks.map((task) => ({ ...task, together: task.group }));

const ON_DISK = { TMPDIR: os.tmpdir() };

// These commands refuse a store of several databases; api/backup tests that.
const ONE_DATABASE = ["move", "restore"];

// These files wait for deadlines, restarts, or other servers most of their time, and leave the processors to others.
const WAITING = [
  ..."activity mail mail_tls proxies reload follow steady spread_hang spread_restore spread_crash postgres_clock postgres_commit postgres_commit_hang postgres_hang postgres_locked postgres_partial".split(" "),
  ..."postgres_names postgres_nodes postgres_pool postgres_pooler postgres_promotion postgres_slow postgres_timeline postgres_trouble connection_test".split(" "),
];

// Long files run first and short ones last, so that all cores are busy until the end.
const all = [
  ...together(testFiles("browser").map((file) => fileTask("browser", file, { STORE: "sqlite" }, 900_000))),
  ...testFiles("oracle").map((file) => fileTask("oracle", file, {}, 900_000)),
  ...testFiles("eval").map((file) => fileTask("eval", file, {})),
  ...onStore("fault", "sqlite", "SQLite", ON_DISK),
  ...onStore("fault", "postgres", "PostgreSQL"),
  ...testFiles("clients").map((file) => fileTask("clients", file, { STORE: "sqlite" })),
  ...testFiles("clients").filter((file) => /\/mcp_\w+\.test/.test(file)).map((file) => fileTask("clients on PostgreSQL", file, { STORE: "postgres" })),
  ...together(onStore("api", "postgres", "PostgreSQL")),
  ...together(onStore("api", "postgres", "two-databases", { DATABASES: "2" })).filter(({ name }) => !ONE_DATABASE.includes(path.basename(name))),
  ...together(onStore("api", "sqlite", "SQLite")),
  exitCodeTask("lint", "lint/text", `${ROOT}/tools/lint`, "--only-text"),
  ...["lint_test", "packages_test", "minify_test", "reproducible_test", "deploy_test"].map((name) => countingTask("lint", name, `${ROOT}/tests/${name}`)),
  ...unitTasks("unit", unitBinaries("check")),
  ...targets().map((target) => replayTask(target)),
].map((task) => ({ ...task, waits: WAITING.includes(path.basename(task.name)) }));

const unknown = WAITING.filter((name) => !all.some((task) => path.basename(task.name) === name));
if (unknown.length > 0) throw new Error(`WAITING lists files that do not exist: ${unknown.join(", ")}`);

// `make check-quick`: the fast text checks, all unit tests, and one api file for each part of the product.
const QUICK = [
  "lint/text", "unit",
  ...["sign_up", "oauth_sign_in", "oauth_consent", "oauth_token", "oauth_refresh", "preferences_merging", "preferences_corrections", "hints", "account_preferences", "account_apps", "developer", "stranger", "errors", "care"]
    .map((name) => `api/${name} on SQLite`),
];

// These files test nothing that depends on the store, or (nth_call, memory) mostly what happens before the store is called:
// without words they run on SQLite only. Other files run every statement that they run. `make soak` also runs them on
// PostgreSQL, under ThreadSanitizer.
const SAME_ON_BOTH = [
  ..."account_apps account_guard account_preferences assets client_documents client_documents_attacks connect connections".split(" "),
  ..."consent_domains consent_preview consent_self consent_shown deadlines".split(" "),
  ..."developer_docs developer_refusals developer_try display doctor domains errors guide help import_foreign languages listening logs".split(" "),
  ..."mail_tls mcp mcp_attacks mcp_conformance mcp_metadata mcp_quirks mcp_sign_in mcp_tools memory nth_call oauth_audience oauth_authorize".split(" "),
  ..."oauth_consent oauth_metadata oauth_userinfo openapi origins preferences_schema preferences_scopes reload sandbox sensitive settings stranger terminal trace".split(" "),
  ..."transfer_large verified_domain welcome wire withheld".split(" "),
];

// On two databases, without words only one file for each part of the product runs; `make soak` runs all. Those of
// ONLY_ON_TWO do not run on one database of PostgreSQL as well: there, other files run every statement that they run.
const ONLY_ON_TWO = "account_security developer hints oauth_apps oauth_introspect preferences_merging sign_up".split(" ");
const ON_TWO = [...ONLY_ON_TWO, "oauth_races", "oauth_refresh"];

const isRepeated = ({ group, name }) => {
  const file = path.basename(name);
  if (group.endsWith("on two-databases")) return !ON_TWO.includes(file);
  return group.endsWith("on PostgreSQL") && (SAME_ON_BOTH.includes(file) || ONLY_ON_TWO.includes(file));
};

// A test for PostgreSQL, or for one database of it, would never run.
const isForPostgres = ({ name }) => /\bon(Postgres|OneDatabase)\(/.test(fs.readFileSync(`${ROOT}/tests/${name}.test.mjs`, "utf8"));
const unreachable = all.find((task) => task.group.endsWith("on PostgreSQL") && isRepeated(task) && isForPostgres(task));
if (unreachable) throw new Error(`${unreachable.name} has tests for PostgreSQL, but SAME_ON_BOTH or ONLY_ON_TWO lists it`);

const flag = /^--(quick|needs)$/.exec(process.argv[2] ?? "")?.[1];
const words = flag === "quick" ? QUICK : wordsOf(process.argv.slice(flag ? 3 : 2));
const chosen = words.length > 0 ? choose(all, words) : all.filter((task) => !isRepeated(task));

if (flag === "needs") {
  console.log([...new Set(chosen.flatMap(({ needs }) => needs))].join("\n"));
  process.exit(0);
}

// An empty test directory must not pass silently.
const expected = ["lint", "unit", "unit on both stores", "oracle", "browser", "clients", "clients on PostgreSQL", "fuzz"].concat(
  ["fault", "api"].flatMap((folder) => [`${folder} on SQLite`, `${folder} on PostgreSQL`]),
);
const absent = words.length > 0 ? [] : expected.filter((group) => !all.some((task) => task.group === group));
for (const group of absent) console.log(`FAIL ${group}: there are no tests`);

const { passed, failed } = await runShared(chosen, { partial: words.length > 0, again: words.length === 0 });
conclude({ passed, failed: failed + absent.length });
