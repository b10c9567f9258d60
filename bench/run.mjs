// run.mjs - `make bench`: every measurement of README.md, printed as tables and written to
// build/bench.json. The status is 0 unless something could not be measured; a ratio below its floor
// is said plainly and is not an error, since a busy machine is not a defect.
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { cases } from "./cases.mjs";
import { asItIs, onSlowDisk } from "./commit.mjs";
import { measureCase } from "./compare.mjs";
import { memory, run } from "./process.mjs";
import { sqliteStore, startNginx, startPenchant } from "./servers.mjs";
import { promises, root, settings, tools } from "./settings.mjs";
import { fixed, median, percent, table, whole } from "./table.mjs";

const report = { cpu: cpus()[0]?.model, cores: cpus().length, settings, cases: [], start: null, commit: {}, notMeasured: [] };

function notMeasured(what, why) {
  report.notMeasured.push({ what, why });
  console.log(`not measured: ${what}: ${why}`);
}

// Does the work if its tools are there. Whatever goes wrong is told, and the rest goes on.
async function measure(what, needs, work) {
  const missing = needs.filter((name) => tools[name] === null);
  if (missing.length > 0) return notMeasured(what, `${missing.join(", ")} missing`);
  try {
    await work();
  } catch (error) {
    notMeasured(what, error.message);
  }
}

async function measureRow(row) {
  const counted = (work) => measure(`instructions of ${row.name}`, ["valgrind"], work);
  const result = await measureCase(row, counted);
  report.cases.push(result);
  console.error(`  ${row.name}, ${row.store}: ${percent(result.ratio)} of nginx`);
}

// ---- start and memory ----

async function starts(startOne) {
  const times = [];
  for (let i = 0; i < settings.starts; i++) {
    const server = await startOne();
    times.push(server.startMs);
    await server.stop();
  }
  return median(times);
}

async function idleMemory(server) {
  await new Promise((resolve) => setTimeout(resolve, 1000)); // what the start needed has been given back
  const { now } = memory(server.pid);
  await server.stop();
  return now;
}

async function measureStart() {
  const request = { path: "/healthz" };
  const store = sqliteStore();
  const first = await startPenchant(store); // makes the schema: later starts find it
  const answer = await first.ask(request);
  const idleMiB = await idleMemory(first);
  const nginxIdleMiB = await idleMemory(await startNginx(answer, request));
  const startMs = await starts(() => startPenchant(store));
  const nginxStartMs = await starts(() => startNginx(answer, request));
  report.start = { startMs, nginxStartMs, ratio: startMs / nginxStartMs, idleMiB, nginxIdleMiB };
}

// ---- what is printed ----

function atLeast(value, floor) {
  if (floor === null) return "";
  return value >= floor ? `floor ${floor}` : `below the floor of ${floor}`;
}

function atMost(value, ceiling) {
  return value <= ceiling ? `ceiling ${ceiling}` : `above the ceiling of ${ceiling}`;
}

function printCases() {
  if (report.cases.length === 0) return;
  const headings = ["case", "store", "bytes", "penchant/s", "nginx/s", "ratio", "p50 ms", "p99 ms", "nginx p50", "nginx p99", "instr/request", "MiB", "promise"];
  const rows = report.cases.map((c) => [
    c.name, c.store, whole(c.bytes), whole(c.penchant.perSecond), whole(c.nginx.perSecond), percent(c.ratio),
    fixed(c.penchant.p50), fixed(c.penchant.p99), fixed(c.nginx.p50), fixed(c.nginx.p99),
    whole(c.instructions), fixed(c.memoryMiB, 1), atLeast(c.ratio, c.floor),
  ]);
  console.log(`\nOne core each for server and load, ${settings.connections} connections, median of ${settings.runs} (${settings.seconds} s each)\n`);
  console.log(table(headings, rows));
  const worst = Math.max(...report.cases.map((c) => c.nginx.spread));
  if (worst > 1.25) console.log(`\nThe machine was busy: nginx's own runs of one case differ by a factor of ${fixed(worst)}.`);
}

function printStart() {
  if (report.start === null) return;
  const s = report.start;
  console.log(`\nStart to first answer, median of ${settings.starts}; memory a second after the start\n`);
  console.log(table(["", "penchant", "nginx", "ratio", "promise"], [
    ["start, ms", fixed(s.startMs, 1), fixed(s.nginxStartMs, 1), fixed(s.ratio), atMost(s.startMs, promises.startMs)],
    ["idle, MiB", fixed(s.idleMiB, 1), fixed(s.nginxIdleMiB, 1), fixed(s.idleMiB / s.nginxIdleMiB), atMost(s.idleMiB, promises.idleMiB)],
  ]));
}

function printCommit() {
  const kinds = [
    ["disk as it is", report.commit.asItIs, null],
    ["fsync slowed by 5 ms", report.commit.slowDisk, promises.groupCommitSlowDisk],
  ].filter(([, result]) => result);
  if (kinds.length === 0) return;
  console.log("\nGroup commit on SQLite: acknowledged writes a second\n");
  console.log(table(["", "1 writer", "64 writers", "ratio", "promise"], kinds.map(([name, r, floor]) =>
    [name, whole(r.one), whole(r.many), fixed(r.ratio, 1), atLeast(r.ratio, floor)])));
}

// ---- all of it ----

async function main() {
  const pinned = ["taskset"];
  const chosen = cases.filter((row) => `${row.name}, ${row.store}`.includes(settings.only));
  if (tools.taskset !== null) await run(tools.taskset, ["-a", "-c", "-p", String(settings.loadCore), String(process.pid)]);
  await measure("start and memory", [...pinned, "nginx"], measureStart);
  for (const row of chosen) {
    const store = row.store === "postgresql" ? ["postgres", "initdb"] : [];
    const loader = row.follow || row.once ? "spend" : "wrk";
    await measure(`${row.name}, ${row.store}`, [...pinned, "nginx", loader, ...store], () => measureRow(row));
  }
  await measure("group commit", ["commit"], async () => (report.commit.asItIs = await asItIs()));
  await measure("group commit on a slow disk", ["commit", "slowDisk"], async () => (report.commit.slowDisk = await onSlowDisk()));
  printStart();
  printCases();
  printCommit();
  writeFileSync(join(root, "build/bench.json"), `${JSON.stringify(report, null, 2)}\n`);
  console.log(`\nwritten: build/bench.json${report.notMeasured.length > 0 ? `; ${report.notMeasured.length} not measured, see above` : ""}`);
  process.exit(report.notMeasured.length > 0 ? 1 : 0);
}

await main();
