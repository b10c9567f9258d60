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

// The request after that answer, if there is something in it to go on with.
function following(request, { body }, member) {
  const fields = new URLSearchParams(request.body);
  fields.set(member, JSON.parse(body)[member]);
  return { ...request, body: fields.toString() };
}

async function askInTurn(server, row, list, times) {
  const conversation = await Conversation.open(server.port);
  let request = list[0];
  for (let i = 0; i < times; i++) {
    const answer = await conversation.ask(requestBytes(server.port, request));
    if (answer.status !== row.status) throw new Error(`status ${answer.status} instead of ${row.status} under callgrind`);
    request = row.follow ? following(request, answer, row.follow) : list[(i + 1) % list.length];
  }
  conversation.close();
}

// Where answers are kept, those counted are all kept already: nobody's first.
async function ready(server, row, list, most, cache) {
  if (row.once || row.follow || cache === 0) return list;
  const few = list.slice(0, most);
  await askInTurn(server, row, few, few.length);
  return few;
}

// What the requests need to be made is done by the same process, over one connection so that it costs the same
// each time, and as often whether all of them are sent then or half.
async function count(store, row, requests, times, most, cache) {
  const file = join(makeFolder(), "callgrind.out");
  const server = await startPenchant(store, { under: callgrind(file), cache });
  try {
    const list = await ready(server, row, await requests({ ...server, width: 1 }, most), most, cache);
    await askInTurn(server, row, list, times);
  } finally {
    await server.stop();
  }
  return countIn(file);
}

// `requests` makes them, given a server.
export async function instructionsPerRequest(store, row, requests, cache) {
  const times = Math.min(row.counted ?? Infinity, settings.instructionRequests);
  const once = await count(store, row, requests, times, 2 * times, cache);
  const twice = await count(store, row, requests, 2 * times, 2 * times, cache);
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
