// population.mjs - a store with users (people.c), created once per kind and size and shared by the cases that
// need it: { store, pid (of PostgreSQL), app, password, tokens: [{ name, access, refresh }], people, atoms, bytesPerPerson }.
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { startPostgres } from "./postgres.mjs";
import { makeFolder, run } from "./process.mjs";
import { sqliteStore } from "./servers.mjs";
import { tools } from "./settings.mjs";

const TOKENS_MAX = 100000; // different users in a cold case
const made = new Map(); // store kind and number of users → promise

function sizeOf(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return 0;
  return stat.isDirectory() ? readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0) : stat.size;
}

async function place(kind) {
  if (kind === "sqlite") {
    const folder = makeFolder();
    return { store: sqliteStore(folder), size: () => sizeOf(folder), stop: async () => {} };
  }
  const postgres = await startPostgres({ counting: kind === "postgresql, counting" });
  // Without its log, whose size depends on recent writes, not on the amount of data.
  return { store: postgres.store, pid: postgres.pid, size: () => sizeOf(join(postgres.data, "base")), stop: postgres.stop };
}

function readTokens(file) {
  const [first, ...lines] = readFileSync(file, "utf8").trimEnd().split("\n");
  const [client_id, client_secret, ...password] = first.split(" ");
  return {
    app: { client_id, client_secret },
    password: password.join(" "),
    tokens: lines.map((line) => {
      const [name, access, refresh] = line.split(" ");
      return { name, access, refresh };
    }),
  };
}

async function fill(kind, people) {
  const { store, pid, size, stop } = await place(kind);
  const file = join(makeFolder(), "tokens");
  const empty = size();
  console.error(`  filling a ${kind} store with ${people.toLocaleString("en-US")} users …`);
  const args = [store, String(people), String(Math.min(people, TOKENS_MAX)), file];
  const said = JSON.parse(await run(tools.people, args, { showErrors: true }));
  const bytesPerPerson = Math.round((size() - empty) / people);
  console.error(`  ${said.atoms.toLocaleString("en-US")} atoms in ${said.seconds} s, ${bytesPerPerson.toLocaleString("en-US")} bytes per user`);
  return { store, pid, stop, ...said, bytesPerPerson, ...readTokens(file) };
}

export function population(kind, people) {
  const which = `${kind}, ${people}`;
  if (!made.has(which)) made.set(which, fill(kind, people));
  return made.get(which);
}

export async function endPopulations() {
  for (const each of made.values()) await each.then(({ stop }) => stop(), () => {});
}

// The created stores, for the report.
export async function populations() {
  const all = [];
  for (const [which, each] of made) {
    const found = await each.catch(() => null);
    if (found) all.push({ store: which.split(",")[0], people: found.people, atoms: found.atoms, seconds: found.seconds, bytesPerPerson: found.bytesPerPerson });
  }
  return all;
}
