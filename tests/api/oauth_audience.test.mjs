// `resource` (RFC 8707) and the audience of tokens: a token is refused outside of the part of the service
// that it was issued for.

import assert from "node:assert/strict";
import test from "node:test";
import { assertTokenError, assertTokens, stage, userinfo } from "../kit/oauth.mjs";

const asked = async (w, token) => {
  const headers = { authorization: `Bearer ${token}` };
  const ping = { body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }), headers: { ...headers, "content-type": "application/json" } };
  const mcp = await w.ask("POST", "/mcp", ping);
  if (mcp.status === 401) assert.match(mcp.headers["www-authenticate"], /error="invalid_token"/);
  const answers = [await w.get("/v1/preferences", headers), await w.get("/v1/domains", headers), await userinfo(w, token)];
  for (const answer of answers.filter(({ status }) => status === 401)) {
    assert.equal(answer.data.error, "invalid_token");
    assert.match(answer.headers["www-authenticate"], /error="invalid_token"/);
  }
  return [...answers, mcp].map(({ status }) => status);
};
const ALL = [200, 200, 200, 200];
const API = [200, 200, 200, 401];
const MCP = [401, 401, 401, 200];

test("the audience is fixed by the authorization, and introspection names it", async (t) => {
  const { w, ada, app } = await stage(t);
  const at = (path) => `${w.origin}${path}`;
  const cases = [
    [undefined, [at("")], ALL],
    [at(""), [at("")], ALL],
    [at("/"), [at("")], ALL],
    [at("/v1"), [at("/v1")], API],
    [at("/v1/agent-hints"), [at("/v1")], API],
    [at("/mcp"), [at("/mcp")], MCP],
    [at("/mcp/").toUpperCase().replace("/MCP/", "/mcp/"), [at("/mcp")], MCP],
    [[at("/mcp"), at("/v1")], [at("/mcp"), at("/v1")], ALL],
    [[at("/mcp"), at("")], [at("")], ALL],
  ];
  for (const [resource, aud, allowed] of cases) {
    const set = await ada.connect(app, { resource });
    assert.deepEqual((await app.introspect(set.access_token)).data.aud, aud);
    assert.deepEqual((await app.introspect(set.refresh_token)).data.aud, aud);
    assert.deepEqual(await asked(w, set.access_token), allowed, `${resource}`);
    assert.deepEqual(await asked(w, set.access_token), allowed, "also when it is cached");
    const next = assertTokens(await app.refresh(set.refresh_token));
    assert.deepEqual((await app.introspect(next.access_token)).data.aud, aud, "a refresh changes nothing");
    assert.deepEqual(await asked(w, next.access_token), allowed);
  }
});

test("the token endpoint gives a part of the audience, never more", async (t) => {
  const { w, ada, app } = await stage(t);
  const [all, mcp, v1] = ["", "/mcp", "/v1"].map((path) => `${w.origin}${path}`);
  const request = await ada.authorize(app, { resource: mcp });
  for (const resource of [v1, all, [mcp, v1]]) assertTokenError(await app.exchange(request, { resource }), 400, "invalid_target");
  const narrow = assertTokens(await app.exchange(request, { resource: `${mcp}/` })); // the code was not used up
  for (const resource of [v1, all, [mcp, v1]]) assertTokenError(await app.refresh(narrow.refresh_token, { resource }), 400, "invalid_target");
  assert.deepEqual(await asked(w, assertTokens(await app.refresh(narrow.refresh_token, { resource: mcp })).access_token), MCP);

  const whole = await ada.authorize(app);
  const part = assertTokens(await app.exchange(whole, { resource: mcp }));
  assert.deepEqual(await asked(w, part.access_token), MCP);
  const other = assertTokens(await app.refresh(part.refresh_token, { resource: v1 }));
  assert.deepEqual((await app.introspect(other.access_token)).data.aud, [v1]);
  assert.deepEqual(await asked(w, other.access_token), API);
  assert.deepEqual(await asked(w, part.access_token), MCP, "an issued token does not change");
  const back = assertTokens(await app.refresh(other.refresh_token));
  assert.deepEqual((await app.introspect(back.access_token)).data.aud, [all], "without resource: as authorized");
});

test("the audience survives a restart and a change of the grant", async (t) => {
  const { w, ada, app } = await stage(t);
  const set = await ada.connect(app, { resource: `${w.origin}/mcp`, scope: "profile:read preferences:read" });
  await ada.connect(app, { scope: "agent_hints profile:read", prompt: "consent" });
  assert.deepEqual(await asked(w, set.access_token), MCP);
  if (w.kind === "sqlite") return;
  await w.stop();
  await w.start({ listen: `127.0.0.1:${w.port}` });
  assert.deepEqual(await asked(w, set.access_token), MCP);
});

test("every error of the token endpoint is JSON", async (t) => {
  const { w } = await stage(t, { settings: { "rate-auth": 1 } });
  const accept = "text/html,application/xhtml+xml;q=0.9";
  const form = { grant_type: "refresh_token", client_id: "app_AAAAAAAAAAAAAAAAAAAAAA", client_secret: "x" };
  const answers = [
    [404, await w.ask("POST", "/oauth/token/", { form, headers: { accept } })],
    [404, await w.get("/oauth/tokens", { accept })],
    [404, await w.get("/.well-known/openid-configuration", { accept })],
    [404, await w.get("/mcp/nowhere", { accept })],
    [404, await w.get("/v1/nowhere", { accept })],
    [405, await w.get("/oauth/token", { accept })],
    [413, await w.ask("POST", "/oauth/token", { form: { ...form, x: "y".repeat(20_000) }, headers: { accept } })],
    [415, await w.ask("POST", "/oauth/token", { body: "{}", headers: { accept, "content-type": "application/json" } })],
    [401, await w.ask("POST", "/oauth/token", { form, headers: { accept } })],
    [429, await w.ask("POST", "/oauth/token", { form, headers: { accept } })],
  ];
  for (const [status, answer] of answers) {
    assert.equal(answer.status, status);
    assert.match(answer.headers["content-type"], /^application\/json/, `${status}`);
    assert.ok(answer.data.error && answer.data.error_description);
  }
  assert.match((await w.get("/nowhere", { accept })).headers["content-type"], /^text\/html/);
});
