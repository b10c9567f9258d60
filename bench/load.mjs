// load.mjs - load from the other core: requests a second and latencies of one run.
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { requestBytes } from "./conversation.mjs";
import { makeFolder, run } from "./process.mjs";
import { settings, tools } from "./settings.mjs";

const script = join(dirname(fileURLToPath(import.meta.url)), "wrk.lua");

// Writes the requests for one port where a load program finds them, and returns the file.
export function writeRequests(port, requests) {
  const file = join(makeFolder({ anywhere: true }), "requests");
  const parts = requests.flatMap((request) => {
    const bytes = requestBytes(port, request);
    return [Buffer.from(`${bytes.length}\n`), bytes];
  });
  writeFileSync(file, Buffer.concat(parts));
  return file;
}

const onItsCore = (program, args, env) => run(tools.taskset, ["-c", String(settings.loadCore), program, ...args], { env });

// { perSecond, p50, p99 } (milliseconds), from the line that both programs print. Fails if any answer
// was not what it should be: a server that refuses is quick.
function numbersOf(output, status, name = "NUMBERS") {
  const numbers = output.match(new RegExp(`^${name} (.*)$`, "m"))?.[1].split(" ").map(Number);
  if (!numbers) throw new Error(`the load program said: ${output}`);
  const [requests, microseconds, p50, p99, wrong, broken = 0] = numbers;
  if (requests === 0 || wrong > 0 || broken > 0)
    throw new Error(`of ${requests} answers ${wrong} had another status than ${status}; ${broken} connections failed`);
  return { perSecond: requests / (microseconds / 1e6), p50: p50 / 1000, p99: p99 / 1000 };
}

// wrk: the requests in turn, again and again.
export async function load(port, requestsFile, status, seconds) {
  const args = ["-t1", `-c${settings.connections}`, `-d${seconds}s`, "--timeout", "10s", "-s", script];
  const env = { ...process.env, BENCH_REQUESTS: requestsFile, BENCH_STATUS: String(status) };
  return numbersOf(await onItsCore(tools.wrk, [...args, `http://127.0.0.1:${port}/`], env), status);
}

const runSpend = (port, requestsFile, status, seconds, ...more) =>
  onItsCore(tools.spend, [port, settings.connections, status, requestsFile, seconds, ...more].map(String), process.env);

// spend.c: each request only once (seconds: "once"), or what an answer gives as `member` in the next.
export async function spend(port, requestsFile, status, seconds, member) {
  return numbersOf(await runSpend(port, requestsFile, status, seconds, ...(member ? [member] : [])), status);
}

// spend.c: the requests in turn, again and again, but each `every`-th is the next of the others' file, each once.
// The numbers of both, apart.
export async function spendWith(port, requestsFile, status, seconds, every, othersFile) {
  const output = await runSpend(port, requestsFile, status, seconds, "every", every, othersFile);
  return { usual: numbersOf(output, status), others: numbersOf(output, status, "OTHERS") };
}
