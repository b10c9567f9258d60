// PostgreSQL hangs, a table is locked, it is read-only, and its disk is full, one after the other, under load on two nodes
// with the default deadline: only 200 and 503, readiness in time, and nothing acknowledged is lost. Then the same for the
// disk with its log, which ends the server.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { assertFigures, nodesOn, startLoad } from "../kit/pg_load.mjs";
import { psql } from "../kit/pg.mjs";
import { Program } from "../kit/process.mjs";
import { until } from "../kit/until.mjs";
import { onPostgres, ROOT } from "../kit/world.mjs";

const WRITES = ["write", "refresh"];
const EVERY = ["read", "cold", "introspect", ...WRITES];
const OTHER_PROCESSES_MS = 5000; // of a busy machine; a node that is stuck never serves again

async function holdLock({ primary, w }) {
  const holder = new Program("psql", ["-qAtX", primary.address(w.database)], { stdio: ["pipe", "pipe", "pipe"] });
  holder.child.stdin.write("BEGIN; LOCK TABLE user_record IN ACCESS EXCLUSIVE MODE; SELECT 'locked';\n");
  await until("the lock", () => holder.out.includes("locked"));
  return async () => {
    holder.child.stdin.end("COMMIT;\n");
    await holder.exit();
  };
}

const fullDisk = ({ primary }) => path.join(primary.dir, "the-disk-is-full");

// Each begins the trouble and returns what ends it. `refuses` are the requests that it makes fail, `notReady` is what
// readiness then says.
const TROUBLES = {
  "PostgreSQL hangs": { refuses: EVERY, notReady: /does not respond/, begin: async ({ primary }) => (primary.freeze(), () => primary.thaw()) },
  "a table is locked": { refuses: WRITES, notReady: /table user_record .*locked/, begin: holdLock },
  "PostgreSQL is read-only": {
    refuses: WRITES,
    notReady: /read-only/,
    async begin({ primary }) {
      await primary.configure("default_transaction_read_only", "on");
      return () => primary.configure("default_transaction_read_only", "off");
    },
  },
  // Reads are served, and writes that need no new page, so readiness does not change.
  "the disk is full": {
    refuses: ["write"],
    async begin(all) {
      fs.writeFileSync(fullDisk(all), "");
      return () => fs.rmSync(fullDisk(all));
    },
  },
};

onPostgres("in every trouble of the database requests get 200 or 503, and are served when it ends", async (t) => {
  const env = { LD_PRELOAD: path.join(ROOT, "build/preload/disk.so"), DISK_PATH: "/base/" };
  const all = await nodesOn(t, { env: (dir) => ({ ...env, DISK_FULL_WHILE: path.join(dir, "the-disk-is-full") }) });
  const address = all.primary.address(all.w.database);
  const load = await startLoad(t, all);
  for (const one of load.loads) await one.served(0);
  for (const [name, { refuses, notReady, begin }] of Object.entries(TROUBLES)) {
    for (const one of load.loads) one.forget();
    const from = performance.now();
    const end = await begin(all);
    for (const one of load.loads) await one.refused(refuses);
    if (notReady) for (const node of all.nodes) await until(`readiness while ${name}`, async () => notReady.test((await node.get("/readyz")).text), 20_000);
    else for (const node of all.nodes) assert.equal((await node.get("/readyz")).status, 200, name);
    await end();
    const ended = performance.now();
    await assertFigures(t, name, load, { from, ended, address, within: 3000 + OTHER_PROCESSES_MS });
    for (const node of all.nodes) await until(`readiness after ${name}`, async () => (await node.get("/readyz")).status === 200, 20_000);
  }
  await load.stop();
  t.diagnostic(load.report());
});

// The server cannot begin a new file of its log and ends; its restart fails for the same reason until there is room.
onPostgres("the disk with the log is full: the server stops, and when it runs again nothing acknowledged is lost", async (t) => {
  const env = { LD_PRELOAD: path.join(ROOT, "build/preload/disk.so"), DISK_PATH: "/pg_wal/" };
  const all = await nodesOn(t, { env: (dir) => ({ ...env, DISK_FULL_WHILE: path.join(dir, "the-disk-is-full") }) });
  const address = all.primary.address(all.w.database);
  const load = await startLoad(t, all);
  for (const one of load.loads) await one.served(0);
  for (const one of load.loads) one.forget();
  const from = performance.now();
  fs.writeFileSync(fullDisk(all), "");
  await until("the server to need a new file", async () => {
    await psql(address, "SELECT pg_switch_wal()").catch(() => {});
    return !all.primary.server.alive;
  });
  for (const one of load.loads) await one.refused();
  for (const node of all.nodes) await until("readiness to end", async () => /does not respond/.test((await node.get("/readyz")).text), 20_000);
  fs.rmSync(fullDisk(all));
  await all.primary.up();
  await assertFigures(t, "the disk with the log is full", load, { from, ended: performance.now(), address, within: 3000 + OTHER_PROCESSES_MS });
  for (const node of all.nodes) await until("readiness", async () => (await node.get("/readyz")).status === 200, 20_000);
  await load.stop();
});
