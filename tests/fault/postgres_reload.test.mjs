// Starts and restarts in place while PostgreSQL is down, hangs, or is being migrated by another node.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { Cluster, databaseAddress, psql } from "../kit/pg.mjs";
import { Program } from "../kit/process.mjs";
import { systemdFor } from "../kit/systemd.mjs";
import { until } from "../kit/until.mjs";
import { onPostgres, world } from "../kit/world.mjs";

const LOCK = "7305808854526354"; // of a migration: postgres.c

const events = (w, name) => w.service.log.filter(({ event }) => event === name);

async function ownCluster(t) {
  const cluster = await Cluster.start();
  t.after(() => cluster.end());
  return { cluster, w: await world(t, { cluster, start: false }) };
}

// A migration of another node, until release() is called.
async function migrating(t, w) {
  const holder = new Program("psql", ["-qAtX", w.address, "-c", `SELECT pg_advisory_lock(${LOCK})`, "-c", "SELECT pg_sleep(600)"]);
  t.after(() => holder.signal("SIGKILL"));
  const held = `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted AND database = (SELECT oid FROM pg_database WHERE datname = '${w.database}')`;
  await until("the lock", async () => (await w.sql(held)) === "1");
  return { release: () => w.sql("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())") };
}

const waitsForLock = (w) =>
  until("it to wait for the lock", async () => (await w.sql(`SELECT count(*) FROM pg_stat_activity WHERE application_name = 'penchant' AND wait_event = 'advisory' AND datname = '${w.database}'`)) === "1");

onPostgres("a reload while PostgreSQL is down waits for it, refuses no connection, and applies the new settings", async (t) => {
  const { cluster, w } = await ownCluster(t);
  const config = path.join(w.dir, "penchant.conf");
  fs.writeFileSync(config, "registration = open\n", { mode: 0o600 });
  const systemd = await systemdFor(t, w, { watchdogMs: 400 });
  await w.start({ config }, { env: systemd.env });
  assert.equal((await w.signUp({ username: "ada" })).status, 303);
  await cluster.stop();
  fs.writeFileSync(config, "registration = closed\n");
  w.service.signal("SIGHUP");
  const failed = await w.service.logged("the problem", ({ event }) => event === "restart_failed");
  assert.equal(failed.level, "error");
  assert.match(failed.reason, /cannot connect to PostgreSQL/);
  const from = systemd.messages.length;
  const descriptors = () => fs.readdirSync(`/proc/${w.service.pid}/fd`).length;
  const before = descriptors();
  await until("the watchdog to be fed", () => systemd.messages.slice(from).filter((message) => message === "WATCHDOG=1").length > 20);
  assert.ok(descriptors() <= before + 5, "an attempt leaves nothing open");
  assert.ok(systemd.messages.slice(from).some((message) => /^EXTEND_TIMEOUT_USEC=\d+$/.test(message)));
  assert.ok(w.service.alive);
  const answer = w.get("/healthz");
  await cluster.up();
  assert.equal((await answer).status, 200);
  const page = await w.get("/signup", { accept: "text/html" });
  assert.ok(!page.text.includes('action="/signup"'), "the new settings apply");
  assert.deepEqual(await w.usernames(), ["ada"]);
  const reasons = events(w, "restart_failed").map(({ reason }) => reason);
  assert.equal(new Set(reasons).size, reasons.length, `each problem is logged once: ${reasons}`);
  assert.equal(events(w, "reload_failed").length, 0);
});

onPostgres("SIGTERM ends a service that waits for PostgreSQL after a reload", async (t) => {
  const { cluster, w } = await ownCluster(t);
  await w.start();
  await cluster.stop();
  w.service.signal("SIGHUP");
  await w.service.logged("the problem", ({ event }) => event === "restart_failed");
  w.service.signal("SIGTERM");
  assert.deepEqual(await w.service.exited(10_000), { status: 0, signal: null });
  assert.equal(events(w, "stopping").at(-1).signal, "TERM");
  assert.equal(w.service.log.at(-1).event, "stopped");
});

onPostgres("SIGHUP replaces settings with which the service waits for PostgreSQL", async (t) => {
  const { cluster, w } = await ownCluster(t);
  const config = path.join(w.dir, "penchant.conf");
  const use = (registration) => fs.writeFileSync(config, `registration = ${registration}\n`, { mode: 0o600 });
  use("closed");
  await w.start({ config });
  await cluster.stop();
  for (const registration of ["closed", "maybe", "open"]) {
    use(registration);
    w.service.signal("SIGHUP");
    if (registration === "closed") await w.service.logged("the problem", ({ event }) => event === "restart_failed");
    if (registration === "maybe") await w.service.logged("the mistake", ({ event, reason }) => event === "reload_failed" && /registration/.test(reason));
  }
  await cluster.up();
  await until("a start", () => events(w, "listening").length === 2);
  const isOpen = async () => (await w.get("/signup", { accept: "text/html" })).text.includes('action="/signup"');
  // The last signal may arrive when the service has just started again.
  await until("the last settings", isOpen);
});

onPostgres("a reload that names a missing database changes nothing", async (t) => {
  const { cluster, w } = await ownCluster(t);
  const config = path.join(w.dir, "penchant.conf");
  const use = (store) => fs.writeFileSync(config, `store = ${store}\n`, { mode: 0o600 });
  use(w.address);
  await w.start({ store: undefined, config });
  assert.equal((await w.signUp({ username: "ada" })).status, 303);
  use(databaseAddress(cluster.port, "absent"));
  w.service.signal("SIGHUP");
  const failed = await w.service.logged("the problem", ({ event }) => event === "reload_failed");
  assert.match(failed.reason, /database "absent" does not exist/);
  await until("a start with the previous settings", () => events(w, "listening").length === 2);
  assert.equal((await w.signUp({ username: "grace" })).status, 303);
  assert.deepEqual(await w.usernames(), ["ada", "grace"]);
});

for (const name of ["SIGTERM", "SIGINT"])
  onPostgres(`${name} ends a start that waits for another node's migration, and systemd waits for it`, async (t) => {
    const { w } = await ownCluster(t);
    const other = await migrating(t, w);
    const systemd = await systemdFor(t, w, { watchdogMs: 400 });
    w.launch({}, { env: systemd.env });
    await waitsForLock(w);
    await until("more time", () => systemd.messages.some((message) => /^EXTEND_TIMEOUT_USEC=\d{8}$/.test(message)));
    assert.ok(!systemd.messages.includes("WATCHDOG=1"), "the watchdog begins with READY=1");
    w.service.signal(name);
    const began = Date.now();
    assert.deepEqual(await w.service.exited(15_000), { status: 0, signal: null });
    const took = Date.now() - began;
    assert.ok(took < 10_000, `${took} ms`); // two seconds, on a busy machine
    const [line] = events(w, "start_abandoned");
    assert.deepEqual([line.level, line.signal], ["warn", name.slice(3)]);
    assert.match(line.effect, /rolled back/);
    await other.release();
    assert.equal(await w.sql("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"), "0", "nothing is half done");
    await w.start();
    assert.equal((await w.signUp({ username: "ada" })).status, 303);
  });

onPostgres("SIGTERM ends a start and a reload that wait for a server that hangs", async (t) => {
  const { cluster, w } = await ownCluster(t);
  await w.start();
  cluster.freeze();
  w.service.signal("SIGHUP");
  await until("the reload", () => events(w, "stopped").length === 1);
  w.service.signal("SIGTERM");
  assert.deepEqual(await w.service.exited(15_000), { status: 0, signal: null });
  const toServer = new RegExp(`:${cluster.port.toString(16).toUpperCase().padStart(4, "0")} 01`, "g");
  const connections = () => fs.readFileSync("/proc/net/tcp", "utf8").match(toServer)?.length ?? 0;
  const before = connections();
  w.launch();
  await until("a connection", () => connections() > before);
  w.service.signal("SIGTERM");
  const began = Date.now();
  const end = await w.service.exited(15_000);
  assert.ok(end.status === 0 && Date.now() - began < 10_000, JSON.stringify(end));
  cluster.thaw();
  await w.start();
});
