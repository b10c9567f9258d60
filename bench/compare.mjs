// compare.mjs - one case: our program and nginx, the same questions, the same answer, in turns; and with
// them the peers that do the same.
import { askKeptAlive } from "./conversation.mjs";
import { instructionsPerRequest } from "./instructions.mjs";
import { load, writeRequests } from "./load.mjs";
import { startPeers } from "./peers/peers.mjs";
import { population } from "./population.mjs";
import { startPostgres } from "./postgres.mjs";
import { forgetMost, memory } from "./process.mjs";
import { sqliteStore, startNginx, startPenchant } from "./servers.mjs";
import { settings } from "./settings.mjs";
import { median } from "./table.mjs";

// A store of the case's own, or the one full of people that many share.
async function withStore({ store: kind, population: shared }, work) {
  if (shared) {
    const people = await population(kind);
    return work(people.store, people);
  }
  if (kind === "sqlite") return work(sqliteStore());
  const postgres = await startPostgres();
  try {
    return await work(postgres.store);
  } finally {
    await postgres.stop();
  }
}

// ---- what is sent: (seconds) → the numbers of one run ----

function sameAgain(row, port, requests) {
  const file = writeRequests(port, requests);
  return (seconds) => load(port, file, row.status, seconds);
}

// Each connection has a request of its own, which goes on where the last run ended.
function following(row, port, requests) {
  const file = writeRequests(port, requests);
  return (seconds) => load(port, file, row.status, seconds, row.follow);
}

// As long as the requests last: fresh ones for every run, made while nobody is measured.
function onceEach(row, port, fresh) {
  return async () => load(port, writeRequests(port, await fresh()), row.status, "once");
}

// nginx takes anything twice; it gets the same load program and requests of the same length.
async function runsOf(row, ours, nginx, requests, fresh) {
  if (row.follow) return [following(row, nginx.port, requests), following(row, ours.port, await fresh())];
  if (row.once) {
    const file = writeRequests(nginx.port, requests);
    return [(seconds) => load(nginx.port, file, row.status, seconds), onceEach(row, ours.port, fresh)];
  }
  return [sameAgain(row, nginx.port, requests), sameAgain(row, ours.port, requests)];
}

// ---- taking turns ----

// nginx, ours, a peer, nginx, ours, a peer …: what else the machine does meanwhile meets all.
async function interleaved(sides) {
  for (const side of sides) await side(1, { warmUp: true });
  const results = sides.map(() => []);
  for (let i = 0; i < settings.runs; i++)
    for (const [number, side] of sides.entries()) results[number].push(await side(settings.seconds));
  return results.map(summary);
}

// Of a side that broke down there is nothing to tell: null.
function summary(runs) {
  if (runs.includes(null)) return null;
  const of = (key) => median(runs.map((each) => each[key]));
  const rates = runs.map((each) => each.perSecond);
  return { perSecond: of("perSecond"), p50: of("p50"), p99: of("p99"), spread: Math.max(...rates) / Math.min(...rates), memoryMiB: runs.at(-1).memoryMiB };
}

// `times`: our rate to theirs; `ratio`: theirs to nginx's, which gives our answer.
function beside(peers, results, ours, nginx) {
  return peers.flatMap(({ name, floor }, i) => {
    const theirs = results[i];
    return theirs === null ? [] : [{ name, ...theirs, times: ours.perSecond / theirs.perSecond, floor, ratio: theirs.perSecond / nginx.perSecond }];
  });
}

async function against(row, ours, requests, fresh, peers) {
  const answer = await askKeptAlive(ours.port, requests[0], requests[1]);
  if (answer.status !== row.status) throw new Error(`answered ${answer.status} instead of ${row.status}`);
  const nginx = await startNginx(answer, requests[0]);
  try {
    const sides = [...(await runsOf(row, ours, nginx, requests, fresh)), ...peers.map(({ run }) => run)];
    const [theirs, mine, ...others] = await interleaved(sides);
    const ratio = mine.perSecond / theirs.perSecond;
    return { bytes: answer.size, nginx: theirs, penchant: mine, ratio, memoryMiB: memory(ours.pid).most, peers: beside(peers, others, mine, theirs) };
  } finally {
    await nginx.stop();
  }
}

async function besidePeers(row, world, skip, work) {
  const peers = await startPeers(row, world, skip);
  try {
    return await work(peers);
  } finally {
    for (const { name, stop } of peers) await stop().catch((error) => skip(name, error.message));
  }
}

// Everything about one row. `alsoCount` is given the work of counting instructions, which may fail by
// itself; `skip` is told of a peer that cannot be measured, and why.
export async function measureCase(row, { alsoCount, skip }) {
  const cache = row.cache ?? settings.cacheMiB;
  const result = { name: row.name, store: row.store, floor: row.floor ?? null, cacheMiB: cache, instructions: null };
  await withStore(row, async (store, people) => {
    const ours = await startPenchant(store, { cache });
    let requests;
    try {
      const prepared = people ?? (await row.prepare?.(ours));
      const fresh = async () => [typeof row.request === "function" ? await row.request(prepared, ours) : row.request].flat();
      requests = await fresh();
      await besidePeers(row, { ...ours, prepared }, skip, async (peers) => {
        forgetMost(ours.pid);
        Object.assign(result, await against(row, ours, requests, fresh, peers));
      });
    } finally {
      await ours.stop();
    }
    if (row.follow || row.once || row.store !== "sqlite") return;
    await alsoCount(async () => (result.instructions = await instructionsPerRequest(store, requests, row.status, cache)));
  });
  return result;
}
