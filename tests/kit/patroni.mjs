// A PostgreSQL cluster that Patroni manages: members that replicate synchronously, and etcd, where they agree
// on the leader. Only for `make soak`; the packages are those of `tools/packages install soak`.

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { asOwner, BIN, createDatabase, databaseAddress, freePort, makeFolder, PG_PASSWORD, psql, USER } from "./pg.mjs";
import { environment, Program } from "./process.mjs";
import { until } from "./until.mjs";

// How soon Patroni notices a dead leader. Its defaults are 30, 10 and 10 seconds.
const TTL = 10;
const LOOP_WAIT = 2;
const RETRY_TIMEOUT = 3;

const config = ({ name, etcd, rest, port, dir }) => ({
  scope: "penchant",
  name,
  etcd3: { host: `127.0.0.1:${etcd}` },
  restapi: { listen: `127.0.0.1:${rest}`, connect_address: `127.0.0.1:${rest}` },
  bootstrap: {
    dcs: {
      ttl: TTL,
      loop_wait: LOOP_WAIT,
      retry_timeout: RETRY_TIMEOUT,
      synchronous_mode: true,
      postgresql: { use_pg_rewind: true, parameters: { max_connections: 100, wal_log_hints: "on" } },
    },
    initdb: [{ encoding: "UTF8" }, { locale: "C.UTF-8" }],
  },
  postgresql: {
    listen: `127.0.0.1:${port}`,
    connect_address: `127.0.0.1:${port}`,
    data_dir: path.join(dir, "data"),
    bin_dir: BIN,
    pgpass: path.join(dir, "pgpass"),
    pg_hba: ["local all all trust", "host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"],
    authentication: { superuser: { username: USER }, replication: { username: "replicator" } },
    parameters: { unix_socket_directories: dir, shared_buffers: "64MB", dynamic_shared_memory_type: "mmap" },
  },
});

// The processes below a process.
function descendants(pid) {
  let children = [];
  try {
    children = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
  } catch {
    // it ended meanwhile
  }
  return children.flatMap((child) => [child, ...descendants(child)]);
}

class Member {
  constructor(dir, options) {
    this.dir = dir;
    Object.assign(this, options);
    const file = path.join(dir, "patroni.json"); // JSON is YAML
    fs.writeFileSync(file, JSON.stringify(config({ ...options, dir })));
    fs.chmodSync(file, 0o644);
    this.patroni = new Program("/usr/bin/patroni", [file], asOwner(dir));
  }

  // What Patroni says about this member: 200 at /primary and /replica if it is one.
  async is(role) {
    const answer = await fetch(`http://127.0.0.1:${this.rest}/${role}`).catch(() => undefined);
    return answer?.status === 200;
  }

  // Patroni and PostgreSQL at once, as if the machine had lost power. Patroni starts PostgreSQL detached, so
  // its process is found by the file that it leaves.
  kill() {
    const postmaster = Number(fs.readFileSync(path.join(this.dir, "data/postmaster.pid"), "utf8").split("\n")[0]);
    for (const pid of [this.patroni.pid, postmaster, ...descendants(this.patroni.pid), ...descendants(postmaster)])
      try {
        process.kill(pid, "SIGKILL");
      } catch (error) {
        if (error.code !== "ESRCH") throw error;
      }
  }
}

export class PatroniCluster {
  static async start(size = 3) {
    const cluster = new PatroniCluster();
    cluster.dir = makeFolder(os.tmpdir(), "penchant-patroni-");
    process.on("exit", () => cluster.remove());
    const [etcd, peers] = [await freePort(), await freePort()];
    const url = `http://127.0.0.1:${etcd}`;
    const peer = `http://127.0.0.1:${peers}`;
    const flags = ["--data-dir", path.join(cluster.dir, "etcd"), "--listen-client-urls", url, "--advertise-client-urls", url];
    // Debian's etcd runs on arm64 only with this variable.
    const env = environment({ ETCD_UNSUPPORTED_ARCH: process.arch === "arm64" ? "arm64" : "" });
    cluster.etcd = new Program("/usr/bin/etcd", [...flags, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", `default=${peer}`], { ...asOwner(cluster.dir), env });
    await until("etcd", async () => (await fetch(`${url}/health`).catch(() => undefined))?.ok, 30_000);
    cluster.members = [];
    for (let i = 1; i <= size; i++)
      cluster.members.push(new Member(makeFolder(cluster.dir, `member${i}-`), { name: `member${i}`, etcd, rest: await freePort(), port: await freePort() }));
    await until("a leader", () => cluster.leader(), 60_000);
    await until("the replicas", async () => (await Promise.all(cluster.members.map((one) => one.is("replica")))).filter(Boolean).length === size - 1, 90_000);
    await until("synchronous replication", () => cluster.replicates(), 60_000);
    cluster.port = (await cluster.leader()).port;
    return cluster;
  }

  async leader() {
    for (const member of this.members) if (await member.is("primary")) return member;
    return undefined;
  }

  // Whether a member confirms commits, and may therefore take over.
  async replicates() {
    return (await Promise.all(this.members.map((one) => one.is("synchronous")))).includes(true);
  }

  async database() {
    return createDatabase((await this.leader()).port);
  }

  // The address with all members; the client finds the leader.
  address(database) {
    return `postgresql://${USER}:${PG_PASSWORD}@${this.members.map(({ port }) => `127.0.0.1:${port}`).join(",")}/${database}`;
  }

  // Moves the leadership to another member, as an operator would before maintenance.
  async switchover() {
    const leader = await this.leader();
    const answer = await fetch(`http://127.0.0.1:${leader.rest}/switchover`, { method: "POST", body: JSON.stringify({ leader: leader.name }) });
    if (answer.status !== 200) throw new Error(`switchover: ${answer.status} ${await answer.text()}`);
  }

  // Writes to the leader as often as it can, through psql alone: how long the cluster itself accepted nothing.
  probe(database) {
    const address = `${this.address(database)}?target_session_attrs=read-write&connect_timeout=2`;
    const seen = { longest: 0, last: performance.now() };
    let stopped = false;
    const running = (async () => {
      await psql(address, "CREATE TABLE IF NOT EXISTS probe (n int)");
      seen.last = performance.now();
      while (!stopped) {
        const done = await psql(address, "SET statement_timeout = '2s'; INSERT INTO probe VALUES (1)").then(() => true, () => false);
        if (!done) continue;
        seen.longest = Math.max(seen.longest, performance.now() - seen.last);
        seen.last = performance.now();
      }
    })();
    return { seen, stop: () => ((stopped = true), running) };
  }

  remove() {
    for (const member of this.members ?? [])
      try {
        member.kill();
      } catch {
        // it was never started
      }
    this.etcd?.signal("SIGKILL");
    fs.rmSync(this.dir, { recursive: true, force: true, maxRetries: 20 });
  }

  async end() {
    this.remove();
    await Promise.all([this.etcd, ...this.members.map(({ patroni }) => patroni)].map((program) => program.exit()));
  }
}
