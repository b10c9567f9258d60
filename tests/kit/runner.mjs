// Runs tasks (a unit test binary, a test file on one store, a fuzz target), a few at a time, and counts
// their tests. Used by tests/run, tests/soak, and tests/fuzz/run.

import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { createDatabase } from "./pg.mjs";
import { sanitizerReport, sanitizers } from "./process.mjs";

export const ROOT = path.resolve(fileURLToPath(import.meta.url), "../../..");
const REPORTER = path.join(ROOT, "tests/kit/reporter.mjs");
const FILES = path.join(ROOT, "tests/kit/files.mjs");
const END_OF_FILE = "end of file";

// One more than the number of cores, because most tests wait for a process or the disk. Tasks that do little but wait (`waits`)
// have another slot.
const SLOTS = Number(process.env.TEST_SLOTS ?? os.cpus().length + 1);

// ---- running one program ----

const children = new Set();
const endChild = (child) => {
  try {
    process.kill(-child.pid, "SIGKILL"); // with all it started: it leads a process group
  } catch {
    // it has exited
  }
};
process.on("exit", () => children.forEach(endChild));

// The shell that starts a program reports the CPU time of the program and all its descendants on descriptor 3.
const WITH_TIMES = '"$@" 3>&-; status=$?; times >&3; exit $status';

// The last line of `times`: user and system time of the children, each as 1m2.34s.
function cpuSeconds(times) {
  const found = [...(times.trim().split("\n").at(-1) ?? "").matchAll(/(\d+)m([\d.]+)s/g)];
  return found.reduce((sum, [, minutes, seconds]) => sum + 60 * Number(minutes) + Number(seconds), 0);
}

// Runs a program to its end: { out, err, status, signal, cpu }, and `late` with the reason if it had to be ended.
export function execute(file, args, { env = {}, within }) {
  return new Promise((resolve) => {
    const child = spawn("/bin/sh", ["-c", WITH_TIMES, "sh", file, ...args], {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe", "pipe"],
      detached: true,
    });
    children.add(child);
    const result = { out: "", err: "" };
    let times = "";
    child.stdio[3].setEncoding("utf8").on("data", (text) => (times += text));
    child.stdout.setEncoding("utf8").on("data", (text) => (result.out += text));
    child.stderr.setEncoding("utf8").on("data", (text) => (result.err += text));
    const timer = setTimeout(() => {
      result.late = `was ended after ${within / 1000} s`;
      endChild(child);
    }, within);
    child.on("error", (error) => resolve({ ...result, status: -1, late: error.message }));
    child.on("close", (status, signal) => {
      clearTimeout(timer);
      endChild(child); // what it left behind
      children.delete(child);
      resolve({ ...result, status, signal, cpu: cpuSeconds(times) });
    });
  });
}

const failure = (name, text) => ({ name, text });
const tail = (text, length = 12_000) => (text.length > length ? `…${text.slice(-length)}` : text);

const read = (file) => {
  if (!fs.existsSync(file)) return "";
  const text = fs.readFileSync(file, "utf8");
  fs.rmSync(file);
  return text.slice(0, text.lastIndexOf("\n") + 1); // a line may be cut when the process was ended
};

// ---- tasks ----

// Make targets that a test file needs.
const PROGRAMS = ["build/check/penchant", "build/check/fork_server", "build/check/launch", "build/penchant"];
const needsOf = (name) => {
  if (name.startsWith("oracle/")) return [...PROGRAMS, ...oracleProbes()];
  return name.startsWith("fault/") ? [...PROGRAMS, ...preloads()] : PROGRAMS;
};

// Most test files run for a second or two of CPU time, in which V8's optimizing compiler and the threads of its garbage
// collector cost more than they save. With a larger budget, only functions that run for long are optimized.
const NODE_FLAGS = ["--interrupt-budget=1000000", "--single-threaded-gc"];

let runs = 0;

// The results of a run of kit/files.mjs: the tests of each file that it has completed. A hook that fails at the end, or an
// error that nothing awaited, is reported after the last file, and counts as a test of it.
function readResults(results, count) {
  const done = Array.from({ length: count }, () => []);
  let at = 0;
  for (const line of read(results).split("\n").filter(Boolean)) {
    const test = JSON.parse(line);
    if (test.name === END_OF_FILE) at++;
    else done[Math.min(at, count - 1)].push(test);
  }
  return { tests: done, complete: at };
}

function resultOf(tests, problem, cpu) {
  const ran = tests.filter((test) => test.skipped === undefined);
  const failures = ran.filter((test) => !test.passed).map((test) => failure(test.name, test.error));
  if (problem && failures.length === 0) failures.push(failure("the file as a whole", problem));
  const skipped = tests.filter((test) => test.skipped !== undefined);
  return { passed: ran.filter((test) => test.passed).length, failures, skipped, tests: ran, cpu };
}

// Runs test files one after the other in one process. The reporter writes to a separate file, so that output cannot
// confuse it. The last result is that of the file in which the process failed, if it failed; files after it have none.
async function runFiles(files, env, within) {
  const results = path.join(os.tmpdir(), `penchant-results-${process.pid}-${++runs}`);
  const args = [...NODE_FLAGS, `--test-reporter=${REPORTER}`, `--test-reporter-destination=${results}`, FILES, END_OF_FILE, ...files];
  const ended = await execute(process.execPath, args, { env, within: within * files.length });
  const { tests, complete } = readResults(results, files.length);
  const failed = tests.flat().some((test) => test.passed === false);
  const broken = ended.late || complete < files.length || (ended.status !== 0 && !failed);
  const problem = broken && `${ended.late ?? `status ${ended.status}`}\n${tail(ended.out + ended.err)}`;
  const until = broken ? Math.min(complete, files.length - 1) + 1 : files.length;
  return tests.slice(0, until).map((one, i) => resultOf(one, i === until - 1 && problem, ended.cpu / until));
}

// A test file on one store. Tasks with the same `together` have the same `env` and run in one process, a few at a time.
export function fileTask(group, file, env, within = 300_000) {
  const name = path.relative(path.join(ROOT, "tests"), file).replace(/\.test\.mjs$/, "");
  const needs = needsOf(name);
  const run = async (shared) => (await runFiles([file], { ...shared, ...env }, within))[0];
  const runWith = (others, shared) => runFiles([file, ...others.map((task) => task.file)], { ...shared, ...env }, within);
  return { group, name, file, needs, run, runWith };
}

// A cmocka binary.
export function unitTask(group, binary, makeEnv = async () => ({})) {
  return {
    group,
    name: `unit/${binary.split("/unit/")[1]}`,
    needs: [path.relative(ROOT, binary)],
    async run(shared) {
      const env = {
        CMOCKA_MESSAGE_OUTPUT: "TAP",
        ...sanitizers(),
        ...(await makeEnv(shared)),
      };
      const result = await execute(binary, [], { env, within: 180_000 });
      const lines = (result.out + "\n" + result.err).split("\n");
      const skipped = lines.filter((line) => /^(not )?ok \d+.*# SKIP/i.test(line)).map((line) => ({ skipped: line }));
      const ran = lines.filter((line) => !/# SKIP/i.test(line));
      const passed = ran.filter((line) => /^ok \d+/.test(line)).length;
      const failures = ran.filter((line) => /^not ok \d+/.test(line)).map((line) => failure(line, ""));
      const whole = tail(result.out + result.err);
      if (failures.length > 0) failures[0].text = whole;
      const report = sanitizerReport(result.err);
      if (failures.length === 0 && (result.late || result.status !== 0 || report))
        failures.push(failure("the binary as a whole", `${result.late ?? `status ${result.status} ${result.signal ?? ""}`}\n${whole}`));
      if (passed === 0 && failures.length === 0) failures.push(failure("the binary as a whole", `no test ran\n${whole}`));
      return { passed, failures, skipped, cpu: result.cpu };
    },
  };
}

// Those that can use PostgreSQL get a database of their own each.
export function unitTasks(group, binaries, env = {}) {
  const freshDatabase = async ({ TEST_POSTGRES: port }) => ({
    ...env,
    PENCHANT_TEST_POSTGRES: `postgresql://penchant@127.0.0.1:${port}/${await createDatabase(Number(port))}`,
  });
  return [
    ...binaries.filter((binary) => !speaksPostgres(binary)).map((binary) => unitTask(group, binary, async () => env)),
    ...binaries.filter(speaksPostgres).map((binary) => unitTask(`${group} on both stores`, binary, freshDatabase)),
  ];
}

// A program that ends with a line "N passed, M failed".
export function countingTask(group, name, file, args = [], within = 180_000) {
  return {
    group,
    name,
    needs: [],
    async run() {
      const result = await execute(file, args, { within });
      const [, passed, failed] = /^(\d+) passed, (\d+) failed$/m.exec(result.out) ?? [];
      const sound = passed > 0 && failed === "0" && result.status === 0;
      const text = `${result.late ?? `status ${result.status}`}\n${tail(result.out + result.err)}`;
      const failures = Array.from({ length: sound ? 0 : Math.max(1, failed ?? 1) }, () => failure("see below", ""));
      if (!sound) failures[0].text = text;
      return { passed: Number(passed ?? 0), failures, skipped: [], cpu: result.cpu };
    },
  };
}

// A program that counts as one test, which passes with status 0.
export function exitCodeTask(group, name, file, ...args) {
  return {
    group,
    name,
    needs: [],
    async run() {
      const { status, late, out, err, cpu } = await execute(file, args, { within: 180_000 });
      const text = `${late ?? `status ${status}`}\n${tail(out + err)}`;
      return { passed: status === 0 ? 1 : 0, failures: status === 0 ? [] : [failure(name, text)], cpu };
    },
  };
}

// ---- all tasks ----

class Group {
  constructor(name) {
    Object.assign(this, { name, passed: 0, failed: 0, skipped: 0, left: 0, began: undefined, cpu: 0 });
  }

  get isEmpty() {
    return this.passed + this.failed === 0;
  }

  add({ passed, failures, skipped = [], cpu = 0 }) {
    this.passed += passed;
    this.failed += failures.length;
    this.skipped += skipped.length;
    this.cpu += cpu;
    this.left--;
  }
}

const seconds = (ms) => `${(ms / 1000).toFixed(0)} s`;
const times = (ms, cpu) => `${seconds(ms)}, ${cpu.toFixed(0)} s CPU`;

function printGroup(group) {
  const mark = group.failed > 0 || group.passed === 0 ? "FAIL" : "ok  ";
  const skipped = group.skipped > 0 ? `, ${group.skipped} skipped` : "";
  const failed = group.failed > 0 ? `, ${group.failed} failed` : "";
  const passed = `${group.passed}`.padStart(5);
  console.log(`${mark} ${group.name.padEnd(24)} ${passed} passed${failed}${skipped}  (${times(Date.now() - group.began, group.cpu)})`);
}

function printFailure(task, { name, text }) {
  console.log(`\n✗ ${task.group} · ${task.name}\n  ${name}\n${text.replace(/^/gm, "    ")}\n`);
}

// The share of the time since `before` (a result of os.cpus()) in which the processors of the machine were busy.
function busyShare(before) {
  const sum = (cpus, kinds) => cpus.reduce((total, { times }) => total + kinds.reduce((one, kind) => one + times[kind], 0), 0);
  const [busy, all] = [["user", "nice", "sys", "irq"], ["user", "nice", "sys", "irq", "idle"]].map((kinds) => sum(os.cpus(), kinds) - sum(before, kinds));
  return busy / all;
}

// Writes the times of every task to build/test-times.json and prints the slowest.
const SLOWEST = 10;

function printSlowest(done) {
  const slowest = [...done].sort((a, b) => b.ms - a.ms);
  fs.writeFileSync(path.join(ROOT, "build/test-times.json"), `${JSON.stringify(slowest, null, 1)}\n`);
  console.log("slowest files:");
  for (const { group, name, ms, cpu } of slowest.slice(0, SLOWEST)) console.log(`     ${name} (${group}): ${times(ms, cpu)}`);
}

// A test that failed while three others ran may have been too slow and not wrong. Its file runs again with the machine
// to itself, and must pass twice. The failure stays printed in full. Code that is wrong fails again; a report of a
// sanitizer counts at once, and if many files fail, all of them do.
const ALONE_MAX = 3;
const ALONE_TIMES = 2;

async function runAlone(failed, shared) {
  const isReported = ({ result: { failures } }) => failures.some(({ text }) => /sanitizer/i.test(text));
  if (failed.length > ALONE_MAX || failed.some(isReported)) return;
  for (const { task, result, group } of failed) {
    const again = [];
    while (again.length < ALONE_TIMES && again.every(({ failures }) => failures.length === 0)) again.push(await run(task, shared));
    const { passed, failures } = again.at(-1);
    failures.forEach((one) => printFailure(task, one));
    if (failures.length > 0) continue;
    group.passed += passed - result.passed;
    group.failed -= result.failures.length;
    console.log(`unsteady: ${task.name} (${task.group}) failed beside other tests and passed ${ALONE_TIMES} times alone`);
  }
}

// Node's start, and loading and compiling the test kit, take longer than most test files.
const TOGETHER = 9;

function takeTogether(queue) {
  const [first] = queue;
  let count = Math.min(1, queue.length);
  while (first?.together && count < TOGETHER && queue[count]?.together === first.together) count++;
  return queue.splice(0, count);
}

const runTogether = async ([first, ...others], shared) => (others.length > 0 ? first.runWith(others, shared) : [await run(first, shared)]);

const run = (task, shared) => task.run(shared).catch((error) => ({ passed: 0, failures: [failure("the task", error.stack)] }));

// Runs the tasks, prints failures in full and one line per group; returns { passed, failed }.
export async function runAll(tasks, shared = {}, { partial = false, again = false } = {}) {
  const groups = new Map();
  for (const { group } of tasks) {
    if (!groups.has(group)) groups.set(group, new Group(group));
    groups.get(group).left++;
  }
  const [waiting, busy] = [tasks.filter(({ waits }) => waits), tasks.filter(({ waits }) => !waits)];
  const done = [];
  const failed = [];
  const cpus = os.cpus();
  const record = (task, result, ms) => {
    const group = groups.get(task.group);
    done.push({ group: task.group, name: task.name, ms, cpu: result.cpu ?? 0, passed: result.passed, tests: result.tests });
    group.add(result);
    for (const one of result.skipped ?? []) if (one.why) console.log(`     skipped: ${task.name}: ${one.skipped} (${one.why})`);
    result.failures.forEach((one) => printFailure(task, one));
    if (result.failures.length > 0) failed.push({ task, result, group });
    if (group.left === 0 && group.failed === 0 && !(partial && group.isEmpty)) printGroup(group);
  };
  const slot = async (queue) => {
    for (let tasks; (tasks = takeTogether(queue)).length > 0; ) {
      const began = Date.now();
      groups.get(tasks[0].group).began ??= began;
      const results = await runTogether(tasks, shared);
      results.forEach((result, i) => record(tasks[i], result, (Date.now() - began) / results.length));
      queue.unshift(...tasks.slice(results.length)); // those that the process did not reach
    }
  };
  const slots = Array.from({ length: SLOTS }, async () => (await slot(busy), slot(waiting)));
  await Promise.all([...slots, slot(waiting)]);
  const withFailures = new Set(failed.map(({ group }) => group));
  if (again) await runAlone(failed, shared);
  withFailures.forEach(printGroup);
  if (done.length > SLOWEST) {
    printSlowest(done);
    console.log(`     processors busy: ${(100 * busyShare(cpus)).toFixed(0)} %`);
  }

  const all = [...groups.values()];
  return {
    passed: all.reduce((sum, group) => sum + group.passed, 0),
    // A group in which nothing ran is a failure, unless only a part of it was selected.
    failed: all.reduce((sum, group) => sum + group.failed + (!partial && group.isEmpty ? 1 : 0), 0),
  };
}

// The last line, and the exit status.
export function conclude({ passed, failed }) {
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed === 0 && passed > 0 ? 0 : 1);
}

// ---- tests of the project ----

export const testFiles = (folder) =>
  fs
    .readdirSync(path.join(ROOT, "tests", folder))
    .filter((name) => name.endsWith(".test.mjs"))
    .sort()
    .map((name) => path.join(ROOT, "tests", folder, name));

const sourcesIn = (folder, ending) =>
  fs
    .readdirSync(path.join(ROOT, "tests", folder))
    .filter((name) => name.endsWith(ending))
    .map((name) => name.slice(0, -".c".length));

const oracleProbes = () => sourcesIn("oracle", "_probe.c").map((name) => `build/check/oracle/${name}`);
const preloads = () => sourcesIn("fault", ".c").map((name) => `build/preload/${name}.so`);

// Unit test binaries of a kind of build, by their sources: a binary without source is not run.
export function unitBinaries(kind) {
  const sources = path.join(ROOT, "tests/unit");
  if (!fs.existsSync(sources)) return [];
  return fs
    .readdirSync(sources)
    .filter((room) => fs.statSync(path.join(sources, room)).isDirectory())
    .flatMap((room) =>
      fs
        .readdirSync(path.join(sources, room))
        .filter((name) => name.endsWith("_test.c"))
        .map((name) => path.join(ROOT, "build", kind, "unit", room, name.slice(0, -2))),
    );
}

// A source of a test with the headers of tests/ that it includes.
function sourceOf(file) {
  const text = fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "";
  const included = [...text.matchAll(/^#include "([^"]+)"/gm)].flatMap(([, name]) => [path.join(ROOT, "tests", name), path.join(path.dirname(file), name)]);
  return [text, ...included.filter((header) => fs.existsSync(header)).map(sourceOf)].join("\n");
}

// Those that can use PostgreSQL: their source contains the name of the variable.
const speaksPostgres = (binary) => sourceOf(path.join(ROOT, "tests/unit", `${binary.split("/unit/")[1]}.c`)).includes("PENCHANT_TEST_POSTGRES");
