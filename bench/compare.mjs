// compare.mjs - one case: our program on a store of each size, nginx with the same requests and responses, and
// the peers of the case, alternating.
import { createReadStream, readFileSync } from "node:fs";
import { askKeptAlive } from "./conversation.mjs";
import { instructionsPerRequest } from "./instructions.mjs";
import { load, writeRequests } from "./load.mjs";
import { startPeers } from "./peers/peers.mjs";
import { population } from "./population.mjs";
import { startPostgres } from "./postgres.mjs";
import { cpuSeconds, forgetMost, memory } from "./process.mjs";
import { sqliteStore, startNginx, startPenchant } from "./servers.mjs";
import { settings } from "./settings.mjs";
import { median } from "./table.mjs";

// ---- our program on its stores ----

// Reads the store back into the kernel's page cache, so that the disk is not part of the comparison.
async function fetchStore(store) {
  if (!store.startsWith("sqlite:")) return;
  for await (const bytes of createReadStream(store.slice("sqlite:".length), { highWaterMark: 1 << 20 })) void bytes;
}

// { people, town, store, server, requests(), stop() }; a case without users has its own empty store.
async function openStore(row, people, cache) {
  const town = people === null ? null : await population(row.store, people);
  const postgres = town === null && row.store === "postgresql" ? await startPostgres() : null;
  const store = town?.store ?? postgres?.store ?? sqliteStore();
  await fetchStore(store).catch(() => {}); // an empty store does not exist yet
  const server = await startPenchant(store, { cache });
  const requests = async (from = server, count = undefined) => [typeof row.request === "function" ? await row.request(town, from, count) : row.request].flat();
  const stop = async () => {
    await server.stop();
    await postgres?.stop();
  };
  return { people, town, store, server, requests, stop };
}

async function onStores(row, cache, work) {
  const open = [];
  try {
    for (const people of row.people ? settings.people[row.store] : [null]) open.push(await openStore(row, people, cache));
    return await work(open);
  } finally {
    for (const { stop } of open) await stop();
  }
}

// ---- runs: (seconds) → the numbers of one run ----

async function loadOn(row, { server, requests }) {
  const { port } = server;
  // New requests for every run, prepared outside the measurement; the run lasts as long as they do.
  if (row.once) return async () => load(port, writeRequests(port, await requests()), row.status, "once");
  // If each connection has its own request, it continues where the last run ended.
  const file = writeRequests(port, await requests());
  return (seconds) => load(port, file, row.status, seconds, row.follow, row.connections);
}

// The number of file reads of the process so far. Sockets do not count.
const fileReads = (pid) => Number(readFileSync(`/proc/${pid}/io`, "latin1").match(/^syscr: (\d+)/m)[1]);

async function ours(row, side) {
  const run = await loadOn(row, side);
  forgetMost(side.server.pid);
  return async (seconds) => {
    const before = fileReads(side.server.pid);
    const cpu = cpuSeconds(side.server.pid);
    const numbers = await run(seconds);
    side.fileReads = (fileReads(side.server.pid) - before) / numbers.requests; // of the last run
    const perCpuSecond = numbers.requests / (cpuSeconds(side.server.pid) - cpu);
    return { ...numbers, perCpuSecond, memoryMiB: memory(side.server.pid).most };
  };
}

// nginx accepts repeated requests, so it gets the same ones, from the same load program.
function nginxs(row, nginx, requests) {
  const file = writeRequests(nginx.port, requests);
  return (seconds) => load(nginx.port, file, row.status, seconds, undefined, row.connections);
}

// ---- alternating ----

// nginx, ours, a peer, nginx, ours, a peer …: other load on the machine affects all of them.
async function interleaved(sides) {
  for (const side of sides) await side(1, { warmUp: true });
  const results = sides.map(() => []);
  for (let i = 0; i < settings.runs; i++)
    for (const [number, side] of sides.entries()) results[number].push(await side(settings.seconds));
  return results.map(summary);
}

// null for a side that failed.
function summary(runs) {
  if (runs.includes(null)) return null;
  const of = (key) => median(runs.map((each) => each[key]));
  const rates = runs.map((each) => each.perSecond);
  const spread = Math.max(...rates) / Math.min(...rates);
  return { perSecond: of("perSecond"), p50: of("p50"), p99: of("p99"), perCpuSecond: of("perCpuSecond"), spread, memoryMiB: runs.at(-1).memoryMiB };
}

// `times`: our rate relative to the peer's; `ratio`: the peer's relative to nginx with our response.
function beside(peers, results, mine, nginx) {
  return peers.flatMap(({ name, floor }, i) => {
    const theirs = results[i];
    return theirs === null ? [] : [{ name, ...theirs, times: mine.perSecond / theirs.perSecond, floor, ratio: theirs.perSecond / nginx.perSecond }];
  });
}

async function besidePeers(row, fewest, skip, work) {
  const peers = await startPeers(row, { ...fewest.server, prepared: fewest.town }, skip);
  try {
    return await work(peers);
  } finally {
    for (const { name, stop } of peers) await stop().catch((error) => skip(name, error.message));
  }
}

// The other request of the row, on the smallest store.
const otherSide = ({ beside }, [{ town, server }]) => ({ server, requests: async () => [beside.request(town)].flat() });

async function against(row, open, peers) {
  const asked = await open[0].requests();
  const answer = await askKeptAlive(open[0].server.port, asked[0], asked[1]);
  if (answer.status !== row.status) throw new Error(`answered ${answer.status} instead of ${row.status}`);
  const nginx = await startNginx(answer, asked[0]);
  try {
    const sides = [nginxs(row, nginx, asked)];
    for (const side of open) sides.push(await ours(row, side));
    const others = row.beside ? [await ours(row, otherSide(row, open))] : [];
    const [limit, ...all] = await interleaved([...sides, ...others, ...peers.map(({ run }) => run)]);
    const fewest = all[0];
    return open.map(({ people, fileReads: reads }, i) => ({
      people,
      fileReads: reads,
      bytes: answer.size,
      nginx: limit,
      penchant: all[i],
      ratio: all[i].perSecond / limit.perSecond,
      toFewest: all[i].perSecond / fewest.perSecond,
      peers: i === 0 ? beside(peers, all.slice(open.length + others.length), fewest, limit) : [],
      beside: i === 0 && row.beside ? { ...row.beside, ...all[open.length], instructions: null, times: fewest.perSecond / all[open.length].perSecond, cpuTimes: fewest.perCpuSecond / all[open.length].perCpuSecond } : null,
    }));
  } finally {
    await nginx.stop();
  }
}

// Measures one row, with a result for each size. `alsoCount` is called with the work of counting instructions,
// which may fail separately; `skip` is called for a peer that cannot be measured, with the reason.
export async function measureCase(row, { alsoCount, skip }) {
  const cache = row.cache ?? settings.cacheMiB;
  let open;
  const results = await onStores(row, cache, async (stores) => {
    open = stores;
    return besidePeers(row, stores[0], skip, (peers) => against(row, stores, peers));
  });
  const measured = results.map((result, i) => ({
    name: row.name,
    store: row.store,
    ...result,
    cacheMiB: cache,
    floor: result.people <= (row.floorUpTo ?? Infinity) ? row.floor ?? null : null,
    scale: i > 0 ? row.scale ?? null : null,
    instructions: null,
  }));
  if (row.store === "sqlite")
    for (const [i, { store, requests }] of open.entries())
      await alsoCount(async () => (measured[i].instructions = await instructionsPerRequest(store, row, requests, cache)));
  if (row.store === "sqlite" && row.beside)
    await alsoCount(async () => (measured[0].beside.instructions = await instructionsPerRequest(open[0].store, row, otherSide(row, open).requests, cache)));
  if (row.store === "sqlite" && row.part)
    await alsoCount(async () => (measured[0].part = { ...row.part, instructions: await instructionsPerRequest(open[0].store, row, open[0].requests, cache, row.part.functions) }));
  return measured;
}
