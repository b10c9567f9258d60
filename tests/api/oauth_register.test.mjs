// Clients that register themselves (RFC 7591), and how they differ from apps of the portal.

import assert from "node:assert/strict";
import test from "node:test";
import { assertCommon } from "../kit/expect.mjs";
import { App, appCommand, assertBack, assertStop, assertTokens, basic, DAY, EVERYTHING, stage, userinfo, words } from "../kit/oauth.mjs";
import { until } from "../kit/until.mjs";
import { world } from "../kit/world.mjs";

const LOOP = "http://127.0.0.1/callback";
const FIRST = ["agent_hints", "preferences:read", "preferences:write"];
const NONE = { token_endpoint_auth_method: "none" };

// Bodies that are wrong on purpose do not fit the description.
const post = (w, body, headers) => w.ask("POST", "/oauth/register", { body: typeof body === "string" ? body : JSON.stringify(body), headers: { "content-type": "application/json", ...headers } });

async function register(w, body) {
  const answer = await post(w, body);
  assert.equal(answer.status, 201, answer.text);
  if (answer.data.client_secret) w.secrets.add(answer.data.client_secret);
  const { client_id, client_secret, client_name, redirect_uris, scope } = answer.data;
  return new App(w, { client_id, client_secret, name: client_name, redirect_uri: redirect_uris[0], scope });
}

function assertRefused(answer, error, says) {
  assert.deepEqual([answer.status, answer.data.error], [400, error], answer.text);
  assert.match(answer.data.error_description, says);
  assert.match(answer.headers["cache-control"], /no-store/);
  return answer.data;
}

test("a public client registers, connects, and refreshes", async (t) => {
  const { w, ada } = await stage(t);
  const answer = await post(w, { ...NONE, client_name: "Codex", redirect_uris: [LOOP], grant_types: ["authorization_code"], application_type: "web", contacts: null, nonsense: { a: [1.5] } }, { origin: "https://spa.example" });
  assert.equal(answer.status, 201, answer.text);
  assertCommon(answer);
  assert.equal(answer.headers["access-control-allow-origin"], "*");
  assert.match(answer.headers["cache-control"], /no-store/);
  const { client_id, scope, ...rest } = answer.data;
  assert.match(client_id, /^dyn_[\w-]{22}$/);
  assert.deepEqual(words(scope), FIRST);
  assert.deepEqual(rest, {
    client_id_issued_at: w.clock.now(), client_name: "Codex", redirect_uris: [LOOP], grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"], token_endpoint_auth_method: "none",
  });
  const app = new App(w, { client_id, name: "Codex", redirect_uri: "http://127.0.0.1:51234/callback" });
  const request = app.request({ scope: undefined, resource: `${w.origin}/mcp` });
  const back = assertBack(await ada.through(await ada.get(request.path)), request, {});
  const set = assertTokens(await app.exchange({ ...request, ...back }));
  assert.deepEqual(words(set.scope), FIRST, "no scope was named anywhere");
  assertTokens(await app.refresh(set.refresh_token, { resource: `${w.origin}/mcp` }));
});

test("a confidential client may send its secret in either way, and a wrong one is rejected", async (t) => {
  const { w, ada } = await stage(t);
  for (const method of [undefined, "client_secret_basic", "client_secret_post"]) {
    const app = await register(w, { redirect_uris: ["https://c.example/cb"], token_endpoint_auth_method: method });
    assert.match(app.client_secret, /^pn_cs_/);
    for (const by of ["basic", "body"]) assertTokens(await app.exchange(await ada.authorize(app), {}, { by }));
    const wrong = await app.post("/oauth/token", { grant_type: "refresh_token", refresh_token: "x" }, { by: "none", headers: { authorization: basic(app.client_id, "wrong") } });
    assert.equal(wrong.status, 401);
  }
  const two = [await register(w, { redirect_uris: [LOOP] }), await register(w, { redirect_uris: [LOOP] })];
  assert.notEqual(two[0].client_id, two[1].client_id);
});

test("the same client gets the same id, whatever the loopback port and the order", async (t) => {
  const w = await world(t);
  const id = async (more) => (await register(w, { ...NONE, client_name: "Gemini CLI", redirect_uris: ["http://localhost:7777/oauth/callback", "https://g.example/cb"], ...more })).client_id;
  const first = await id();
  for (const same of [{}, { redirect_uris: ["https://g.example/cb", "http://localhost:1/oauth/callback"] }, { redirect_uris: ["http://localhost/oauth/callback", "http://localhost:2/oauth/callback", "https://g.example/cb"] }, { scope: "agent_hints" }, { client_uri: "https://g.example" }])
    assert.equal(await id(same), first, JSON.stringify(same));
  const others = [{ client_name: "Gemini" }, { software_id: "x" }, { redirect_uris: ["http://localhost:7777/oauth/callback"] }, { redirect_uris: ["http://127.0.0.1:7777/oauth/callback", "https://g.example/cb"] }, { redirect_uris: ["http://localhost:7777/oauth/callback", "https://g.example:8443/cb"] }];
  assert.equal(new Set([first, ...(await Promise.all(others.map(id)))]).size, others.length + 1);
  const many = await Promise.all(Array.from({ length: 30 }, () => id({ client_name: "at once" })));
  assert.equal(new Set(many).size, 1);
});

test("the three URIs of Cursor, and other private-use schemes", async (t) => {
  const { w, ada } = await stage(t);
  const uris = ["cursor://anysphere.cursor-mcp/oauth/callback", "https://www.cursor.com/agents/mcp/oauth/callback", "http://localhost:8787/callback"];
  const app = await register(w, { ...NONE, client_name: "Cursor", redirect_uris: uris, application_type: "web" });
  const { page } = await ada.asked(app, { scope: undefined });
  assert.match(page.headers["content-security-policy"], /form-action 'self' cursor:/);
  for (const redirect_uri of uris) {
    const request = app.request({ redirect_uri, scope: undefined });
    assertBack(await ada.through(await ada.get(request.path)), request, {});
  }
  await register(w, { ...NONE, redirect_uris: ["com.example.app:/done"] });
  const closed = await world(t, { settings: { "redirect-schemes": "zed" } });
  assertRefused(await post(closed, { ...NONE, redirect_uris: uris }), "invalid_redirect_uri", /cursor:\/\//);
});

test("of several bad redirect URIs each is named, and so is each host that the operator does not allow", async (t) => {
  const { w } = await stage(t);
  const uris = ["http://c.example/one", LOOP, "javascript:two", 7];
  const { error_description } = assertRefused(await post(w, { ...NONE, redirect_uris: uris }), "invalid_redirect_uri", /redirect_uris\[0\] \(http:\/\/c\.example\/one\) cannot be used\..* redirect_uris\[2\] \(javascript:two\) cannot.* redirect_uris\[3\] \(\) cannot/);
  assert.doesNotMatch(error_description, /\[1\]/);
  const open = await world(t, { settings: { "client-registration": "c.example" } });
  assertRefused(await post(open, { ...NONE, redirect_uris: ["https://a.example/", "https://c.example/", "https://b.example/"] }), "invalid_redirect_uri", /^redirect_uris\[0\] \(https:\/\/a\.example\/\).* redirect_uris\[2\] \(https:\/\/b\.example\/\)/);
});

test("one bad redirect URI refuses the whole set and is named", async (t) => {
  const w = await world(t);
  for (const bad of ["javascript:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc/passwd", "blob:https://a/b", "about:blank", "http://c.example/cb", "ws://c.example/", "ftp://c.example/", "mailto:a@b.example", "intent://x#Intent;end", "https://c.example/cb#f", "https://u@c.example/cb", "https://c.example/*", "https://2130706433/", "nonsense", "", 7, null])
    assertRefused(await post(w, { ...NONE, redirect_uris: [LOOP, bad] }), "invalid_redirect_uri", bad === 7 || bad === null ? /\[1\]/ : new RegExp(`redirect_uris\\[1\\] \\(${bad.slice(0, 20).replace(/[^\w ]/g, ".")}`));
  for (const redirect_uris of [undefined, [], "https://c.example/cb", {}, Array(21).fill(LOOP)]) assertRefused(await post(w, { ...NONE, redirect_uris }), "invalid_redirect_uri", /redirect_uris/);
  await register(w, { ...NONE, redirect_uris: Array.from({ length: 20 }, (_, i) => `https://c.example/cb${i}`) });
});

test("a poisoned name and other wrong metadata are rejected", async (t) => {
  const w = await world(t);
  for (const client_name of ["a\u202eb", "a\u200bb", "a\nb", "a\u0000b", "P\u0430ypal", "x".repeat(101), 7, ["x"], "\u{e0041}"]) assertRefused(await post(w, { ...NONE, redirect_uris: [LOOP], client_name }), "invalid_client_metadata", /client_name/);
  for (const more of [{ token_endpoint_auth_method: "private_key_jwt" }, { token_endpoint_auth_method: 1 }, { scope: ["agent_hints"] }, { software_id: "x".repeat(2000) }]) assertRefused(await post(w, { redirect_uris: [LOOP], ...more }), "invalid_client_metadata", new RegExp(Object.keys(more)[0]));
  for (const body of ["", "{", "[]", '"x"', "null", '{"redirect_uris":["https://c.example/cb"],"redirect_uris":["https://d.example/cb"]}', "[".repeat(200)]) assertRefused(await post(w, body), "invalid_client_metadata", /JSON/);
  assert.equal((await post(w, { redirect_uris: [LOOP], x: "y".repeat(17_000) })).status, 413);
  assert.equal((await w.ask("POST", "/oauth/register", { form: { redirect_uris: LOOP } })).status, 415);
  const hostile = await register(w, { ...NONE, redirect_uris: [LOOP], client_name: '<img src=x onerror="alert(1)">' });
  assert.equal(hostile.name, '<img src=x onerror="alert(1)">');
  assert.equal((await register(w, { ...NONE, redirect_uris: [LOOP] })).name, "an app on this device");
  assert.equal((await register(w, { ...NONE, redirect_uris: ["https://c.example/cb"], client_name: "" })).name, "c.example");
});

test("a registered scope is only requested, and unknown scopes are left out", async (t) => {
  const { w, ada } = await stage(t);
  const app = await register(w, { ...NONE, redirect_uris: [LOOP], scope: "openid agent_hints email" });
  assert.equal(app.scope, "agent_hints");
  const granted = async (scope) => {
    const request = app.request({ scope });
    return words(assertTokens(await app.exchange({ ...request, ...assertBack(await ada.through(await ada.get(request.path)), request, {}) })).scope);
  };
  assert.deepEqual(await granted(undefined), ["agent_hints"]);
  assert.deepEqual(await granted("profile:read food_profile"), ["food_profile", "profile:read"], "more than it registered");
  assert.deepEqual(await granted("openid profile:read profile:read email offline_access"), ["profile:read"]);
  assert.deepEqual(await granted(EVERYTHING), words(EVERYTHING), "everything at once");
  const request = app.request({ scope: "openid email" });
  assertBack(await ada.get(request.path), request, { error: "invalid_scope" });
});

test("a public client asks every time, and another redirect URI is rejected", async (t) => {
  const { w, ada } = await stage(t);
  const app = await register(w, { ...NONE, redirect_uris: [LOOP] });
  await ada.connect(app, { scope: "profile:read" });
  ada.consentForm((await ada.asked(app, { scope: "profile:read" })).page);
  for (const redirect_uri of ["http://localhost/callback", "http://[::1]/callback", "http://127.0.0.1/other", "https://evil.example/"]) assertStop(await ada.get(app.request({ redirect_uri }).path));
  assertStop(await ada.get(new App(w, { client_id: "dyn_AAAAAAAAAAAAAAAAAAAAAA", redirect_uri: LOOP }).request().path));
});

test("an unconnected client is deleted after a week, a connected one 400 days after its last use", async (t) => {
  const { w, ada } = await stage(t);
  const [lonely, used] = [await register(w, { ...NONE, redirect_uris: [LOOP], client_name: "Lonely" }), await register(w, { ...NONE, redirect_uris: [LOOP], client_name: "Used" })];
  const set = await ada.connect(used, { scope: "profile:read" });
  const exists = async (app) => (await ada.get(app.request({ scope: "profile:read" }).path)).status !== 400;
  const expiry = async (app) => Number(await w.sql(`SELECT expires_at FROM app WHERE app_id = '${app.client_id}'`));
  assert.equal(await expiry(lonely), w.clock.now() + 7 * DAY);
  assert.equal(await expiry(used), w.clock.now() + 400 * DAY);
  w.clock.forward(20 * DAY);
  assertTokens(await used.refresh(set.refresh_token));
  assert.equal(await expiry(used), w.clock.now() + 400 * DAY);
  assert.ok(await exists(used));
});

// Runs SQL while nothing else uses the store.
async function withStoppedStore(w, sql) {
  await w.stop();
  const out = await w.sql(sql);
  await w.start();
  return out;
}

const count = async (w, where = "kind = 'registered'") => Number(await w.sql(`SELECT COUNT(*) FROM app WHERE ${where}`));

test("housekeeping deletes clients that have expired, and the grants of none that are kept", async (t) => {
  const { w, ada } = await stage(t);
  const [lonely, used] = [await register(w, { ...NONE, redirect_uris: [LOOP], client_name: "Lonely" }), await register(w, { ...NONE, redirect_uris: [LOOP], client_name: "Used" })];
  const set = await ada.connect(used, { scope: "profile:read" });
  await withStoppedStore(w, `UPDATE app SET expires_at = 1 WHERE app_id = '${lonely.client_id}'`);
  w.deadlines.forward(61_000);
  await until("the row to be deleted", async () => (await count(w)) === 1);
  assertStop(await ada.get(lonely.request({ scope: "profile:read" }).path));
  assertTokens(await used.refresh(set.refresh_token));
  assert.equal((await register(w, { ...NONE, redirect_uris: [LOOP], client_name: "Lonely" })).client_id, lonely.client_id, "it registers again with the same id");
});

test("a thousand registrations of one client leave one row", async (t) => {
  const w = await world(t);
  const ids = new Set();
  for (let round = 0; round < 20; round++)
    for (const answer of await Promise.all(Array.from({ length: 50 }, (_, i) => post(w, { ...NONE, client_name: "opencode", redirect_uris: [`http://127.0.0.1:${1024 + 50 * round + i}/callback`] })))) ids.add(answer.data.client_id);
  assert.deepEqual([ids.size, await count(w)], [1, 1]);
});

test("beyond 20,000 unconnected clients, the oldest are deleted", async (t) => {
  const { w, ada } = await stage(t);
  const used = await register(w, { ...NONE, redirect_uris: [LOOP], client_name: "Used" });
  await ada.connect(used, { scope: "profile:read" });
  const numbers = w.kind === "postgres" ? "SELECT n FROM generate_series(1, 20003) AS n" : "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20003) SELECT n FROM numbers";
  const id = w.kind === "postgres" ? "'dyn_' || lpad(n::text, 22, '0')" : "'dyn_' || printf('%022d', n)";
  const now = w.clock.now();
  await withStoppedStore(w, `INSERT INTO app (app_id, owner_id, name, redirect_uris, scopes, is_public, status, epoch, position, created_at, updated_at, kind, expires_at)
    SELECT ${id}, '', 'Flood', '${LOOP}', '', 1, 'active', 0, n, ${now}, ${now}, 'registered', ${now + 7 * DAY - 30000} + n FROM (${numbers}) AS numbers`);
  const exists = (n) => count(w, `app_id = 'dyn_${String(n).padStart(22, "0")}'`);
  await register(w, { ...NONE, redirect_uris: [LOOP], client_name: "One more" });
  assert.equal(await count(w), 20_001, "20,000 and the connected one");
  assert.deepEqual([await exists(1), await exists(4), await exists(5), await exists(20_003)], [0, 0, 1, 1]);
  await register(w, { ...NONE, redirect_uris: [LOOP], client_name: "Another" });
  assert.deepEqual([await count(w), await exists(5), await exists(6)], [20_001, 0, 1]);
  ada.consentForm((await ada.asked(used, { scope: "profile:read" })).page);
});

test("registrations are limited per address, and rejected ones do not count", async (t) => {
  const w = await world(t, { settings: { "rate-register": 3 } });
  for (let i = 0; i < 5; i++) assert.equal((await post(w, { redirect_uris: ["nonsense"] })).status, 400);
  for (let i = 0; i < 3; i++) await register(w, { ...NONE, redirect_uris: [LOOP], client_name: `${i}` });
  const answer = await post(w, { ...NONE, redirect_uris: [LOOP], client_name: "4" });
  assert.deepEqual([answer.status, answer.data.error], [429, "rate_limited"]);
  assert.ok(Number(answer.headers["retry-after"]) > 3000);
});

test("an operator can close registration", async (t) => {
  for (const settings of [{ "client-registration": "closed" }, { mcp: "off" }]) {
    const w = await world(t, { settings });
    assert.equal((await post(w, { ...NONE, redirect_uris: [LOOP] })).status, 404);
    assert.equal((await w.get("/.well-known/oauth-authorization-server")).data.registration_endpoint, undefined);
  }
});

test("the portal does not show clients that registered themselves, the account does", async (t) => {
  const { w, ada, app } = await stage(t);
  const own = await register(w, { ...NONE, redirect_uris: [LOOP], client_name: "Goose on a laptop" });
  const set = await ada.connect(own, { scope: "profile:read" });
  const listed = await ada.get("/developer", { "sec-fetch-site": "none" });
  assert.ok(listed.text.includes(app.name) && !listed.text.includes("Goose on a laptop"));
  assert.equal((await ada.get(`/developer/apps/${own.client_id}`, { "sec-fetch-site": "none" })).status, 404);
  assert.ok((await ada.get("/account/apps", { "sec-fetch-site": "none" })).text.includes("Goose on a laptop"));
  assert.equal((await userinfo(w, set.access_token)).status, 200);
});

test("an operator disables or deletes a client that registered itself: its tokens end at the next request", async (t) => {
  const { w, ada } = await stage(t);
  for (const command of ["disable", "delete"]) {
    const own = await register(w, { ...NONE, redirect_uris: [LOOP], client_name: `To ${command}` });
    const { access_token } = await ada.connect(own, { scope: "profile:read" });
    for (let i = 0; i < 3; i++) assert.equal((await userinfo(w, access_token)).status, 200);
    await appCommand(w, command, own.client_id);
    assert.equal((await userinfo(w, access_token)).status, 401, command);
  }
});
