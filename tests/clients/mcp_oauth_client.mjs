// One MCP library of npm that signs in by itself: it discovers the authorization server, registers, sends the user
// to a page, and keeps its tokens. Reads commands as lines of JSON and prints one line of JSON for each:
// {"done": …} or {"error": "…"}. Before that, it prints {"open": URL} when the user must authorize it.
// usage: node mcp_oauth_client.mjs KIND URL

import http from "node:http";
import readline from "node:readline";

const [kind, url] = process.argv.slice(2);
const say = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);
const info = { name: "penchant-tests", version: "1" };

// ---- what an app keeps, and its redirect URI ----

const callback = http.createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, "http://127.0.0.1");
  response.setHeader("content-type", "text/html; charset=utf-8");
  response.end("<!doctype html><html lang=en><title>The app</title><h1>Back at the app</h1>");
  if (pathname === "/callback") provider.arrived(Object.fromEntries(searchParams));
});
await new Promise((resolve) => callback.listen(0, "127.0.0.1", resolve));

const provider = {
  redirectUrl: `http://127.0.0.1:${callback.address().port}/callback`,
  get clientMetadata() {
    // The AI SDK is a client with a secret, the others are public.
    const method = kind === "ai" ? {} : { token_endpoint_auth_method: "none" };
    return { client_name: `Planner with ${kind}`, redirect_uris: [this.redirectUrl], grant_types: ["authorization_code", "refresh_token"], response_types: ["code"], ...method };
  },
  state: () => (provider.sentState = crypto.randomUUID()),
  saveState: (state) => void (provider.sentState = state),
  storedState: () => provider.sentState,
  clientInformation: () => provider.client,
  saveClientInformation: (client) => void (provider.client = client),
  discoveryState: () => provider.discovered,
  saveDiscoveryState: (discovered) => void (provider.discovered = discovered),
  authorizationServerInformation: () => provider.issuer,
  saveAuthorizationServerInformation: (issuer) => void (provider.issuer = issuer),
  tokens: () => provider.set,
  saveTokens: (set) => void (provider.set = set),
  codeVerifier: () => provider.verifier,
  saveCodeVerifier: (verifier) => void (provider.verifier = verifier),
  invalidateCredentials(what) {
    if (what === "all" || what === "tokens") this.set = undefined;
    if (what === "all" || what === "client") this.client = undefined;
  },
  redirectToAuthorization(where) {
    this.redirected = new Promise((resolve) => (this.arrived = resolve));
    say({ open: where.href });
  },
  arrived() {},
};

// ---- the libraries ----

// Each has connect(), finish(redirect) with the parameters of the redirect, authorize(scope), and, once connected, tools() and call();
// the SDKs also read() and prompts().

function sdk(Client, Transport, auth, options) {
  let client, transport;
  return {
    async connect() {
      transport = new Transport(new URL(url), { authProvider: provider });
      client = new Client(info, options);
      await client.connect(transport);
    },
    finish: ({ code, iss }) => transport.finishAuth(code, iss),
    authorize: (scope) => auth(provider, { serverUrl: url, scope }),
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args) => (await client.callTool({ name, arguments: args })).structuredContent,
    read: async (uri) => (await client.readResource({ uri })).contents[0].text,
    prompts: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
  };
}

// A redirect of another issuer is refused by libraries that know the parameter.
const finish = (auth, { code, iss, state }) =>
  auth(provider, { serverUrl: url, authorizationCode: code, iss, callbackIssuer: iss, callbackState: state });

async function sdk1() {
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const { auth } = await import("@modelcontextprotocol/sdk/client/auth.js");
  return sdk(Client, StreamableHTTPClientTransport, auth);
}

async function sdk2(versionNegotiation) {
  const { Client, StreamableHTTPClientTransport, auth } = await import("@modelcontextprotocol/client");
  return sdk(Client, StreamableHTTPClientTransport, auth, versionNegotiation && { versionNegotiation });
}

async function ai() {
  const { createMCPClient, auth } = await import("@ai-sdk/mcp");
  let tools;
  return {
    async connect() {
      const client = await createMCPClient({ transport: { type: "http", url, authProvider: provider } });
      tools = await client.tools();
    },
    finish: (redirect) => finish(auth, redirect),
    authorize: (scope) => auth(provider, { serverUrl: url, scope }),
    tools: async () => Object.keys(tools),
    call: async (name, args) => (await tools[name].execute(args, { toolCallId: "1", messages: [] })).structuredContent,
  };
}

async function agents() {
  const { MCPServerStreamableHttp } = await import("@openai/agents-core");
  const { auth } = await import("@modelcontextprotocol/client");
  let server;
  return {
    async connect() {
      server = new MCPServerStreamableHttp({ url, name: "penchant", authProvider: provider });
      await server.connect();
    },
    finish: (redirect) => finish(auth, redirect),
    authorize: (scope) => auth(provider, { serverUrl: url, scope }),
    tools: async () => (await server.listTools()).map(({ name }) => name),
    call: async (name, args) => JSON.parse((await server.callTool(name, args))[0].text),
  };
}

async function langchain() {
  const { MultiServerMCPClient } = await import("@langchain/mcp-adapters");
  const { auth } = await import("@modelcontextprotocol/sdk/client/auth.js");
  let tools;
  return {
    async connect() {
      const client = new MultiServerMCPClient({ mcpServers: { penchant: { transport: "http", url, authProvider: provider } } });
      tools = await client.getTools();
    },
    finish: (redirect) => finish(auth, redirect),
    authorize: (scope) => auth(provider, { serverUrl: url, scope }),
    tools: async () => tools.map(({ name }) => name),
    call: async (name, args) => (await tools.find((tool) => tool.name === name).invoke(args)).structuredContent,
  };
}

const kinds = { sdk1, sdk2, sdk2_auto: () => sdk2({ mode: "auto" }), sdk2_pinned: () => sdk2({ mode: { pin: "2026-07-28" } }), ai, agents, langchain };
const library = await kinds[kind]();
let isConnected = false;

// Runs an action. If the user had to authorize the app meanwhile, finishes that and runs it again.
async function signedIn(action) {
  provider.redirected = undefined;
  try {
    return await action();
  } catch (error) {
    if (provider.redirected === undefined) throw error;
    const redirect = await provider.redirected;
    if (redirect.error) throw new Error(`${redirect.error}: ${redirect.error_description}`);
    if (redirect.state !== provider.sentState) throw new Error("the redirect has another state");
    await library.finish(redirect);
    return action();
  }
}

const commands = {
  async connect() {
    await signedIn(() => library.connect());
    isConnected = true;
    return library.tools();
  },
  call: ({ tool, args }) => signedIn(() => library.call(tool, args)),
  read: ({ uri }) => library.read(uri),
  prompts: () => library.prompts(),
  // Connects again with more scopes, as an app does whose library does not ask for them by itself.
  async authorize({ scope }) {
    provider.set = undefined;
    provider.redirected = undefined;
    await library.authorize(scope);
    await library.finish(await provider.redirected);
    return provider.set.scope;
  },
  held: async () => ({ client_id: provider.client?.client_id, ...provider.set }),
};

for await (const line of readline.createInterface({ input: process.stdin })) {
  const { what, ...rest } = JSON.parse(line);
  await commands[what](rest).then((done) => say({ done }), (error) => say({ error: `${error.message} ${error.cause?.message ?? ""}` }));
}
process.exit(isConnected ? 0 : 1);
