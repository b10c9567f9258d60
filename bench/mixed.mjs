// mixed.mjs - latency of reads while one request in twenty is a durable write: the same reads over the same
// connections, alone and mixed with writes. The percentiles include only reads.
import { reads, writes } from "./cases.mjs";
import { load, loadWith, writeRequests } from "./load.mjs";
import { population } from "./population.mjs";
import { startPenchant } from "./servers.mjs";
import { settings } from "./settings.mjs";
import { median } from "./table.mjs";

const EVERY = 20;
const WRITES_A_SECOND = 20000; // more than a run can send; each is sent once

const of = (runs, key) => median(runs.map((run) => run[key]));
const summary = (runs) => ({ perSecond: of(runs, "perSecond"), p50: of(runs, "p50"), p99: of(runs, "p99") });

// { store, people, alone, reads, writes: { perSecond, p50, p99 }, writeShare, ratio }, the ratio being that of the p99s
export async function measureMixed(kind, size) {
  const people = await population(kind, size);
  const server = await startPenchant(people.store);
  const alone = [], mixed = [];
  try {
    const file = writeRequests(server.port, reads(people));
    const fresh = (seconds) => writeRequests(server.port, writes(WRITES_A_SECOND * seconds)(people));
    const withWrites = (seconds) => loadWith(server.port, file, 200, seconds, EVERY, fresh(seconds));
    await load(server.port, file, 200, 1);
    await withWrites(1);
    for (let i = 0; i < settings.runs; i++) {
      alone.push(await load(server.port, file, 200, settings.seconds));
      mixed.push(await withWrites(settings.seconds));
    }
  } finally {
    await server.stop();
  }
  const [first, read, wrote] = [alone, mixed.map((run) => run.usual), mixed.map((run) => run.others)].map(summary);
  const writeShare = wrote.perSecond / (wrote.perSecond + read.perSecond);
  return { store: kind, people: size, alone: first, reads: read, writes: wrote, writeShare, ratio: read.p99 / first.p99 };
}
