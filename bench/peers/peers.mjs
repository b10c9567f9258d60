// peers.mjs - what somebody would run instead, measured in turns with ours: same core, same load program,
// same minute. A peer that is not here, or breaks down, is told in a line; the row goes on without it.
//
// A peer is { name, missing(), start(what, world) }. missing() tells why it cannot be measured here, or
// null. start() gives { pid, port, requests, stop() } of a fresh server, whose requests for `what` can be
// sent again and again and are answered with 200. `world` is our own service, running, with `prepared`:
// what the row has put into its store.
import { load, writeRequests } from "../load.mjs";
import { forgetMost, memory } from "../process.mjs";
import { settings } from "../settings.mjs";
import { glewlwyd } from "./glewlwyd.mjs";
import { fastify } from "./fastify.mjs";
import { oidc } from "./oidc.mjs";

export const peers = { glewlwyd, oidc, fastify };

const WARM_UP = 3; // times ours: what runs on Node is compiled while it runs

// Its runs, by the program that loads ours. One that fails has failed for good: null from then on.
function runsOf(row, server, tell) {
  const file = writeRequests(server.port, server.requests);
  let broken = false;
  return async (seconds, { warmUp = false } = {}) => {
    if (broken) return null;
    try {
      const numbers = await load(server.port, file, 200, warmUp ? WARM_UP * seconds : seconds);
      return { ...numbers, memoryMiB: memory(server.pid).most };
    } catch (error) {
      broken = true;
      tell(error.message);
      return null;
    }
  };
}

async function startPeer(key, row, world, tell) {
  const { missing, start } = peers[key];
  try {
    const why = await missing();
    if (why !== null) throw new Error(why);
    const server = await start(row.peers.what, world);
    forgetMost(server.pid);
    return [{ run: runsOf(row, server, tell), stop: server.stop }];
  } catch (error) {
    tell(error.message);
    return [];
  }
}

// [{ name, floor, run(seconds), stop() }] of the peers that the row names and that could be started.
export async function startPeers(row, world, skip) {
  const started = [];
  for (const [key, floor] of Object.entries((settings.peers && row.peers?.floors) || {})) {
    const { name } = peers[key];
    for (const peer of await startPeer(key, row, world, (why) => skip(name, why))) started.push({ name, floor, ...peer });
  }
  return started;
}
