// fastify.mjs - fills the store of fastify-server.mjs with as many people as ours has, and starts it.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../conversation.mjs";
import { firstAnswer, makeFolder, start, stop } from "../process.mjs";
import { settings } from "../settings.mjs";

const token = (user) => `tok${String(user).padStart(40, "0")}`;

async function fill(file, people) {
  const { default: Database } = await import("better-sqlite3");
  const db = new Database(file);
  db.exec(`CREATE TABLE tokens (hash BLOB PRIMARY KEY, user_id INTEGER NOT NULL, expires INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE atoms (user_id INTEGER NOT NULL, atom_id INTEGER NOT NULL, domain TEXT NOT NULL, value TEXT NOT NULL,
      updated INTEGER NOT NULL, PRIMARY KEY (user_id, atom_id)) WITHOUT ROWID;`);
  const addToken = db.prepare("INSERT INTO tokens VALUES (?, ?, ?)");
  const addAtom = db.prepare("INSERT INTO atoms VALUES (?, ?, ?, ?, ?)");
  const expires = Math.floor(Date.now() / 1000) + 86400;
  db.transaction(() => {
    for (let user = 0; user < people; user++) {
      addToken.run(createHash("sha256").update(token(user)).digest(), user, expires);
      for (let atom = 0; atom < 20; atom++) addAtom.run(user, atom, "music", `a value of about thirty bytes ${atom}`, expires);
    }
  })();
  db.close();
}

export const fastify = {
  name: "Fastify + better-sqlite3",
  modules: ["fastify", "better-sqlite3"],
  rows: [{ name: "atoms (20)", like: "atoms (20), cold" }],
  async start() {
    const file = join(makeFolder(), "fastify.db");
    const port = await freePort();
    await fill(file, settings.people);
    const server = join(fileURLToPath(new URL(".", import.meta.url)), "fastify-server.mjs");
    const started = start(settings.serverCore, process.execPath, [server, file, String(port)], { env: { ...process.env, NODE_ENV: "production" } });
    await firstAnswer(started, port, { path: "/atoms" });
    const requests = Array.from({ length: Math.min(settings.people, 100000) }, (_, user) => ({ path: "/atoms", headers: { Authorization: `Bearer ${token(user)}` } }));
    return { ...started, port, requests: { "atoms (20)": requests }, stop: () => stop(started) };
  },
};
