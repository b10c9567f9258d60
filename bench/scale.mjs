// scale.mjs - what a read costs when there are many more people: the same questions to stores of different
// sizes, in turns, every request about somebody else and with nothing kept in memory.
import { createReadStream, readFileSync } from "node:fs";
import { coldReads } from "./cases.mjs";
import { askKeptAlive } from "./conversation.mjs";
import { instructionsPerRequest } from "./instructions.mjs";
import { load, writeRequests } from "./load.mjs";
import { population } from "./population.mjs";
import { memory } from "./process.mjs";
import { startNginx, startPenchant } from "./servers.mjs";
import { settings, tools } from "./settings.mjs";
import { median } from "./table.mjs";

// How often the process has read from a file so far. Sockets are not counted.
const fileReads = (pid) => Number(readFileSync(`/proc/${pid}/io`, "latin1").match(/^syscr: (\d+)/m)[1]);

// What the system has dropped from its memory meanwhile is fetched again: the disk is not what is compared.
async function fetchStore({ store }) {
  if (!store.startsWith("sqlite:")) return;
  for await (const bytes of createReadStream(store.slice("sqlite:".length), { highWaterMark: 1 << 20 })) void bytes;
}

async function openSize(kind, people) {
  const town = await population(kind, people);
  return { people, town, server: await startPenchant(town.store, { cache: 0 }) };
}

// One side's run: { perSecond, reads: of files, a request }.
async function runOf({ server, file }, seconds) {
  const before = fileReads(server.pid);
  const { perSecond } = await load(server.port, file, 200, seconds);
  return { perSecond, reads: (fileReads(server.pid) - before) / (perSecond * seconds) };
}

async function measureQuestion({ name, requests }, sizes) {
  const asked = sizes.map((size) => ({ ...size, requests: requests(size.town) }));
  const answer = await askKeptAlive(asked[0].server.port, asked[0].requests[0], asked[0].requests[1]);
  const nginx = await startNginx(answer, asked[0].requests[0]);
  try {
    const limit = { server: nginx, file: writeRequests(nginx.port, asked[0].requests), runs: [] };
    const sides = asked.map((side) => ({ ...side, file: writeRequests(side.server.port, side.requests), runs: [] }));
    for (const { town } of sides) await fetchStore(town);
    for (const side of [limit, ...sides]) await runOf(side, 1);
    for (let i = 0; i < settings.runs; i++)
      for (const side of [limit, ...sides]) side.runs.push(await runOf(side, settings.seconds));
    const rate = ({ runs }) => median(runs.map(({ perSecond }) => perSecond));
    return sides.map((side) => ({
      name,
      people: side.people,
      perSecond: rate(side),
      ofNginx: rate(side) / rate(limit),
      toFewest: rate(side) / rate(sides[0]),
      fileReads: median(side.runs.map(({ reads }) => reads)),
      memoryMiB: memory(side.server.pid).most,
      bytesPerPerson: side.town.bytesPerPerson,
    }));
  } finally {
    await nginx.stop();
  }
}

// The work itself, which no memory slows down: counted on one process that has the store for itself.
async function countWork(row, { town }) {
  const { requests } = coldReads.find(({ name }) => name === row.name);
  return instructionsPerRequest(town.store, requests(town), 200, 0);
}

// A row a question and size, the smallest size first.
export async function measureScale(kind, sizes) {
  const open = [];
  const rows = [];
  try {
    for (const people of [...sizes].sort((a, b) => a - b)) open.push(await openSize(kind, people));
    for (const question of coldReads) rows.push(...(await measureQuestion(question, open)).map((row) => ({ store: kind, ...row })));
  } finally {
    for (const { server } of open) await server.stop();
  }
  const counts = kind === "sqlite" && tools.valgrind !== null;
  for (const row of rows) row.instructions = counts ? await countWork(row, open.find(({ people }) => people === row.people)) : null;
  return rows;
}
