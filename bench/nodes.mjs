// nodes.mjs - what a request costs with one, two, and three nodes on one PostgreSQL: processor time of the nodes and of the
// database, and transactions. With a free core for each node, also the rate; otherwise all share one core.
import { cpus } from "node:os";
import { cases } from "./cases.mjs";
import { load, writeRequests } from "./load.mjs";
import { population } from "./population.mjs";
import { cpuSeconds, run } from "./process.mjs";
import { startPenchant } from "./servers.mjs";
import { settings } from "./settings.mjs";

const COUNTS = [1, 2, 3];
const MEASURED = ["hints, warm", "record, warm", "introspect, 1 token", "user info, 1 token", "hints, cold", "refresh", "preference write"];

const coreOf = (i) => (cpus().length >= COUNTS.at(-1) + 2 ? i + 2 : settings.serverCore);

// A connection reports its count when it ends, so this is called while no node runs.
const transactions = async (store) =>
  Number(await run("psql", [store, "-qAt", "-c", "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()"]));

// The requests of a case, in as many parts as there are nodes: a token that is used once goes to one node.
const part = (requests, i, count) => (requests.length === 1 ? requests : requests.filter((_, each) => each % count === i));

async function sendAll(row, people, nodes) {
  const requests = [await row.request(people, nodes[0])].flat();
  const parts = nodes.map((_, i) => part(requests, i, nodes.length));
  const files = nodes.map(({ port }, i) => writeRequests(port, parts[i]));
  const connections = (i) => (row.follow ? parts[i].length : Math.floor(settings.connections / nodes.length));
  const send = async (seconds) => {
    const results = await Promise.all(nodes.map(({ port }, i) => load(port, files[i], row.status, row.once ? "once" : seconds, row.follow, connections(i))));
    return { requests: results.reduce((sum, each) => sum + each.requests, 0), perSecond: results.reduce((sum, each) => sum + each.perSecond, 0) };
  };
  const used = () => [nodes.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0), cpuSeconds(people.pid)];
  const first = row.once || row.follow ? { requests: 0 } : await send(1);
  const before = used();
  const sent = await send(settings.seconds);
  const [nodesUs, databaseUs] = used().map((seconds, i) => ((seconds - before[i]) * 1e6) / sent.requests);
  return { all: first.requests + sent.requests, perSecond: sent.perSecond, nodesUs, databaseUs };
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

// [{ name, count, perSecond, nodesUs, databaseUs, transactions, ratio }], the ratio being that of processor time to one node's
export async function measureNodes(size) {
  const people = await population("postgresql", size);
  const results = [];
  for (const name of MEASURED) {
    const row = cases.find((each) => each.store === "postgresql" && each.name === name);
    for (const count of COUNTS) {
      const result = await measureOne(row, people, count);
      const one = results.find((each) => each.name === name) ?? result;
      results.push({ ...result, ratio: (result.nodesUs + result.databaseUs) / (one.nodesUs + one.databaseUs) });
    }
  }
  return results;
}
