// settings.mjs - environment variables, targets, and paths of tools.
import { accessSync, constants, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = join(dirname(fileURLToPath(import.meta.url)), "..");

function whole(name, otherwise) {
  const value = Number(process.env[name] ?? otherwise);
  if (!Number.isInteger(value) || value < 1) {
    console.error(`${name} must be a whole number above 0, not "${process.env[name]}"`);
    process.exit(2);
  }
  return value;
}

// Whole numbers separated by commas.
const list = (name, otherwise) => (process.env[name] ?? otherwise).split(",").map((text) => {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  console.error(`${name} must be whole numbers above 0 separated by commas, not "${process.env[name]}"`);
  process.exit(2);
}).sort((a, b) => a - b);

export const settings = {
  program: process.env.BENCH_PROGRAM ?? join(root, "build/penchant"),
  runs: whole("BENCH_RUNS", 3),
  seconds: whole("BENCH_SECONDS", 2), // of each run
  // Users in the measured stores, in ascending order.
  people: { sqlite: list("BENCH_PEOPLE", "1000,100000"), postgresql: list("BENCH_PEOPLE_POSTGRESQL", "1000,10000") },
  cacheMiB: whole("BENCH_CACHE", 64), // the setting `cache` of warm cases
  only: process.env.BENCH_ONLY ?? "", // cases whose name contains this
  peers: process.env.BENCH_PEERS !== "off", // whether to measure peers
  connections: 64,
  starts: 10,
  instructionRequests: whole("BENCH_INSTRUCTIONS", 300), // counted under callgrind
  serverCore: 0,
  loadCore: 1,
};

// Targets that do not belong to a single case.
export const targets = {
  startMs: 100, // at most
  idleMiB: 10, // at most
  mixedP99: 3, // p99 of reads with writes relative to reads alone, at most
  floodP99Ms: 250, // p99 of a refresh during a flood of sign-ups, at most
  tlsKept: 0.6, // requests over kept TLS connections relative to nginx, at least
  composition: { tokens: 100, instructions: 30_900 }, // of composing hints within this budget, at most
  groupCommitSlowDisk: 20, // 64 writers to 1, at least, when fsync takes 5 ms
};

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

// The path of a program, or null.
export function find(name, folders = []) {
  const path = [...folders, ...(process.env.PATH ?? "").split(":"), "/usr/sbin", "/usr/local/sbin"];
  for (const folder of path)
    if (folder !== "" && isProgram(join(folder, name))) return join(folder, name);
  return null;
}

export const tools = {
  taskset: find("taskset"),
  nginx: find("nginx"),
  openssl: find("openssl"),
  wrk: find("wrk"),
  valgrind: find("valgrind"),
  callgrindControl: find("callgrind_control"),
  postgres: find("postgres", ["/usr/lib/postgresql/15/bin"]),
  initdb: find("initdb", ["/usr/lib/postgresql/15/bin"]),
  commit: existsSync(join(root, "build/bench/commit")) ? join(root, "build/bench/commit") : null,
  compose: existsSync(join(root, "build/bench/compose")) ? join(root, "build/bench/compose") : null,
  load: existsSync(join(root, "build/bench/load")) ? join(root, "build/bench/load") : null,
  people: existsSync(join(root, "build/bench/people")) ? join(root, "build/bench/people") : null,
  slowDisk: existsSync(join(root, "build/preload/disk.so")) ? join(root, "build/preload/disk.so") : null,
};
