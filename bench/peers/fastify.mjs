// fastify.mjs - fastify-server.mjs on a store with as many people, tokens and atoms as ours has in this run.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { askMany, freePort } from "../conversation.mjs";
import { makeFolder } from "../process.mjs";
import { missingFromNpm, runNode, startNode } from "./node.mjs";

const SAMPLE = 50; // of our people, whose facts are those of its people
const path = "/v1/preferences/atoms";
const bearer = (token) => ({ Authorization: `Bearer ${token}` });
const token = (user) => String(user).padStart(43, "0");

// What our service says of some of its people.
async function sample({ port, prepared: { tokens } }) {
  const requests = tokens.slice(0, SAMPLE).map(({ access }) => ({ path: `${path}?limit=100`, headers: bearer(access) }));
  return (await askMany(port, requests)).map(({ body }) => JSON.parse(body).atoms).filter((atoms) => atoms.length > 0);
}

// Everybody with a token, in an order that has nothing to do with where they lie in the store.
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
