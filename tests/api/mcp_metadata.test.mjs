// What an MCP client reads first: the metadata of the protected resource, and preflights.

import assert from "node:assert/strict";
import test from "node:test";
import { assertCommon } from "../kit/expect.mjs";
import { world } from "../kit/world.mjs";

const ROOT = "/.well-known/oauth-protected-resource";
const SERVER = "/.well-known/oauth-authorization-server";
const PREFLIGHT = ["Authorization", "Content-Type", "Accept", "If-None-Match", "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Mcp-Session-Id", "Last-Event-ID", "traceparent", "tracestate"];

test("the protected resource is the MCP endpoint, with a slash if the path has one", async (t) => {
  const w = await world(t, { settings: { "base-url": "https://p.example", "auth-url": "https://id.p.example" } });
  for (const [path, resource] of [[`${ROOT}/mcp`, "/mcp"], [`${ROOT}/mcp/`, "/mcp/"], [ROOT, "/mcp"], [`${ROOT}?a=/`, "/mcp"]]) {
    const answer = await w.get(path, { origin: "https://spa.example", accept: "text/html", "mcp-protocol-version": "2099-01-01" });
    assert.equal(answer.status, 200, path);
    assertCommon(answer);
    assert.match(answer.headers["content-type"], /^application\/json/);
    assert.equal(answer.headers["access-control-allow-origin"], "*");
    assert.match(answer.headers["cache-control"], /max-age=300/);
    assert.deepEqual(answer.data, {
      resource: `https://p.example${resource}`,
      authorization_servers: ["https://p.example"],
      scopes_supported: ["preferences:read", "preferences:write", "agent_hints"],
      bearer_methods_supported: ["header"],
      resource_name: "Penchant",
      resource_documentation: "https://id.p.example/developer/guide",
    });
  }
  for (const path of [`${ROOT}/`, `${ROOT}/mcp//`, `${ROOT}/v1`, `${SERVER}/`, "/.well-known/openid-configuration", "/v1/domains/"]) assert.equal((await w.get(path)).status, 404, path);
});

test("mcp-scope decides which scopes it lists, and must exist", async (t) => {
  const w = await world(t, { settings: { "mcp-scope": "agent_hints music_preferences" } });
  assert.deepEqual((await w.get(ROOT)).data.scopes_supported, ["agent_hints", "music_preferences"]);
  for (const scope of ["agent_hints nonsense", "agent_hints agent_hints"]) {
    const refused = (await world(t, { start: false })).launch({ "mcp-scope": scope });
    assert.equal((await refused.exited()).status, 2);
    assert.match(refused.err, /mcp-scope: the scope (nonsense|agent_hints) /);
  }
});

test("with mcp off, the metadata does not exist", async (t) => {
  const w = await world(t, { settings: { mcp: "off" } });
  for (const path of [ROOT, `${ROOT}/mcp`, `${ROOT}/mcp/`]) {
    assert.equal((await w.get(path)).status, 404, path);
    assert.equal((await w.ask("OPTIONS", path)).status, 404, path);
  }
  assert.equal((await w.get(SERVER)).status, 200);
});

test("every preflight allows the headers of MCP clients", async (t) => {
  const w = await world(t);
  for (const path of [ROOT, `${ROOT}/mcp`, SERVER, "/oauth/token", "/oauth/register", "/oauth/revoke", "/oauth/userinfo", "/v1/preferences", "/v1/agent-hints"]) {
    const answer = await w.ask("OPTIONS", path, { headers: { origin: "https://spa.example", "access-control-request-headers": "mcp-protocol-version" } });
    assert.equal(answer.status, 204, path);
    assert.equal(answer.headers["access-control-allow-origin"], "*");
    assert.deepEqual(answer.headers["access-control-allow-headers"].split(", "), PREFLIGHT, path);
  }
});

test("offline_access is never offered", async (t) => {
  const w = await world(t);
  for (const path of [ROOT, SERVER]) assert.ok(!(await w.get(path)).data.scopes_supported.includes("offline_access"));
  assert.ok((await w.get(SERVER)).data.token_endpoint_auth_methods_supported.includes("none"));
});

test("a list of origins or schemes that makes no sense stops the start", async (t) => {
  const w = await world(t, { start: false });
  for (const [name, value, why] of [
    ["mcp-origins", "https://a.example/path", /--mcp-origins /],
    ["mcp-origins", "nonsense", /--mcp-origins /],
    ["redirect-schemes", "cursor javascript", /--redirect-schemes contains a scheme/],
    ["redirect-schemes", "Cursor", /--redirect-schemes must be lowercase/],
    ["redirect-schemes", "a  b", /--redirect-schemes must be lowercase/],
    ["client-registration", "opne", /--client-registration must be open, closed, or host names/],
    ["client-documents", "yes", /--client-documents must be on, off, or host names/],
    ["client-documents", "https://claude.ai", /--client-documents must be on, off, or host names/],
    ["client-documents-local", "10.0.0.1", /--client-documents-local must be host names/],
    ["client-documents-ca", "/no/such/file", /--client-documents-ca is not a readable file/],
    ["client-documents-timeout", "0", /--client-documents-timeout /],
  ]) {
    const refused = w.launch({ [name]: value });
    assert.equal((await refused.exited()).status, 2, value);
    assert.match(refused.err, why);
  }
});
