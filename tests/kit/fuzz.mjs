// Runs each fuzz target on its seed corpus and then on generated inputs: in `make check` the same number of the
// same inputs every time, so that only changed code can fail. As a program (tests/fuzz/run): every target for
// FUZZ_SECONDS (60) with new inputs; those that reach new code are saved in build/fuzz-corpus for the next run.
// Inputs that make a target fail are saved in build/fuzz-findings.

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

const REPEATABLE = ["-seed=1", "-runs=10000", "-max_total_time=5"];

// Without `seconds`: as in `make check`.
export function fuzzTask(target, seconds) {
  return {
    group: "fuzz",
    name: `fuzz/${target}`,
    needs: [`build/fuzz/target/${target}`],
    async run() {
      const folder = (name) => path.join(ROOT, name, target);
      const [kept, findings, seeds] = [seconds ? "build/fuzz-corpus" : "build/fuzz-check", "build/fuzz-findings", "tests/fuzz/corpus"].map(folder);
      if (!seconds) fs.rmSync(kept, { recursive: true, force: true });
      fs.mkdirSync(kept, { recursive: true });
      fs.mkdirSync(findings, { recursive: true });
      const dictionary = path.join(ROOT, `tests/fuzz/${target}.dict`);
      const args = [
        ...(seconds ? [`-max_total_time=${seconds}`] : REPEATABLE),
        "-timeout=20",
        "-rss_limit_mb=2048",
        `-detect_leaks=${LEAKS ? 1 : 0}`,
        "-print_final_stats=1",
        `-artifact_prefix=${findings}/`,
        ...(fs.existsSync(dictionary) ? [`-dict=${dictionary}`] : []),
        kept,
        ...(fs.existsSync(seeds) ? [seeds] : []),
      ];
      const result = await execute(path.join(ROOT, "build/fuzz/target", target), args, { env: sanitizers(), within: ((seconds ?? 5) + 60) * 1000 });
      const runs = Number(/number_of_executed_units: (\d+)/.exec(result.err)?.[1] ?? 0);
      const sound = result.status === 0 && !result.late && runs > 0;
      if (sound && seconds >= 10) console.log(`     ${target}: ${runs} inputs`);
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
