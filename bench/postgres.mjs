// postgres.mjs - a PostgreSQL server with default settings in a temporary directory.
import { chownSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { freePort } from "./conversation.mjs";
import { makeFolder, run, start, stop } from "./process.mjs";
import { find, settings, tools } from "./settings.mjs";

// PostgreSQL refuses to run as root; then it runs as the user that its package created.
async function asOrdinaryUser(folder) {
  if (userInfo().uid !== 0) return [];
  const setpriv = find("setpriv");
  if (setpriv === null) throw new Error("setpriv (util-linux) is missing, and PostgreSQL does not run as root");
  const uid = Number(await run("id", ["-u", "postgres"]));
  const gid = Number(await run("id", ["-g", "postgres"]));
  chownSync(folder, uid, gid);
  return [setpriv, `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"];
}

// It listens before it is ready, so wait for its message (in English, because the locale is C).
async function untilItServes(started) {
  const giveUp = Date.now() + 60000;
  let ended = false;
  started.ended.then(() => (ended = true));
  while (!started.output.includes("ready to accept connections")) {
    if (ended || Date.now() > giveUp) throw new Error(`PostgreSQL does not serve: ${started.output.trim()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

// PostgreSQL loads this to count the statements of clients (statementsOf). It costs a little, so only nodes.mjs does.
const COUNTING = ["-c", "shared_preload_libraries=pg_stat_statements"];

// { store: its URL, data: its directory, pid, stop() }; with `counting`, it counts statements.
export async function startPostgres({ counting = false } = {}) {
  const folder = makeFolder({ anywhere: true });
  const as = await asOrdinaryUser(folder);
  const data = join(folder, "data");
  const [program, ...args] = [...as, tools.initdb, "-D", data, "-U", "penchant", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8"];
  await run(program, args, { cwd: folder });
  const port = await freePort();
  const [first, ...rest] = [...as, tools.postgres, "-D", data, "-p", String(port), "-k", folder, "-c", "listen_addresses=127.0.0.1"];
  const started = start(settings.serverCore, first, [...rest, ...(counting ? COUNTING : [])], { cwd: folder, signal: "SIGQUIT" });
  await untilItServes(started);
  const store = `postgresql://penchant@127.0.0.1:${port}/postgres`;
  if (counting) await run("psql", [store, "-qc", "CREATE EXTENSION pg_stat_statements"]);
  return {
    data,
    pid: started.pid,
    store,
    stop: () => stop(started), // immediate: the store is not needed again
  };
}

// How many statements clients have sent, without those that ask for this.
export const statementsOf = async (store) =>
  Number(await run("psql", [store, "-qAt", "-c", "SELECT sum(calls) FROM pg_stat_statements WHERE query NOT LIKE '%pg_stat_statements%'"]));
