// load.mjs - load from the other core, by load.c: requests a second and latencies of one run.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { requestBytes } from "./conversation.mjs";
import { makeFolder, run } from "./process.mjs";
import { settings, tools } from "./settings.mjs";

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

const runLoad = (port, requestsFile, status, seconds, ...more) =>
  run(tools.taskset, ["-c", settings.loadCore, tools.load, port, settings.connections, status, requestsFile, seconds, ...more].map(String));

// { perSecond, p50, p99 } (milliseconds), from the line that it prints. Fails if any answer
// was not what it should be: a server that refuses is quick.
function numbersOf(output, status, name = "NUMBERS") {
  const numbers = output.match(new RegExp(`^${name} (.*)$`, "m"))?.[1].split(" ").map(Number);
  if (!numbers) throw new Error(`the load program said: ${output}`);
  const [requests, microseconds, p50, p99, wrong] = numbers;
  if (requests === 0 || wrong > 0) throw new Error(`of ${requests} answers ${wrong} had another status than ${status}`);
  return { requests, perSecond: requests / (microseconds / 1e6), p50: p50 / 1000, p99: p99 / 1000 };
}

// The requests in turn, again and again; each only once (seconds: "once"); or what an answer gives as `member` in the next.
export async function load(port, requestsFile, status, seconds, member) {
  return numbersOf(await runLoad(port, requestsFile, status, seconds, ...(member ? [member] : [])), status);
}

// The requests in turn, again and again, but each `every`-th is the next of the others' file, each once. The numbers
// of both, apart.
export async function loadWith(port, requestsFile, status, seconds, every, othersFile) {
  const output = await runLoad(port, requestsFile, status, seconds, "every", every, othersFile);
  return { usual: numbersOf(output, status), others: numbersOf(output, status, "OTHERS") };
}
