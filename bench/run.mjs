// run.mjs - `make bench`: every measurement of README.md, printed as tables and written to
// build/bench.json. The status is 0 unless something could not be measured; a ratio below its floor
// is said plainly and is not an error, since a busy machine is not a defect.
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { cases } from "./cases.mjs";
import { asItIs, onSlowDisk } from "./commit.mjs";
import { measureCase } from "./compare.mjs";
import { instructionsPerComposition } from "./instructions.mjs";
import { measureMixed } from "./mixed.mjs";
import { endPopulations, populations } from "./population.mjs";
import { memory, run } from "./process.mjs";
import { sqliteStore, startNginx, startPenchant } from "./servers.mjs";
import { promises, root, settings, tools } from "./settings.mjs";
import { fixed, median, percent, table, whole } from "./table.mjs";

const report = { cpu: cpus()[0]?.model, cores: cpus().length, settings, cases: [], mixed: [], populations: [], skipped: [], composition: [], start: null, commit: {}, notMeasured: [] };

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

// Of a peer that is not here. The same about it is said only once, in one line.
function skip(what, whole) {
  const why = whole.trim().split("\n")[0];
  if (report.skipped.some((each) => each.what === what && each.why === why)) return;
  report.skipped.push({ what, why });
  console.log(`skipped: ${what}: ${why}`);
}

async function measureRow(row) {
  const store = row.store === "postgresql" ? ["postgres", "initdb"] : [];
  const needs = ["taskset", "nginx", "load", ...(row.people ? ["people"] : []), ...store];
  await measure(`${row.name}, ${row.store}`, needs, async () => {
    const alsoCount = (work) => measure(`instructions of ${row.name}`, ["valgrind"], work);
    const results = await measureCase(row, { alsoCount, skip });
    report.cases.push(...results);
    console.error(`  ${row.name}, ${row.store}: ${results.map(({ ratio }) => percent(ratio)).join(", ")} of nginx`);
  });
}

// ---- reads beside writes ----

async function measureBeside() {
  for (const store of ["sqlite", "postgresql"]) {
    const what = `reads beside writes, ${store}`;
    if (!what.includes(settings.only)) continue;
    const needs = ["taskset", "load", "people", ...(store === "sqlite" ? [] : ["postgres", "initdb"])];
    await measure(what, needs, async () => {
      for (const people of settings.people[store]) report.mixed.push(await measureMixed(store, people));
    });
  }
}

async function measureComposition() {
  const what = "composition of hints";
  if (what.includes(settings.only))
    await measure(what, ["valgrind", "compose", "people"], async () => (report.composition = await instructionsPerComposition()));
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
  const headings = ["case", "store", "people", "bytes", "penchant/s", "nginx/s", "ratio", "to fewest", "p50 ms", "p99 ms", "nginx p50", "nginx p99", "instr/request", "file reads", "cache", "MiB", "promise"];
  const rows = report.cases.map((c) => [
    c.name, c.store, whole(c.people), whole(c.bytes), whole(c.penchant.perSecond), whole(c.nginx.perSecond), percent(c.ratio), fixed(c.toFewest),
    fixed(c.penchant.p50), fixed(c.penchant.p99), fixed(c.nginx.p50), fixed(c.nginx.p99),
    whole(c.instructions), fixed(c.fileReads), whole(c.cacheMiB), fixed(c.penchant.memoryMiB, 1),
    [atLeast(c.ratio, c.floor), atLeast(c.toFewest, c.scale)].filter((text) => text !== "").join("; to fewest: "),
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

function printMixed() {
  if (report.mixed.length === 0) return;
  console.log("\nReads of hints alone, and with a durable write as every 20th request over the same connections\n");
  const headings = ["store", "people", "reads/s alone", "p50 ms", "p99 ms", "reads/s mixed", "p50 ms", "p99 ms", "writes/s", "p99 ms", "writes", "ratio", "promise"];
  console.log(table(headings, report.mixed.map((m) => [
    m.store, whole(m.people), whole(m.alone.perSecond), fixed(m.alone.p50), fixed(m.alone.p99), whole(m.reads.perSecond), fixed(m.reads.p50), fixed(m.reads.p99),
    whole(m.writes.perSecond), fixed(m.writes.p99), percent(m.writeShare), fixed(m.ratio), atMost(m.ratio, promises.mixedP99),
  ])));
}

// Composing hints alone: a row a format and context, a column a budget.
function printComposition() {
  if (report.composition.length === 0) return;
  const answers = report.composition.filter((a) => a.format !== null);
  const cards = report.composition.find((a) => a.format === null);
  const budgets = [...new Set(answers.map((a) => a.max_tokens))];
  const rows = [...new Set(answers.map((a) => `${a.format}\t${a.context ?? "none"}`))].map((row) => {
    const [format, context] = row.split("\t");
    const of = (budget) => answers.find((a) => a.format === format && (a.context ?? "none") === context && a.max_tokens === budget);
    return [format, context, ...budgets.map((budget) => whole(of(budget).instructions))];
  });
  console.log(`\nComposing hints from a person's cards (40 atoms), instructions; ${whole(cards.instructions)} of them read the cards\n`);
  console.log(table(["format", "context", ...budgets.map((budget) => `${budget} tokens`)], rows));
}

function printPeers() {
  const rows = report.cases.flatMap((c) => (c.peers ?? []).map((p) => [
    c.name, p.name, whole(p.perSecond), whole(c.penchant.perSecond), fixed(p.times, 1), fixed(p.p50), fixed(p.p99),
    fixed(c.penchant.p50), fixed(c.penchant.p99), percent(p.ratio), fixed(p.memoryMiB, 1), fixed(c.penchant.memoryMiB, 1), atLeast(p.times, p.floor),
  ]));
  if (rows.length === 0) return;
  console.log("\nOthers on the same core, in turns with ours on SQLite: ratio is ours to theirs\n");
  const headings = ["case", "peer", "its/s", "ours/s", "ratio", "p50 ms", "p99 ms", "ours p50", "ours p99", "of nginx", "MiB", "ours MiB", "promise"];
  console.log(table(headings, rows));
}

function printPopulations() {
  for (const p of report.populations)
    console.log(`\n${p.store}: ${whole(p.people)} people with ${whole(p.atoms)} atoms, written in ${p.seconds} s; ${whole(p.bytesPerPerson)} bytes a person on disk`);
}

// ---- all of it ----

async function main() {
  const chosen = cases.filter((row) => `${row.name}, ${row.store}`.includes(settings.only));
  if (tools.taskset !== null) await run(tools.taskset, ["-a", "-c", "-p", String(settings.loadCore), String(process.pid)]);
  await measure("start and memory", ["taskset", "nginx"], measureStart);
  for (const row of chosen.filter(({ last }) => !last)) await measureRow(row);
  await measureBeside();
  for (const row of chosen.filter(({ last }) => last)) await measureRow(row);
  await measureComposition();
  report.populations = await populations();
  await endPopulations();
  await measure("group commit", ["commit"], async () => (report.commit.asItIs = await asItIs()));
  await measure("group commit on a slow disk", ["commit", "slowDisk"], async () => (report.commit.slowDisk = await onSlowDisk()));
  printStart();
  printCases();
  printComposition();
  printMixed();
  printPeers();
  printPopulations();
  printCommit();
  writeFileSync(join(root, "build/bench.json"), `${JSON.stringify(report, null, 2)}\n`);
  console.log(`\nwritten: build/bench.json${report.notMeasured.length > 0 ? `; ${report.notMeasured.length} not measured, see above` : ""}`);
  process.exit(report.notMeasured.length > 0 ? 1 : 0);
}

await main();
