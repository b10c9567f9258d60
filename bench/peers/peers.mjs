// peers.mjs - other software for the same purpose, alternating with ours: same core, same load program, same
// minute. A peer that is not installed or fails is reported in one line and skipped.
//
// A peer is { name, missing(), start(what, world) }. missing() returns why it cannot be measured here, or
// null. start() returns { pid, port, requests, stop() } of a new server; its requests for `what` can be
// repeated and get 200. `world` is our running service, with `prepared`: what the row put into its store.
import { load, writeRequests } from "../load.mjs";
import { forgetMost, memory } from "../process.mjs";
import { settings } from "../settings.mjs";
import { glewlwyd } from "./glewlwyd.mjs";
import { fastify } from "./fastify.mjs";
import { oidc } from "./oidc.mjs";

export const peers = { glewlwyd, oidc, fastify };

const WARM_UP = 3; // times ours, because Node compiles code while it runs

// The runs of a peer, with the same load program. After a failure, every further run is null.
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

// [{ name, floor, run(seconds), stop() }] for the peers of the row that could be started.
export async function startPeers(row, world, skip) {
  const started = [];
  for (const [key, floor] of Object.entries((settings.peers && row.peers?.floors) || {})) {
    const { name } = peers[key];
    for (const peer of await startPeer(key, row, world, (why) => skip(name, why))) started.push({ name, floor, ...peer });
  }
  return started;
}
