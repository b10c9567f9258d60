// Runs tasks with what they share: a PostgreSQL cluster if one of them uses PostgreSQL, and stores to copy.

import { Cluster } from "./pg.mjs";
import { ROOT, runAll } from "./runner.mjs";
import { makeTemplates } from "./template.mjs";

const PROGRAM = `${ROOT}/build/check/penchant`;

const usesPostgres = ({ group }) => /PostgreSQL|both/.test(group);
const usesStore = ({ name }) => /^(api|browser|clients|fault)\//.test(name);

export async function runShared(tasks, options) {
  const cluster = tasks.some(usesPostgres) ? await Cluster.start() : undefined;
  try {
    const templates = tasks.some(usesStore) ? await makeTemplates(PROGRAM, cluster?.port) : {};
    return await runAll(tasks, { ...templates, ...(cluster && { TEST_POSTGRES: `${cluster.port}` }) }, options);
  } finally {
    if (cluster) console.log(`     PostgreSQL server: ${cluster.cpuSeconds().toFixed(0)} s CPU`);
    await cluster?.end();
  }
}
