// What a client library asks first, and that it is true (group G of the catalogue).

import assert from "node:assert/strict";
import test from "node:test";
import { assertCommon } from "../kit/expect.mjs";
import { assertBack, assertTokens, EVERYTHING, Person, SCOPES, stage } from "../kit/oauth.mjs";
import { world } from "../kit/world.mjs";

const WHERE = "/.well-known/oauth-authorization-server";

test("the metadata lists what is supported (G1, G2)", async (t) => {
  const w = await world(t);
  const answer = await w.get(WHERE, { origin: "https://spa.example" });
  assert.equal(answer.status, 200);
  assertCommon(answer);
  assert.match(answer.headers["content-type"], /^application\/json/);
  assert.equal(answer.headers["access-control-allow-origin"], "*");
  const { data } = answer;
  assert.equal(data.issuer, w.origin);
  const at = (path) => `${w.origin}${path}`;
  assert.deepEqual(
    [data.authorization_endpoint, data.token_endpoint, data.introspection_endpoint, data.revocation_endpoint, data.userinfo_endpoint, data.registration_endpoint],
    [at("/oauth/authorize"), at("/oauth/token"), at("/oauth/introspect"), at("/oauth/revoke"), at("/oauth/userinfo"), at("/oauth/register")],
  );
  assert.deepEqual(data.response_types_supported, ["code"]);
  assert.deepEqual([...data.grant_types_supported].sort(), ["authorization_code", "refresh_token"]);
  assert.deepEqual(data.code_challenge_methods_supported, ["S256"]);
  assert.deepEqual([...data.token_endpoint_auth_methods_supported].sort(), ["client_secret_basic", "client_secret_post", "none"]);
  for (const name of ["introspection_endpoint_auth_methods_supported", "revocation_endpoint_auth_methods_supported"])
    for (const method of ["client_secret_basic", "client_secret_post"]) assert.ok(data[name].includes(method), `${name} ${method}`);
  assert.ok(!data.introspection_endpoint_auth_methods_supported.includes("none"));
  assert.equal(data.authorization_response_iss_parameter_supported, true);
  assert.deepEqual([...data.scopes_supported].sort(), [...SCOPES].sort());
  assert.deepEqual(data.response_modes_supported ?? ["query"], ["query"]);
});

test("issuer and URLs come from the settings, not from the request (G5)", async (t) => {
  const w = await world(t, { settings: { "base-url": "https://api.penchant.example", "auth-url": "https://id.penchant.example" } });
  const honest = (await w.get(WHERE)).data;
  assert.equal(honest.issuer, "https://api.penchant.example");
  assert.equal(honest.authorization_endpoint, "https://id.penchant.example/oauth/authorize");
  assert.equal(honest.token_endpoint, "https://api.penchant.example/oauth/token");
  const lied = await w.get(WHERE, { host: "evil.example", "x-forwarded-host": "evil.example", "x-forwarded-proto": "gopher", forwarded: "host=evil.example" });
  assert.deepEqual(lied.data, honest);
});

test("every address it names responds, and everything it does not name is rejected (G4)", async (t) => {
  const { w, ada, app } = await stage(t);
  const { data } = await w.get(WHERE);
  for (const [name, value] of Object.entries(data).filter(([name]) => name.endsWith("_endpoint"))) {
    const answer = await w.ask(name === "authorization_endpoint" || name === "userinfo_endpoint" ? "GET" : "POST", value.slice(w.origin.length), { form: {} });
    assert.ok([400, 401, 413, 415].includes(answer.status), `${name}: ${answer.status}`);
  }
  for (const grant_type of ["password", "client_credentials", "urn:ietf:params:oauth:grant-type:device_code"]) assert.equal((await app.post("/oauth/token", { grant_type })).data.error, "unsupported_grant_type");
  for (const scope of data.scopes_supported) assert.ok((await ada.authorize(app, { scope })).code, scope);
  for (const path of ["/oauth/device", "/oauth/par", "/oauth/jwks", "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server/x"]) assert.equal((await w.get(path)).status, 404, path);
});

test("other methods are rejected", async (t) => {
  const w = await world(t);
  assert.equal((await w.ask("POST", WHERE, { form: {} })).status, 405);
  assert.equal((await w.ask("HEAD", WHERE)).status, 200);
});

test("with pages and API on different origins the whole flow works, and each cookie and iss is its own", async (t) => {
  const settings = { "base-url": "https://api.penchant.example", "auth-url": "http://id.penchant.example" };
  const { w, app } = await stage(t, { settings });
  const ada = new Person(w, { username: "ada" });
  const request = app.request();
  const answer = await ada.through(await ada.get(request.path));
  assert.equal(assertBack(answer, request, {}).iss, "https://api.penchant.example");
  assert.match(ada.lastCookie, /^penchant=/); // the pages are http here
  const again = await ada.authorize(app);
  const set = assertTokens(await app.exchange(again), EVERYTHING);
  assert.equal((await app.introspect(set.access_token)).data.iss, "https://api.penchant.example");
  assert.equal((await app.userinfo(set.access_token)).status, 200);
});

test("path tricks do not reach an endpoint (B39)", async (t) => {
  const { w, ada, app } = await stage(t);
  const { access_token } = await ada.connect(app);
  for (const path of ["/oauth;x/token", "/oauth//token", "/oauth/token/", "/oauth/token;x", "/OAUTH/token", "/oauth/./token", "/x/../oauth/token", "/oauth%2ftoken", "/oauth/%74oken", "//oauth/userinfo", "/oauth/userinfo/", "/oauth/userinfo%00", "/oauth/userinfo;a=b", "/oauth/Userinfo", "/.well-known//oauth-authorization-server"]) {
    const answer = await w.raw(`GET ${path} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${access_token}\r\nConnection: close\r\n\r\n`);
    assert.ok([400, 404].includes(answer.status), `${path}: ${answer.status}`);
  }
});
