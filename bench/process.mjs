// process.mjs - starts programs and always stops them; temporary directories.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { askOnce } from "./conversation.mjs";
import { root, tools } from "./settings.mjs";

const running = new Map(); // child → the signal that also stops its own children
const folders = new Set();

process.on("exit", () => {
  for (const [child, signal] of running) child.kill(signal);
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1));

// A directory on the project's disk (stores must not be measured in memory), or with `anywhere` one that
// another user can access.
export function makeFolder({ anywhere = false } = {}) {
  mkdirSync(join(root, "build"), { recursive: true });
  const folder = mkdtempSync(join(anywhere ? tmpdir() : join(root, "build"), "bench-"));
  folders.add(folder);
  return folder;
}

// Starts a program on one core. Returns { pid, ended: a promise, output() }.
export function start(core, program, args, { signal = "SIGTERM", ...options } = {}) {
  const child = spawn(tools.taskset, ["-c", String(core), program, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    ...options,
  });
  const started = { child, pid: child.pid, signal, output: "" };
  running.set(child, signal);
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (bytes) => (started.output = (started.output + bytes).slice(-4000)));
  started.ended = new Promise((resolve) =>
    child.once("close", (code, signal) => {
      running.delete(child);
      resolve({ code, signal });
    }),
  );
  return started;
}

// Asks a program to exit and waits; if it does not, kills it and reports that.
export async function stop(started, { seconds = 20 } = {}) {
  started.child.kill(started.signal);
  const late = Symbol("late");
  let timer;
  const patience = new Promise((resolve) => (timer = setTimeout(resolve, seconds * 1000, late)));
  const result = await Promise.race([started.ended, patience]);
  clearTimeout(timer);
  if (result !== late) return result;
  started.child.kill("SIGKILL");
  await started.ended;
  throw new Error(`process ${started.pid} did not end within ${seconds} s of ${started.signal}`);
}

// Runs a program to completion: returns its standard output, or an error with its standard error. With
// `showErrors`, standard error is shown immediately, for example a progress bar.
export async function run(program, args, { input = "", env = process.env, cwd = root, showErrors = false } = {}) {
  const child = spawn(program, args, { env, cwd, stdio: ["pipe", "pipe", showErrors ? "inherit" : "pipe"] });
  running.set(child, "SIGTERM");
  const output = { out: "", err: "" };
  child.stdout.on("data", (bytes) => (output.out += bytes));
  child.stderr?.on("data", (bytes) => (output.err += bytes));
  child.stdin.on("error", () => {}); // the program may ignore its input
  child.stdin.end(input);
  const code = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  running.delete(child);
  if (code !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${code}: ${output.err.trim().slice(-1000)}`);
  return output.out;
}

// Milliseconds from `since` until the port responds to the request.
export async function firstAnswer(started, port, request, { since = performance.now(), seconds = 30 } = {}) {
  let ended = false;
  started.ended.then(() => (ended = true));
  for (;;) {
    try {
      await askOnce(port, request);
      return performance.now() - since;
    } catch {
      if (ended) throw new Error(`the program ended instead of serving: ${started.output.trim()}`);
      if (performance.now() - since > seconds * 1000) throw new Error(`no answer within ${seconds} s: ${started.output.trim()}`);
      await new Promise(setImmediate);
    }
  }
}

function statusKiB(pid, key) {
  const line = readFileSync(`/proc/${pid}/status`, "latin1").split("\n").find((l) => l.startsWith(`${key}:`));
  return line ? parseInt(line.slice(key.length + 1), 10) : 0;
}

export function childrenOf(pid) {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) => {
    try {
      return readFileSync(`/proc/${pid}/task/${task}/children`, "latin1").split(" ").filter(Boolean).map(Number);
    } catch {
      return []; // the thread has exited meanwhile
    }
  });
}

// User and system time in seconds, fields 14 to 17 of /proc/PID/stat, of the process and its children; those that have
// ended are counted with the process.
export function cpuSeconds(pid) {
  const fieldsOf = (each) => readFileSync(`/proc/${each}/stat`, "latin1").replace(/^.*\) /, "").split(" ").slice(11, 15).map(Number);
  const own = fieldsOf(pid).reduce((sum, ticks) => sum + ticks, 0);
  const ofChildren = childrenOf(pid).map((child) => {
    try {
      const [user, system] = fieldsOf(child);
      return user + system;
    } catch {
      return 0; // it has ended meanwhile
    }
  });
  return ofChildren.reduce((sum, ticks) => sum + ticks, own) / 100;
}

// Resident memory of a process and its children in MiB: current, peak, and without pages of files, of which the kernel
// maps more or fewer depending on what else it has in memory.
export function memory(pid) {
  const pids = [pid, ...childrenOf(pid)];
  const sum = (key) => pids.reduce((total, each) => total + statusKiB(each, key), 0) / 1024;
  return { now: sum("VmRSS"), most: sum("VmHWM"), own: sum("RssAnon") };
}

// Resets the peak, after a preparation that hashes passwords.
export function forgetMost(pid) {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}
