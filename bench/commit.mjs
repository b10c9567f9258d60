// commit.mjs - group commit: the throughput of 64 writers relative to one.
import { makeFolder, run } from "./process.mjs";
import { root, settings, tools } from "./settings.mjs";

const slowMs = 5;

async function measure(environment) {
  const output = await run(tools.commit, [makeFolder(), String(settings.seconds)], {
    env: { ...process.env, ...environment },
    cwd: root,
  });
  const { one, many } = JSON.parse(output);
  return { one: one.per_second, many: many.per_second, writers: many.writers, ratio: many.per_second / one.per_second };
}

export const asItIs = () => measure({});
export const onSlowDisk = () => measure({ LD_PRELOAD: tools.slowDisk, DISK_FSYNC_MS: String(slowMs), DISK_PATH: "penchant.db" });
