// peers.mjs - what somebody would run instead, under the same load on the same core in the same run.
// A peer that is not installed is skipped with a line that says so.
import { load, writeRequests } from "../load.mjs";
import { memory } from "../process.mjs";
import { settings } from "../settings.mjs";
import { median } from "../table.mjs";
import { fastify } from "./fastify.mjs";
import { oidc } from "./oidc.mjs";

export const peers = [fastify, oidc];

// Why it cannot be measured here, or null.
export async function missing(peer) {
  for (const name of peer.modules)
    try {
      await import(name);
    } catch {
      return `${name} is not installed (npm ci in bench/)`;
    }
  return null;
}

// [{ peer, name, perSecond, p50, p99, memoryMiB, ours, ratio }]; `cases` are our own results of this run.
export async function measurePeer(peer, cases) {
  const server = await peer.start();
  const results = [];
  try {
    for (const { name, like } of peer.rows) {
      const file = writeRequests(server.port, server.requests[name]);
      await load(server.port, file, 200, 1);
      const runs = [];
      for (let i = 0; i < settings.runs; i++) runs.push(await load(server.port, file, 200, settings.seconds));
      const of = (key) => median(runs.map((run) => run[key]));
      const ours = cases.find((each) => each.name === like && each.store === "sqlite")?.penchant.perSecond ?? null;
      const perSecond = of("perSecond");
      results.push({ peer: peer.name, name, perSecond, p50: of("p50"), p99: of("p99"), memoryMiB: memory(server.pid).now, ours, ratio: ours && ours / perSecond });
    }
  } finally {
    await server.stop();
  }
  return results;
}
