// instructions.mjs - how many instructions one request costs, and one composition of hints alone, counted by
// callgrind.
//
// The machine's speed and its neighbours do not change these numbers. The program is run twice, for N
// and for 2N requests over one connection (or compositions); the difference is free of start and end.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Conversation, requestBytes } from "./conversation.mjs";
import { makeFolder, run } from "./process.mjs";
import { sqliteStore, startPenchant } from "./servers.mjs";
import { settings, tools } from "./settings.mjs";

const callgrind = (file, ...more) => [tools.valgrind, "--tool=callgrind", `--callgrind-out-file=${file}`, "--quiet", ...more];

function countIn(file) {
  const total = readFileSync(file, "latin1").match(/^(?:totals|summary): (\d+)/m);
  if (!total) throw new Error("callgrind left no count");
  return Number(total[1]);
}

// ---- a request ----

async function count(store, requests, status, times, cache) {
  const file = join(makeFolder(), "callgrind.out");
  const server = await startPenchant(store, { under: callgrind(file), cache });
  const conversation = await Conversation.open(server.port);
  for (let i = 0; i < times; i++) {
    const answer = await conversation.ask(requestBytes(server.port, requests[i % requests.length]));
    if (answer.status !== status) throw new Error(`status ${answer.status} instead of ${status} under callgrind`);
  }
  conversation.close();
  await server.stop();
  return countIn(file);
}

export async function instructionsPerRequest(store, requests, status, cache) {
  const times = settings.instructionRequests;
  const once = await count(store, requests, status, times, cache);
  const twice = await count(store, requests, status, 2 * times, cache);
  return Math.round((twice - once) / times);
}

// ---- hints alone ----

const COMPOSITIONS = 20; // of each question: all cost the same

// Each call of the function leaves a count of its own: [{ question, count }, …].
async function countCompositions(store, times) {
  const file = join(makeFolder(), "callgrind.out");
  const under = callgrind(file, "--zero-before=compose_hints", "--dump-after=compose_hints");
  const [program, ...words] = [...under, tools.compose, store, "person0", String(times)];
  const lines = (await run(program, words)).trimEnd().split("\n");
  return lines.map((line, i) => ({ question: JSON.parse(line), count: countIn(`${file}.${i + 1}`) }));
}

// Of the first person of people.c, about whom 40 facts are known: compose.c.
export async function instructionsPerComposition() {
  const store = sqliteStore();
  await run(tools.people, [store, "1", "0", join(makeFolder(), "tokens")]);
  const once = await countCompositions(store, COMPOSITIONS);
  const twice = await countCompositions(store, 2 * COMPOSITIONS);
  return once.map(({ question, count }, i) => ({ ...question, instructions: Math.round((twice[i].count - count) / COMPOSITIONS) }));
}
