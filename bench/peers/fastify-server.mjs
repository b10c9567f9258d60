// fastify-server.mjs - a typical Node implementation of the atoms endpoint: looks up the bearer token by its
// hash and returns a page of the user's atoms, newest first, with the total. Fastify with a response schema,
// as its documentation recommends, and better-sqlite3 with a write-ahead log.
//
// usage: fastify-server.mjs FILE PORT
import { createHash } from "node:crypto";
import Database from "better-sqlite3";
import Fastify from "fastify";

const [file, port] = process.argv.slice(2);
const db = new Database(file);
db.pragma("journal_mode = WAL");
const findToken = db.prepare("SELECT user_id, expires FROM tokens WHERE hash = ?");
const countAtoms = db.prepare("SELECT count(*) FROM atoms WHERE user_id = ? AND status = 'active'").pluck();
const listAtoms = db.prepare(`SELECT atom_id, domain, member, value, confidence, source, source_count, status, created_at, updated_at
  FROM atoms WHERE user_id = ? AND status = 'active' ORDER BY seq DESC LIMIT ? OFFSET ?`);

const [text, whole, number] = ["string", "integer", "number"].map((type) => ({ type }));
const atom = {
  type: "object",
  properties: {
    atom_id: text, domain: text, member: text, value: text, confidence: number, source: text,
    source_count: whole, status: text, created_at: text, updated_at: text,
  },
};
const schema = {
  querystring: {
    type: "object",
    properties: { limit: { type: "integer", minimum: 1, maximum: 100, default: 20 }, offset: { type: "integer", minimum: 0, default: 0 } },
  },
  response: {
    200: { type: "object", properties: { atoms: { type: "array", items: atom }, total: whole, limit: whole, offset: whole } },
  },
};

const fastify = Fastify({ logger: { level: "warn" }, disableRequestLogging: true, keepAliveTimeout: 300000 });
fastify.get("/v1/preferences/atoms", { schema }, (request, reply) => {
  const [scheme, token] = (request.headers.authorization ?? "").split(" ");
  const found = scheme === "Bearer" && findToken.get(createHash("sha256").update(token).digest());
  if (!found || found.expires < Date.now() / 1000) return reply.code(401).send({ error: "invalid_token" });
  const { limit, offset } = request.query;
  return reply.send({ atoms: listAtoms.all(found.user_id, limit, offset), total: countAtoms.get(found.user_id), limit, offset });
});
await fastify.listen({ port: Number(port), host: "127.0.0.1" });
