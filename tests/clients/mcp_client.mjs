// Connects one MCP client of npm to a server, lists the tools, calls all four, and prints what it saw as JSON.
// usage: node mcp_client.mjs KIND URL TOKEN

const [kind, url, token] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${token}` };
const requestInit = { headers };
const info = { name: "penchant-tests", version: "1" };

async function sdk1() {
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const client = new Client(info);
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return sdk(client);
}

async function sdk2(versionNegotiation) {
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const client = new Client(info, versionNegotiation && { versionNegotiation });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return sdk(client);
}

const sdk = (client) => ({
  tools: async () => (await client.listTools()).tools.map(({ name }) => name),
  call: async (name, args) => (await client.callTool({ name, arguments: args })).structuredContent,
  read: async (uri) => (await client.readResource({ uri })).contents[0].text,
  prompts: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
  close: () => client.close(),
});

async function ai() {
  const { createMCPClient } = await import("@ai-sdk/mcp");
  const client = await createMCPClient({ transport: { type: "http", url, headers } });
  const tools = await client.tools();
  return {
    tools: async () => Object.keys(tools),
    call: async (name, args) => (await tools[name].execute(args, { toolCallId: "1", messages: [] })).structuredContent,
    close: () => client.close(),
  };
}

async function agents() {
  const { MCPServerStreamableHttp } = await import("@openai/agents-core");
  const server = new MCPServerStreamableHttp({ url, name: "penchant", requestInit });
  await server.connect();
  return {
    tools: async () => (await server.listTools()).map(({ name }) => name),
    call: async (name, args) => JSON.parse((await server.callTool(name, args))[0].text),
    close: () => server.close(),
  };
}

async function langchain() {
  const { MultiServerMCPClient } = await import("@langchain/mcp-adapters");
  const client = new MultiServerMCPClient({ mcpServers: { penchant: { transport: "http", url, headers } } });
  const tools = await client.getTools();
  return {
    tools: async () => tools.map(({ name }) => name),
    call: async (name, args) => (await tools.find((tool) => tool.name === name).invoke(args)).structuredContent,
    close: () => client.close(),
  };
}

const kinds = { sdk1, sdk2, sdk2_auto: () => sdk2({ mode: "auto" }), sdk2_pinned: () => sdk2({ mode: { pin: "2026-07-28" } }), ai, agents, langchain };
const client = await kinds[kind]();
const seen = { tools: await client.tools() };
if (client.read) Object.assign(seen, { hints: await client.read("penchant://hints"), prompts: await client.prompts() });
seen.remember = await client.call("remember", { domain: "music_preferences", member: "genres", values: [`jazz by ${kind}`] });
seen.get_hints = await client.call("get_hints", { task: "restaurant_search" });
seen.get_preferences = await client.call("get_preferences", { domain: "food_profile" });
seen.forget = await client.call("forget", { domain: "music_preferences", member: "genres", value: `jazz by ${kind}` });
await client.close();
console.log(JSON.stringify(seen));
process.exit(0);
