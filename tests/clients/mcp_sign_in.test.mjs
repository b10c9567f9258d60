// MCP clients of npm from nothing to every tool: discovery, registration, sign-in and consent in Chromium, refresh
// after the access token expired, step-up to a scope that was not asked for at first, and the end when the user
// disconnects the app. All clients share one service and one browser.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import readline from "node:readline";
import test, { after, before } from "node:test";
import { state } from "../kit/account.mjs";
import { makeOpener, complaints, inReverse, signIn } from "../kit/browser.mjs";
import { documentHost, HOST } from "../kit/document_host.mjs";
import { LEGACY_VERSIONS, VERSION } from "../kit/mcp.mjs";
import { NODE } from "../kit/mcp_proxy.mjs";
import { HOUR, stage, words } from "../kit/oauth.mjs";
import { freePort } from "../kit/pg.mjs";
import { FOOD, MUSIC } from "../kit/preferences.mjs";
import { Program } from "../kit/process.mjs";
import { often } from "../kit/thorough.mjs";
import { soon, until } from "../kit/until.mjs";
import { PASSWORD, ROOT } from "../kit/world.mjs";

const open = makeOpener();
const TOOLS = ["get_hints", "get_preferences", "remember", "forget"];
const FIRST = "agent_hints preferences:read"; // what a first connection is asked for; the rest is stepped up to
const ALL = `${FIRST} preferences:write`;

let w, page, host;
const ends = [];

before(async () => {
  const t = inReverse({ after: (end) => ends.push(end) });
  host = await documentHost(t);
  const made = await stage(t, { witness: true, settings: { "mcp-scope": FIRST, ...host.settings } });
  w = made.w;
  await state(made.ada, FOOD, "allergies", "peanuts");
  page = await open(t, w);
  await page.goto("/signin");
  await signIn(page, { password: PASSWORD });
  await page.waitForURL(/account/);
});
after(() => ends[0]?.());

// ---- the client's program ----

class Library {
  constructor(t, kind) {
    this.kind = kind;
    this.name = `Planner with ${kind}`;
    this.err = "";
    const env = { PATH: process.env.PATH, HOME: "/nonexistent" };
    const child = spawn(NODE, [path.join(ROOT, "tests/clients/mcp_oauth_client.mjs"), kind, `${w.origin}/mcp`], { stdio: ["pipe", "pipe", "pipe"], env });
    t.after(() => child.kill("SIGKILL"));
    child.stderr.setEncoding("utf8").on("data", (text) => (this.err += text));
    this.child = child;
    this.lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  async hear() {
    const { value, done } = await soon(`a line of ${this.name}`, this.lines.next(), 30_000);
    assert.ok(!done, `${this.name} ended:\n${this.err}`);
    return JSON.parse(value);
  }

  say(what, rest) {
    this.child.stdin.write(`${JSON.stringify({ what, ...rest })}\n`);
  }

  // The result of a command during which the user is not asked.
  async done(what, rest) {
    this.say(what, rest);
    const heard = await this.hear();
    assert.ok("done" in heard, `${JSON.stringify(heard)} ${this.err}`);
    return heard.done;
  }

  call(tool, args) {
    return this.done("call", { tool, args });
  }
}

// ---- the user ----

// Allows what a client asks for on the consent page.
async function allow(url, { name, scope, chosen = {}, known = /Not verified: any program can use this name\./ }) {
  await page.goto(url);
  await page.waitForSelector("button[value=allow]");
  assert.equal(await page.textContent("h1 q"), name);
  assert.match(await page.textContent("main"), known);
  const asked = await page.$$eval("input[name=scope]", (all) => all.map(({ value }) => value));
  assert.deepEqual(asked.sort(), words(scope));
  for (const [field, value] of Object.entries(chosen)) await page.check(`input[name=${field}][value=${value}]`);
  await page.click("button[value=allow]");
  await page.waitForURL(/^http:\/\/(127\.0\.0\.1|localhost):\d+\/(oauth\/)?callback\?/);
}

async function disconnect(name) {
  await page.goto("/account/apps");
  await page.click(`a:has-text("${name}")`);
  await page.click("form[action$='/disconnect'] button");
  await page.waitForSelector("text=is disconnected");
}

// ---- what went over the wire ----

// The requests during an action.
async function wire(action) {
  const from = w.witness.seen.length;
  const result = await action();
  return { result, seen: w.witness.seen.slice(from) };
}

const form = ({ form }) => Object.fromEntries(form ?? []);
const grants = (seen, type) => seen.filter(({ where, ...one }) => where === "/oauth/token" && form(one).grant_type === type);
const calls = (seen) => seen.filter(({ where, method }) => where === "/mcp" && method === "POST");

for (const kind of ["sdk1", "sdk2", "sdk2_auto", "sdk2_pinned", "ai", "agents", "langchain"])
  test(`${kind}: registers, calls every tool, refreshes, steps up, and stops when disconnected`, async (t) => {
    const client = new Library(t, kind);
    const connecting = await wire(async () => {
      client.say("connect");
      const { open: url } = await client.hear();
      assert.doesNotMatch(url, /offline_access|prompt=/); // libraries add both if the metadata lists offline_access
      await allow(url, { name: client.name, scope: FIRST });
      return client.hear();
    });
    assert.deepEqual(connecting.result, { done: TOOLS }, client.err);
    const listed = connecting.seen.find(({ json }) => json?.method === "tools/list");
    assert.equal(listed.headers["mcp-protocol-version"], MODERN.includes(kind) ? VERSION : LEGACY_VERSIONS[0]);
    const paths = connecting.seen.map(({ where }) => where.split("?")[0]);
    for (const wanted of ["/mcp", "/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server", "/oauth/register", "/oauth/authorize", "/oauth/token"]) assert.ok(paths.includes(wanted), wanted);
    assert.deepEqual(grants(connecting.seen, "authorization_code").map((one) => form(one).resource), [`${w.origin}/mcp`]);

    if (!["ai", "agents", "langchain"].includes(kind)) {
      assert.match(await client.done("read", { uri: "penchant://hints" }), /allergic to peanuts/);
      assert.deepEqual(await client.done("prompts"), ["about_me", "interview", "tidy", "bring_over"]);
    }
    assert.match((await client.call("get_hints", { task: "restaurant_search" })).hints[0], /allergic to peanuts/);
    assert.equal((await client.call("get_preferences", { domain: FOOD })).facts[0].value, "peanuts");

    const before = await client.done("held");
    w.clock.forward(HOUR + 1);
    const refreshing = await wire(() => client.call("get_hints", {}));
    assert.match(refreshing.result.hints[0], /allergic to peanuts/);
    assert.equal(calls(refreshing.seen)[0].status, 401);
    assert.deepEqual(grants(refreshing.seen, "refresh_token").map(({ status }) => status), [200]);
    const renewed = await client.done("held");
    assert.notEqual(renewed.access_token, before.access_token);
    assert.notEqual(renewed.refresh_token, before.refresh_token);
    assert.deepEqual([renewed.client_id, words(renewed.scope)], [before.client_id, words(FIRST)]);

    const value = `jazz by ${kind}`;
    const remember = { domain: MUSIC, member: "genres", values: [value] };
    assert.equal((await stepUp(client, remember)).results[0].status, "stored");
    assert.deepEqual(words((await client.done("held")).scope), words(ALL));
    assert.equal((await client.call("forget", { domain: MUSIC, member: "genres", value })).status, "forgotten");

    await disconnect(client.name);
    client.say("call", { tool: "get_hints", args: {} });
    const { open: again } = await client.hear();
    assert.ok(again?.startsWith(`${w.origin}/oauth/authorize?`), client.err);
    assert.deepEqual(complaints(page), []);
  });

const MODERN = ["sdk2_auto", "sdk2_pinned", "ai", "agents"];
const STEPS_UP = ["sdk2", "sdk2_auto", "sdk2_pinned", "agents"]; // by itself, because it is SDK v2

// A client that steps up authorizes again with all scopes; with other libraries the app has to.
async function stepUp(client, args) {
  const chosen = { writes: "store" };
  client.say("call", { tool: "remember", args });
  const first = await client.hear();
  assert.equal(first.open !== undefined, STEPS_UP.includes(client.kind), JSON.stringify(first));
  if (first.open) {
    await allow(first.open, { name: client.name, scope: ALL, chosen });
    const { done } = await client.hear();
    assert.ok(done, client.err);
    return done;
  }
  assert.match(first.error, /403|scope/i);
  client.say("authorize", { scope: ALL });
  await allow((await client.hear()).open, { name: client.name, scope: ALL, chosen });
  assert.deepEqual(words((await client.hear()).done), words(ALL));
  return client.call("remember", args);
}

// ---- programs ----

// A program that prints the address which the user must open, on standard error.
class Command {
  constructor(t, name, args) {
    const env = { PATH: process.env.PATH, HOME: w.dir, MCP_REMOTE_CONFIG_DIR: w.dir, BROWSER: "/bin/true", MCP_AUTO_OPEN_ENABLED: "true", MCP_INSPECTOR_SECRET_STORE: "file" };
    this.program = new Program(NODE, [path.join(ROOT, "tests/clients/node_modules/.bin", name), ...args], { env, stdio: ["pipe", "pipe", "pipe"] });
    t.after(() => this.program.signal("SIGKILL"));
    this.opened = 0;
  }

  // The next address that it asks to open.
  async asks() {
    const addresses = () => this.program.err.match(/http:\S+\/oauth\/authorize\?\S+(?=\s)/g) ?? [];
    const found = await until("an address to open", () => {
      if (this.program.end) throw new Error(`it ended: ${this.program.err}${this.program.out}`);
      return addresses()[this.opened];
    }, 30_000).catch((error) => assert.fail(`${error.message}\n${this.program.err}`));
    this.opened++;
    return found;
  }
}

test("mcp-remote: signs a host in that knows nothing of OAuth, refreshes, steps up, and stops when disconnected", async (t) => {
  const bridge = new Command(t, "mcp-remote", [`${w.origin}/mcp`, `${await freePort()}`, "--allow-http", "--transport", "http-only"]);
  let id = 0;
  const send = (method, params) => {
    bridge.program.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params })}\n`);
    return id;
  };
  const answers = () => bridge.program.out.split("\n").slice(0, -1).map((line) => JSON.parse(line));
  const answer = (id) => until(`answer ${id} of mcp-remote`, () => answers().find((one) => one.id === id), 30_000).catch((error) => assert.fail(`${error.message}\n${bridge.program.err}`));
  const call = (name, args) => send("tools/call", { name, arguments: args });
  const result = async (id) => (await answer(id)).result.structuredContent;

  const started = send("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "host", version: "1" } });
  const name = "MCP CLI Proxy";
  await allow(await bridge.asks(), { name, scope: FIRST });
  assert.equal((await answer(started)).result.protocolVersion, "2025-06-18");
  assert.deepEqual((await answer(send("tools/list"))).result.tools.map((tool) => tool.name), TOOLS);
  assert.match((await result(call("get_hints", {}))).hints[0], /allergic to peanuts/);
  assert.equal((await result(call("get_preferences", { domain: FOOD }))).facts[0].value, "peanuts");

  w.clock.forward(HOUR + 1);
  const refreshing = await wire(() => result(call("get_hints", {})));
  assert.match(refreshing.result.hints[0], /allergic to peanuts/);
  assert.deepEqual(grants(refreshing.seen, "refresh_token").map(({ status }) => status), [200]);

  const remember = call("remember", { domain: MUSIC, member: "genres", values: ["jazz by a bridge"] });
  await allow(await bridge.asks(), { name, scope: ALL, chosen: { writes: "store" } });
  assert.equal((await result(remember)).results[0].status, "stored");
  assert.equal((await result(call("forget", { domain: MUSIC, member: "genres", value: "jazz by a bridge" }))).status, "forgotten");

  await disconnect(name);
  call("get_hints", {});
  assert.ok((await bridge.asks()).startsWith(`${w.origin}/oauth/authorize?`));
});

for (const era of often(["modern"], ["legacy", "modern"]))
  test(`MCP Inspector, ${era}: signs in, calls every tool, refreshes, connects again with more scopes, and stops when disconnected`, async (t) => {
    const callback = `http://127.0.0.1:${await freePort()}/oauth/callback`;
    const config = path.join(w.dir, `inspector-${era}.json`);
    const entry = (more) => ({ type: "streamable-http", url: `${w.origin}/mcp`, ...more });
    fs.writeFileSync(config, JSON.stringify({ mcpServers: { first: entry(), all: entry({ oauth: { scopes: ALL } }) } }));
    const inspect = (server, ...args) => new Command(t, "mcp-inspector", ["--cli", "--config", config, "--server", server, "--protocol-era", era, "--callback-url", callback, "--format", "json", ...args]);
    const call = (server, name, args, ...more) => inspect(server, "--method", "tools/call", "--tool-name", name, "--tool-args-json", JSON.stringify(args), ...more);
    const ended = async ({ program }) => ({ status: (await program.exit(60_000)).status, ...program });
    const result = async (command) => {
      const { status, out, err } = await ended(command);
      assert.equal(status, 0, out + err);
      return JSON.parse(out).result;
    };
    const name = "MCP Inspector";

    // The strict mode exits with an error if a schema is not portable.
    const listing = inspect("first", "--method", "tools/list", "--strict", "--relogin");
    await allow(await listing.asks(), { name, scope: FIRST });
    assert.deepEqual((await result(listing)).tools.map((tool) => tool.name), TOOLS);
    assert.match((await result(call("first", "get_hints", {}))).structuredContent.hints[0], /allergic to peanuts/);

    w.clock.forward(HOUR + 1);
    const refreshing = await wire(() => result(call("first", "get_preferences", { domain: FOOD })));
    assert.equal(refreshing.result.structuredContent.facts[0].value, "peanuts");
    assert.deepEqual(grants(refreshing.seen, "refresh_token").map(({ status }) => status), [200]);

    // Its command line refreshes the token once and gives up. The user configures the scope.
    const value = `jazz by ${era}`;
    const remember = { domain: MUSIC, member: "genres", values: [value] };
    const refused = await wire(() => ended(call("first", "remember", remember)));
    assert.notEqual(refused.result.status, 0, refused.result.out);
    assert.deepEqual(calls(refused.seen).filter(({ status }) => status === 403).length, 1);
    const again = call("all", "remember", remember, "--relogin");
    await allow(await again.asks(), { name, scope: ALL, chosen: { writes: "store" } });
    assert.equal((await result(again)).structuredContent.results[0].status, "stored");
    assert.equal((await result(call("all", "forget", { domain: MUSIC, member: "genres", value }))).structuredContent.status, "forgotten");

    await disconnect(name);
    assert.ok((await call("all", "get_hints", {}).asks()).startsWith(`${w.origin}/oauth/authorize?`));
  });

for (const era of often(["legacy"], ["legacy", "modern"]))
  test(`MCP Inspector with a document, ${era}: registers nothing, and is known by its host`, async (t) => {
    const callback = `http://127.0.0.1:${await freePort()}/oauth/callback`;
    const name = `Inspector, ${era}`;
    const document = host.publish(`/${era}.json`, { client_name: name, redirect_uris: [callback] });
    const config = path.join(w.dir, `inspector-document-${era}.json`);
    fs.writeFileSync(config, JSON.stringify({ mcpServers: { one: { type: "streamable-http", url: `${w.origin}/mcp` } } }));
    const args = ["--cli", "--config", config, "--server", "one", "--protocol-era", era, "--callback-url", callback, "--client-metadata-url", document, "--format", "json"];
    const { result, seen } = await wire(async () => {
      const call = new Command(t, "mcp-inspector", [...args, "--method", "tools/call", "--tool-name", "get_hints", "--relogin"]);
      const url = await call.asks();
      assert.equal(new URL(url).searchParams.get("client_id"), document);
      await allow(url, { name, scope: FIRST, known: new RegExp(`We know this app by its address: ${HOST.replace(".", "\\.")}`) });
      const { status } = await call.program.exit(60_000);
      assert.equal(status, 0, call.program.out + call.program.err);
      return JSON.parse(call.program.out).result;
    });
    assert.match(result.structuredContent.hints[0], /allergic to peanuts/);
    assert.deepEqual(seen.filter(({ where }) => where === "/oauth/register"), []);
    assert.deepEqual(grants(seen, "authorization_code").map((one) => [form(one).client_id, one.status]), [[document, 200]]);
    await disconnect(name);
  });
