// A PostgreSQL cluster in a temporary directory. All tests of a run share one (tests/run starts it and
// passes its port in TEST_POSTGRES); a test that stops or kills the cluster starts its own.

import { execFileSync } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { environment, Program, run } from "./process.mjs";
import { soon, until } from "./until.mjs";

export const BIN = ["15", "16", "17"].map((v) => `/usr/lib/postgresql/${v}/bin`).find((dir) => fs.existsSync(dir)) ?? "";
const tool = (name) => path.join(BIN, name);

// Part of every database URL, so that the kit notices when a log line contains it.
export const PG_PASSWORD = "not-for-a-log-7Rk2";
export const USER = "penchant";

// initdb and postgres refuse to run as root; then they run as the user that the Debian package created.
function owner() {
  if (process.getuid() !== 0) return {};
  const id = (flag) => Number(execFileSync("id", [flag, "postgres"]).toString());
  return { uid: id("-u"), gid: id("-g") };
}

export const freePort = () =>
  new Promise((resolve, reject) => {
    const probe = net.createServer().on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });

// A directory that PostgreSQL may write to.
export function makeFolder(under, name) {
  const dir = fs.mkdtempSync(path.join(under, name));
  const { uid, gid } = owner();
  if (uid !== undefined) fs.chownSync(dir, uid, gid);
  return dir;
}

export const asOwner = (dir) => ({ ...owner(), cwd: dir, env: environment({ LC_ALL: "C.UTF-8" }) });

// The data of a cluster that was never started. initdb takes two seconds of CPU time, a copy 0.1 seconds.
export async function makeClusterData(under = os.tmpdir()) {
  const dir = makeFolder(under, "penchant-initdb-");
  process.on("exit", () => fs.rmSync(dir, { recursive: true, force: true }));
  const data = path.join(dir, "data");
  const flags = ["-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N"];
  const made = await run(tool("initdb"), ["-D", data, ...flags], { ...asOwner(dir), within: 60_000 });
  if (made.status !== 0) throw new Error(`initdb failed:\n${made.out}${made.err}`);
  return data;
}

let clusterData;

// Some of the fields 14 to 17 of /proc/PID/stat: user and system time of the process, then of children that have exited.
export function cpuSeconds(pid, first, last) {
  const fields = fs.readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /, "").split(" ");
  return fields.slice(first - 3, last - 2).reduce((sum, field) => sum + Number(field), 0) / 100;
}

// A process of the server may have ended meanwhile.
function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}

export class Cluster {
  // `durable` keeps fsync on, for tests of durability. `under` is the directory for the data, `flags` are
  // settings of the server, `env` variables of its environment, or a function that makes
  // them from the directory of the cluster.
  static async start({ durable = false, under = os.tmpdir(), flags = {}, env = {} } = {}) {
    clusterData ??= process.env.TEST_POSTGRES_DATA ?? makeClusterData(under);
    const cluster = new Cluster();
    cluster.dir = makeFolder(under, "penchant-pg-");
    cluster.data = path.join(cluster.dir, "data");
    cluster.durable = durable;
    cluster.flags = flags;
    cluster.env = typeof env === "function" ? env(cluster.dir) : env;
    cluster.port = await freePort();
    process.on("exit", (cluster.atExit = () => cluster.remove()));
    execFileSync("cp", ["-a", await clusterData, cluster.data]);
    await cluster.up();
    return cluster;
  }

  // A replica that streams from this server and confirms every commit, or, if it is not synchronous, follows as it can.
  async replica({ synchronous = true } = {}) {
    const replica = new Cluster();
    replica.dir = makeFolder(path.dirname(this.dir), "penchant-pg-");
    replica.data = path.join(replica.dir, "data");
    replica.durable = this.durable;
    replica.flags = this.flags;
    replica.port = await freePort();
    process.on("exit", (replica.atExit = () => replica.remove()));
    const from = ["-h", "127.0.0.1", "-p", `${this.port}`, "-U", USER];
    const copied = await run(tool("pg_basebackup"), [...from, "-D", replica.data, "-R", "-X", "stream", "-c", "fast"], asOwner(replica.dir));
    if (copied.status !== 0) throw new Error(`pg_basebackup failed:\n${copied.err}`);
    await replica.up();
    if (synchronous) await this.configure("synchronous_standby_names", "'*'");
    const streaming = `SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = '${synchronous ? "sync" : "async"}'`;
    await until("the replica", async () => (await psql(this.address("postgres"), streaming)) === "1");
    return replica;
  }

  // Changes a setting of the running server.
  async configure(name, value) {
    await psql(this.address("postgres"), `ALTER SYSTEM SET ${name} = ${value}`);
    this.server.signal("SIGHUP");
  }

  // A replica stops following its primary: it has everything committed so far, and nothing that comes later.
  async unfollow(primary) {
    const behind = "SELECT count(*) FROM pg_stat_replication WHERE replay_lsn IS DISTINCT FROM pg_current_wal_lsn()";
    await until("the replica to catch up", async () => (await psql(primary.address("postgres"), behind)) === "0");
    await this.configure("primary_conninfo", "''");
    await until("the replica to stop", async () => (await psql(primary.address("postgres"), "SELECT count(*) FROM pg_stat_replication")) === "0");
  }

  // Makes a replica the primary.
  async promote() {
    await psql(this.address("postgres"), "ALTER SYSTEM RESET synchronous_standby_names");
    await psql(this.address("postgres"), "SELECT pg_promote()");
  }

  options() {
    const options = asOwner(this.dir);
    return { ...options, env: { ...options.env, ...this.env } };
  }

  async up() {
    const flags = {
      listen_addresses: "127.0.0.1",
      port: this.port,
      unix_socket_directories: this.dir,
      max_connections: 300,
      fsync: this.durable ? "on" : "off",
      full_page_writes: this.durable ? "on" : "off",
      shared_buffers: "64MB",
      log_min_messages: "fatal",
      autovacuum: "off", // databases of tests are small and short-lived
      dynamic_shared_memory_type: "mmap", // in the data folder, so that kill -9 leaves nothing in /dev/shm
      max_wal_size: this.durable ? "256MB" : "64MB",
      ...this.flags,
    };
    const args = Object.entries(flags).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    // After kill -9 the old backends may still hold the shared memory; then try again.
    await until(
      "PostgreSQL to start",
      async () => {
        this.server = new Program(tool("postgres"), ["-D", this.data, ...args], this.options());
        await until("PostgreSQL to answer or give up", async () => !this.server.alive || (await this.answers()), 60_000);
        return this.server.alive;
      },
      60_000,
    );
  }

  async answers() {
    const options = { env: environment(), within: 20_000 };
    const { status } = await run(tool("pg_isready"), ["-q", "-h", "127.0.0.1", "-p", `${this.port}`], options);
    return status === 0;
  }

  address(database, port = this.port) {
    return databaseAddress(port, database);
  }

  // Creates an empty database and returns its name.
  async database() {
    return createDatabase(this.port);
  }

  // Fast shutdown: closes connections and flushes everything.
  async stop() {
    this.server.signal("SIGINT");
    await this.server.exit(60_000);
    sessions.delete(this.port);
  }

  async kill() {
    this.server.signal("SIGKILL");
    await this.server.exit();
    sessions.delete(this.port);
  }

  // The server and its processes; the server first, so that it starts no process meanwhile.
  pids() {
    const { pid } = this.server;
    return [pid, ...fs.readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number)];
  }

  // The server hangs: connections stay open, and the kernel even accepts new ones, but nothing answers.
  freeze() {
    this.server.signal("SIGSTOP");
    this.frozen = this.pids();
    for (const pid of this.frozen) signal(pid, "SIGSTOP");
  }

  thaw() {
    for (const pid of this.frozen.splice(0)) signal(pid, "SIGCONT");
  }

  // CPU time of the server and its processes so far.
  cpuSeconds() {
    const [pid, ...children] = this.pids();
    return cpuSeconds(pid, 14, 17) + children.reduce((sum, child) => sum + cpuSeconds(child, 14, 15), 0);
  }

  remove() {
    this.server?.signal("SIGKILL"); // nothing in it is wanted any more
    fs.rmSync(this.dir, { recursive: true, force: true, maxRetries: 20 });
  }

  async end() {
    process.off("exit", this.atExit);
    if (this.frozen?.length > 0) this.thaw();
    if (this.server.alive) {
      this.server.signal("SIGQUIT");
      await this.server.exit();
    }
    this.remove();
  }
}

// ---- the run's cluster, from any test file ----

let shared;

// The port of the shared cluster. A test file that runs alone starts its own, which ends with the process.
export async function sharedPort() {
  if (process.env.TEST_POSTGRES) return Number(process.env.TEST_POSTGRES);
  shared ??= Cluster.start();
  const cluster = await shared;
  cluster.server.unref();
  return cluster.port;
}

// One psql process per cluster stays open, so that a statement does not start a process.
const sessions = new Map();

class Session {
  constructor(port) {
    this.queue = Promise.resolve();
    const args = ["-h", "127.0.0.1", "-p", `${port}`, "-U", USER, "-d", "postgres", "-qAtX"];
    this.psql = new Program(tool("psql"), args, { env: environment(), stdio: ["pipe", "pipe", "pipe"] });
    this.psql.child.stdin.on("error", () => {});
    this.psql.unref();
  }

  // The result of the statement as text.
  run(sql) {
    const result = this.queue.then(async () => {
      const from = this.psql.out.length;
      const faults = this.psql.err.length;
      this.psql.child.stdin.write(`${sql};\n\\echo --done--\n`);
      await until(`psql to run ${sql}`, () => this.psql.out.includes("--done--\n", from) || !this.psql.alive, 60_000);
      const fault = this.psql.err.slice(faults);
      if (/ERROR|FATAL/.test(fault) || !this.psql.alive) throw new Error(`${sql}: ${fault}`);
      return this.psql.out.slice(from, this.psql.out.indexOf("--done--\n", from));
    });
    this.queue = result.catch(() => {});
    return result;
  }
}

export function session(port) {
  if (!sessions.get(port)?.psql.alive) sessions.set(port, new Session(port));
  return sessions.get(port);
}

let made = 0;

// Creates an empty database, or a copy of another, and returns its name. Copying files takes a third of
// the time of PostgreSQL's default, which writes every page to the log.
export async function createDatabase(port, template) {
  const name = `w${process.pid}_${++made}`;
  await session(port).run(`CREATE DATABASE ${name} ${template ? `TEMPLATE ${template}` : ""} STRATEGY file_copy`);
  return name;
}

export const databaseAddress = (port, name) => `postgresql://${USER}:${PG_PASSWORD}@127.0.0.1:${port}/${name}`;

export async function dropDatabase(port, name) {
  await soon("DROP DATABASE", session(port).run(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
}

// Runs SQL in one database. The address of a store of several databases, separated by spaces: in each of them;
// counts and sums are added up, other lines follow each other. Rows that every database has, such as apps, are read from the first.
export async function psql(address, sql) {
  if (address.includes(" ")) {
    const isShared = /^\s*SELECT\b[^;]*\bFROM (app|app_logo|challenge_key|deleted_app)\b/i.test(sql);
    const outs = await Promise.all(address.split(" ").slice(0, isShared ? 1 : undefined).map((one) => psql(one, sql)));
    const isCount = /^\s*SELECT (COUNT|SUM)\(/i.test(sql) && outs.every((out) => /^\d+$/.test(out));
    return isCount ? `${outs.reduce((sum, out) => sum + Number(out), 0)}` : outs.filter(Boolean).join("\n");
  }
  const { status, out, err } = await run(tool("psql"), ["-qAtX", "-v", "ON_ERROR_STOP=1", "-c", sql, address]);
  if (status !== 0) throw new Error(`psql: ${err}`);
  return out.trim();
}
