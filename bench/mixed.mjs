// mixed.mjs - how long reads take while others write: the same reads alone, and beside connections that
// write durably. Reads and writes come from two load programs, so that only reads are in the percentile.
import { reads, writes } from "./cases.mjs";
import { load, spend, writeRequests } from "./load.mjs";
import { population } from "./population.mjs";
import { startPenchant } from "./servers.mjs";
import { settings } from "./settings.mjs";
import { median } from "./table.mjs";

const writers = Math.max(1, Math.round(settings.connections * 0.05)); // of 64 connections, 5 %
const WRITES_MOST = 20000; // as many different writes in a run

// { store, alone, beside: { perSecond, p50, p99 }, writesPerSecond, writeShare, ratio }
export async function measureMixed(kind) {
  const people = await population(kind);
  const server = await startPenchant(people.store);
  const alone = [], beside = [], written = [];
  try {
    const file = writeRequests(server.port, reads(people));
    const readers = settings.connections - writers;
    await load(server.port, file, 200, 1, readers);
    for (let i = 0; i < settings.runs; i++) {
      alone.push(await load(server.port, file, 200, settings.seconds, readers));
      const fresh = writeRequests(server.port, writes(WRITES_MOST)(people));
      const [read, wrote] = await Promise.all([
        load(server.port, file, 200, settings.seconds, readers),
        spend(server.port, fresh, 200, settings.seconds, undefined, writers),
      ]);
      beside.push(read);
      written.push(wrote.perSecond);
    }
  } finally {
    await server.stop();
  }
  const of = (runs, key) => median(runs.map((run) => run[key]));
  const summary = (runs) => ({ perSecond: of(runs, "perSecond"), p50: of(runs, "p50"), p99: of(runs, "p99") });
  const [first, second, writesPerSecond] = [summary(alone), summary(beside), median(written)];
  const writeShare = writesPerSecond / (writesPerSecond + second.perSecond);
  return { store: kind, alone: first, beside: second, writesPerSecond, writeShare, ratio: second.p99 / first.p99 };
}
