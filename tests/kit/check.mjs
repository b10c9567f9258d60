// `make check` after everything is built: every test there is, on both stores. With words as
// arguments only some of it: tests/run api/sign_up unit/base "fault on SQLite" PostgreSQL

import { Cluster, createDatabase } from "./pg.mjs";
import { fuzzTask, targets } from "./fuzz.mjs";
import { conclude, countingTask, fileTask, isMeant, ROOT, runAll, speaksPostgres, testFiles, unitBinaries, unitTask } from "./runner.mjs";

const FUZZ_SECONDS = 2;

const units = unitBinaries("check");
const freshDatabase = async ({ TEST_POSTGRES: port }) => ({
  PENCHANT_TEST_POSTGRES: `postgresql://penchant@127.0.0.1:${port}/${await createDatabase(Number(port))}`,
});

const onStore = (folder, store, title) =>
  testFiles(folder).map((file) => fileTask(`${folder} on ${title}`, file, { STORE: store }));

const all = [
  countingTask("lint", "lint_test", `${ROOT}/tests/lint_test`),
  countingTask("lint", "packages_test", `${ROOT}/tests/packages_test`),
  countingTask("lint", "minify_test", `${ROOT}/tests/minify_test`),
  countingTask("lint", "reproducible_test", `${ROOT}/tests/reproducible_test`),
  ...units.filter((binary) => !speaksPostgres(binary)).map((binary) => unitTask("unit", binary)),
  ...units.filter(speaksPostgres).map((binary) => unitTask("unit on both stores", binary, freshDatabase)),
  ...testFiles("oracle").map((file) => fileTask("oracle", file, {}, 900_000)),
  ...testFiles("browser").map((file) => fileTask("browser", file, { STORE: "sqlite" }, 900_000)),
  ...testFiles("clients").map((file) => fileTask("clients", file, { STORE: "sqlite" })),
  ...onStore("fault", "sqlite", "SQLite"),
  ...onStore("api", "sqlite", "SQLite"),
  ...onStore("fault", "postgres", "PostgreSQL"),
  ...onStore("api", "postgres", "PostgreSQL"),
  ...targets().map((target) => fuzzTask(target, FUZZ_SECONDS)),
];

const words = process.argv.slice(2);
const chosen = all.filter((task) => words.length === 0 || words.some((word) => isMeant(task, word)));

// A folder that lost its tests must not pass silently.
const expected = ["lint", "unit", "unit on both stores", "oracle", "browser", "clients", "fuzz"].concat(
  ["fault", "api"].flatMap((folder) => [`${folder} on SQLite`, `${folder} on PostgreSQL`]),
);
const absent = words.length > 0 ? [] : expected.filter((group) => !all.some((task) => task.group === group));
for (const group of absent) console.log(`FAIL ${group}: there are no tests`);

const wantsPostgres = chosen.some((task) => /PostgreSQL|both/.test(task.group));
const cluster = wantsPostgres ? await Cluster.start() : undefined;
let result = { passed: 0, failed: 1 };
try {
  result = await runAll(chosen, cluster ? { TEST_POSTGRES: `${cluster.port}` } : {}, { partial: words.length > 0 });
} finally {
  await cluster?.end();
}
conclude({ passed: result.passed, failed: result.failed + absent.length });
