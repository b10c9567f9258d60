// Requests that single MCP clients were seen to send and no other test sends. docs/SECURITY-TESTING.md lists them.

import assert from "node:assert/strict";
import test from "node:test";
import { assistant, register } from "../kit/assistant.mjs";
import { LEGACY_VERSIONS, Mcp, resultOf, VERSION } from "../kit/mcp.mjs";
import { assertTokens, words } from "../kit/oauth.mjs";

const SERVER = "/.well-known/oauth-authorization-server";

async function connectedTo(t, params = {}, options) {
  const made = await assistant(t, options);
  const set = await made.ada.connect(made.app, params);
  return { ...made, set, mcp: new Mcp(made.w, set.access_token) };
}

test("probes before a sign-in get the challenge: GET with an old version, HEAD, and POST with any Accept", async (t) => {
  const { w } = await assistant(t);
  for (const [method, headers] of [
    ["GET", { "mcp-protocol-version": "2024-11-05", accept: "text/event-stream" }], // Codex
    ["GET", { accept: "text/event-stream, application/json" }], // mcp-remote
    ["HEAD", {}], // Gemini CLI
    ["DELETE", { "mcp-session-id": "none" }],
  ]) {
    const answer = await w.ask(method, "/mcp", { headers });
    assert.equal(answer.status, 401, method);
    assert.match(answer.headers["www-authenticate"], /resource_metadata="[^"]+\/\.well-known\/oauth-protected-resource\/mcp"/);
  }
});

test("no session is kept: session ids are ignored, and streams are rejected after initialize", async (t) => {
  const { mcp } = await connectedTo(t);
  for (const accept of ["application/json, text/event-stream", "text/event-stream, application/json", "*/*", "text/event-stream", undefined]) {
    const headers = { ...(accept && { accept }), "mcp-session-id": "made up", "last-event-id": "7" };
    const answer = await mcp.legacy("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "a", version: "1" } }, { id: 0, headers });
    assert.equal(resultOf(answer, 0).protocolVersion, "2025-06-18");
    assert.equal(answer.headers["mcp-session-id"], undefined);
  }
  assert.equal((await mcp.post({ jsonrpc: "2.0", method: "notifications/initialized" })).status, 202);
  for (const version of [...LEGACY_VERSIONS, VERSION, undefined]) {
    const headers = { accept: "text/event-stream", ...(version && { "mcp-protocol-version": version }) };
    assert.equal((await mcp.ask("GET", { headers })).status, 405); // 404 or 400 would start the transport before it
  }
  assert.equal((await mcp.ask("DELETE", { headers: { "mcp-session-id": "made up" } })).status, 405);
});

test("mcp-remote sends the headers of the modern era with legacy messages", async (t) => {
  const { mcp } = await connectedTo(t);
  const headers = { "mcp-method": "tools/call", "mcp-name": "something_else", "mcp-protocol-version": "2025-06-18" };
  const result = resultOf(await mcp.legacy("tools/call", { name: "get_hints", arguments: {}, _meta: { progressToken: 0 } }, { headers }));
  assert.equal(result.isError, undefined);
  assert.equal(result.resultType, undefined);
});

test("Gemini CLI asks for every scope of the metadata at once, and gets what the user allows", async (t) => {
  const { w, ada, app } = await assistant(t);
  const { scopes_supported } = (await w.get(SERVER)).data;
  const set = await ada.connect(app, { scope: scopes_supported.join(" ") });
  assert.deepEqual(words(set.scope), [...scopes_supported].sort());
  assert.equal(resultOf(await new Mcp(w, set.access_token).legacy("tools/call", { name: "get_hints", arguments: {} })).isError, undefined);
});

test("VS Code may name the origin as the resource, with or without a slash", async (t) => {
  for (const end of ["", "/", "/mcp", "/mcp/"]) {
    const { w, mcp } = await assistant(t).then(async ({ w, ada, app }) => ({ w, mcp: new Mcp(w, (await ada.connect(app, { resource: `${w.origin}${end}` })).access_token) }));
    assert.equal((await mcp.legacy("ping")).status, 200, end);
    assert.equal((await w.get("/v1/agent-hints", { authorization: `Bearer ${mcp.token}` })).status, end.startsWith("/mcp") ? 401 : 200, end);
  }
});

test("a loopback redirect may change its port and leave out an empty path, but not its name", async (t) => {
  const { w, ada } = await assistant(t);
  const app = await register(w, { name: "VS Code", redirect_uri: "http://127.0.0.1:33418" });
  const at = async (redirect_uri) => (await ada.get(app.request({ redirect_uri }).path)).status;
  for (const fine of ["http://127.0.0.1:33418", "http://127.0.0.1:33418/", "http://127.0.0.1:5/", "http://127.0.0.1"]) assert.equal(await at(fine), 200, fine);
  for (const other of ["http://localhost:33418", "http://[::1]:33418/", "http://127.0.0.1:33418/x", "https://127.0.0.1:33418"]) assert.equal(await at(other), 400, other);
});

test("SDK v1 reacts to a missing scope by refreshing: the tokens rotate, and the scope is still missing", async (t) => {
  const { app, set, mcp, w } = await connectedTo(t, { scope: "agent_hints" });
  const call = { name: "remember", arguments: { domain: "music_preferences", member: "genres", values: ["jazz"] } };
  assert.equal((await mcp.legacy("tools/call", call)).status, 403);
  const next = assertTokens(await app.refresh(set.refresh_token));
  assert.notEqual(next.access_token, set.access_token);
  assert.deepEqual(words(next.scope), ["agent_hints"]);
  const renewed = new Mcp(w, next.access_token);
  assert.equal((await renewed.legacy("tools/call", call)).status, 403);
  assert.equal((await renewed.legacy("tools/call", { name: "get_hints", arguments: {} })).status, 200);
});

test("registration ignores what it does not know, such as application_type of Cursor", async (t) => {
  const { w } = await assistant(t);
  const json = {
    client_name: "Cursor", redirect_uris: ["cursor://anysphere.cursor-mcp/oauth/callback", "https://www.cursor.com/agents/mcp/oauth/callback", "http://localhost:8787/callback"],
    token_endpoint_auth_method: "none", application_type: "web", grant_types: ["authorization_code", "refresh_token", "urn:x"], response_types: ["code"], contacts: ["a@b.example"], tos_uri: 7, jwks: null, software_version: "1",
  };
  const { status, data } = await w.ask("POST", "/oauth/register", { json });
  assert.equal(status, 201);
  assert.deepEqual(data.redirect_uris, json.redirect_uris);
  assert.deepEqual(Object.values(data).filter((value) => value === null), []);
  for (const name of ["application_type", "client_secret", "registration_client_uri", "tos_uri"]) assert.equal(data[name], undefined, name);
});
