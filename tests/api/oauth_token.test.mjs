// POST /oauth/token with a code (group C of the catalogue).

import assert from "node:assert/strict";
import test from "node:test";
import { gzipSync } from "node:zlib";
import { assertError } from "../kit/expect.mjs";
import { addApp, addPerson, appCommand, App, assertDead, assertInvalidGrant, assertTokenError, assertTokens, basic, DAY, EVERYTHING, HOUR, pkce, stage, userCommand, userinfo, words } from "../kit/oauth.mjs";

const FORM = "application/x-www-form-urlencoded";
const rest = ({ code, verifier, redirect_uri }) => ({ grant_type: "authorization_code", code, redirect_uri, code_verifier: verifier });

test("a code is exchanged for an access token and a refresh token, once (C30, I7)", async (t) => {
  const { w, ada, app } = await stage(t);
  const request = await ada.authorize(app);
  const { access_token, refresh_token } = assertTokens(await app.exchange(request), EVERYTHING);
  const seen = await app.introspect(access_token);
  const [{ sub }] = await w.users();
  assert.deepEqual({ ...seen.data, scope: words(seen.data.scope) }, {
    active: true, scope: words(EVERYTHING), client_id: app.client_id, sub, username: "ada", token_type: "Bearer",
    iat: w.clock.now(), exp: w.clock.now() + HOUR, iss: w.origin, aud: [w.origin],
  });
  const kept = await app.introspect(refresh_token);
  assert.equal(kept.data.token_type, "refresh_token");
  assert.equal(kept.data.exp, w.clock.now() + 30 * DAY);
});

test("credentials go in the body or in a Basic header, its parts percent-encoded or not, its scheme in any case (C14)", async (t) => {
  const { ada, app } = await stage(t);
  const encode = (text) => [...text].map((c) => `%${c.charCodeAt(0).toString(16).padStart(2, "0")}`).join("");
  for (const headers of [
    { authorization: app.basic },
    { authorization: app.basic.replace("Basic", "basic") },
    { authorization: app.basic.replace("Basic", "BASIC") },
    { authorization: basic(encode(app.client_id), encode(app.client_secret)) },
  ]) {
    const request = await ada.authorize(app);
    assertTokens(await app.post("/oauth/token", rest(request), { by: "none", headers }));
  }
  const both = await ada.authorize(app);
  assertTokens(await app.post("/oauth/token", { ...rest(both), client_id: app.client_id }, { by: "basic" })); // the same name twice is no second method
  assertTokens(await app.exchange(await ada.authorize(app)));
});

test("failed client authentication is 401, and the code is not used up (C7 to C11)", async (t) => {
  const { w, ada, app } = await stage(t);
  const other = await addApp(w, { name: "Other App" });
  const request = await ada.authorize(app);
  const flipped = app.client_secret.slice(0, -1) + (app.client_secret.endsWith("A") ? "B" : "A");
  const bodies = [
    {}, { client_id: app.client_id }, { client_id: app.client_id, client_secret: "" }, { client_id: app.client_id, client_secret: "wrong" },
    { client_id: app.client_id, client_secret: flipped }, { client_id: app.client_id, client_secret: ` ${app.client_secret}` }, { client_id: app.client_id, client_secret: app.client_secret.toLowerCase() },
    { client_id: app.client_id, client_secret: other.client_secret }, { client_id: app.client_id, client_secret: request.code }, { client_secret: app.client_secret }, { client_id: "", client_secret: app.client_secret },
    { client_id: "app_AAAAAAAAAAAAAAAAAAAAAA", client_secret: app.client_secret }, { client_id: "nonsense", client_secret: "nonsense" },
  ];
  const said = new Set();
  for (const body of bodies) {
    const answer = await app.post("/oauth/token", { ...rest(request), ...body }, { by: "none" });
    assertTokenError(answer, 401, "invalid_client");
    said.add(answer.text);
  }
  assert.equal(said.size, 1, "an unknown app is distinguished from a wrong secret (C10)");
  for (const authorization of [
    basic(app.client_id, "wrong"), basic(app.client_id, ""), basic("", app.client_secret), basic("app_AAAAAAAAAAAAAAAAAAAAAA", app.client_secret), // C9
    "Basic", "Basic ", "Basic !!!", "Basic YQ", `Basic  ${app.basic.slice(6)}`, `${app.basic} x`, `Bearer ${app.client_secret}`, `Digest ${app.basic.slice(6)}`, // C14
    `Basic ${Buffer.from(app.client_id).toString("base64")}`, `Basic ${Buffer.from([0xff, 0xfe, 0x3a, 0xff]).toString("base64")}`, basic(app.client_id, `${app.client_secret}%`), basic(`${app.client_id}%zz`, app.client_secret), basic(app.client_id, `${app.client_secret}\0`),
  ])
    assertTokenError(await app.post("/oauth/token", rest(request), { by: "none", headers: { authorization } }), 401, "invalid_client");
  assertTokens(await app.exchange(request));
});

test("an oversized Basic header is rejected", async (t) => {
  const { w, ada, app } = await stage(t);
  const request = await ada.authorize(app);
  const answer = await app.post("/oauth/token", rest(request), { by: "none", headers: { authorization: `Basic ${"QUFB".repeat(2500)}` } });
  assertTokenError(answer, 401, "invalid_client");
  const huge = await w.raw(`POST /oauth/token HTTP/1.1\r\nHost: h\r\nAuthorization: Basic ${"A".repeat(64 * 1024)}\r\nContent-Type: ${FORM}\r\nContent-Length: 0\r\n\r\n`).catch(() => null);
  assert.ok(huge === null || [400, 401, 431].includes(huge.status));
});

test("credentials in header and body at once are rejected, even when both are right (C12)", async (t) => {
  const { w, ada, app } = await stage(t);
  const other = await addApp(w, { name: "Other App" });
  const request = await ada.authorize(app);
  assertTokenError(await app.exchange(request, app.credentials, { by: "basic" }), 400, "invalid_request");
  assertTokenError(await app.exchange(request, { client_id: other.client_id }, { by: "basic" }), 400, "invalid_request");
  assertTokens(await app.exchange(request));
});

test("other methods, types and places are rejected (C1, C2, C3)", async (t) => {
  const { w, ada, app } = await stage(t);
  const request = await ada.authorize(app);
  const fields = { ...rest(request), ...app.credentials };
  const query = new URLSearchParams(fields);
  for (const method of ["GET", "PUT", "DELETE", "PATCH"]) {
    const answer = await w.ask(method, `/oauth/token?${query}`);
    assertError(answer, 405);
    assert.match(answer.headers.allow, /\bPOST\b/);
  }
  assert.equal((await w.ask("HEAD", "/oauth/token")).status, 405);
  const inQuery = await w.ask("POST", `/oauth/token?${query}`, { headers: { "content-type": FORM }, body: "" });
  assert.ok([400, 401].includes(inQuery.status), inQuery.text);
  const partly = await w.ask("POST", `/oauth/token?${new URLSearchParams({ client_secret: app.client_secret })}`, { form: { ...rest(request), client_id: app.client_id } });
  assert.ok([400, 401].includes(partly.status), partly.text);
  const codeInQuery = await w.ask("POST", `/oauth/token?${new URLSearchParams({ code: request.code })}`, { form: { ...fields, code: "" } });
  assert.equal(codeInQuery.status, 400);
  for (const type of ["application/json", "multipart/form-data; boundary=x", "text/plain", undefined]) {
    const body = type === "application/json" ? JSON.stringify(fields) : query.toString();
    const answer = await w.ask("POST", "/oauth/token", { headers: type ? { "content-type": type } : {}, body });
    assert.ok([400, 415].includes(answer.status), `${type}: ${answer.status}`);
    assertError(answer, answer.status);
  }
  const answer = await w.ask("POST", "/oauth/token", { headers: { "content-type": `${FORM}; charset=UTF-8` }, body: query.toString() });
  assertTokens(answer);
  w.secrets.add(answer.data.access_token).add(answer.data.refresh_token);
});

test("every other grant type is unsupported (C4, C5)", async (t) => {
  const { app } = await stage(t);
  for (const grant_type of [undefined, ""]) assertTokenError(await app.post("/oauth/token", { grant_type }), 400, "invalid_request");
  for (const grant_type of ["password", "client_credentials", "implicit", "urn:ietf:params:oauth:grant-type:device_code", "urn:ietf:params:oauth:grant-type:jwt-bearer", "urn:ietf:params:oauth:grant-type:token-exchange", "AUTHORIZATION_CODE", "authorization_code ", "nonsense"])
    assertTokenError(await app.post("/oauth/token", { grant_type, username: "ada", password: "x", scope: "profile:read", assertion: "x", subject_token: "x" }), 400, "unsupported_grant_type");
});

test("a missing or repeated parameter is named, and the code is not used up", async (t) => {
  const { ada, app } = await stage(t);
  const request = await ada.authorize(app);
  const fields = { ...rest(request), ...app.credentials };
  for (const name of ["code", "redirect_uri", "code_verifier"]) // C24, C28
    for (const value of [undefined, ""]) {
      const answer = await app.exchange(request, { [name]: value });
      assert.ok(["invalid_request", "invalid_grant"].includes(answer.data.error), `${name}: ${answer.text}`);
      assertTokenError(answer, 400, answer.data.error);
    }
  for (const name of Object.keys(fields)) {
    const answer = await app.post("/oauth/token", { ...fields, [name]: [fields[name], fields[name]] }, { by: "none" });
    assertTokenError(answer, 400, "invalid_request");
  }
  assertTokens(await app.exchange(request));
});

test("a wrong verifier, address, code or app is invalid_grant, and the right one still works afterwards (C17, C25, C26, C28)", async (t) => {
  const { w, ada, app } = await stage(t, { app: { redirect_uris: ["https://app.example/callback", "https://app.example/other"] } });
  const other = await addApp(w, { name: "Other App" });
  const publicApp = await addApp(w, { name: "Phone App", isPublic: true });
  const request = await ada.authorize(app);
  assertInvalidGrant(await other.exchange(request)); // C17
  assertInvalidGrant(await publicApp.exchange(request));
  for (const verifier of [pkce().verifier, request.verifier.slice(0, 42), `${request.verifier}A`, "a".repeat(42), "a".repeat(129), request.verifier.toLowerCase() + "X", `${request.verifier}=`, `${request.verifier} `, `${"a".repeat(42)}+`, `${"a".repeat(42)}/`, `${"a".repeat(42)}é`, pkce(request.verifier).challenge]) {
    const answer = await app.exchange(request, { code_verifier: verifier });
    assert.ok(["invalid_grant", "invalid_request"].includes(answer.data.error), answer.text);
    assertTokenError(answer, 400, answer.data.error);
  }
  for (const redirect_uri of ["https://app.example/other", "https://app.example/callback/", "https://evil.example/", "https://app.example/callback?", "HTTPS://app.example/callback"])
    assertInvalidGrant(await app.exchange({ ...request, redirect_uri }));
  for (const code of [request.code.slice(0, -1), `${request.code}A`, request.code.slice(0, -1) + (request.code.endsWith("A") ? "B" : "A"), request.code.toUpperCase(), "nonsense", `pn_ac_${"A".repeat(49)}`, " ", "pn_ac_", "' OR 1=1 --"])
    assertInvalidGrant(await app.exchange({ ...request, code }));
  assertTokens(await app.exchange(request));
});

test("a loopback app exchanges with the port it asked with", async (t) => {
  const { ada, app } = await stage(t, { app: { redirect_uri: "http://127.0.0.1/cb" } });
  const request = await ada.authorize(app, { redirect_uri: "http://127.0.0.1:51004/cb" });
  assertInvalidGrant(await app.exchange({ ...request, redirect_uri: "http://127.0.0.1/cb" }));
  assertInvalidGrant(await app.exchange({ ...request, redirect_uri: "http://127.0.0.1:51005/cb" }));
  assertTokens(await app.exchange(request));
});

test("a code used twice ends the family it created (C18)", async (t) => {
  const { w, ada, app } = await stage(t);
  const bystander = await ada.connect(app);
  const set = await ada.connect(app);
  const newer = (await app.refresh(set.refresh_token)).data;
  w.clock.forward(1);
  assertInvalidGrant(await app.exchange(set));
  for (const one of [set, newer]) await assertDead(app, one);
  assertInvalidGrant(await app.exchange(set));
  assert.deepEqual(await app.worth(bystander.access_token), words(EVERYTHING), "another family lives on");
  assert.ok((await ada.authorize(app)).code, "and so does the grant");
});

test("a replay with a wrong app, verifier, or redirect URI revokes nothing", async (t) => {
  const { w, ada, app } = await stage(t);
  const other = await addApp(w, { name: "Other App" });
  const set = await ada.connect(app);
  assertInvalidGrant(await other.exchange(set));
  assertInvalidGrant(await app.exchange(set, { code_verifier: pkce().verifier }));
  assertInvalidGrant(await app.exchange({ ...set, redirect_uri: "https://evil.example/" }));
  assertTokenError(await app.exchange(set, { client_secret: "wrong" }), 401, "invalid_client");
  assert.deepEqual(await app.worth(set.access_token), words(EVERYTHING));
  assertTokens(await app.refresh(set.refresh_token));
});

test("a replay is detected however late it is", async (t) => {
  const { w, ada, app } = await stage(t);
  const set = await ada.connect(app);
  w.clock.forward(20 * DAY);
  const live = assertTokens(await app.refresh(set.refresh_token));
  assertInvalidGrant(await app.exchange(set));
  await assertDead(app, live);
});

test("a code is valid for 60 seconds (C22)", async (t) => {
  const { w, ada, app } = await stage(t);
  const early = await ada.authorize(app);
  const late = await ada.authorize(app);
  w.clock.forward(59);
  assertTokens(await app.exchange(early));
  w.clock.forward(1);
  assertInvalidGrant(await app.exchange(late));
  w.clock.forward(DAY);
  assertInvalidGrant(await app.exchange(late));
});

test("a code is invalid once its user, app, or grant has ended (C29)", async (t) => {
  const { w, ada, app } = await stage(t);
  const grace = await addPerson(w, "grace");
  const disabled = await ada.authorize(app);
  await userCommand(w, "disable", "ada");
  assertInvalidGrant(await app.exchange(disabled));
  await userCommand(w, "enable", "ada");
  assertInvalidGrant(await app.exchange(disabled));
  await ada.signIn();

  const deleted = await grace.authorize(app);
  await userCommand(w, "delete", "grace");
  assertInvalidGrant(await app.exchange(deleted));

  const request = await ada.authorize(app);
  await appCommand(w, "disable", app.client_id);
  assertTokenError(await app.exchange(request), 401, "invalid_client");
  await appCommand(w, "enable", app.client_id);
  assertInvalidGrant(await app.exchange(request));
});

test("a consent that was narrowed between code and token narrows the token", async (t) => {
  const { ada, app } = await stage(t);
  await ada.connect(app, { scope: "profile:read agent_hints" });
  const waiting = await ada.authorize(app, { scope: "profile:read agent_hints" });
  await ada.authorize(app, { scope: "profile:read agent_hints", prompt: "consent", ticks: ["profile:read"] });
  assertTokens(await app.exchange(waiting), "profile:read");
});

test("an access token is valid for exactly one hour", async (t) => {
  const { w, ada, app } = await stage(t);
  const { access_token } = await ada.connect(app);
  w.clock.forward(HOUR - 1);
  assert.equal((await userinfo(w, access_token)).status, 200);
  assert.ok(await app.worth(access_token));
  w.clock.forward(1);
  assert.equal((await userinfo(w, access_token)).status, 401);
  assert.equal(await app.worth(access_token), null);
});

test("a public app needs its verifier and no secret, and may not claim one", async (t) => {
  const { w, ada, app } = await stage(t, { app: { isPublic: true } });
  const confidential = await addApp(w, { name: "Other App" });
  const request = await ada.authorize(app);
  assertTokenError(await app.exchange(request, { client_secret: confidential.client_secret }), 401, "invalid_client");
  assertTokenError(await app.exchange(request, { client_secret: "x" }), 401, "invalid_client");
  assertInvalidGrant(await app.exchange(request, { code_verifier: pkce().verifier }));
  const set = assertTokens(await app.exchange(request), EVERYTHING);
  assertTokens(await app.refresh(set.refresh_token), EVERYTHING);
});

test("a public app may send its empty secret, in the body or in a Basic header, as libraries do", async (t) => {
  const { ada, app } = await stage(t, { app: { isPublic: true } });
  const ways = [
    [{ client_id: app.client_id, client_secret: "" }, {}],
    [{}, { authorization: basic(app.client_id, "") }],
    [{ client_id: app.client_id, client_secret: "" }, { authorization: basic(app.client_id, "") }],
  ];
  for (const [form, headers] of ways) {
    const request = await ada.authorize(app);
    const set = assertTokens(await app.post("/oauth/token", { ...rest(request), ...form }, { by: "none", headers }));
    const next = assertTokens(await app.post("/oauth/token", { grant_type: "refresh_token", refresh_token: set.refresh_token, ...form }, { by: "none", headers }));
    assertTokenError(await app.post("/oauth/introspect", { token: next.access_token, ...form }, { by: "none", headers }), 401, "invalid_client");
    assert.equal((await app.post("/oauth/revoke", { token: next.refresh_token, ...form }, { by: "none", headers })).status, 200);
    await assertDead(app, next);
  }
});

test("after too many wrong secrets an app waits, and goes on after a minute (C16)", async (t) => {
  const { w, ada, app } = await stage(t, { settings: { "rate-auth": 5 } });
  const request = await ada.authorize(app);
  for (let i = 0; i < 5; i++) assertTokenError(await app.exchange(request, { client_secret: "wrong" }), 401, "invalid_client");
  const late = await app.exchange(request);
  assertError(late, 429, "rate_limited");
  assert.ok(Number(late.headers["retry-after"]) <= 60);
  w.deadlines.forward(61_000);
  assertTokens(await app.exchange(request));
});

test("wrong secrets from other addresses block neither an app with the right secret nor a public app (C16)", async (t) => {
  const { w, ada, app } = await stage(t, { settings: { "rate-auth": 5, "trusted-proxies": "127.0.0.1" } });
  const open = await addApp(w, { name: "Open App", isPublic: true });
  const from = (address) => ({ headers: { "x-forwarded-for": address } });
  const sets = [await ada.connect(app), await ada.connect(open)];
  await app.introspect(sets[0].access_token, {}, { by: "basic", ...from("192.0.2.1") }); // now it is in memory
  for (const one of [app, open]) {
    for (let i = 0; i < 5; i++) assertTokenError(await one.refresh("x", { client_secret: "wrong" }, from(`198.51.100.${i}`)), 401, "invalid_client");
    assertError(await one.refresh("x", { client_secret: "wrong" }, from("198.51.100.9")), 429, "rate_limited"); // a client that guesses has to wait
  }
  assert.equal((await app.introspect(sets[0].access_token, {}, { by: "basic", ...from("192.0.2.1") })).data.active, true);
  assertTokens(await app.refresh(sets[0].refresh_token, {}, from("192.0.2.1")));
  assertTokens(await open.refresh(sets[1].refresh_token, {}, from("192.0.2.1")));
});

test("an app that is right is never made to wait, however many of its requests are under way", async (t) => {
  const { ada, app } = await stage(t, { settings: { "rate-auth": 3 } });
  const { access_token } = await ada.connect(app);
  const seen = await Promise.all(Array.from({ length: 64 }, () => app.introspect(access_token)));
  assert.deepEqual([...new Set(seen.map((answer) => answer.status))], [200]);
  const code = `pn_ac_${"A".repeat(49)}`; // an unknown code is no failed authentication
  const refused = await Promise.all(Array.from({ length: 64 }, () => app.exchange({ code, verifier: "a".repeat(43) })));
  assert.deepEqual([...new Set(refused.map((answer) => answer.status))], [400]);
  const revoked = await Promise.all(Array.from({ length: 64 }, () => app.revoke("nonsense")));
  assert.deepEqual([...new Set(revoked.map((answer) => answer.status))], [200]);
});

test("bodies past the limit, of ten thousand fields, broken or with a NUL are rejected in time (C33, C34)", async (t) => {
  const { w, ada, app } = await stage(t);
  const request = await ada.authorize(app);
  const good = new URLSearchParams({ ...rest(request), ...app.credentials }).toString();
  const send = (body) => w.ask("POST", "/oauth/token", { headers: { "content-type": FORM }, body }).catch(() => ({ status: 413, text: "" }));
  assert.equal((await send(`${good}&pad=${"x".repeat(1 << 20)}`)).status, 413);
  for (const body of [
    `${good}&${Array.from({ length: 10_000 }, (_, i) => i).join("&")}`, `${good}&${"n".repeat(100 * 1024)}=1`, `${good}&x=%`, `${good}&x=%zz`, `${good}&x=%00`, `${good}%00`,
    good.replace(request.code, `${request.code}%00`), good.replace("authorization_code", "authorization_code%00"), `${good}&x=%ff`,
  ]) {
    const answer = await send(body);
    assert.ok([400, 413].includes(answer.status), `${body.slice(-20)}: ${answer.status} ${answer.text}`);
  }
  assertTokens(await app.exchange(request));
});

test("scripts of any origin may ask for tokens, without credentials of the browser (CORS)", async (t) => {
  const { w, ada, app } = await stage(t, { app: { isPublic: true } });
  const origin = "https://spa.example";
  const preflight = await w.ask("OPTIONS", "/oauth/token", { headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": "authorization, content-type" } });
  assert.ok([200, 204].includes(preflight.status));
  assert.equal(preflight.headers["access-control-allow-origin"], "*");
  assert.match(preflight.headers["access-control-allow-methods"], /POST/);
  assert.match(preflight.headers["access-control-allow-headers"], /authorization/i);
  const request = await ada.authorize(app);
  const answer = await app.exchange(request, {}, { headers: { origin } });
  assert.equal(answer.headers["access-control-allow-origin"], "*");
  assert.equal(answer.headers["access-control-allow-credentials"], undefined);
  const refused = await app.exchange(request, {}, { headers: { origin } });
  assert.equal(refused.headers["access-control-allow-origin"], "*", "an error can be read too");
});

test("tokens are unique and carry no information (C32)", async (t) => {
  const { ada, app } = await stage(t);
  app.keepsSecrets = false;
  const seen = new Set();
  let { refresh_token } = await ada.connect(app, { scope: "profile:read" });
  for (let i = 0; i < 100; i++) {
    const { data } = await app.refresh(refresh_token);
    seen.add(data.access_token).add(data.refresh_token);
    refresh_token = data.refresh_token;
  }
  assert.equal(seen.size, 200);
  const bytes = (prefix) => [...seen].filter((token) => token.startsWith(prefix)).map((token) => Buffer.from(token.slice(6, 49), "base64url"));
  // The first half of a refresh token names its family; the other half is random.
  for (const [prefix, first] of [["pn_at_", 0], ["pn_rt_", 16]])
    for (let at = first; at < 32; at++) assert.ok(new Set(bytes(prefix).map((one) => one[at])).size > 60, `${prefix}: byte ${at} does not vary`);
});

test("after a secret is rotated the old one works for a day more, or ends at once (C15)", async (t) => {
  const { w, ada, app } = await stage(t);
  const { access_token } = await ada.connect(app);
  const old = new App(w, { ...app });
  const made = await appCommand(w, "rotate-secret", app.client_id);
  assert.match(made.client_secret, /^pn_cs_[A-Za-z0-9_-]{49}$/);
  const next = new App(w, { ...app, client_secret: made.client_secret });
  w.secrets.add(made.client_secret);
  for (const one of [old, next]) assert.equal((await one.introspect(access_token)).status, 200);
  w.clock.forward(DAY - 1);
  assert.equal((await old.introspect(access_token)).status, 200);
  w.clock.forward(1);
  assert.equal((await old.introspect(access_token)).status, 401);
  assert.equal((await next.introspect(access_token)).status, 200);
  const last = await appCommand(w, "rotate-secret", app.client_id, "--end-old");
  w.secrets.add(last.client_secret);
  assert.equal((await next.introspect(access_token)).status, 401);
  assert.equal((await new App(w, { ...app, client_secret: last.client_secret }).introspect(access_token)).status, 200);
});

test("a resource that is not this service is rejected, and code and refresh token stay unused (A43)", async (t) => {
  const { w, ada, app } = await stage(t);
  const us = w.origin;
  const foreign = ["https://elsewhere.example/", "/v1", `${us}0/`, `${us}@evil.example/`, `${us}/#x`, [us, "https://b.example/"], ["https://b.example/", us]];
  const request = await ada.authorize(app);
  const refused = (answer) => {
    assertTokenError(answer, 400, "invalid_target");
    assert.match(answer.data.error_description, /^resource must be the base URL/);
  };
  for (const resource of foreign) refused(await app.exchange(request, { resource }));
  let { refresh_token } = assertTokens(await app.exchange(request, { resource: us }));
  for (const resource of foreign) refused(await app.refresh(refresh_token, { resource }));
  for (const resource of [`${us}/`, `${us}/v1/agent-hints?format=json`, [us, `${us}/v1`], ""])
    ({ refresh_token } = assertTokens(await app.refresh(refresh_token, { resource })));
  assertTokenError(await app.post("/oauth/token", { grant_type: "password", resource: foreign[0] }), 400, "unsupported_grant_type");
});

test("a compressed form is 415 at every endpoint and redeems nothing", async (t) => {
  const { w, ada, app } = await stage(t);
  const request = await ada.authorize(app);
  const send = (where, form, headers = {}) => w.ask("POST", where, { body: gzipSync(new URLSearchParams(form).toString()), headers: { "content-type": FORM, "content-encoding": "gzip", ...headers } });
  const refused = (answer) => {
    assertTokenError(answer, 415, "unsupported_media_type");
    assert.match(answer.data.error_description, /^Content-Encoding is not supported/);
    assert.equal(answer.headers["accept-encoding"], "identity");
  };
  refused(await send("/oauth/token", { ...rest(request), ...app.credentials }));
  refused(await send("/oauth/token", rest(request), { authorization: app.basic }));
  const { access_token } = assertTokens(await app.exchange(request));
  for (const where of ["/oauth/revoke", "/oauth/introspect"]) refused(await send(where, { token: access_token }, { authorization: app.basic }));
  refused(await send("/signin", { username: "ada" }));
  assert.equal((await app.introspect(access_token)).data.active, true);
});
