// GET /oauth/authorize: what an app may ask, and where the answer goes (group A of the catalogue).

import assert from "node:assert/strict";
import test from "node:test";
import { assertError, assertPage } from "../kit/expect.mjs";
import { textOf } from "../kit/html.mjs";
import { assertTokens, addApp, appCommand, assertBack, assertPageTo, assertPrivate, assertStop, CALLBACK, EVERYTHING, Person, stage, words } from "../kit/oauth.mjs";

test("a valid request shows the consent page, and allowing it redirects with a code", async (t) => {
  const { ada, app } = await stage(t);
  const { page, ...request } = await ada.asked(app);
  assertPageTo(page, "https://app.example");
  const answer = await ada.decide(page);
  assertBack(answer, request, {});
  assert.equal(answer.text, "");
});

test("a signed-out user signs in and returns to the same request", async (t) => {
  const { w, app } = await stage(t, { signedIn: false });
  const ada = new Person(w, { username: "ada" });
  const request = app.request({ state: "a b+c&d=é%" });
  const first = await ada.get(request.path);
  assert.equal(first.status, 303);
  assertPrivate(first);
  const [path, query] = first.headers.location.split("?");
  assert.equal(path, "/signin");
  assert.equal(new URLSearchParams(query).get("next"), request.path);
  assertBack(await ada.through(first), request, { state: "a b+c&d=é%" });
});

// The app or its redirect URI is unknown: no redirect.
const STOPS = [
  ["no client_id (A1)", { client_id: undefined }],
  ["an empty client_id", { client_id: "" }],
  ["an unknown client_id (A2)", { client_id: "app_AAAAAAAAAAAAAAAAAAAAAA" }],
  ["a client_id that is not one", { client_id: "ada" }],
  ["a client_id with SQL in it", { client_id: "app_' OR '1'='1" }],
  ["a client_id with markup in it", { client_id: "<script>alert(1)</script>" }],
  ["two client_ids", { client_id: ["app_AAAAAAAAAAAAAAAAAAAAAA", "app_BBBBBBBBBBBBBBBBBBBBBB"] }],
  ["no redirect_uri (A4)", { redirect_uri: undefined }],
  ["an empty redirect_uri", { redirect_uri: "" }],
  ["two redirect_uris", { redirect_uri: [CALLBACK, CALLBACK] }],
  ["another redirect_uri (A5)", { redirect_uri: "https://evil.example/callback" }],
  ["a further segment (A6)", { redirect_uri: `${CALLBACK}/more` }],
  ["a query (A7)", { redirect_uri: `${CALLBACK}?x=1` }],
  ["an empty query", { redirect_uri: `${CALLBACK}?` }],
  ["a scheme in upper case (A10)", { redirect_uri: CALLBACK.replace("https", "HTTPS") }],
  ["a host in upper case (A10)", { redirect_uri: CALLBACK.replace("app", "App") }],
  ["a trailing slash (A11)", { redirect_uri: `${CALLBACK}/` }],
  ["a dot-dot (A11)", { redirect_uri: "https://app.example/x/../callback" }],
  ["an escaped dot-dot (A11)", { redirect_uri: "https://app.example/x/%2e%2e/callback" }],
  ["a twice escaped dot-dot (A11)", { redirect_uri: "https://app.example/x/%252e%252e/callback" }],
  ["an escaped letter", { redirect_uri: "https://app.example/c%61llback" }],
  ["http for https", { redirect_uri: CALLBACK.replace("https", "http") }],
  ["a backslash (A13)", { redirect_uri: "https://app.example\\.evil.example/callback" }],
  ["a tab (A13)", { redirect_uri: `${CALLBACK}\t` }],
  ["a line end (A13)", { redirect_uri: `${CALLBACK}\r\nSet-Cookie: a=b` }],
  ["a NUL (A13)", { redirect_uri: `${CALLBACK}\0` }],
  ["a look-alike host (A13)", { redirect_uri: "https://аpp.example/callback" }],
  ["a punycode host", { redirect_uri: "https://xn--pp-6kc.example/callback" }],
  ["a username in it", { redirect_uri: "https://app.example@evil.example/callback" }],
  ["a fragment (A14)", { redirect_uri: `${CALLBACK}#part` }],
  ["an empty fragment (A14)", { redirect_uri: `${CALLBACK}#` }],
  ["a port where none is registered (A19)", { redirect_uri: "https://app.example:8443/callback" }],
  ["the default port (A19)", { redirect_uri: "https://app.example:443/callback" }],
  ["a scheme of scripts", { redirect_uri: "javascript:alert(1)//app.example/callback" }],
];

test("an unknown app or an unregistered address is a page, never a redirect, signed in or not", async (t) => {
  const { w, ada, app } = await stage(t);
  const stranger = new Person(w, {});
  for (const [why, params] of STOPS)
    for (const person of [ada, stranger]) {
      const { path } = app.request(params);
      const answer = await person.get(path);
      assertPage(answer, 400);
      assert.equal(answer.headers.location, undefined, why);
      assert.doesNotMatch(answer.text, /<script>alert|href="(javascript|https:\/\/evil)/i, why);
    }
  // An unknown app and a missing one get the same response (A2).
  const text = async (params) => textOf((await ada.get(app.request(params).path)).text).replace(/[A-Za-z0-9_-]{16,}/g, "…");
  assert.equal(await text({ client_id: undefined }), await text({ client_id: "app_AAAAAAAAAAAAAAAAAAAAAA" }));
  assert.equal((await ada.authorize(app)).params.iss, w.origin); // the app itself is fine
});

test("a disabled or deleted app gets the same error as an unknown one (A3)", async (t) => {
  const { w, ada, app } = await stage(t);
  const other = await addApp(w);
  const unknown = textOf((await ada.get(app.request({ client_id: "app_AAAAAAAAAAAAAAAAAAAAAA" }).path)).text);
  const request = (await ada.asked(app)).page;
  await appCommand(w, "disable", app.client_id);
  await appCommand(w, "delete", other.client_id);
  for (const one of [app, other]) {
    const stopped = assertStop(await ada.get(one.request().path));
    assert.equal(textOf(stopped.text).replace(/[A-Za-z0-9_-]{16,}/g, "…"), unknown.replace(/[A-Za-z0-9_-]{16,}/g, "…"));
  }
  // A page that was already open does not help it.
  const late = await ada.decide(request);
  assert.ok(late.status >= 400 && late.headers.location === undefined, `${late.status} ${late.headers.location}`);
  await appCommand(w, "enable", app.client_id);
  assert.ok((await ada.authorize(app)).code);
});

test("with several registered addresses the response goes to the requested one, and none is guessed (A4)", async (t) => {
  const uris = ["https://app.example/a", "https://app.example/b?keep=1&also=%20", "com.example.finder:/done"];
  const { ada, app } = await stage(t, { app: { redirect_uris: uris } });
  for (const redirect_uri of uris) {
    const request = app.request({ redirect_uri });
    const answer = await ada.through(await ada.get(request.path));
    assert.ok(answer.headers.location.startsWith(`${redirect_uri}${redirect_uri.includes("?") ? "&" : "?"}code=`), answer.headers.location); // A9
    assertBack(answer, request, {});
  }
  assertStop(await ada.get(app.request({ redirect_uri: undefined }).path));
});

test("only the port of a loopback address may differ (A15, A17, A18)", async (t) => {
  const registered = ["http://127.0.0.1/cb", "http://[::1]:5000/cb", "http://localhost:7000/cb?x=1"];
  const { ada, app } = await stage(t, { app: { redirect_uris: registered } });
  for (const redirect_uri of ["http://127.0.0.1/cb", "http://127.0.0.1:51004/cb", "http://127.0.0.1:1/cb", "http://127.0.0.1:65535/cb", "http://[::1]:5000/cb", "http://[::1]:5001/cb", "http://[::1]/cb", "http://localhost/cb?x=1", "http://localhost:8080/cb?x=1"]) {
    const request = app.request({ redirect_uri });
    const answer = await ada.through(await ada.get(request.path));
    assertBack(answer, request, {});
  }
  for (const redirect_uri of [
    "http://localhost.evil.example:80/cb", "http://127.0.0.1.evil.example/cb", "http://127.0.0.1:80.evil.example/cb", "http://127.0.0.1@evil.example/cb",
    "http://127.0.0.1:80@evil.example/cb", "http://[0:0:0:0:0:0:0:1]:5000/cb", "http://[::1]:5001/cb/", "http://127.0.0.2/cb", "http://127.1/cb",
    "http://2130706433/cb", "https://127.0.0.1/cb", "http://127.0.0.1:0/cb", "http://127.0.0.1:65536/cb", "http://127.0.0.1:/cb/..", "http://127.0.0.1:-1/cb",
    "http://127.0.0.1:80 /cb", "http://127.0.0.1:8o/cb", "http://127.0.0.1:51004/cb?x=1", "http://127.0.0.1:51004/cb#f", "http://localhost:7000/cb", "http://LOCALHOST/cb?x=1", "http://localhost/cb?x=2",
  ])
    assertStop(await ada.get(app.request({ redirect_uri }).path));
});

// Sent to the app by redirect, once the user is signed in.
const REFUSED = [
  ["no response_type (A20)", { response_type: undefined }, "invalid_request"],
  ["response_type token (A21)", { response_type: "token" }, "unsupported_response_type"],
  ["response_type code token (A21)", { response_type: "code token" }, "unsupported_response_type"],
  ["response_type code id_token (A21)", { response_type: "code id_token" }, "unsupported_response_type"],
  ["response_type none (A21)", { response_type: "none" }, "unsupported_response_type"],
  ["response_type CODE (A21)", { response_type: "CODE" }, "unsupported_response_type"],
  ["no code_challenge (A23)", { code_challenge: undefined }, "invalid_request"],
  ["neither challenge nor method (A23)", { code_challenge: undefined, code_challenge_method: undefined }, "invalid_request"],
  ["method plain (A24)", { code_challenge_method: "plain" }, "invalid_request"],
  ["no method, which would mean plain", { code_challenge_method: undefined }, "invalid_request"],
  ["method s256", { code_challenge_method: "s256" }, "invalid_request"],
  ["an unknown method", { code_challenge_method: "S512" }, "invalid_request"],
  ["a challenge of 42 characters (A26)", { code_challenge: "A".repeat(42) }, "invalid_request"],
  ["a challenge of 44 characters (A26)", { code_challenge: "A".repeat(44) }, "invalid_request"],
  ["a challenge of 128 characters (A26)", { code_challenge: "A".repeat(128) }, "invalid_request"],
  ["a challenge with = (A26)", { code_challenge: `${"A".repeat(42)}=` }, "invalid_request"],
  ["a challenge with + (A26)", { code_challenge: `${"A".repeat(42)}+` }, "invalid_request"],
  ["a challenge with / (A26)", { code_challenge: `${"A".repeat(42)}/` }, "invalid_request"],
  ["a challenge with é (A26)", { code_challenge: `${"A".repeat(41)}é` }, "invalid_request"],
  ["an empty challenge (A27)", { code_challenge: "" }, "invalid_request"],
  ["the challenge of the empty verifier (A28)", { code_challenge: "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU" }, "invalid_request"],
  ["blanks for a scope", { scope: "   " }, "invalid_scope"],
  ["an unknown scope (A32)", { scope: "profile:read openid" }, "invalid_scope"],
  ["a scope with a quote (A32)", { scope: 'a"b' }, "invalid_scope"],
  ["scopes with a tab between (A32)", { scope: "profile:read\tagent_hints" }, "invalid_scope"],
  ["200 scopes (A32)", { scope: Array.from({ length: 200 }, (_, i) => `scope${i}`).join(" ") }, "invalid_scope"],
  ["a scope in upper case", { scope: "PROFILE:READ" }, "invalid_scope"],
  ["response_type twice", { response_type: ["code", "code"] }, "invalid_request"],
  ["scope twice", { scope: ["profile:read", "agent_hints"] }, "invalid_request"],
  ["code_challenge twice", { code_challenge: ["A".repeat(43), "A".repeat(43)] }, "invalid_request"],
  ["code_challenge_method twice", { code_challenge_method: ["S256", "plain"] }, "invalid_request"],
  ["prompt twice", { prompt: ["login", "consent"] }, "invalid_request"],
  ["an unknown parameter twice", { extra: ["1", "2"] }, "invalid_request"],
  ["a request object (A42)", { request: "eyJhbGciOiJub25lIn0.e30." }, "request_not_supported"],
  ["a request_uri (A42)", { request_uri: "https://evil.example/request" }, "request_uri_not_supported"],
  ["an unknown resource (A43)", { resource: "https://elsewhere.example/" }, "invalid_target"],
  ["a relative resource (A43)", { resource: "/v1" }, "invalid_target"],
  ["a resource with a fragment (A43)", { resource: "https://elsewhere.example/#x" }, "invalid_target"],
  ["two resources (A43)", { resource: ["https://a.example/", "https://b.example/"] }, "invalid_target"],
];

test("any other error is sent by redirect, with state and iss, without a consent page", async (t) => {
  const { ada, app } = await stage(t);
  for (const [why, params, error] of REFUSED) {
    const request = app.request(params);
    const answer = await ada.get(request.path);
    assert.equal(answer.status, 303, `${why}: ${answer.status} ${textOf(answer.text)}`);
    assertBack(answer, request, { error });
  }
});

test("without a scope the app's registered scopes are requested, and offline_access means nothing (A31)", async (t) => {
  const { ada, app } = await stage(t, { app: { scope: "music_preferences profile:read" } });
  for (const scope of [undefined, "", "offline_access"]) {
    const request = app.request({ scope, prompt: "consent" });
    const set = assertTokens(await app.exchange({ ...request, ...assertBack(await ada.through(await ada.get(request.path)), request, {}) }));
    assert.deepEqual(words(set.scope), ["music_preferences", "profile:read"]);
  }
  const { page } = await ada.asked(app, { scope: "offline_access profile:read", prompt: "consent" });
  assert.ok(!textOf(page.text).includes("offline_access"));
  const some = await ada.connect(app, { scope: "offline_access profile:read" });
  assert.equal(some.scope, "profile:read");
  assert.equal(assertTokens(await app.refresh(some.refresh_token, { scope: "offline_access profile:read" })).scope, "profile:read");
});

test("resource may be this service or an address under it, and nothing beside (A43)", async (t) => {
  const { w, ada, app } = await stage(t);
  await ada.connect(app);
  const us = w.origin;
  for (const resource of [us, `${us}/`, `${us}/v1/agent-hints?format=json`, [us, `${us}/v1`], `${us}/mcp`, `${us}/mcp/`, us.toUpperCase(), ""]) {
    const request = app.request({ resource });
    assertBack(await ada.get(request.path), request, {});
  }
  for (const resource of [`${us}0/`, `${us}.evil.example`, `${us}@evil.example/`, `${us}?x`, `${us}/#x`, `${us}/oauth/userinfo`, `${us}/v2`, `${us}/v1x`, `${us}/mcp/x`, `${us}/MCP`, `${us}/mcp?x`, us.slice(0, -1), [us, "https://b.example/"], ["https://b.example/", us]]) {
    const request = app.request({ resource });
    assertBack(await ada.get(request.path), request, { error: "invalid_target" });
  }
});

test("an error is sent by redirect only after sign-in, so that the service is not an open redirector", async (t) => {
  const { w, app } = await stage(t, { signedIn: false });
  const stranger = new Person(w, { username: "ada" });
  for (const params of [{ response_type: "token" }, { scope: "nonsense" }, { code_challenge: undefined }, { prompt: "none" }, { state: ["1", "2"] }, { prompt: "none", scope: "nonsense" }]) {
    const answer = await stranger.get(app.request(params).path);
    assert.equal(answer.status, 303);
    assert.match(answer.headers.location, /^\/signin\?next=/, JSON.stringify(params));
  }
  const request = app.request({ response_type: "token" });
  const signedOut = new Person(w, { username: "ada" });
  assertBack(await signedOut.through(await signedOut.get(request.path)), request, { error: "unsupported_response_type" });
});

test("state is returned exactly as sent, and is absent if it was not sent (A35)", async (t) => {
  const { ada, app } = await stage(t);
  for (const state of [undefined, "x", "a b", "a+b", "%2B%20", "é∂ßƒ😀", "&code=forged&iss=evil#x?y", '"><script>', "x".repeat(2000), "0", "null", ";/?:@=+$,"]) {
    const request = app.request({ state });
    const answer = await ada.through(await ada.get(request.path));
    assertBack(answer, request, {});
    assert.doesNotMatch(answer.headers.location, /[\s<>"]|[^\x21-\x7e]/);
  }
  assertBack(await ada.get(app.request({ state: "" }).path), { ...app.request({ state: undefined }) }, {}); // A31
  const denied = app.request({ state: undefined, prompt: "consent" });
  assertBack(await ada.through(await ada.get(denied.path), { decision: "deny" }), denied, { error: "access_denied" });
});

test("a state with control characters, repeated, or too long is rejected and not returned (H21)", async (t) => {
  const { ada, app } = await stage(t);
  for (const state of ["a\r\nSet-Cookie: x=y", "a\nb", "a\0b", "x".repeat(3000), ["one", "two"]]) {
    const request = app.request({ state });
    const answer = await ada.get(request.path);
    const { headers } = answer;
    assert.equal(headers["set-cookie"], undefined);
    if (headers.location !== undefined) assertBack(answer, { ...request, state: undefined }, { error: "invalid_request" });
    else assertStop(answer);
  }
});

test("an unknown parameter, prompt, or response_mode is ignored, and the order of scopes does not matter", async (t) => {
  const { ada, app } = await stage(t);
  const first = await ada.connect(app, { scope: "agent_hints profile:read" });
  assert.deepEqual(words(first.scope), ["agent_hints", "profile:read"]);
  for (const params of [
    { extra: "foobar" }, // A30
    { prompt: "select_account" },
    { prompt: "none" }, // A37
    { prompt: "" },
    { response_mode: "fragment" }, // A22
    { response_mode: "form_post" },
    { nonce: "n", display: "popup", max_age: "0", login_hint: "eve", ui_locales: "de", claims: "{}", id_token_hint: "x" },
    { scope: "profile:read agent_hints" }, // A33
    { error: "access_denied", error_description: "<img src=x>", code: "pn_ac_forged", iss: "https://evil.example" },
  ]) {
    const request = app.request({ scope: "agent_hints profile:read", ...params });
    const answer = await ada.get(request.path);
    assertBack(answer, request, {}); // nothing is asked again: the grant covers it
    assert.ok(!answer.headers.location.includes("#"));
  }
});

test("the same challenge may not be used by an app for ever, or if it may, each code needs its verifier (A28)", async (t) => {
  const { ada, app } = await stage(t);
  const first = await ada.connect(app, { verifier: "a".repeat(43) });
  const second = await ada.authorize(app, { verifier: "a".repeat(43) });
  if (second.code === undefined) assert.equal(second.params.error, "invalid_request");
  else assert.notEqual((await app.exchange(second)).data.access_token, first.access_token);
});

test("a scope that the app did not register is rejected", async (t) => {
  const { ada, app } = await stage(t, { app: { scope: "music_preferences profile:read" } });
  for (const scope of ["food_profile", "music_preferences food_profile", EVERYTHING]) {
    const request = app.request({ scope });
    assertBack(await ada.get(request.path), request, { error: "invalid_scope" });
  }
  assert.deepEqual(words((await ada.connect(app, { scope: "music_preferences" })).scope), ["music_preferences"]);
});

test("other methods are rejected with the allowed ones (A36)", async (t) => {
  const { w, ada, app } = await stage(t);
  const { path } = app.request();
  for (const method of ["POST", "PUT", "DELETE", "PATCH"]) {
    const answer = await w.ask(method, path, { headers: method === "POST" ? { "content-type": "application/x-www-form-urlencoded" } : {}, body: method === "POST" ? "scope=profile:read" : undefined });
    assertError(answer, 405);
    assert.match(answer.headers.allow, /GET/);
    assert.doesNotMatch(answer.headers.allow, /POST/);
  }
  const head = await ada.ask("HEAD", path);
  assert.equal(head.text, "");
});

test("no other site's script can read the response (A41)", async (t) => {
  const { w, ada, app } = await stage(t);
  const { path } = app.request();
  const preflight = await w.ask("OPTIONS", path, { headers: { origin: "https://evil.example", "access-control-request-method": "GET" } });
  assert.equal(preflight.headers["access-control-allow-origin"], undefined);
  const answer = await ada.get(path, { origin: "https://evil.example", "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" });
  assert.equal(answer.headers["access-control-allow-origin"], undefined);
});

test("a query of 8 KiB and more is 414 and is never truncated (A44)", async (t) => {
  const { w, ada, app } = await stage(t);
  const { path } = app.request();
  for (const size of [8, 64, 1024]) {
    const answer = await w.raw(`GET ${path}&pad=${"x".repeat(size * 1024)} HTTP/1.1\r\nHost: h\r\nCookie: ${ada.cookieName}=${ada.session}\r\nConnection: close\r\n\r\n`).catch(() => null);
    assert.ok(answer === null || [414, 431, 400].includes(answer.status), `${answer?.status}`);
  }
});

test("a broken query is rejected: escapes, NUL, broken UTF-8, a thousand parameters", async (t) => {
  const { w, ada, app } = await stage(t);
  const { path } = app.request();
  for (const more of ["&x=%zz", "&x=%4", "&x=%00", "&x=%ff", "&%00=x", `&${Array.from({ length: 1000 }, (_, i) => `p${i}=`).join("&").slice(0, 6000)}`]) {
    const answer = await ada.get(path + more);
    assert.ok([303, 400, 200].includes(answer.status), `${more.slice(0, 20)}: ${answer.status}`);
    assert.ok(answer.headers.location === undefined || answer.headers.location.includes("error=invalid_request"), answer.headers.location);
  }
  assert.ok((await ada.authorize(app)).code);
  assert.ok(w.service.alive);
});

test("a client_id is generated and cannot be mistaken for a user id (A45)", async (t) => {
  const { w, app } = await stage(t);
  assert.match(app.client_id, /^app_[A-Za-z0-9_-]{22}$/);
  assert.match((await w.users())[0].sub, /^usr_[A-Za-z0-9_-]{22}$/);
});

test("Host headers change neither redirects nor the issuer (B21)", async (t) => {
  const { w, ada, app } = await stage(t, { settings: { "base-url": "https://api.penchant.example", "auth-url": "https://id.penchant.example" } });
  const lies = { host: "evil.example", "x-forwarded-host": "evil.example", "x-forwarded-proto": "gopher", forwarded: "host=evil.example" };
  const request = app.request();
  const answer = await ada.get(request.path, lies);
  assert.doesNotMatch(answer.text + JSON.stringify(answer.headers), /evil/);
  const page = await new Person(w, {}).get(request.path, lies);
  assert.doesNotMatch(page.headers.location, /evil/);
  const done = await ada.through(answer);
  assert.equal(assertBack(done, request, {}).iss, "https://api.penchant.example");
});
