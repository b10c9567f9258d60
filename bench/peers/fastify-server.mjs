// fastify-server.mjs - what a developer would write instead: a bearer token looked up by its hash, the
// facts of its user as JSON. Fastify and better-sqlite3, in one file.
import { createHash } from "node:crypto";
import Database from "better-sqlite3";
import Fastify from "fastify";

const [file, port] = process.argv.slice(2);
const db = new Database(file);
db.pragma("journal_mode = WAL");
const findToken = db.prepare("SELECT user_id, expires FROM tokens WHERE hash = ?");
const listAtoms = db.prepare("SELECT domain, atom_id, value, updated FROM atoms WHERE user_id = ? LIMIT 20");

const fastify = Fastify({ logger: false, keepAliveTimeout: 300000 });
fastify.get("/atoms", (request, reply) => {
  const [scheme, token] = (request.headers.authorization ?? "").split(" ");
  const found = scheme === "Bearer" && findToken.get(createHash("sha256").update(token).digest());
  if (!found || found.expires < Date.now() / 1000) return reply.code(401).send({ error: "invalid_token" });
  return reply.send({ user: found.user_id, atoms: listAtoms.all(found.user_id) });
});
await fastify.listen({ port: Number(port), host: "127.0.0.1" });
