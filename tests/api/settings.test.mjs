// Settings: as a flag, as a variable, in a file; in that order of weight. A wrong one stops the
// start with one line that names it.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { world } from "../kit/world.mjs";

const NAMES = [
  "listen", "base-url", "auth-url", "store", "threads", "workers", "pool", "registration", "log-format", "log-level", "access-log",
  "security-contact", "privacy-url", "source-url",
  "domains", "domains-off", "tls-cert", "tls-key", "trusted-proxies", "metrics-listen", "connections", "connections-per-address",
];

const variable = (name) => `PENCHANT_${name.toUpperCase().replaceAll("-", "_")}`;

function configFile(w, text) {
  const file = path.join(w.dir, "penchant.conf");
  fs.writeFileSync(file, text, { mode: 0o600 });
  return file;
}

// Whether sign-up is open tells which value of `registration` was taken.
const taken = async (w) => ((await w.get("/signup", { accept: "text/html" })).text.includes('action="/signup"') ? "open" : "closed");

test("a flag overrides a variable, and a variable overrides the file", async (t) => {
  const cases = [
    { flag: "closed", variable: "open", file: "open" },
    { flag: "open", variable: "closed", file: "closed" },
    { variable: "closed", file: "open" },
    { variable: "open", file: "closed" },
    { file: "closed" },
    { file: "open" },
    {},
  ];
  for (const given of cases) {
    const w = await world(t, { start: false });
    const config = given.file && configFile(w, `registration = ${given.file}\n`);
    await w.start({ registration: given.flag, config }, { env: given.variable ? { PENCHANT_REGISTRATION: given.variable } : {} });
    assert.equal(await taken(w), given.flag ?? given.variable ?? given.file ?? "open", JSON.stringify(given));
  }
});

test("every setting can be given in a file, with comments and blanks", async (t) => {
  const w = await world(t, { start: false });
  const config = configFile(w, `
# what the service needs
  listen = 127.0.0.1:0
store=${w.address}
log-format   =   json
registration = closed   \t
threads = 1
workers = 3
pool = 2
log-level = debug
access-log = off
connections = 50
connections-per-address = 20
base-url = https://penchant.example
auth-url = https://id.penchant.example

`);
  await w.start({ store: undefined, listen: undefined, "log-format": undefined, config });
  assert.equal(await taken(w), "closed");
});

test("every setting can be given as a variable", async (t) => {
  const w = await world(t, { start: false });
  const values = {
    listen: "127.0.0.1:0", store: w.address, "log-format": "json", registration: "closed", threads: "1", workers: "3", pool: "2",
    "metrics-listen": "127.0.0.1:0", "base-url": "https://penchant.example", "trusted-proxies": "10.0.0.0/8, ::1",
  };
  const env = Object.fromEntries(Object.entries(values).map(([name, value]) => [variable(name), value]));
  await w.start({ store: undefined, listen: undefined, "log-format": undefined }, { env });
  assert.equal(await taken(w), "closed");
  await w.service.metricsOrigin();
});

test("--flag=value is the same as --flag value", async (t) => {
  const w = await world(t, { start: false });
  const service = w.launch({}, { args: ["--registration=closed"] });
  await service.listening();
  assert.equal(await taken(w), "closed");
});

const WRONG = [
  ["listen", "nonsense"], ["listen", "127.0.0.1:99999"], ["listen", "127.0.0.1"], ["listen", "300.0.0.1:80"], ["listen", ""],
  ["base-url", "penchant.example"], ["base-url", "ftp://penchant.example"], ["base-url", "https://penchant.example/path"],
  ["base-url", "https://penchant.example/"], ["base-url", "https://penchant.example?x"], ["base-url", "https://user@penchant.example"], ["base-url", "https://"],
  ["auth-url", "javascript:alert(1)"], ["auth-url", "https://id.example/#x"],
  ["store", "mysql://x"], ["store", "nonsense"], ["store", "sqlite:"], ["store", ""],
  ["threads", "-1"], ["threads", "two"], ["threads", "1.5"], ["threads", "99999999999999999999"], ["threads", "4x"],
  ["workers", "0"], ["workers", "many"], ["pool", "0"], ["store-deadline", "99"], ["store-deadline", "2s"], ["drain-delay", "301"], ["pool", "1e3"],
  ["registration", "maybe"], ["registration", "OPEN!"], ["log-format", "xml"], ["log-level", "loud"], ["access-log", "yes please"],
  ["trusted-proxies", "everybody"], ["trusted-proxies", "10.0.0.0/33"], ["trusted-proxies", "10.0.0.1,,"],
  ["security-contact", "security@example.org"], ["security-contact", "mailto:nobody"], ["security-contact", "https://a b"], ["privacy-url", "http://example.org"], ["source-url", "javascript:alert(1)"],
  ["domains-off", "food"], ["domains-off", ""], ["metrics-listen", "somewhere"], ["connections", "0"], ["connections-per-address", "none"],
];

test("a wrong value is one line that names the setting, exit 2, and nothing is made", async (t) => {
  const w = await world(t, { start: false });
  const before = fs.readdirSync(w.dir).sort();
  for (const [name, value] of WRONG) {
    const service = w.launch({ "log-format": "text", [name]: value });
    const { status } = await service.exited();
    const said = `--${name} '${value}': ${JSON.stringify(service.err)}`;
    assert.equal(status, 2, said);
    assert.equal(service.lines.length, 1, said);
    assert.ok(service.err.includes(name), said);
    assert.equal(service.out, "");
  }
  assert.deepEqual(fs.readdirSync(w.dir).sort(), before);
});

test("an invalid value from a variable or a file is reported with its location", async (t) => {
  const w = await world(t, { start: false });
  const variableGiven = w.launch({ "log-format": undefined }, { env: { PENCHANT_LOG_FORMAT: "xml" } });
  assert.equal((await variableGiven.exited()).status, 2);
  assert.match(variableGiven.err, /PENCHANT_LOG_FORMAT/);
  assert.equal(variableGiven.lines.length, 1);

  const files = [
    ["log-format = text\n\nworkers = several\n", /penchant\.conf.*3.*workers|workers.*penchant\.conf.*3/],
    ["nonsense\n", /penchant\.conf.*1/],
    ["no-such-setting = 1\n", /no-such-setting/],
    ["= 3\n", /penchant\.conf.*1/],
    ["# twice\nworkers = 3\nlog-level = warn\n\nworkers = 3\n", /penchant\.conf: workers is set twice, on line 2 and on line 5; remove one of them/],
  ];
  for (const [text, named] of files) {
    const service = w.launch({ "log-format": undefined, config: configFile(w, text) });
    assert.equal((await service.exited()).status, 2, text);
    assert.equal(service.lines.length, 1, service.err);
    assert.match(service.err, named);
  }
  const absent = w.launch({ "log-format": "text", config: path.join(w.dir, "absent.conf") });
  assert.equal((await absent.exited()).status, 2);
  assert.match(absent.err, /absent\.conf/);
});

test("unknown flags, missing values, extra arguments: exit 2 and one line", async (t) => {
  const w = await world(t, { start: false });
  for (const args of [["serve", "--no-such-flag", "1"], ["serve", "--listen"], ["serve", "surplus"], ["serve", "-x"], ["nonsense"], ["--nonsense"], ["user"], ["user", "nonsense"], ["user", "add"], ["backup"], ["help", "nonsense"], ["user", "add", "ada", "eve"], ["version", "surplus"]]) {
    const { status, err } = await w.penchant(args);
    assert.equal(status, 2, `${args.join(" ")}: ${err}`);
    assert.ok(err.trim().length > 0 && err.trim().split("\n").length <= 2, `${args.join(" ")}: ${err}`);
  }
});

test("help settings lists each with its default and a sentence", async (t) => {
  const w = await world(t, { start: false });
  const { status, out } = await w.penchant(["help", "settings"]);
  assert.equal(status, 0);
  for (const name of NAMES) {
    assert.match(out, new RegExp(`(^|[\\s-])${name}\\b`, "m"), name);
    assert.ok(out.includes(variable(name)) || /PENCHANT_/.test(out), name);
  }
  for (const value of ["127.0.0.1:8080", "64", "open"]) assert.ok(out.includes(value), value);
});

test("a secret in the store's address is in no line", async (t) => {
  const w = await world(t, { start: false });
  w.secrets.add("hunter2-is-secret");
  const service = w.launch({ store: "postgresql://penchant:hunter2-is-secret@127.0.0.1:1/nothing", "log-level": "debug" });
  assert.equal((await service.exited()).status, 1);
  assert.equal(service.lines.length, 1, service.err);
  const { status, err } = await w.command("user", "list", { store: "postgresql://penchant:hunter2-is-secret@127.0.0.1:1/nothing" });
  assert.equal(status, 1);
  assert.doesNotMatch(err, /hunter2/);
});

test("the store's address and the mail password can be in files of their own", async (t) => {
  const w = await world(t, { start: false });
  const secret = (name, text, mode = 0o600) => {
    fs.writeFileSync(path.join(w.dir, name), text, { mode });
    return path.join(w.dir, name);
  };
  const address = secret("address", `${w.address}\n`);
  const config = configFile(w, `store-file = ${address}\n`);
  fs.chmodSync(config, 0o644); // it contains no secret
  await w.start({ store: undefined, config });
  assert.equal((await w.penchant(["user", "add", "ada", "--no-password"], { env: { PENCHANT_STORE_FILE: address } })).status, 0);
  assert.deepEqual(await w.usernames(), ["ada"]);
  await w.stop();
  // A name without a slash is a credential that systemd passes.
  await w.start({ store: undefined, "store-file": "address" }, { env: { CREDENTIALS_DIRECTORY: w.dir } });
  assert.deepEqual(await w.usernames(), ["ada"]);
  await w.stop();
});

test("a file with a secret that cannot be used stops the start", async (t) => {
  const w = await world(t, { start: false });
  const file = (name, text, mode = 0o600) => {
    fs.writeFileSync(path.join(w.dir, name), text);
    fs.chmodSync(path.join(w.dir, name), mode);
    return path.join(w.dir, name);
  };
  for (const [settings, sentence] of [
    [{ "smtp-password-file": "/nowhere/secret" }, /^penchant: smtp-password-file: cannot read \/nowhere\/secret: No such file or directory$/m],
    [{ "smtp-password-file": w.dir }, /smtp-password-file: \S+ is not a file/],
    [{ "smtp-password-file": file("open", "secret", 0o604) }, /smtp-password-file: \S+ is open to every user of this machine; run chmod o= on it/],
    [{ "smtp-password-file": file("empty", "\n") }, /smtp-password-file: \S+ is empty/],
    [{ "smtp-password-file": file("two", "one\ntwo\n") }, /smtp-password-file: \S+ must contain one line/],
    [{ "smtp-password-file": file("large", "x".repeat(5000)) }, /smtp-password-file: \S+ is larger than 4096 bytes/],
    [{ "store-file": file("address", w.address) }, /^penchant: store and store-file are both set; remove one of them$/m],
    [{ store: undefined, "store-file": file("wrong", "mysql:x") }, /store-file: the address in \S+ /],
  ]) {
    const service = w.launch(settings);
    assert.equal((await service.exited()).status, 2, JSON.stringify(settings));
    assert.match(service.err, sentence);
  }
});

test("the store is repeated for PostgreSQL only, in the file and as a flag", async (t) => {
  const w = await world(t, { start: false });
  const [one, two] = ["postgresql://penchant@127.0.0.1:1/one", "postgresql://penchant@127.0.0.1:1/two"];
  const started = (args) => w.penchant(["user", "list", ...args]);
  const refused = await started(["--store", one, "--store", "sqlite:x.db"]);
  assert.deepEqual([refused.status, refused.err], [2, "penchant: --store can be repeated for PostgreSQL only\n"]);
  assert.match((await started(["--config", configFile(w, `store = sqlite:x.db\nstore = ${one}\n`)])).err, /line 2: store can be repeated for PostgreSQL only/);
  assert.match((await started(["--store", one, "--store", one])).err, /--store names the same database twice/);
  for (const args of [["--store", one, "--store", two], ["--config", configFile(w, `store = ${one}\nstore = ${two}\n`)], ["--store", `${one} ${two}`]])
    assert.match((await started(args)).err, /cannot connect to PostgreSQL/);
});
