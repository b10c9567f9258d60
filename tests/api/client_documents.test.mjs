// Clients that are known by the URL of a client ID metadata document: from the document to tokens, how long a
// document is used, what asks again, and what an operator can limit.

import assert from "node:assert/strict";
import test from "node:test";
import { HOST, OTHER, documentClient, documentHost } from "../kit/document_host.mjs";
import { textOf } from "../kit/html.mjs";
import { assertBack, assertInvalidGrant, assertStop, assertTokenError, assertTokens, DAY, MINUTE, stage, userinfo, words } from "../kit/oauth.mjs";

const FIRST = ["agent_hints", "preferences:read", "preferences:write"];
const LOOP = "http://127.0.0.1/callback";

async function scene(t, settings = {}) {
  const host = await documentHost(t);
  const { w, ada } = await stage(t, { settings: { "metrics-listen": "127.0.0.1:0", ...host.settings, ...settings } });
  return { host, w, ada };
}

async function rows(w, columns = "app_id, kind, document, name") {
  const out = await w.sql(`SELECT ${columns} FROM app WHERE kind <> 'portal' ORDER BY app_id`);
  return out.split("\n").filter(Boolean).map((line) => line.split("|"));
}

const assertStopText = (answer, sentence) => assert.match(textOf(assertStop(answer).text), sentence);

test("a client with a document signs in, connects, refreshes, and revokes", async (t) => {
  const { host, w, ada } = await scene(t);
  const url = host.publish("/client.json", { redirect_uris: [LOOP, "https://claude.example/back"], token_endpoint_auth_method: "none", grant_types: ["authorization_code"], logo_uri: "https://claude.example/logo.svg", unknown: [1.5, null] });
  const metadata = (await w.get("/.well-known/oauth-authorization-server")).data;
  assert.equal(metadata.client_id_metadata_document_supported, true);
  assert.ok(metadata.token_endpoint_auth_methods_supported.includes("none"));

  const app = documentClient(w, url, "http://127.0.0.1:51234/callback");
  const request = app.request({ scope: undefined, resource: `${w.origin}/mcp` });
  const page = await ada.get(request.path);
  assert.match(textOf(page.text), new RegExp(`We know this app by its address: ${HOST}:${host.port} \\. The app chose its name itself\\.`));
  assert.match(page.text, /<q>Claude<\/q>/);
  assert.doesNotMatch(page.text, /logo/, "the logo is not loaded");
  const back = assertBack(await ada.through(page), request, {});
  const set = assertTokens(await app.exchange({ ...request, ...back }, { resource: `${w.origin}/mcp` }));
  assert.deepEqual(words(set.scope), FIRST);
  const next = assertTokens(await app.refresh(set.refresh_token));
  assert.equal((await app.revoke(next.refresh_token)).status, 200);
  assertInvalidGrant(await app.refresh(next.refresh_token));

  assert.deepEqual(host.requests.map(({ path }) => path), ["/client.json"], "one request for all of it");
  assert.match(host.requests[0].headers["user-agent"], /^Penchant\//);
  assert.equal(host.requests[0].headers.accept, "application/json");
  assert.equal(host.requests[0].headers.cookie, undefined);
  const [[id, ...row]] = await rows(w);
  assert.match(id, /^doc_[\w-]{22}$/);
  assert.deepEqual(row, ["document", url, "Claude"]);
  assert.equal((await ada.get(`/account/apps/${id}`, { "sec-fetch-site": "none" })).status, 200);

  // The id of the row is no client_id, and the URL is compared byte by byte.
  assertStop(await ada.get(documentClient(w, id, LOOP).request().path));
  assertTokenError(await documentClient(w, id).refresh(next.refresh_token), 401, "invalid_client");
  assertTokenError(await documentClient(w, `${url}x`).refresh(next.refresh_token), 401, "invalid_client");
  const withSecret = documentClient(w, url, LOOP, { client_secret: "pn_cs_guess" });
  assertTokenError(await withSecret.refresh(next.refresh_token), 401, "invalid_client");
});

test("a user who is not signed in signs in first, and only then the document is fetched", async (t) => {
  const { host, w, ada } = await scene(t);
  await ada.signOut();
  const app = documentClient(w, host.publish("/client.json"));
  for (const prompt of [undefined, "login"]) {
    const request = app.request({ prompt });
    const first = await ada.get(request.path);
    assert.match(ada.ownPage(first), /^\/signin/);
    assert.equal(host.asked("/client.json"), prompt === undefined ? 0 : 1);
    assertBack(await ada.through(first), request, {});
    assert.equal(host.asked("/client.json"), 1);
    await ada.signOut();
  }
});

test("a document is used for max-age, at least 5 minutes and at most a day", async (t) => {
  const { host, w, ada } = await scene(t);
  const ages = [[undefined, 5 * MINUTE], ["max-age=0", 5 * MINUTE], ["no-store, max-age=9999", 5 * MINUTE], ["public, Max-Age=7200", 7200], ["max-age=99999999999999999999", DAY]];
  for (const [index, [cache, fresh]] of ages.entries()) {
    const where = `/${index}.json`;
    const app = documentClient(w, host.publish(where, {}, { headers: cache && { "cache-control": cache } }));
    const fetches = [];
    for (const seconds of [0, fresh - 1, 1]) {
      w.clock.forward(seconds);
      await ada.asked(app);
      fetches.push(host.asked(where));
    }
    assert.deepEqual(fetches, [1, 1, 2], `${cache}`);
  }
});

test("a new redirect URI is found before the document expires", async (t) => {
  const { host, w, ada } = await scene(t);
  const publish = (...redirect_uris) => host.publish("/client.json", { redirect_uris }, { headers: { "cache-control": "max-age=86400" } });
  const app = documentClient(w, publish("https://claude.example/back"));
  await ada.asked(app);
  publish("https://claude.example/back", "https://claude.example/new");
  assertStop(await ada.get(app.request({ redirect_uri: "https://claude.example/new" }).path));
  w.clock.forward(5 * MINUTE);
  await ada.asked(app, { redirect_uri: "https://claude.example/new" });
  assertStop(await ada.get(app.request({ redirect_uri: "https://evil.example/" }).path));
  assert.equal(host.asked("/client.json"), 2);
});

test("if the host is down, the stored document is used for 7 days, and tokens do not depend on it", async (t) => {
  const { host, w, ada } = await scene(t);
  const app = documentClient(w, host.publish("/client.json"));
  let set = await ada.connect(app, { term: "revoked" });
  const never = documentClient(w, host.publish("/never.json"));
  await host.stop();
  assertStopText(await ada.get(never.request().path), /Its host cannot be reached on the public internet, or its certificate is not valid\./);
  w.clock.forward(5 * MINUTE + 7 * DAY - 1);
  await ada.asked(app);
  set = assertTokens(await app.refresh(set.refresh_token));
  w.clock.forward(1);
  assertStopText(await ada.get(app.request().path), /cannot be reached/);
  set = assertTokens(await app.refresh(set.refresh_token));
  assert.equal((await app.userinfo(set.access_token)).status, 403);
  await host.start();
  assertStopText(await ada.get(app.request().path), /cannot be reached/); // the failure is remembered
  w.clock.forward(30);
  await ada.asked(app);
});

test("a document that is withdrawn or becomes invalid ends new authorizations at once, tokens stay", async (t) => {
  const { host, w, ada } = await scene(t);
  const app = documentClient(w, host.publish("/client.json"));
  const set = await ada.connect(app);
  w.clock.forward(5 * MINUTE);
  host.publish("/client.json", {}, { status: 503 });
  await ada.asked(app);
  w.clock.forward(30);
  host.withdraw("/client.json");
  assertStopText(await ada.get(app.request().path), /Its host answered with status 404 instead of 200\./);
  assertTokens(await app.refresh(set.refresh_token));
  w.clock.forward(29);
  host.publish("/client.json");
  assertStopText(await ada.get(app.request().path), /404/);
  w.clock.forward(1);
  await ada.asked(app);
  assert.deepEqual(host.requests.length, 4);
});

test("a changed name, redirect host, or key is said on the page; another path of the same host is not", async (t) => {
  const { host, w, ada } = await scene(t);
  const publish = (more) => host.publish("/client.json", { redirect_uris: ["https://claude.example/back"], ...more });
  const app = documentClient(w, publish({}));
  const keys = { token_endpoint_auth_method: "private_key_jwt", jwks_uri: "https://claude.example/keys" };
  const look = async (more) => {
    publish(more);
    w.clock.forward(5 * MINUTE);
    const { page } = await ada.asked(app);
    const said = /has changed since you allowed it/.test(textOf(page.text));
    assert.equal((await ada.decide(page)).status, 303);
    return said;
  };
  assert.equal(await look({}), false, "the first time there is nothing to compare");
  assert.equal(await look({}), false);
  assert.equal(await look({ redirect_uris: ["https://claude.example/back", "https://claude.example/other"] }), false);
  assert.equal(await look({ client_name: "Claude Code" }), true);
  assert.equal(await look({ client_name: "Claude Code" }), false, "the user has seen it");
  assert.equal(await look({ client_name: "Claude Code", redirect_uris: ["https://claude.example/back", "https://evil.example/"] }), true);
  assert.equal(await look({ client_name: "Claude Code" }), true);
  assert.equal(await look({ client_name: "Claude Code", ...keys }), true);
  assert.equal(await look({ client_name: "Claude Code", ...keys }), false);
  assert.equal(await look({ client_name: "Claude Code", ...keys, jwks_uri: "https://evil.example/keys" }), true);
  assert.equal(await look({ client_name: "Claude Code", ...keys, jwks_uri: "https://evil.example/keys", jwks: { keys: [{ kty: "EC", x: "a" }] } }), true);
  assert.equal(await look({ client_name: "Claude Code", ...keys, jwks_uri: "https://evil.example/keys", jwks: { keys: [{ kty: "EC", x: "b" }] } }), true);
});

test("a client with private_key_jwt is treated as a public client", async (t) => {
  const { host, w, ada } = await scene(t);
  const app = documentClient(w, host.publish("/client.json", { token_endpoint_auth_method: "private_key_jwt", jwks_uri: "https://claude.example/keys", scope: "openid agent_hints" }));
  const set = await ada.connect(app, { scope: undefined });
  assert.deepEqual(words(set.scope), ["agent_hints"], "the document's scope is the default");
  assertTokens(await app.refresh(set.refresh_token));
  const more = await ada.connect(app, { scope: "profile:read" });
  assert.equal((await userinfo(w, more.access_token)).status, 200);
});

test("two documents of one host are two clients, and a token of one is rejected for the other", async (t) => {
  const { host, w, ada } = await scene(t);
  const [one, two] = [documentClient(w, host.publish("/one.json")), documentClient(w, host.publish("/two.json"))];
  const set = await ada.connect(one);
  await ada.connect(two);
  assertInvalidGrant(await two.refresh(set.refresh_token));
  const code = await ada.authorize(one);
  assertInvalidGrant(await two.exchange(code));
  assertTokens(await one.exchange(code));
  assert.equal((await rows(w)).length, 2);
});

test("an operator can turn documents off, or accept only those of listed hosts", async (t) => {
  const { host, w, ada } = await scene(t, { "client-documents": `claude.ai *.localhost`, "client-registration": "closed" });
  const app = documentClient(w, host.publish("/client.json"));
  await ada.connect(app);
  const supported = async () => {
    const { data } = await w.get("/.well-known/oauth-authorization-server");
    return [data.client_id_metadata_document_supported, data.registration_endpoint !== undefined];
  };
  assert.deepEqual(await supported(), [true, false]);
  await w.stop();
  await w.start({ "client-documents": `claude.ai ${OTHER}` });
  assert.deepEqual(await supported(), [true, false]);
  const before = host.requests.length;
  assertStopText(await ada.get(app.request().path), /This service does not accept documents of this host\. Its operator can add the host to the setting client-documents\./);
  await ada.asked(documentClient(w, host.publish("/client.json", {}, { name: OTHER })));
  for (const settings of [{ "client-documents": "off" }, { mcp: "off" }]) {
    await w.stop();
    await w.start(settings);
    assert.deepEqual(await supported(), [undefined, false]);
    for (const prompt of [undefined, "login"]) assertStopText(await ada.get(app.request({ prompt }).path), /This service does not accept the URL of a document as client_id\./);
  }
  assert.equal(host.requests.length, before + 1);
});

test("registration can be limited to redirect hosts", async (t) => {
  const { w } = await stage(t, { settings: { "client-registration": "*.claude.example cursor.example" } });
  const register = (...redirect_uris) => w.ask("POST", "/oauth/register", { body: JSON.stringify({ token_endpoint_auth_method: "none", redirect_uris }), headers: { "content-type": "application/json" } });
  for (const uri of ["https://api.claude.example/back", "https://cursor.example:8443/back"]) assert.equal((await register(uri)).status, 201);
  for (const uri of ["https://claude.example/back", "https://evilclaude.example/", "https://cursor.example.evil.example/", LOOP, "cursor://anysphere/callback", "com.example.app:/done"]) {
    const { status, data } = await register("https://cursor.example/back", uri);
    assert.deepEqual([status, data.error], [400, "invalid_redirect_uri"]);
    assert.match(data.error_description, /redirect_uris\[1\] .* the operator of this service allows in the setting client-registration\./);
  }
  assert.equal((await rows(w)).length, 2);
  await w.stop();
  await w.start({ "client-registration": "localhost" });
  for (const uri of [LOOP, "http://localhost:1/", "http://[::1]/", "cursor://anysphere/callback", "com.example.app:/done"]) assert.equal((await register(uri)).status, 201, uri);
  assert.equal((await register("https://cursor.example/back")).status, 400);
});
