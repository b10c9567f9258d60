// Runs fuzz targets: in `make check` on fixed inputs, so that only changed code can fail; as a program
// (tests/fuzz/run) under libFuzzer for FUZZ_SECONDS (60) each, where inputs that reach new code are saved in
// build/fuzz-corpus for the next run. Inputs that make a target fail are saved in build/fuzz-findings.

import fs from "node:fs";
import path from "node:path";
import { LEAKS, sanitizers } from "./process.mjs";
import { conclude, execute, ROOT, runAll } from "./runner.mjs";

export const targets = () =>
  fs
    .readdirSync(path.join(ROOT, "tests/fuzz"))
    .filter((name) => name.endsWith("_fuzz.c"))
    .map((name) => name.slice(0, -"_fuzz.c".length))
    .sort();

const folder = (name, target) => path.join(ROOT, name, target);

function made(name) {
  fs.mkdirSync(name, { recursive: true });
  return name;
}

// How many changed inputs a target gets. Those of some targets take longer than those of others: a whole file of
// statements takes a hundred times as long.
const RUNS = 2000;
const FEWER_RUNS = { foreign_file: 200, hints: 800, tokenizer: 800 };

// As in `make check`: the seeds, and the same changes of them every time (tests/fuzz/replay.c).
export function replayTask(target) {
  const program = `build/check/fuzz/${target}`;
  return {
    group: "fuzz",
    name: `fuzz/${target}`,
    needs: [program],
    async run() {
      const finding = path.join(made(folder("build/fuzz-findings", target)), "replay");
      const args = [`${FEWER_RUNS[target] ?? RUNS}`, finding, folder("tests/fuzz/corpus", target)];
      const { status, late, out, err, cpu } = await execute(path.join(ROOT, program), args, { env: sanitizers(), within: 120_000 });
      const sound = status === 0 && !late && /^\d+ inputs$/m.test(out);
      return { passed: sound ? 1 : 0, failures: sound ? [] : [{ name: target, text: `${late ?? `status ${status}`}\n${err.slice(-12_000)}` }], cpu };
    },
  };
}

// libFuzzer for some seconds.
function fuzzTask(target, seconds) {
  return {
    group: "fuzz",
    name: `fuzz/${target}`,
    needs: [`build/fuzz/target/${target}`],
    async run() {
      const kept = made(folder("build/fuzz-corpus", target));
      const findings = made(folder("build/fuzz-findings", target));
      const seeds = folder("tests/fuzz/corpus", target);
      const dictionary = path.join(ROOT, `tests/fuzz/${target}.dict`);
      const args = [
        `-max_total_time=${seconds}`,
        "-timeout=20",
        "-rss_limit_mb=2048",
        `-detect_leaks=${LEAKS ? 1 : 0}`,
        "-print_final_stats=1",
        `-artifact_prefix=${findings}/`,
        ...(fs.existsSync(dictionary) ? [`-dict=${dictionary}`] : []),
        kept,
        ...(fs.existsSync(seeds) ? [seeds] : []),
      ];
      const result = await execute(path.join(ROOT, "build/fuzz/target", target), args, { env: sanitizers(), within: (seconds + 60) * 1000 });
      const runs = Number(/number_of_executed_units: (\d+)/.exec(result.err)?.[1] ?? 0);
      const sound = result.status === 0 && !result.late && runs > 0;
      if (sound) console.log(`     ${target}: ${runs} inputs`);
      const text = `${result.late ?? `status ${result.status}`}\n${result.err.slice(-12_000)}`;
      return { passed: sound ? 1 : 0, failures: sound ? [] : [{ name: target, text }], cpu: result.cpu };
    },
  };
}

if (process.argv[1]?.endsWith("fuzz.mjs")) {
  const wanted = process.argv.slice(2);
  const seconds = Number(process.env.FUZZ_SECONDS ?? 60);
  const chosen = targets().filter((name) => wanted.length === 0 || wanted.includes(name));
  conclude(await runAll(chosen.map((target) => fuzzTask(target, seconds))));
}
