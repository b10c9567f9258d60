// The assistants' own programs from npm, each with a home of its own and without an account of its maker: they find
// the service, register, are allowed in Chromium, and receive the code at their loopback address. Then a stand-in
// model asks for every tool, and what reached the model is checked. mcporter calls the tools itself. Their only way out
// is a proxy that refuses.

import assert from "node:assert/strict";
import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import net from "node:net";
import path from "node:path";
import test, { after, before } from "node:test";
import { state } from "../kit/account.mjs";
import { makeOpener, complaints, inReverse, signIn } from "../kit/browser.mjs";
import { VERSION } from "../kit/mcp.mjs";
import { NODE } from "../kit/mcp_proxy.mjs";
import { stage, words } from "../kit/oauth.mjs";
import { FOOD, MUSIC } from "../kit/preferences.mjs";
import { Program } from "../kit/process.mjs";
import { pause, until } from "../kit/until.mjs";
import { PASSWORD, ROOT } from "../kit/world.mjs";
import { FINAL, ModelServer } from "./model_server.mjs";

const PACKAGES = path.join(ROOT, "tests/assistants/node_modules");
const SCOPE = "agent_hints preferences:read preferences:write";
const LOGIN_WITHIN = 60_000;
const CHAT_WITHIN = 180_000;
const open = makeOpener();

let w, page, exit;
const ends = [];

before(async () => {
  const t = inReverse({ after: (end) => ends.push(end) });
  // Without a way out, documents of clients cannot be fetched: the metadata must not offer them.
  const made = await stage(t, { witness: true, clock: null, settings: { "client-documents": "off" } });
  w = made.w;
  await state(made.ada, FOOD, "allergies", "peanuts");
  page = await open(t, w);
  await page.goto("/signin");
  await signIn(page, { password: PASSWORD });
  await page.waitForURL(/account/);
  exit = await refusingProxy(t);
});
after(() => ends[0]?.());

// Refuses every connection to other hosts, and remembers which were tried. Some programs also send requests for
// loopback here, whatever NO_PROXY says.
async function refusingProxy(t) {
  const tried = new Set();
  const isOurs = (host) => /^(127\.0\.0\.1|localhost):\d+$/.test(host);
  const server = http.createServer((request, response) => {
    const { host, hostname, port, pathname, search } = new URL(request.url, "http://none");
    if (!isOurs(host)) {
      tried.add(host);
      return response.writeHead(403).end();
    }
    const onward = http.request({ host: hostname, port, method: request.method, path: pathname + search, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.rawHeaders);
      answer.pipe(response);
    });
    return request.pipe(onward.on("error", () => response.destroy()));
  });
  server.on("connect", (request, socket) => {
    socket.on("error", () => {});
    if (!isOurs(request.url)) {
      tried.add(request.url);
      return socket.end("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
    }
    const [host, port] = request.url.split(":");
    const onward = net.connect(Number(port), host, () => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
    onward.on("error", () => socket.destroy());
    return onward.pipe(socket).pipe(onward);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return { tried, url: `http://127.0.0.1:${server.address().port}` };
}

// ---- one program ----

class Assistant {
  constructor(t, file, { env = {}, node = false } = {}) {
    this.t = t;
    this.home = fs.mkdtempSync(path.join(w.dir, "home-"));
    this.work = path.join(this.home, "work");
    this.opened = path.join(this.home, "opened");
    this.command = node ? [NODE, path.join(PACKAGES, file)] : [path.join(PACKAGES, file)];
    const bin = path.join(this.home, "bin");
    fs.mkdirSync(this.work);
    fs.mkdirSync(bin);
    // Takes the place of the user's browser.
    const opener = path.join(bin, "xdg-open");
    fs.writeFileSync(opener, `#!/bin/sh\nfor last; do :; done\nprintf '%s\\n' "$last" >>"${this.opened}"\n`, { mode: 0o755 });
    const proxy = Object.fromEntries(["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"].map((name) => [name, exit.url]));
    const direct = Object.fromEntries(["NO_PROXY", "no_proxy"].map((name) => [name, "127.0.0.1,localhost,::1"]));
    this.env = { PATH: `${bin}:/usr/bin:/bin`, HOME: this.home, BROWSER: opener, DISPLAY: ":9", TERM: "xterm-256color", LANG: "C.UTF-8", ...proxy, ...direct, ...env };
  }

  write(name, content) {
    const file = path.join(this.home, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  }

  start(args, { terminal = false } = {}) {
    const quoted = [...this.command, ...args].map((word) => `'${word}'`).join(" ");
    const program = terminal
      ? new Program("/usr/bin/script", ["-qfec", `stty cols 200 rows 50; exec ${quoted}`, "/dev/null"], { env: this.env, cwd: this.work, stdio: ["pipe", "pipe", "pipe"] })
      : new Program(this.command[0], [...this.command.slice(1), ...args], { env: this.env, cwd: this.work });
    this.t.after(() => program.signal("SIGKILL"));
    return program;
  }

  async run(args, { within = LOGIN_WITHIN, ...options } = {}) {
    const program = this.start(args, options);
    const { status } = await program.exit(within);
    assert.equal(status, 0, program.out + program.err);
    return program.out + program.err;
  }

  // The address that it opened in the browser.
  asked(program) {
    const found = () => fs.existsSync(this.opened) && fs.readFileSync(this.opened, "utf8").split("\n").find((line) => line.includes("/oauth/authorize?"));
    const dead = () => program.end && assert.fail(`it ended: ${program.out}${program.err}`);
    return until("an address to open", () => found() || dead(), LOGIN_WITHIN).catch((error) => assert.fail(`${error.message}\n${program.out}\n${program.err}`));
  }
}

// ---- the user ----

async function allow(url, callback) {
  await page.goto("about:blank");
  page.complaints = []; // those of the page of the assistant before
  await page.goto(url);
  await page.waitForSelector("button[value=allow]");
  assert.match(await page.textContent("main"), /Not verified: any program can use this name\./);
  const name = await page.textContent("h1 q");
  const asked = await page.$$eval("input[name=scope]", (all) => all.map(({ value }) => value));
  assert.ok(words(SCOPE).every((one) => asked.includes(one)), asked.join(" "));
  await page.check("input[name=writes][value=store]");
  assert.deepEqual(complaints(page), []); // the next page is the assistant's
  await page.click("button[value=allow]");
  await page.waitForURL(callback);
  return name;
}

// Waits until a program has written nothing for a second.
async function quiet(program) {
  for (let seen = -1; seen !== program.out.length; await pause(1_000)) seen = program.out.length;
}

// ---- the programs ----

const ASSISTANTS = {
  "Claude Code": {
    file: `@anthropic-ai/claude-code-linux-${process.arch}/claude`,
    env: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1", DISABLE_TELEMETRY: "1", DISABLE_ERROR_REPORTING: "1", ANTHROPIC_API_KEY: "sk-ant-api03-stand-in", ENABLE_TOOL_SEARCH: "false" },
    async login(assistant, url) {
      assistant.write(".claude.json", { hasCompletedOnboarding: true, customApiKeyResponses: { approved: [assistant.env.ANTHROPIC_API_KEY.slice(-20)] } });
      await assistant.run(["mcp", "add", "--transport", "http", "--scope", "user", "penchant", url]);
      return assistant.start(["mcp", "login", "penchant"], { terminal: true });
    },
    callback: /^http:\/\/localhost:\d+\/callback\?/,
    modern: true, // speaks revision 2026-07-28
    chat(assistant, model) {
      assistant.env.ANTHROPIC_BASE_URL = model.origin;
      return assistant.start(["-p", "Plan my dinner.", "--allowedTools", "mcp__penchant", "--output-format", "text"]);
    },
  },
  Codex: {
    file: "@openai/codex/bin/codex.js", node: true,
    async login(assistant, url) {
      assistant.write(".codex/config.toml", 'check_for_update_on_startup = false\n[analytics]\nenabled = false\n');
      return assistant.start(["mcp", "add", "penchant", "--url", url]); // signs in at once
    },
    callback: /^http:\/\/127\.0\.0\.1:\d+\/callback/,
    chat(assistant, model) {
      assistant.env.STAND_IN_KEY = "stand-in";
      const provider = `{name="stand-in",base_url="${model.origin}/v1",env_key="STAND_IN_KEY",wire_api="responses"}`;
      return assistant.start(["exec", "--skip-git-repo-check", "-c", "model_provider=standin", "-c", `model_providers.standin=${provider}`, "-c", "model=gpt-5", "--dangerously-bypass-approvals-and-sandbox", "Plan my dinner."]);
    },
  },
  "Gemini CLI": {
    file: "@google/gemini-cli/bundle/gemini.js", node: true,
    env: { GEMINI_API_KEY: "stand-in", GEMINI_CLI_TRUST_WORKSPACE: "true", GEMINI_TELEMETRY_ENABLED: "false", NO_BROWSER: "" },
    async login(assistant, url) {
      const settings = { security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } }, general: { disableAutoUpdate: true, disableUpdateNag: true, enableAutoUpdate: false }, privacy: { usageStatisticsEnabled: false }, telemetry: { enabled: false } };
      assistant.write(".gemini/settings.json", settings);
      await assistant.run(["mcp", "add", "--transport", "http", "--scope", "user", "penchant", url]);
      const program = assistant.start([], { terminal: true });
      const shows = (text) => until(text, () => program.out.includes(text), LOGIN_WITHIN).catch((error) => assert.fail(`${error.message}\n${program.out}`));
      await shows("Tips for getting started");
      program.child.stdin.write("/mcp"); // a command that is sent before its commands are loaded becomes a prompt
      await shows("Manage configured");
      // Its suggestions follow the text with a delay, and Enter accepts one that is shown: wait until it draws no more.
      for (let i = 0; i < 5 && !program.out.includes("Starting OAuth"); i++) {
        program.child.stdin.write(i === 0 ? " auth penchant" : "/mcp auth penchant");
        await quiet(program);
        program.child.stdin.write("\r");
        await until("its start", () => program.out.includes("Starting OAuth"), 5_000).catch(() => {});
      }
      await shows("Do you want to continue?");
      program.child.stdin.write("\r");
      return program;
    },
    callback: /^http:\/\/localhost:\d+\/oauth\/callback\?/,
    ended: /Successfully authenticated/, // the program itself goes on
    chat(assistant, model) {
      assistant.env.GOOGLE_GEMINI_BASE_URL = model.origin;
      return assistant.start(["-p", "Plan my dinner.", "--yolo"]);
    },
  },
  opencode: {
    file: `opencode-linux-${process.arch}/bin/opencode`,
    env: { OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_LSP_DOWNLOAD: "1", OPENCODE_DISABLE_DEFAULT_PLUGINS: "1", OPENCODE_DISABLE_SHARE: "1" },
    configure(assistant, url, origin) {
      const provider = { standin: { npm: "@ai-sdk/openai-compatible", name: "stand-in", options: { baseURL: `${origin}/v1`, apiKey: "stand-in" }, models: { model: { name: "model", tool_call: true } } } };
      assistant.write(".config/opencode/opencode.json", { autoupdate: false, share: "disabled", mcp: { penchant: { type: "remote", url, enabled: true } }, ...(origin && { provider, model: "standin/model", permission: "allow" }) });
    },
    async login(assistant, url) {
      this.configure(assistant, url);
      return assistant.start(["mcp", "auth", "penchant"], { terminal: true });
    },
    callback: /^http:\/\/127\.0\.0\.1:19876\/mcp\/oauth\/callback\?/,
    chat(assistant, model, url) {
      this.configure(assistant, url, model.origin);
      return assistant.start(["run", "Plan my dinner."]);
    },
  },
};

// Every tool, and what its result contains.
function callsOf(name) {
  const value = `jazz by ${name}`;
  return [
    { tool: "get_hints", args: { task: "find a restaurant" }, shows: /allergic to peanuts/ },
    { tool: "get_preferences", args: { domain: FOOD }, shows: /peanuts/ },
    { tool: "remember", args: { domain: MUSIC, member: "genres", values: [value] }, shows: /stored/ },
    { tool: "forget", args: { domain: MUSIC, member: "genres", value }, shows: /forgotten/ },
  ];
}

for (const [name, program] of Object.entries(ASSISTANTS))
  test(`${name}: registers, signs in, and gives a model the results of every tool`, async (test) => {
    const t = inReverse(test);
    const url = `${w.origin}/mcp`;
    const from = w.witness.seen.length;
    const assistant = new Assistant(t, program.file, program);
    const login = await program.login(assistant, url);
    const client = await allow(await assistant.asked(login), program.callback);
    const tokens = () => w.witness.seen.slice(from).filter(({ where, status }) => where === "/oauth/token" && status === 200);
    await until("its tokens", () => tokens().length > 0).catch((error) => assert.fail(`${error.message}\n${login.out}${login.err}`));
    await until("the end of the login", () => login.end || program.ended?.test(login.out), LOGIN_WITHIN).catch((error) => assert.fail(`${error.message}\n${login.out}${login.err}`));
    login.signal("SIGTERM");

    const calls = callsOf(name);
    const model = await ModelServer.open(t, calls);
    const chat = program.chat(assistant, model, url);
    await chat.exit(CHAT_WITHIN);
    const story = `${client}\n${chat.out}\n${chat.err}\n${model.requests.join("\n")}\n${model.tools.join(" ")}\n${JSON.stringify(model.results)}`;
    assert.equal(model.results.length, calls.length, story);
    calls.forEach(({ shows }, i) => assert.match(model.results[i], shows, story));
    assert.match(chat.out, new RegExp(FINAL), story);
    const seen = w.witness.seen.slice(from);
    assert.ok(seen.some(({ where, status }) => where === "/oauth/register" && status === 201), story);
    const sent = seen.filter(({ json }) => json?.method === "tools/call");
    assert.deepEqual(sent.map(({ json, status }) => [json.params.name, status]), calls.map(({ tool }) => [tool, 200]));
    for (const { headers } of sent) assert.equal(headers["mcp-protocol-version"] === VERSION, program.modern === true);
    page.complaints.length = 0;
    t.after(() => exit.tried.size > 0 && console.log(`${name} tried to reach ${[...exit.tried].join(", ")}, which was refused`));
  });

test("mcporter: registers, signs in, and calls every tool from a command line", async (test) => {
  const t = inReverse(test);
  const from = w.witness.seen.length;
  const assistant = new Assistant(t, "mcporter/dist/cli.js", { node: true });
  assistant.write("work/config/mcporter.json", { mcpServers: { penchant: { baseUrl: `${w.origin}/mcp`, auth: "oauth" } } });
  const login = assistant.start(["auth", "penchant"]);
  await allow(await assistant.asked(login), /^http:\/\/127\.0\.0\.1:\d+\/callback\?/);
  const { status } = await login.exit(LOGIN_WITHIN);
  assert.equal(status, 0, login.out + login.err);
  for (const { tool, args, shows } of callsOf("mcporter"))
    assert.match(await assistant.run(["call", `penchant.${tool}`, "--args", JSON.stringify(args), "--output", "json", "--no-oauth"]), shows);
  const seen = w.witness.seen.slice(from);
  assert.ok(seen.some(({ where, status }) => where === "/oauth/register" && status === 201));
  const sent = seen.filter(({ json }) => json?.method === "tools/call");
  assert.deepEqual(sent.map(({ headers, status }) => [headers["mcp-protocol-version"], status]), Array(4).fill(["2025-11-25", 200]));
  page.complaints.length = 0;
});
