// nodes.mjs - what a request costs with one, two, and three nodes on one PostgreSQL: processor time of the nodes and of the
// database, transactions, and statements; then instructions, counted by callgrind. With a free core for each node, also
// the rate; otherwise all share one core.
import { cpus } from "node:os";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cases } from "./cases.mjs";
import { callgrind } from "./instructions.mjs";
import { load, writeRequests } from "./load.mjs";
import { population } from "./population.mjs";
import { statementsOf } from "./postgres.mjs";
import { cpuSeconds, makeFolder, run } from "./process.mjs";
import { startPenchant } from "./servers.mjs";
import { settings, tools } from "./settings.mjs";

const KIND = "postgresql, counting";
const COUNTS = [1, 2, 3];
const MEASURED = ["hints, warm", "record, warm", "introspect, 1 token", "user info, 1 token", "hints, cold", "refresh", "preference write"];

const caseOf = (name) => cases.find((each) => each.store === "postgresql" && each.name === name);

const coreOf = (i) => (cpus().length >= COUNTS.at(-1) + 2 ? i + 2 : settings.serverCore);

// A connection reports its count when it ends, so this is called while no node runs.
const transactions = async (store) =>
  Number(await run("psql", [store, "-qAt", "-c", "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()"]));

// The requests of a case, in as many parts as there are nodes: a token that is used once goes to one node.
const part = (requests, i, count) => (requests.length === 1 ? requests : requests.filter((_, each) => each % count === i));

// Returns a function that sends for some seconds; requests that work once are sent once, or the first `most` of them.
async function sender(row, people, nodes, most = Infinity) {
  const requests = [await row.request(people, nodes[0])].flat().slice(0, row.once ? most : Infinity);
  const parts = nodes.map((_, i) => part(requests, i, nodes.length));
  const files = nodes.map(({ port }, i) => writeRequests(port, parts[i]));
  const connections = (i) => (row.follow ? parts[i].length : Math.floor(settings.connections / nodes.length));
  return async (seconds) => {
    const results = await Promise.all(nodes.map(({ port }, i) => load(port, files[i], row.status, row.once ? "once" : seconds, row.follow, connections(i))));
    return { requests: results.reduce((sum, each) => sum + each.requests, 0), perSecond: results.reduce((sum, each) => sum + each.perSecond, 0) };
  };
}

async function sendAll(row, people, nodes) {
  const send = await sender(row, people, nodes);
  const used = () => [nodes.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0), cpuSeconds(people.pid)];
  const first = row.once || row.follow ? { requests: 0 } : await send(1);
  const statements = await statementsOf(people.store);
  const before = used();
  const sent = await send(settings.seconds);
  const [nodesUs, databaseUs] = used().map((seconds, i) => ((seconds - before[i]) * 1e6) / sent.requests);
  const asked = (await statementsOf(people.store)) - statements;
  return { all: first.requests + sent.requests, perSecond: sent.perSecond, nodesUs, databaseUs, statements: asked / sent.requests };
}

async function measureOne(row, people, count) {
  const earlier = await transactions(people.store);
  const nodes = [];
  let result;
  try {
    for (let i = 0; i < count; i++) nodes.push(await startPenchant(people.store, { cache: row.cache, core: coreOf(i) }));
    result = await sendAll(row, people, nodes);
  } finally {
    for (const node of nodes) await node.stop();
  }
  const { all, ...measured } = result;
  return { name: row.name, count, ...measured, transactions: ((await transactions(people.store)) - earlier) / all };
}

// [{ name, count, perSecond, nodesUs, databaseUs, transactions, statements, ratio }], the ratio being that of processor time to one node's
export async function measureNodes(size) {
  const people = await population(KIND, size);
  const results = [];
  for (const name of MEASURED) {
    const row = caseOf(name);
    for (const count of COUNTS) {
      const result = await measureOne(row, people, count);
      const one = results.find((each) => each.name === name) ?? result;
      results.push({ ...result, ratio: (result.nodesUs + result.databaseUs) / (one.nodesUs + one.databaseUs) });
    }
  }
  return results;
}

// ---- instructions ----

const COUNTED = { seconds: 10, requests: 1024 };
const WARM = { seconds: 1, requests: 128 };
const PATIENT = ["--store-deadline", "60000"]; // callgrind makes nodes 50 times slower
const START_SECONDS = 300;

const later = (file) => callgrind(file, "--instr-atstart=no"); // counts nothing until it is told to
const tell = (nodes, ...what) => run(tools.callgrindControl, [...what, ...nodes.map(({ pid }) => String(pid))]);
const countIn = (file) => Number(readFileSync(file, "latin1").match(/^totals: (\d+)/m)[1]);

// callgrind adds ".1" to the name of the first file that it is told to write.
async function countSent(row, people, nodes, files) {
  await (await sender(row, people, nodes, WARM.requests))(WARM.seconds);
  const send = await sender(row, people, nodes, COUNTED.requests);
  await tell(nodes, "-i", "on");
  const statements = await statementsOf(people.store);
  const { requests } = await send(COUNTED.seconds);
  const asked = (await statementsOf(people.store)) - statements;
  await tell(nodes, "-i", "off");
  await tell(nodes, "-d");
  const instructions = files.reduce((sum, file) => sum + countIn(`${file}.1`), 0);
  return { instructions: instructions / requests, statementsCounted: asked / requests };
}

async function countOne(row, people, count) {
  const folder = makeFolder();
  const files = Array.from({ length: count }, (_, i) => join(folder, `node.${i}`));
  const nodes = [];
  try {
    for (const [i, file] of files.entries())
      nodes.push(await startPenchant(people.store, { under: later(file), cache: row.cache, core: coreOf(i), more: PATIENT, seconds: START_SECONDS }));
    return await countSent(row, people, nodes, files);
  } finally {
    for (const node of nodes) await node.stop();
  }
}

// Adds to the results of measureNodes() the instructions of the nodes per request, and how many statements they shared
// while these were counted.
export async function countNodes(results, size) {
  const people = await population(KIND, size);
  for (const result of results) Object.assign(result, await countOne(caseOf(result.name), people, result.count));
}
