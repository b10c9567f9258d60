// SIGHUP restarts the service in place with new settings; systemd is notified; `penchant health` asks it.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import test from "node:test";
import { Program } from "../kit/process.mjs";
import { systemdFor } from "../kit/systemd.mjs";
import { until } from "../kit/until.mjs";
import { onSqlite, PASSWORD, ROOT, world } from "../kit/world.mjs";

const configFile = (w) => path.join(w.dir, "penchant.conf");
const configure = (w, lines) => fs.writeFileSync(configFile(w), lines.join("\n"), { mode: 0o600 });

async function configuredWorld(t, lines) {
  const w = await world(t, { start: false });
  configure(w, lines);
  await w.start({ config: configFile(w) });
  return w;
}

const starts = (w) => w.service.log.filter(({ event }) => event === "listening").length;

async function reload(w) {
  const before = starts(w);
  w.service.signal("SIGHUP");
  await until("a restart in place", () => starts(w) > before);
}

const signUpIsOpen = async (w) => (await w.get("/signup", { accept: "text/html" })).text.includes('action="/signup"');

test("SIGHUP applies a changed settings file and keeps what is stored", async (t) => {
  const w = await configuredWorld(t, ["registration = open", "log-level = info"]);
  assert.ok(await signUpIsOpen(w));
  await w.addUser("ada");
  configure(w, ["registration = closed", "log-level = debug"]);
  await reload(w);
  assert.equal(await signUpIsOpen(w), false);
  assert.deepEqual(await w.usernames(), ["ada"]);
  assert.equal((await w.command("user", "list")).status, 0); // through the new control socket
});

test("an invalid new setting changes nothing and is logged", async (t) => {
  const w = await configuredWorld(t, ["registration = closed"]);
  const cases = [
    [["registration = maybe"], /registration must be closed or open/],
    [["registration = open", "domains = /nowhere"], /nowhere/],
    [["registration = open", `tls-cert = ${configFile(w)}`, `tls-key = ${configFile(w)}`], /penchant\.conf/],
  ];
  for (const [lines, reason] of cases) {
    configure(w, lines);
    w.service.signal("SIGHUP");
    await w.service.logged(String(reason), (line) => line.event === "reload_failed" && reason.test(line.reason));
    assert.equal(await signUpIsOpen(w), false);
  }
  assert.equal(starts(w), 1);
});

test("a reload that fails after it has read other domains leaves domains and scopes as they were", async (t) => {
  const w = await world(t, { start: false });
  const domains = path.join(w.dir, "domains");
  fs.mkdirSync(domains);
  const settings = [`domains = ${domains}`, "registration = closed"];
  configure(w, settings);
  await w.start({ config: configFile(w) });
  const scopes = async () => (await w.get("/.well-known/oauth-authorization-server")).data.scopes_supported;
  const before = await scopes();
  assert.ok(!before.includes("reading"));
  fs.copyFileSync(path.join(ROOT, "docs/examples/reading.json"), path.join(domains, "reading.json"));
  configure(w, [...settings, `tls-cert = ${configFile(w)}`, `tls-key = ${configFile(w)}`]);
  w.service.signal("SIGHUP");
  await w.service.logged("the failure", (line) => line.event === "reload_failed");
  assert.deepEqual(await scopes(), before);
  assert.equal((await w.get("/v1/domains")).status, 401);
  configure(w, settings);
  await reload(w);
  assert.deepEqual((await scopes()).filter((name) => !before.includes(name)), ["reading"]);
});

test("settings with which the service cannot start are refused, and it starts again with the previous ones", async (t) => {
  const w = await configuredWorld(t, ["registration = closed"]);
  const occupied = net.createServer();
  await new Promise((resolve) => occupied.listen(0, "127.0.0.1", resolve));
  t.after(() => occupied.close());
  const cases = [
    [`metrics-listen = 127.0.0.1:${occupied.address().port}`, /metrics-listen: .* is in use/],
    ["mcp-scope = agent_hints nonsense", /mcp-scope: the scope nonsense does not exist/],
  ];
  for (const [line, reason] of cases) {
    const before = starts(w);
    configure(w, ["registration = open", line]);
    w.service.signal("SIGHUP");
    const { level, hint } = await w.service.logged(line, ({ event, reason: why }) => event === "reload_failed" && reason.test(why));
    assert.deepEqual([level, hint], ["error", "the service starts again with the previous settings"]);
    await until("a start with the previous settings", () => starts(w) > before);
    assert.equal(await signUpIsOpen(w), false);
  }
  configure(w, ["registration = open"]);
  await reload(w);
  assert.equal(await signUpIsOpen(w), true);
});

test("no connection is refused and no request fails while it restarts in place", async (t) => {
  const w = await configuredWorld(t, ["registration = open"]);
  let done = false;
  let count = 0;
  const client = async () => {
    for (; !done; count++) assert.equal((await w.ask("GET", "/healthz", { headers: { connection: "close" } })).status, 200);
  };
  const clients = [client(), client(), client()];
  for (let i = 0; i < 3; i++) await reload(w);
  done = true;
  await Promise.all(clients);
  assert.ok(count > 3);
});

// As a command that opens the store while the service has closed it.
onSqlite("a reload waits while another process has the store", async (t) => {
  const w = await configuredWorld(t, ["registration = open"]);
  const holder = new Program("flock", [`${w.file}.lock`, "sh", "-c", "echo held; cat"], { stdio: ["pipe", "pipe", "pipe"] });
  t.after(() => holder.signal("SIGKILL"));
  configure(w, ["registration = closed"]);
  // The service may be faster and take the lock again.
  let reloads = 0;
  await until("the lock", () => {
    if (starts(w) > reloads && !holder.out.includes("held")) {
      reloads = starts(w);
      w.service.signal("SIGHUP");
    }
    return holder.out.includes("held");
  });
  const { level, reason } = await w.service.logged("the problem", ({ event }) => event === "restart_failed");
  assert.equal(level, "error");
  assert.match(reason, /is in use by another penchant process/);
  const answer = w.get("/healthz"); // it waits in the queue of the socket
  holder.child.stdin.end();
  assert.equal((await answer).status, 200);
  assert.equal(await signUpIsOpen(w), false);
  assert.equal(w.service.log.filter(({ event }) => event === "restart_failed").length, 1);
});

// Holds the listening socket and starts the service again whenever it ends, like systemd with a socket unit.
const SUPERVISOR = 'while [ ! -e "$STOP" ]; do sh -c \'exec env LISTEN_PID=$$ LISTEN_FDS=1 "$@"\' sh "$@"; done';

test("with a socket unit no request fails while the service restarts under load", async (t) => {
  const w = await world(t, { start: false });
  const STOP = path.join(w.dir, "stop");
  const listener = net.createServer();
  await new Promise((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const service = w.launch({ listen: undefined }, {
    env: { STOP },
    launch: (program, args) => ["sh", "-c", SUPERVISOR, "sh", program, ...args],
    stdio: ["ignore", "pipe", "pipe", listener._handle.fd],
  });
  listener.close(); // the supervisor has its own copy
  await service.listening();
  const child = () => Number(fs.readFileSync(`/proc/${service.pid}/task/${service.pid}/children`, "utf8").trim().split(" ")[0]);
  let done = false;
  let count = 0;
  const client = async () => {
    for (; !done; count++) assert.equal((await w.ask("GET", "/healthz", { headers: { connection: "close" } })).status, 200);
  };
  const clients = [client(), client(), client()];
  for (let i = 0; i < 3; i++) {
    const before = starts(w);
    process.kill(child(), "SIGTERM");
    await until("a restart", () => starts(w) > before);
  }
  done = true;
  await Promise.all(clients);
  assert.ok(count > 3);
  fs.writeFileSync(STOP, "");
  process.kill(child(), "SIGTERM");
  assert.equal((await service.exited()).status, 0);
});

test("a changed certificate is loaded without a signal", async (t) => {
  const w = await world(t, { start: false });
  const [cert, key] = ["cert.pem", "key.pem"].map((file) => path.join(w.dir, file));
  const certify = (days) => {
    execFileSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", days,
      "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", cert], { stdio: "ignore" });
    return { tls: { ca: fs.readFileSync(cert), servername: "localhost" } };
  };
  const first = certify("2");
  await w.start({ "tls-cert": cert, "tls-key": key });
  assert.equal((await w.ask("GET", "/healthz", first)).status, 200);
  const second = certify("3");
  await until("a restart in place", () => starts(w) === 2, 20_000);
  assert.equal((await w.ask("GET", "/healthz", second)).status, 200);
  await assert.rejects(w.ask("GET", "/healthz", first));
});

test("systemd is notified when the service is ready, reloads, is alive, and stops", async (t) => {
  const w = await world(t, { start: false });
  const systemd = await systemdFor(t, w, { watchdogMs: 300 });
  await w.start({}, { env: systemd.env });
  await systemd.notified("READY=1");
  await systemd.notified("WATCHDOG=1");
  await reload(w);
  await systemd.notified("RELOADING=1");
  await until("READY=1 again", () => systemd.messages.filter((message) => message === "READY=1").length === 2);
  await w.stop();
  await systemd.notified("STOPPING=1");
});

test("systemd learns how long the end may take, and its watchdog is fed meanwhile", async (t) => {
  const w = await world(t, { start: false });
  const systemd = await systemdFor(t, w, { watchdogMs: 200 });
  await w.start({ "drain-delay": 1 }, { env: systemd.env });
  await systemd.notified("READY=1");
  await w.stop();
  const stopping = systemd.messages.indexOf("STOPPING=1");
  assert.equal(systemd.messages[stopping + 1], "EXTEND_TIMEOUT_USEC=41000000"); // the delay, the drain, and 30 s
  assert.ok(systemd.messages.slice(stopping).filter((message) => message === "WATCHDOG=1").length >= 3, `${systemd.messages}`);
});

test("a service that does not respond is not reported as alive", async (t) => {
  const w = await world(t, { start: false });
  const systemd = await systemdFor(t, w, { watchdogMs: 100 });
  // Another process's watchdog is not ours.
  await w.start({}, { env: { ...systemd.env, WATCHDOG_PID: "1" } });
  await systemd.notified("READY=1");
  await w.stop();
  assert.ok(!systemd.messages.includes("WATCHDOG=1"));
});

test("penchant health reports whether the service is ready", async (t) => {
  const w = await world(t);
  const address = new URL(w.origin).host;
  const ready = await w.penchant(["health", "--listen", address]);
  assert.deepEqual([ready.status, ready.out, ready.err], [0, "ready\n", ""]);
  await w.stop();
  const stopped = await w.penchant(["health", "--listen", address]);
  assert.equal(stopped.status, 1);
  assert.match(stopped.err, /cannot connect to 127\.0\.0\.1:\d+: Connection refused/);
});

test("a mistyped command or option gets a suggestion", async (t) => {
  const w = await world(t, { start: false });
  await w.addUser("ada");
  for (const [words, sentence] of [
    ["serv", /there is no command serv; did you mean `penchant serve`\?/],
    ["user ad ada", /did you mean `penchant user add`\?/],
    ["user", /user needs another word; see `penchant help user`/],
    ["frobnicate", /there is no command frobnicate; see `penchant help`/],
    ["serve --lisen :80", /there is no option --lisen; did you mean --listen\?/],
    ["app add --owner ada", /--name is missing; pass the name that users will see/],
    ["app add --name Finder", /--owner is missing; pass the user who owns the app/],
  ]) {
    const { status, err } = await w.command(...words.split(" "));
    assert.equal(status, 2, words);
    assert.match(err, sentence, words);
  }
});

test("a missing folder is named, not a file in it", async (t) => {
  const w = await world(t, { start: false });
  const { status, err } = await w.penchant(["migrate", "--store", `sqlite:${w.dir}/absent/penchant.db`]);
  assert.deepEqual([status, err.includes("/absent/penchant.db does not exist; create it, or correct --store")], [1, true], err);
});

test("hints of an account without facts say so", async (t) => {
  const w = await world(t, { start: false });
  await w.addUser("ada", { password: PASSWORD });
  const { status, out, err } = await w.command("hints", "ada");
  assert.deepEqual([status, out], [0, ""]);
  assert.match(err, /there are no hints/);
});

test("listening on every address without a base URL gives a warning", async (t) => {
  const w = await world(t, { start: false });
  await w.start({ listen: ":0" });
  await w.service.logged("base_url_not_set", ({ event, level }) => event === "base_url_not_set" && level === "warn");
});
