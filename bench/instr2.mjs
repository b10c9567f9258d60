// instructions.mjs - instructions per request, and per composition of hints, counted by callgrind.
//
// These numbers do not depend on the speed or load of the machine. The program runs twice, for N and for 2N
// requests (or compositions); the difference excludes start and shutdown.
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

// The next request, with the member that the case copies from the response.
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

// If responses are cached, only cache hits are counted.
async function ready(server, row, list, most, cache) {
  if (row.once || row.follow || cache === 0) return list;
  const few = list.slice(0, most);
  await askInTurn(server, row, few, few.length);
  return few;
}

// The same process prepares the requests over one connection, the same number for both runs, so that the cost
// of preparation cancels out.
async function count(store, row, requests, times, most, cache, functions) {
  const file = join(makeFolder(), "callgrind.out");
  const server = await startPenchant(store, { under: callgrind(file, ...functions.map((name) => `--toggle-collect=${name}`)), cache });
  try {
    const list = await ready(server, row, await requests({ ...server, width: 1 }, most), most, cache);
    await askInTurn(server, row, list, times);
  } finally {
    await server.stop();
  }
  return countIn(file);
}

// `requests` returns the requests for a running server. With `functions`, only what runs inside them is counted.
export async function instructionsPerRequest(store, row, requests, cache, functions = []) {
  const times = Math.min(row.counted ?? Infinity, settings.instructionRequests);
  const once = await count(store, row, requests, times, 2 * times, cache, functions);
  const twice = await count(store, row, requests, 2 * times, 2 * times, cache, functions);
  return Math.round((twice - once) / times);
}

// ---- hints alone ----

const COMPOSITIONS = 4; // per combination; all cost the same
const PEOPLE = 2;

// Each call of the function has its own count: [{ question, count }, …].
async function countCompositions(store, person, times) {
  const file = join(makeFolder(), "callgrind.out");
  const under = callgrind(file, "--zero-before=compose_hints", "--dump-after=compose_hints");
  const [program, ...words] = [...under, tools.compose, store, person, String(times)];
  const lines = (await run(program, words)).trimEnd().split("\n");
  return lines.map((line, i) => ({ question: JSON.parse(line), count: countIn(`${file}.${i + 1}`) }));
}

async function compositionsOf(store, person) {
  const once = await countCompositions(store, person, COMPOSITIONS);
  const twice = await countCompositions(store, person, 2 * COMPOSITIONS);
  return once.map(({ question, count }, i) => ({ ...question, instructions: (twice[i].count - count) / COMPOSITIONS }));
}

const mean = (values) => Math.round(values.reduce((sum, each) => sum + each, 0) / values.length);

// The means of the first users of people.c, who have 40 atoms each: what one user has of a context depends on chance.
export async function instructionsPerComposition() {
  const store = sqliteStore();
  await run(tools.people, [store, String(PEOPLE), "0", join(makeFolder(), "tokens")]);
  const each = [];
  for (let i = 0; i < PEOPLE; i++) each.push(await compositionsOf(store, `person${i}`));
  return each[0].map((one, i) => ({ ...one, instructions: mean(each.map((rows) => rows[i].instructions)), tokens: mean(each.map((rows) => rows[i].tokens)), bytes: mean(each.map((rows) => rows[i].bytes)) }));
}
