// run.mjs - `make bench`: every measurement of README.md, printed as tables and written to build/bench.json.
// The exit status is 0 unless something could not be measured. A ratio below its target is marked but is not
// an error, because the machine may be busy.
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { cases } from "./cases.mjs";
import { asItIs, onSlowDisk } from "./commit.mjs";
import { measureCase } from "./compare.mjs";
import { instructionsPerComposition } from "./instructions.mjs";
import { measureFlood } from "./flood.mjs";
import { measureMixed } from "./mixed.mjs";
import { countNodes, measureNodes } from "./nodes.mjs";
import { endPopulations, populations } from "./population.mjs";
import { memory, run } from "./process.mjs";
import { measureTls } from "./tls.mjs";
import { sqliteStore, startNginx, startPenchant } from "./servers.mjs";
import { targets, root, settings, tools } from "./settings.mjs";
import { fixed, median, percent, table, whole } from "./table.mjs";

const report = { cpu: cpus()[0]?.model, cores: cpus().length, settings, cases: [], mixed: [], floods: [], nodes: [], populations: [], skipped: [], composition: [], tls: [], start: null, commit: {}, notMeasured: [] };

function notMeasured(what, why) {
  report.notMeasured.push({ what, why });
  console.log(`not measured: ${what}: ${why}`);
}

// Does the work if its tools are installed. Errors are reported, and the other measurements continue.
async function measure(what, needs, work) {
  const missing = needs.filter((name) => tools[name] === null);
  if (missing.length > 0) return notMeasured(what, `${missing.join(", ")} missing`);
  try {
    await work();
  } catch (error) {
    notMeasured(what, error.message);
  }
}

// Reports a missing peer, each reason only once.
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

// ---- reads with writes ----

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

async function measureFloods() {
  for (const store of ["sqlite", "postgresql"]) {
    const what = `refresh during a sign-up flood, ${store}`;
    if (!what.includes(settings.only)) continue;
    const needs = ["taskset", "load", "people", ...(store === "sqlite" ? [] : ["postgres", "initdb"])];
    await measure(what, needs, async () => report.floods.push(await measureFlood(store, settings.people[store][0])));
  }
}

async function measureNodeRows() {
  const what = "nodes on one PostgreSQL";
  const [size] = settings.people.postgresql;
  if (!what.includes(settings.only)) return;
  await measure(what, ["taskset", "load", "people", "postgres", "initdb"], async () => (report.nodes = await measureNodes(size)));
  await measure(`instructions of ${what}`, ["valgrind", "callgrindControl"], () => countNodes(report.nodes, size));
}

async function measureComposition() {
  const what = "composition of hints";
  if (what.includes(settings.only))
    await measure(what, ["valgrind", "compose", "people"], async () => (report.composition = await instructionsPerComposition()));
}

async function measureTlsRows() {
  const what = "TLS";
  if (what.includes(settings.only)) await measure(what, ["taskset", "nginx", "openssl", "wrk"], async () => (report.tls = await measureTls()));
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
  await new Promise((resolve) => setTimeout(resolve, 1000)); // memory of the startup has been released
  const { own } = memory(server.pid);
  await server.stop();
  return own;
}

async function measureStart() {
  const request = { path: "/healthz" };
  const store = sqliteStore();
  const first = await startPenchant(store); // creates the schema for later starts
  const answer = await first.ask(request);
  const idleMiB = await idleMemory(first);
  const nginxIdleMiB = await idleMemory(await startNginx(answer, request));
  const startMs = await starts(() => startPenchant(store));
  const nginxStartMs = await starts(() => startNginx(answer, request));
  report.start = { startMs, nginxStartMs, ratio: startMs / nginxStartMs, idleMiB, nginxIdleMiB };
}

// ---- output ----

function atLeast(value, floor) {
  if (floor === null) return "";
  return value >= floor ? `floor ${floor}` : `below the floor of ${floor}`;
}

function atMost(value, ceiling) {
  return value <= ceiling ? `ceiling ${ceiling}` : `above the ceiling of ${ceiling}`;
}

function printCases() {
  if (report.cases.length === 0) return;
  const headings = ["case", "store", "users", "bytes", "penchant/s", "nginx/s", "ratio", "to fewest", "p50 ms", "p99 ms", "nginx p50", "nginx p99", "instr/request", "file reads", "cache", "MiB", "target"];
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
  console.log(`\nStart to first response, median of ${settings.starts}; memory one second after the start\n`);
  console.log(table(["", "penchant", "nginx", "ratio", "target"], [
    ["start, ms", fixed(s.startMs, 1), fixed(s.nginxStartMs, 1), fixed(s.ratio), atMost(s.startMs, targets.startMs)],
    ["idle, MiB", fixed(s.idleMiB, 1), fixed(s.nginxIdleMiB, 1), fixed(s.idleMiB / s.nginxIdleMiB), atMost(s.idleMiB, targets.idleMiB)],
  ]));
}

function printCommit() {
  const kinds = [
    ["disk as it is", report.commit.asItIs, null],
    ["fsync slowed by 5 ms", report.commit.slowDisk, targets.groupCommitSlowDisk],
  ].filter(([, result]) => result);
  if (kinds.length === 0) return;
  console.log("\nGroup commit on SQLite: acknowledged writes per second\n");
  console.log(table(["", "1 writer", "64 writers", "ratio", "target"], kinds.map(([name, r, floor]) =>
    [name, whole(r.one), whole(r.many), fixed(r.ratio, 1), atLeast(r.ratio, floor)])));
}

function printTls() {
  if (report.tls.length === 0) return;
  console.log(`\nTLS with the same certificate (ECDSA P-256) and response; ${settings.connections} kept connections\n`);
  console.log(table(["", "penchant/s", "nginx/s", "ratio", "target"], report.tls.map((row, i) =>
    [row.name, whole(row.penchant), whole(row.nginx), fixed(row.ratio), i === 0 ? atLeast(row.ratio, targets.tlsKept) : ""])));
}

function printMixed() {
  if (report.mixed.length === 0) return;
  console.log("\nReads of hints alone, and with a durable write as every 20th request over the same connections\n");
  const headings = ["store", "users", "reads/s alone", "p50 ms", "p99 ms", "reads/s mixed", "p50 ms", "p99 ms", "writes/s", "p99 ms", "writes", "ratio", "target"];
  console.log(table(headings, report.mixed.map((m) => [
    m.store, whole(m.people), whole(m.alone.perSecond), fixed(m.alone.p50), fixed(m.alone.p99), whole(m.reads.perSecond), fixed(m.reads.p50), fixed(m.reads.p99),
    whole(m.writes.perSecond), fixed(m.writes.p99), percent(m.writeShare), fixed(m.ratio), atMost(m.ratio, targets.mixedP99),
  ])));
}

function printFloods() {
  if (report.floods.length === 0) return;
  console.log("\nRefreshing tokens alone, and while 64 other connections sign up as fast as they can\n");
  const headings = ["store", "users", "refreshes/s alone", "p50 ms", "p99 ms", "refreshes/s in the flood", "p50 ms", "p99 ms", "target"];
  console.log(table(headings, report.floods.map((f) => [
    f.store, whole(f.people), whole(f.alone.perSecond), fixed(f.alone.p50), fixed(f.alone.p99), whole(f.flooded.perSecond), fixed(f.flooded.p50), fixed(f.flooded.p99),
    atMost(f.flooded.p99, targets.floodP99Ms),
  ])));
}

function printNodes() {
  if (report.nodes.length === 0) return;
  console.log("\nOne, two, and three nodes on one PostgreSQL: processor time, transactions, statements, and instructions per request\n");
  const headings = ["case", "nodes", "requests/s", "µs of nodes", "µs of PostgreSQL", "to one node's", "transactions", "statements", "instr of nodes", "statements then"];
  console.log(table(headings, report.nodes.map((n) => [
    n.name, whole(n.count), whole(n.perSecond), fixed(n.nodesUs, 1), fixed(n.databaseUs, 1), fixed(n.ratio), fixed(n.transactions, 3), fixed(n.statements, 3),
    whole(n.instructions ?? null), fixed(n.statementsCounted ?? null, 3),
  ])));
}

// Composing hints: one row per format and context, one column per budget.
function printComposition() {
  if (report.composition.length === 0) return;
  const answers = report.composition.filter((a) => a.format !== null);
  const sets = report.composition.find((a) => a.format === null);
  const budgets = [...new Set(answers.map((a) => a.max_tokens))];
  const rows = [...new Set(answers.map((a) => `${a.format}\t${a.context ?? "none"}`))].map((row) => {
    const [format, context] = row.split("\t");
    const of = (budget) => answers.find((a) => a.format === format && (a.context ?? "none") === context && a.max_tokens === budget);
    return [format, context, ...budgets.map((budget) => whole(of(budget).instructions)), atMost(of(targets.composition.tokens).instructions, targets.composition.instructions)];
  });
  console.log(`\nComposing hints from hint sets (40 atoms), instructions; ${whole(sets.instructions)} of them read the hint sets\n`);
  console.log(table(["format", "context", ...budgets.map((budget) => `${budget} tokens`), `target at ${targets.composition.tokens}`], rows));
}

function printPeers() {
  const rows = report.cases.flatMap((c) => (c.peers ?? []).map((p) => [
    c.name, p.name, whole(p.perSecond), whole(c.penchant.perSecond), fixed(p.times, 1), fixed(p.p50), fixed(p.p99),
    fixed(c.penchant.p50), fixed(c.penchant.p99), percent(p.ratio), fixed(p.memoryMiB, 1), fixed(c.penchant.memoryMiB, 1), atLeast(p.times, p.floor),
  ]));
  if (rows.length === 0) return;
  console.log("\nPeers on the same core, alternating with ours on SQLite; ratio: our rate to the peer's\n");
  const headings = ["case", "peer", "its/s", "ours/s", "ratio", "p50 ms", "p99 ms", "ours p50", "ours p99", "of nginx", "MiB", "ours MiB", "target"];
  console.log(table(headings, rows));
}

function printBeside() {
  const rows = report.cases.filter((c) => c.beside).map(({ name, store, penchant, instructions, beside: b }) => {
    const costs = b.instructions === null ? null : instructions / b.instructions;
    return [
      name, store, b.what, whole(penchant.perSecond), whole(b.perSecond), fixed(b.times), fixed(b.cpuTimes), atLeast(b.cpuTimes, b.floor),
      whole(instructions), whole(b.instructions), fixed(costs), costs === null ? "" : atMost(costs, b.ceiling),
    ];
  });
  if (rows.length === 0) return;
  console.log("\nTwo requests of ours in the same runs\n");
  console.log(table(["case", "store", "beside", "its/s", "other/s", "ratio", "per CPU s", "target", "instr/request", "other", "ratio", "target"], rows));
}

function printParts() {
  const rows = report.cases.filter((c) => c.part).map(({ name, instructions, part }) => [
    name, part.what, whole(part.instructions), whole(instructions), percent(part.instructions / instructions), atMost(part.instructions / instructions, part.ceiling),
  ]);
  if (rows.length === 0) return;
  console.log("\nParts of a request, instructions\n");
  console.log(table(["case", "part", "its", "all", "share", "target"], rows));
}

function printPopulations() {
  for (const p of report.populations)
    console.log(`\n${p.store}: ${whole(p.people)} users with ${whole(p.atoms)} atoms, written in ${p.seconds} s; ${whole(p.bytesPerPerson)} bytes per user on disk`);
}

// ---- main ----

async function main() {
  const chosen = cases.filter((row) => `${row.name}, ${row.store}`.includes(settings.only));
  if (tools.taskset !== null) await run(tools.taskset, ["-a", "-c", "-p", String(settings.loadCore), String(process.pid)]);
  await measure("start and memory", ["taskset", "nginx"], measureStart);
  for (const row of chosen.filter(({ last }) => !last)) await measureRow(row);
  await measureBeside();
  await measureFloods();
  await measureNodeRows();
  for (const row of chosen.filter(({ last }) => last)) await measureRow(row);
  await measureComposition();
  await measureTlsRows();
  report.populations = await populations();
  await endPopulations();
  await measure("group commit", ["commit"], async () => (report.commit.asItIs = await asItIs()));
  await measure("group commit on a slow disk", ["commit", "slowDisk"], async () => (report.commit.slowDisk = await onSlowDisk()));
  printStart();
  printTls();
  printCases();
  printComposition();
  printMixed();
  printFloods();
  printNodes();
  printBeside();
  printParts();
  printPeers();
  printPopulations();
  printCommit();
  writeFileSync(join(root, "build/bench.json"), `${JSON.stringify(report, null, 2)}\n`);
  console.log(`\nwritten: build/bench.json${report.notMeasured.length > 0 ? `; ${report.notMeasured.length} not measured, see above` : ""}`);
  process.exit(report.notMeasured.length > 0 ? 1 : 0);
}

await main();
