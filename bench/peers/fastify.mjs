// fastify.mjs - fastify-server.mjs on a store with as many users, tokens, and atoms as ours in this run.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { askMany, freePort } from "../conversation.mjs";
import { makeFolder } from "../process.mjs";
import { missingFromNpm, runNode, startNode } from "./node.mjs";

const SAMPLE = 50; // users of our store whose atoms are copied
const path = "/v1/preferences/atoms";
const bearer = (token) => ({ Authorization: `Bearer ${token}` });
const token = (user) => String(user).padStart(43, "0");

// The atoms of some users, read from our service.
async function sample({ port, prepared: { tokens } }) {
  const requests = tokens.slice(0, SAMPLE).map(({ access }) => ({ path: `${path}?limit=100`, headers: bearer(access) }));
  return (await askMany(port, requests)).map(({ body }) => JSON.parse(body).atoms).filter((atoms) => atoms.length > 0);
}

// All tokens, in an order unrelated to their position in the store.
function requests(count) {
  const hash = (user) => createHash("md5").update(String(user)).digest("hex");
  const users = Array.from({ length: count }, (_, user) => [hash(user), user]).sort(([a], [b]) => (a < b ? -1 : 1));
  return users.map(([, user]) => ({ path: `${path}?limit=20`, headers: bearer(token(user)) }));
}

export const fastify = {
  name: "Fastify",
  async missing() {
    return (await missingFromNpm("fastify", 'await import("fastify")'))
      ?? missingFromNpm("better-sqlite3", 'new (await import("better-sqlite3")).default(":memory:")');
  },
  async start(what, world) {
    const { people, atoms, tokens } = world.prepared;
    const file = join(makeFolder(), "fastify.db");
    await runNode("fastify-fill.mjs", [file, people, atoms], JSON.stringify(await sample(world)));
    const port = await freePort();
    const server = await startNode("fastify-server.mjs", [file, port], port, { path });
    return { ...server, requests: requests(tokens.length) };
  },
};
