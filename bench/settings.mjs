// settings.mjs - what can be changed from outside, and which programs there are.
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

export const settings = {
  program: process.env.BENCH_PROGRAM ?? join(root, "build/penchant"),
  runs: whole("BENCH_RUNS", 5),
  seconds: whole("BENCH_SECONDS", 3), // of each run
  only: process.env.BENCH_ONLY ?? "", // cases whose name contains this
  connections: 64,
  starts: 10,
  instructionRequests: 1000,
  serverCore: 0,
  loadCore: 1,
};

// Promises that belong to no single case.
export const promises = {
  startMs: 100, // at most
  idleMiB: 15, // at most
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

// The full path of a program, or null.
export function find(name, folders = []) {
  const path = [...folders, ...(process.env.PATH ?? "").split(":"), "/usr/sbin", "/usr/local/sbin"];
  for (const folder of path)
    if (folder !== "" && isProgram(join(folder, name))) return join(folder, name);
  return null;
}

export const tools = {
  taskset: find("taskset"),
  wrk: find("wrk"),
  nginx: find("nginx"),
  valgrind: find("valgrind"),
  postgres: find("postgres", ["/usr/lib/postgresql/15/bin"]),
  initdb: find("initdb", ["/usr/lib/postgresql/15/bin"]),
  commit: existsSync(join(root, "build/bench/commit")) ? join(root, "build/bench/commit") : null,
  spend: existsSync(join(root, "build/bench/spend")) ? join(root, "build/bench/spend") : null,
  slowDisk: existsSync(join(root, "build/preload/disk.so")) ? join(root, "build/preload/disk.so") : null,
};
