// instructions.mjs - how many instructions one request costs, counted by callgrind.
//
// The machine's speed and its neighbours do not change this number. The program is run twice, for N
// and for 2N requests over one connection; the difference is free of start and end.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Conversation, requestBytes } from "./conversation.mjs";
import { makeFolder } from "./process.mjs";
import { startPenchant } from "./servers.mjs";
import { settings, tools } from "./settings.mjs";

async function count(store, requests, status, times, cache) {
  const file = join(makeFolder(), "callgrind.out");
  const under = [tools.valgrind, "--tool=callgrind", `--callgrind-out-file=${file}`, "--quiet"];
  const server = await startPenchant(store, { under, cache });
  const conversation = await Conversation.open(server.port);
  for (let i = 0; i < times; i++) {
    const answer = await conversation.ask(requestBytes(server.port, requests[i % requests.length]));
    if (answer.status !== status) throw new Error(`status ${answer.status} instead of ${status} under callgrind`);
  }
  conversation.close();
  await server.stop();
  const total = readFileSync(file, "latin1").match(/^(?:totals|summary): (\d+)/m);
  if (!total) throw new Error("callgrind left no count");
  return Number(total[1]);
}

export async function instructionsPerRequest(store, requests, status, cache) {
  const times = settings.instructionRequests;
  const once = await count(store, requests, status, times, cache);
  const twice = await count(store, requests, status, 2 * times, cache);
  return Math.round((twice - once) / times);
}
