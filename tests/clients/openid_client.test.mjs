// The npm package openid-client through the complete OAuth flow, with Chromium on the real pages.

import assert from "node:assert/strict";
import test from "node:test";
import { generators, Issuer } from "openid-client";
import { makeOpener, Callback, inReverse, signIn } from "../kit/browser.mjs";
import { stage, words } from "../kit/oauth.mjs";
import { PASSWORD } from "../kit/world.mjs";

const open = makeOpener();
const SCOPE = "music_preferences agent_hints profile:read";

async function setting(test, { isPublic = false, method = "client_secret_basic" } = {}) {
  const t = inReverse(test);
  const callback = await Callback.open(t);
  // The library checks times against its own clock, so the service's clock is not stopped.
  const { w, app } = await stage(t, { witness: true, clock: null, signedIn: false, app: { redirect_uri: "http://127.0.0.1/cb", scope: SCOPE, isPublic } });
  const issuer = await Issuer.discover(`${w.origin}/.well-known/oauth-authorization-server`);
  assert.equal(issuer.metadata.issuer, w.origin);
  const client = new issuer.Client({
    client_id: app.client_id,
    client_secret: app.client_secret,
    redirect_uris: [callback.uri],
    response_types: ["code"],
    token_endpoint_auth_method: isPublic ? "none" : method,
  });
  const page = await open(t, w);
  return { w, app, client, callback, page };
}

// The browser, from the app's link to the consent page.
async function arrive({ client, callback, page }, more = {}) {
  const checks = { state: generators.state(), code_verifier: generators.codeVerifier(), response_type: "code" };
  const url = client.authorizationUrl({
    scope: SCOPE,
    state: checks.state,
    redirect_uri: callback.uri,
    code_challenge: generators.codeChallenge(checks.code_verifier),
    code_challenge_method: "S256",
    ...more,
  });
  await page.goto(url);
  if (await page.$("input[name=password]")) await signIn(page, { password: PASSWORD });
  return checks;
}

async function finish({ client, callback }, checks, n = 1) {
  const { url } = await callback.arrival(n);
  return client.oauthCallback(callback.uri, client.callbackParams(url), checks);
}

for (const method of ["client_secret_basic", "client_secret_post"])
  test(`openid-client with ${method}: code, user info, introspection, refresh, revocation`, async (t) => {
    const all = await setting(t, { method });
    const { w, client, page } = all;
    const checks = await arrive(all);
    await page.click("button[value=allow]");
    const set = await finish(all, checks);
    assert.equal(set.token_type, "Bearer");
    assert.deepEqual(words(set.scope), words(SCOPE));
    assert.ok(set.expires_in > 3590 && set.expires_in <= 3600);

    const info = await client.userinfo(set.access_token);
    assert.equal(info.preferred_username, "ada");
    const seen = await client.introspect(set.access_token);
    assert.equal(seen.active, true);
    assert.equal(seen.sub, info.sub);
    assert.equal(seen.iss, w.origin);

    const next = await client.refresh(set.refresh_token);
    assert.notEqual(next.access_token, set.access_token);
    assert.equal((await client.userinfo(next)).sub, info.sub);
    assert.equal((await client.introspect(next.refresh_token, "refresh_token")).active, true);

    await client.revoke(next.access_token, "access_token");
    assert.equal((await client.introspect(next.access_token)).active, false);
    await client.revoke(next.refresh_token, "refresh_token");
    assert.equal((await client.introspect(set.access_token)).active, false);
    await assert.rejects(client.refresh(next.refresh_token), { error: "invalid_grant" });
    await assert.rejects(client.userinfo(next.access_token), /invalid_token/);
  });

test("openid-client as a public app, with one scope declined and a sign-in in between", async (t) => {
  const all = await setting(t, { isPublic: true });
  const { client, page } = all;
  const checks = await arrive(all);
  await page.uncheck("input[name=scope][value=music_preferences]");
  await page.click("button[value=allow]");
  const set = await finish(all, checks);
  assert.deepEqual(words(set.scope), ["agent_hints", "profile:read"]);
  assert.equal((await client.userinfo(set.access_token)).preferred_username, "ada");
  const next = await client.refresh(set.refresh_token);
  await client.revoke(next.refresh_token);
  await assert.rejects(client.userinfo(next.access_token), /invalid_token/);
});

test("openid-client reports that the user denied access", async (t) => {
  const all = await setting(t);
  const checks = await arrive(all);
  await all.page.click("button[value=deny]");
  await assert.rejects(finish(all, checks), { error: "access_denied" });
});

test("openid-client rejects a forged state and a forged issuer", async (t) => {
  const all = await setting(t);
  const checks = await arrive(all);
  await all.page.click("button[value=allow]");
  await assert.rejects(finish(all, { ...checks, state: "another" }), /state mismatch/);
  const { url } = await all.callback.arrival();
  const params = all.client.callbackParams(url);
  await assert.rejects(all.client.oauthCallback(all.callback.uri, { ...params, iss: "https://evil.example" }, checks), /iss mismatch/);
  assert.ok((await finish(all, checks)).access_token); // neither used the code up
});

test("a second authorization request returns a code without asking", async (t) => {
  const all = await setting(t);
  const first = await arrive(all);
  await all.page.click("button[value=allow]");
  await finish(all, first);
  const second = await arrive(all);
  assert.ok((await finish(all, second, 2)).access_token);
});
