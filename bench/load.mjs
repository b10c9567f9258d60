// load.mjs - wrk on the other core: requests a second and latencies of one run.
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { requestBytes } from "./conversation.mjs";
import { makeFolder, run } from "./process.mjs";
import { settings, tools } from "./settings.mjs";

const script = join(dirname(fileURLToPath(import.meta.url)), "wrk.lua");

// Writes the requests for one port where wrk finds them, and returns the file.
export function writeRequests(port, requests) {
  const file = join(makeFolder({ anywhere: true }), "requests");
  const parts = requests.flatMap((request) => {
    const bytes = requestBytes(port, request);
    return [Buffer.from(`${bytes.length}\n`), bytes];
  });
  writeFileSync(file, Buffer.concat(parts));
  return file;
}

// { perSecond, p50, p99 } (milliseconds). Fails if any answer was not what it should be: a server
// that refuses is quick.
export async function load(port, requestsFile, status, seconds) {
  const output = await run(
    tools.taskset,
    ["-c", String(settings.loadCore), tools.wrk, "-t1", `-c${settings.connections}`, `-d${seconds}s`]
      .concat(["--timeout", "10s", "-s", script, `http://127.0.0.1:${port}/`]),
    { env: { ...process.env, BENCH_REQUESTS: requestsFile } },
  );
  const numbers = output.match(/^NUMBERS (.*)$/m)?.[1].split(" ").map(Number);
  if (!numbers) throw new Error(`wrk said: ${output}`);
  const [requests, microseconds, p50, p99, failures, broken] = numbers;
  const wrong = status < 400 ? failures : requests - failures;
  if (requests === 0 || wrong > 0 || broken > 0)
    throw new Error(`of ${requests} answers ${wrong} had another status than ${status}; ${broken} connections failed`);
  return { perSecond: requests / (microseconds / 1e6), p50: p50 / 1000, p99: p99 / 1000 };
}
