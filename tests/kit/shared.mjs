// Runs tasks with shared resources: a PostgreSQL cluster, if a task uses PostgreSQL, and stores to copy.

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { Cluster, makeClusterData } from "./pg.mjs";
import { ROOT, runAll } from "./runner.mjs";
import { makeTemplates } from "./template.mjs";

const PROGRAM = `${ROOT}/build/check/penchant`;

const usesPostgres = ({ group }) => /PostgreSQL|both/.test(group);
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

export async function runShared(tasks, options) {
  const scratch = makeScratch();
  const cluster = tasks.some(usesPostgres) ? await startCluster(scratch) : undefined;
  try {
    const templates = tasks.some(usesStore) ? await makeTemplates(PROGRAM, cluster?.port) : {};
    return await runAll(tasks, { TMPDIR: scratch, ...templates, ...(cluster && { TEST_POSTGRES: `${cluster.port}` }) }, options);
  } finally {
    if (cluster) console.log(`     PostgreSQL server: ${cluster.cpuSeconds().toFixed(0)} s CPU`);
    await cluster?.end();
  }
}
