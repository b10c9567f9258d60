// flood.mjs - latency of refreshing tokens alone and while 64 connections sign up as fast as they can, with
// passwords that are slow to rate. Sign-ups beyond the queue for hashing get 503.
import { refreshes } from "./cases.mjs";
import { flood, load, writeRequests } from "./load.mjs";
import { post } from "./people.mjs";
import { population } from "./population.mjs";
import { startPenchant } from "./servers.mjs";
import { settings } from "./settings.mjs";
import { median } from "./table.mjs";

const signUps = () => Array.from({ length: 1000 }, (_, i) => post("/signup", { username: `flood${i}`, password: `aaaaaaaaaaaaaaaa${i}`.padEnd(64, "bB1!") }));

const summary = (runs) => ({ perSecond: median(runs.map((run) => run.perSecond)), p50: median(runs.map((run) => run.p50)), p99: median(runs.map((run) => run.p99)) });

// { store, people, alone, flooded: { perSecond, p50, p99 } }
export async function measureFlood(kind, size) {
  const people = await population(kind, size);
  const server = await startPenchant(people.store);
  const alone = [], flooded = [];
  const refresh = () => load(server.port, writeRequests(server.port, refreshes(people)), 200, settings.seconds, "refresh_token");
  try {
    const file = writeRequests(server.port, signUps());
    for (let i = 0; i < settings.runs; i++) {
      alone.push(await refresh());
      const flooding = flood(server.port, file, settings.seconds + 1);
      flooded.push(await refresh());
      await flooding;
    }
  } finally {
    await server.stop();
  }
  return { store: kind, people: size, alone: summary(alone), flooded: summary(flooded) };
}
