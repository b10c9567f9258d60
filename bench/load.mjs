// load.mjs - runs load.c on the other core: requests per second and latencies of one run.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { requestBytes } from "./conversation.mjs";
import { makeFolder, run } from "./process.mjs";
import { settings, tools } from "./settings.mjs";

// Writes the requests for one port to a file for the load program, and returns its path.
export function writeRequests(port, requests) {
  const file = join(makeFolder({ anywhere: true }), "requests");
  const parts = requests.flatMap((request) => {
    const bytes = requestBytes(port, request);
    return [Buffer.from(`${bytes.length}\n`), bytes];
  });
  writeFileSync(file, Buffer.concat(parts));
  return file;
}

const runLoad = (port, requestsFile, status, seconds, ...more) => runLoadOver(settings.connections, port, requestsFile, status, seconds, ...more);

const runLoadOver = (connections, port, requestsFile, status, seconds, ...more) =>
  run(tools.taskset, ["-c", settings.loadCore, tools.load, port, connections, status, requestsFile, seconds, ...more].map(String), { showErrors: true });

// { perSecond, p50, p99 } (milliseconds), from the line that it prints. Fails if any response had the wrong
// status or another body than the first, because errors are fast.
function numbersOf(output, status, name = "NUMBERS") {
  const numbers = output.match(new RegExp(`^${name} (.*)$`, "m"))?.[1].split(" ").map(Number);
  if (!numbers) throw new Error(`the load program said: ${output}`);
  const [requests, microseconds, p50, p99, wrong] = numbers;
  if (requests === 0 || wrong > 0) throw new Error(`of ${requests} answers ${wrong} had another status than ${status} or another body than the first`);
  return { requests, perSecond: requests / (microseconds / 1e6), p50: p50 / 1000, p99: p99 / 1000 };
}

// Sends the requests repeatedly, or each once (seconds: "once"), or with `member` of each response in the next request.
export async function load(port, requestsFile, status, seconds, member, connections = settings.connections) {
  return numbersOf(await runLoadOver(connections, port, requestsFile, status, seconds, ...(member ? [member] : [])), status);
}

// Sends the requests repeatedly, but each `every`-th is the next of the other file, each once. Returns the numbers
// of both separately.
export async function loadWith(port, requestsFile, status, seconds, every, othersFile) {
  const output = await runLoad(port, requestsFile, status, seconds, "every", every, othersFile);
  return { usual: numbersOf(output, status), others: numbersOf(output, status, "OTHERS") };
}

// Sends the requests repeatedly, whatever the responses are.
export const flood = (port, requestsFile, seconds) => runLoad(port, requestsFile, 303, seconds);
