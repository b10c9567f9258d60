// fastify-fill.mjs - fills the store of fastify-server.mjs with one row per atom, in the order in which they
// are read.
//
// usage: fastify-fill.mjs FILE PEOPLE ATOMS, with a list of users' atoms as JSON on standard input.
// ATOMS is the total number; the users of the list are taken in turn. The token of a user is the user's
// number in 43 digits.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import Database from "better-sqlite3";

const [file, people, atoms] = [process.argv[2], ...process.argv.slice(3).map(Number)];
const lists = JSON.parse(readFileSync(0, "utf8"));

const db = new Database(file);
db.pragma("journal_mode = WAL");
db.exec(`CREATE TABLE tokens (hash BLOB PRIMARY KEY, user_id INTEGER NOT NULL, expires INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE atoms (user_id INTEGER NOT NULL, seq INTEGER NOT NULL, atom_id TEXT NOT NULL, domain TEXT NOT NULL,
    member TEXT NOT NULL, value TEXT NOT NULL, confidence REAL NOT NULL, source TEXT NOT NULL, source_count INTEGER NOT NULL,
    status TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, PRIMARY KEY (user_id, seq)) WITHOUT ROWID;`);
const addToken = db.prepare("INSERT INTO tokens VALUES (?, ?, ?)");
const addAtom = db.prepare(`INSERT INTO atoms VALUES (@user, @seq, @atom_id, @domain, @member, @value, @confidence, @source,
  @source_count, @status, @created_at, @updated_at)`);
const expires = Math.floor(Date.now() / 1000) + 86400;

const addPerson = db.transaction((user, count) => {
  addToken.run(createHash("sha256").update(String(user).padStart(43, "0")).digest(), user, expires);
  const list = lists[user % lists.length];
  for (let seq = 0; seq < count; seq++) {
    const atom = list[seq % list.length];
    addAtom.run({ ...atom, value: String(atom.value), user, seq });
  }
});
const addPeople = db.transaction((from, to) => {
  // Each user gets enough atoms for a total of `atoms`.
  for (let user = from; user < to; user++)
    addPerson(user, Math.floor(((user + 1) * atoms) / people) - Math.floor((user * atoms) / people));
});
for (let from = 0; from < people; from += 10000) {
  addPeople(from, Math.min(from + 10000, people));
  if (people > 10000) process.stderr.write(`\r  people in Fastify's store: ${Math.min(from + 10000, people)} of ${people}`);
}
if (people > 10000) process.stderr.write("\n");
db.pragma("wal_checkpoint(TRUNCATE)");
db.close();
