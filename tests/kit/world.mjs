// world(): the environment of one test: a directory, a store, a service on a free port, and a clock that
// the test can stop. When the test ends, the service must be running or have exited as expected, it must
// drain cleanly, no sanitizer may have reported anything, every JSON log line must be JSON, and no log
// line may contain a secret.
//
// Every response to ask() is validated against the OpenAPI document (described.mjs). The option `witness`
// adds a proxy that also validates the requests of other clients.
//
// Password hashing is cheap (25 ms less per password) unless the option `hashing` is "production".
//
// The environment variable STORE selects sqlite (default) or postgres, DATABASES=2 a store of two databases,
// PENCHANT the program.

import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { control } from "./control.mjs";
import { descriptionOf } from "./described.mjs";
import { ask, Connection } from "./http.mjs";
import { createDatabase, databaseAddress, dropDatabase, PG_PASSWORD, psql, sharedPort } from "./pg.mjs";
import { environment, Program, run, sanitizerReport } from "./process.mjs";
import { FaultInjection } from "./fault_injection.mjs";
import { sqlite } from "./sqlite.mjs";
import { postgresTemplate, spreadTemplate, sqliteTemplate } from "./template.mjs";
import { until } from "./until.mjs";
import { Witness } from "./witness.mjs";

export const ROOT = path.resolve(fileURLToPath(import.meta.url), "../../..");
export const CHECKED = path.resolve(ROOT, process.env.PENCHANT ?? "build/check/penchant");
export const RELEASE = path.join(ROOT, "build/penchant");
export const STORE = process.env.STORE ?? "sqlite";
export const DATABASES = Number(process.env.DATABASES ?? 1);
export const PASSWORD = "violet kettle sings at dawn 47";

// Tests for one of the stores; they are not registered when the other one is selected.
export const onSqlite = STORE === "sqlite" ? test : () => {};
export const onPostgres = STORE === "postgres" ? test : () => {};

// Tests for a store of one database, and of several.
export const onOneDatabase = DATABASES === 1 ? test : () => {};
export const onSeveralDatabases = DATABASES > 1 ? test : () => {};

const flags = (settings) =>
  Object.entries(settings).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, `${value}`]));

const present = (headers) => Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));

export async function world(t, options = {}) {
  const made = new World(options);
  t.after(() => made.end());
  await made.prepare();
  if (options.start !== false) await made.start();
  return made;
}

class World {
  constructor(options) {
    this.options = options;
    this.program = options.program ?? CHECKED;
    this.kind = options.store ?? STORE;
    this.secrets = new Set([PASSWORD, PG_PASSWORD]);
    this.services = [];
    this.connections = [];
  }

  async prepare() {
    this.dir = fs.mkdtempSync(path.join(this.options.under ?? os.tmpdir(), "penchant-test-"));
    this.faults = new FaultInjection(path.join(this.dir, "fault_injection"));
    if (this.options.hashing !== "production") this.faults.hashCheaply();
    if (this.startsReady) this.faults.prepareLazily();
    if (this.kind === "sqlite") {
      this.file = path.join(this.dir, "penchant.db");
      if (this.startsReady) fs.copyFileSync(await sqliteTemplate(CHECKED), this.file);
      this.address = `sqlite:${this.file}`;
    } else {
      this.cluster = this.options.cluster;
      this.pgPort = this.cluster?.port ?? (await sharedPort());
      this.databases = [];
      for (const template of await this.templates()) this.databases.push(await createDatabase(this.pgPort, template));
      [this.database] = this.databases;
      this.address = this.databases.map((name) => databaseAddress(this.pgPort, name)).join(" ");
    }
    if (this.options.witness) this.witness = await Witness.open(() => this.service.origin, (...seen) => this.hold(this.service, ...seen).catch(() => {}));
    if (this.options.failing) this.address = `failing:${this.address}`;
  }

  // If world() starts the service, the store already has its schema, and statements are prepared when they run.
  // Tests that start the service themselves, or use their own cluster, begin with an empty store, and the service
  // prepares all of them at startup.
  get startsReady() {
    return this.options.start !== false && this.options.cluster === undefined;
  }

  // One per database.
  async templates() {
    const count = this.options.databases ?? DATABASES;
    if (!this.startsReady) return Array(count).fill(undefined);
    return count === 1 ? [await postgresTemplate(CHECKED, this.pgPort)] : (await spreadTemplate(CHECKED, this.pgPort)).split(" ");
  }

  get clock() {
    const { faults } = this;
    return {
      now: () => faults.now,
      stop: (at = faults.now) => faults.stopClock(at),
      forward: (seconds) => faults.stopClock(faults.now + seconds),
    };
  }

  get deadlines() {
    return { forward: (ms) => this.faults.forwardDeadlines(ms) };
  }

  failNthStoreCall(n) {
    this.faults.failNthStoreCall(n);
  }

  env(extra) {
    return environment({ PENCHANT_FAULT_INJECTION: this.faults.path, ...this.options.env, ...extra });
  }

  // ---- the service ----

  // Starts `penchant serve` and waits until it listens.
  async start(settings = {}, { env, launch } = {}) {
    const service = this.launch(settings, { env, launch });
    await service.listening();
    return service;
  }

  // Starts it without waiting, because it may refuse to start. `launch` may prefix another program.
  launch(settings = {}, { env, launch, stdio, args: more = [] } = {}) {
    const chosen = {
      store: this.address,
      listen: "127.0.0.1:0",
      "log-format": "json",
      "rate-signup": 0,
      "rate-refresh": 0,
      "rate-register": 0,
      ...(this.witness && { "base-url": this.witness.origin }),
      ...this.options.settings,
      ...settings,
    };
    const args = ["serve", ...flags(chosen), ...more];
    const [file, ...rest] = launch ? launch(this.program, args) : [this.program, ...args];
    const service = new Service(file, rest, { env: this.env(env), cwd: this.dir, stdio });
    service.domains = chosen.domains;
    service.json = chosen["log-format"] === "json";
    service.tls = chosen["tls-cert"] !== undefined;
    this.services.push(service);
    return (this.service = service);
  }

  // Drains the service and checks that it exits with status 0.
  async stop(within) {
    this.service.signal("SIGTERM");
    assert.deepEqual(await this.service.exited(within), { status: 0, signal: null });
  }

  async kill() {
    this.service.signal("SIGKILL");
    await this.service.exited();
  }

  // The base URL for clients.
  get origin() {
    return this.witness?.origin ?? this.service.origin;
  }

  get port() {
    return Number(new URL(this.origin).port);
  }

  // Runs SQL in the store, beside the service, and returns its output as text; see psql() for several databases.
  sql(text) {
    return this.kind === "sqlite" ? sqlite(this.file, text) : psql(this.address, text);
  }

  // ---- requests ----

  // Every response is validated against the OpenAPI document.
  async ask(method, where, options = {}) {
    const { service } = this;
    const answer = await ask(this.origin, method, where, options);
    await this.hold(service, { method, where, ...options }, answer);
    return answer;
  }

  async hold({ domains }, request, answer) {
    try {
      (await descriptionOf(this.program, domains)).hold(request, answer);
    } catch (untrue) {
      this.untrue ??= untrue; // a test that expects trouble may swallow it
      throw untrue;
    }
  }

  get(where, headers) {
    return this.ask("GET", where, { headers });
  }

  async connect(options) {
    const connection = await Connection.open(this.port, options);
    this.connections.push(connection);
    return connection;
  }

  // Sends bytes on a new connection and returns the first response, or null if there is none.
  async raw(bytes, options) {
    const connection = await this.connect();
    connection.send(bytes);
    await until("an answer or an end", () => connection.closed || connection.bytes.length > 0);
    try {
      return await connection.answer(options);
    } catch (nothing) {
      if (connection.closed) return null;
      throw nothing;
    } finally {
      connection.destroy();
    }
  }

  // Sends the sign-up form as a browser does.
  signUp(fields, { headers } = {}) {
    const form = { username: "", email: "", name: "", password: PASSWORD, ...fields };
    if (form.password.length >= 8) this.secrets.add(form.password);
    return this.ask("POST", "/signup", {
      form,
      headers: present({ origin: this.publicOrigin(), "sec-fetch-site": "same-origin", ...headers }),
    });
  }

  publicOrigin() {
    return this.options.settings?.["auth-url"] ?? this.options.settings?.["base-url"] ?? this.origin;
  }

  // ---- commands ----

  // Runs a command on this world's store: command("user", "add", "ada", { stdin }).
  async command(...words) {
    const { stdin = "", env, store = this.address, within } = typeof words.at(-1) === "object" ? words.pop() : {};
    const args = [...words, "--store", store];
    const result = await run(this.program, args, { stdin, env: this.env(env), cwd: this.dir, within });
    this.checkSecrets(result.err + result.out, `penchant ${args.join(" ")}`);
    return withData(result);
  }

  // Runs the program with exactly these arguments.
  async penchant(args, { stdin = "", env } = {}) {
    return withData(await run(this.program, args, { stdin, env: this.env(env), cwd: this.dir }));
  }

  get socket() {
    return `${this.file}.sock`;
  }

  async control(args, stdin) {
    return withData(await control(this.socket, args, stdin));
  }

  // A command that prepares a test. A running service on SQLite gets it on its socket, as from the command-line tool,
  // without a process for it; tests of the commands themselves use command().
  prepareBy(args, stdin = "") {
    const listens = this.kind === "sqlite" && this.service?.alive && this.service.origin && !this.options.failing;
    return listens ? this.control(args, stdin) : this.command(...args, { stdin: `${stdin}\n` });
  }

  async addUser(username, { password = PASSWORD, args = [] } = {}) {
    this.secrets.add(password);
    const made = await this.prepareBy(["user", "add", username, ...args, "--json"], password);
    assert.equal(made.status, 0, made.err);
    return made.data;
  }

  // The stored users, from `penchant user list`.
  async users() {
    const listed = await this.command("user", "list", "--json");
    assert.equal(listed.status, 0, listed.err);
    return listed.data.users;
  }

  async usernames() {
    return (await this.users()).map((user) => user.username).sort();
  }

  async assertSound() {
    const checked = await this.command("check");
    assert.deepEqual([checked.status, checked.err], [0, ""], checked.out);
  }

  // ---- metrics ----

  // Every sample: { 'name{labels}': value }.
  async metrics() {
    const origin = await this.service.metricsOrigin();
    const page = await ask(origin, "GET", "/metrics");
    assert.equal(page.status, 200);
    return readMetrics(page.text);
  }

  // ---- end of the test ----

  checkSecrets(text, where) {
    for (const secret of this.secrets)
      for (const form of [secret, encodeURIComponent(secret), encodeURIComponent(secret).replace(/%20/g, "+")])
        assert.ok(!text.includes(form), `${where} shows a secret: ${text.slice(Math.max(0, text.indexOf(form) - 200))}`);
  }

  async end() {
    const problems = this.untrue ? [this.untrue] : [];
    for (const connection of this.connections) connection.destroy();
    this.witness?.close();
    for (const service of this.services) {
      try {
        await service.endAndCheck((text) => this.checkSecrets(text, "a log line"));
      } catch (fault) {
        problems.push(fault);
      }
    }
    try {
      this.faults?.close();
      fs.rmSync(this.dir, { recursive: true, force: true });
      if (this.databases && !this.cluster) for (const name of this.databases) await dropDatabase(this.pgPort, name);
    } catch (fault) {
      problems.push(fault);
    }
    if (problems.length > 0) throw problems[0];
  }
}

class Service extends Program {
  expected = false;

  // Recognizes both log formats, because a test may set the format in ways the kit does not see.
  event(name) {
    return (line) => {
      if (!line.startsWith("{")) return line.includes(` info ${name} `);
      try {
        return JSON.parse(line).event === name;
      } catch {
        return false; // the line is incomplete
      }
    };
  }

  addressIn(line) {
    return line.startsWith("{") ? JSON.parse(line).address : /address=(\S+)/.exec(line)[1];
  }

  async listening() {
    const line = await this.line("«listening»", this.event("listening"), 20_000);
    this.origin = `${this.tls ? "https" : "http"}://${this.addressIn(line)}`;
    return this;
  }

  async metricsOrigin() {
    return `http://${this.addressIn(await this.line("«metrics_listening»", this.event("metrics_listening")))}`;
  }

  // Log lines as objects; only for a service that logs JSON.
  get log() {
    return this.lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
  }

  // Waits for a log line, which may be written after the response.
  logged(what, wanted) {
    return until(`a log line: ${what}`, () => this.log.find(wanted));
  }

  // Waits for an exit that the test expects.
  async exited(within = 40_000) {
    this.expected = true;
    return this.exit(within);
  }

  async endAndCheck(checkSecrets) {
    if (this.alive && !this.expected) {
      this.signal("SIGTERM");
      const end = await this.exit(40_000);
      this.assertClean(checkSecrets);
      assert.deepEqual(end, { status: 0, signal: null }, `the service did not end well:\n${this.err.slice(-3000)}`);
      return;
    }
    if (this.alive) this.signal("SIGKILL");
    await this.exit();
    this.assertClean(checkSecrets);
    assert.ok(this.expected, `the service ended by itself (${JSON.stringify(this.end)}):\n${this.err.slice(-6000)}`);
  }

  assertClean(checkSecrets) {
    const report = sanitizerReport(this.err);
    assert.equal(report, null, `a sanitizer reports:\n${report}`);
    checkSecrets(this.err);
    if (this.json && !this.expected)
      for (const line of this.lines) assert.doesNotThrow(() => JSON.parse(line), `not a JSON log line: ${line}`);
  }
}

function withData(result) {
  try {
    result.data = JSON.parse(result.out);
  } catch {
    // not JSON
  }
  try {
    result.error = JSON.parse(result.err);
  } catch {
    // not JSON
  }
  return result;
}

export function readMetrics(text) {
  const samples = {};
  for (const line of text.split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const [, name, value] = /^([a-zA-Z_:][\w:]*(?:\{.*\})?) (-?[0-9.e+]+|\+Inf|NaN)$/.exec(line) ?? [];
    assert.ok(name, `not a sample: ${line}`);
    assert.ok(!(name in samples), `a sample twice: ${name}`);
    samples[name] = Number(value);
  }
  return samples;
}
