// Runs tasks with shared resources: a PostgreSQL cluster, if a task uses PostgreSQL, and stores to copy.

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { Cluster, cpuSeconds, makeClusterData } from "./pg.mjs";
import { environment, Program } from "./process.mjs";
import { ROOT, runAll } from "./runner.mjs";
import { makeTemplates } from "./template.mjs";
import { until } from "./until.mjs";

const PROGRAM = `${ROOT}/build/check/penchant`;

const usesPostgres = ({ group }) => /PostgreSQL|both|two-databases/.test(group);
const usesStore = ({ name }) => /^(api|assistants|browser|clients|fault)\//.test(name);

// Test data is in memory if a gigabyte is free there: PostgreSQL creates hundreds of files per database, and
// SQLite waits for the disk at each commit. Tests of the disk (fault) set TMPDIR themselves.
function makeScratch() {
  const { bavail, bsize } = fs.existsSync("/dev/shm") ? fs.statfsSync("/dev/shm") : { bavail: 0, bsize: 0 };
  const dir = fs.mkdtempSync(path.join(bavail * bsize > 2 ** 30 ? "/dev/shm" : os.tmpdir(), "penchant-run-"));
  fs.chmodSync(dir, 0o711); // PostgreSQL runs as another user
  process.on("exit", () => fs.rmSync(dir, { recursive: true, force: true }));
  return dir;
}

async function startCluster(under) {
  process.env.TEST_POSTGRES_DATA = await makeClusterData(under);
  return Cluster.start({ under });
}

// The process that starts the program for tests (kit/fork_server.c).
async function startForkServer(under) {
  const socket = path.join(under, "fork_server");
  const server = new Program(`${ROOT}/build/check/fork_server`, [socket], { env: environment() });
  await until("the fork server to listen", () => fs.existsSync(socket) || !server.alive, 60_000);
  if (!server.alive) throw new Error(`the fork server ended: ${server.err}`);
  return Object.assign(server, { socket });
}

export async function runShared(tasks, options) {
  const scratch = makeScratch();
  const cluster = tasks.some(usesPostgres) ? await startCluster(scratch) : undefined;
  const forks = tasks.some(usesStore) && !process.env.PENCHANT ? await startForkServer(scratch) : undefined;
  try {
    const templates = tasks.some(usesStore) ? await makeTemplates(PROGRAM, cluster?.port) : {};
    const shared = { TMPDIR: scratch, TEST_SCRATCH: scratch, ...templates, ...(cluster && { TEST_POSTGRES: `${cluster.port}` }), ...(forks && { TEST_FORK_SERVER: forks.socket }) };
    return await runAll(tasks, shared, options);
  } finally {
    if (forks) console.log(`     forked programs: ${cpuSeconds(forks.pid, 14, 17).toFixed(0)} s CPU`);
    if (cluster) console.log(`     PostgreSQL server: ${cluster.cpuSeconds().toFixed(0)} s CPU`);
    forks?.signal("SIGKILL");
    await cluster?.end();
  }
}
