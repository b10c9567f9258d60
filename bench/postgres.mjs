// postgres.mjs - a PostgreSQL of our own, with its defaults, in a folder that is thrown away.
import { chownSync } from "node:fs";
import net from "node:net";
import { userInfo } from "node:os";
import { join } from "node:path";
import { freePort } from "./conversation.mjs";
import { makeFolder, run, start, stop } from "./process.mjs";
import { find, settings, tools } from "./settings.mjs";

// PostgreSQL refuses to run as root; then it runs as the user that its package made.
async function asOrdinaryUser(folder) {
  if (userInfo().uid !== 0) return [];
  const setpriv = find("setpriv");
  if (setpriv === null) throw new Error("setpriv (util-linux) is missing, and PostgreSQL does not run as root");
  const uid = Number(await run("id", ["-u", "postgres"]));
  const gid = Number(await run("id", ["-g", "postgres"]));
  chownSync(folder, uid, gid);
  return [setpriv, `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"];
}

async function untilItListens(started, port) {
  const giveUp = Date.now() + 30000;
  let ended = false;
  started.ended.then(() => (ended = true));
  for (;;) {
    const open = await new Promise((resolve) => {
      const socket = net.connect({ host: "127.0.0.1", port });
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
      socket.once("connect", () => socket.destroy());
    });
    if (open) return;
    if (ended || Date.now() > giveUp) throw new Error(`PostgreSQL does not serve: ${started.output.trim()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

// { store: its address, stop() }
export async function startPostgres() {
  const folder = makeFolder({ anywhere: true });
  const as = await asOrdinaryUser(folder);
  const data = join(folder, "data");
  const [program, ...args] = [...as, tools.initdb, "-D", data, "-U", "penchant", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8"];
  await run(program, args, { cwd: folder });
  const port = await freePort();
  const [first, ...rest] = [...as, tools.postgres, "-D", data, "-p", String(port), "-k", folder];
  const started = start(settings.serverCore, first, [...rest, "-c", "listen_addresses=127.0.0.1"], { cwd: folder, signal: "SIGQUIT" });
  await untilItListens(started, port);
  return {
    store: `postgresql://penchant@127.0.0.1:${port}/postgres`,
    stop: () => stop(started), // at once: nobody needs this store again
  };
}
