// Two npm packages through the complete OAuth flow without a browser: @badgateway/oauth2-client, which
// relies on the metadata and on content types, and passport-oauth2, which sends an empty secret for a
// public app.

import assert from "node:assert/strict";
import test from "node:test";
import { OAuth2Client, generateCodeVerifier } from "@badgateway/oauth2-client";
import Strategy from "passport-oauth2";
import { stage, userinfo, words } from "../kit/oauth.mjs";

const SCOPE = "music_preferences agent_hints profile:read";
const CALLBACK = "http://127.0.0.1:51004/cb"; // registered without its port

const setting = (t, isPublic) =>
  stage(t, { witness: true, clock: null, app: { redirect_uri: "http://127.0.0.1/cb", scope: SCOPE, isPublic } });

// The final URL after the user followed the app's link and allowed access.
async function arrival({ w, ada }, link) {
  assert.ok(link.startsWith(`${w.origin}/`), link);
  const { headers, text } = await ada.through(await ada.get(link.slice(w.origin.length)));
  assert.ok(headers.location?.startsWith(CALLBACK), `${headers.location} ${text}`);
  return headers.location;
}

const KINDS = [["client_secret_basic", false], ["client_secret_post", false], [undefined, false], [undefined, true]];

for (const [authenticationMethod, isPublic] of KINDS)
  test(`@badgateway/oauth2-client, ${isPublic ? "public" : authenticationMethod ?? "method from metadata"}: code, introspection, refresh, revocation`, async (t) => {
    const all = await setting(t, isPublic);
    const { w, app } = all;
    const client = new OAuth2Client({ server: `${w.origin}/`, clientId: app.client_id, clientSecret: app.client_secret, authenticationMethod });
    const ours = { redirectUri: CALLBACK, state: "a state", codeVerifier: await generateCodeVerifier() };
    const link = await client.authorizationCode.getAuthorizeUri({ ...ours, scope: SCOPE.split(" "), resource: `${w.origin}/v1` });
    let set = await client.authorizationCode.getTokenFromCodeRedirect(await arrival(all, link), ours);
    for (let i = 0; i < 3; i++) set = await client.refreshToken(set);
    assert.equal((await userinfo(w, set.accessToken)).data.preferred_username, "ada");
    if (!isPublic) assert.deepEqual(words((await client.introspect(set)).scope), words(SCOPE));
    assert.equal(await client.revoke(set, "refresh_token"), undefined);
    await assert.rejects(client.refreshToken(set), { oauth2Code: "invalid_grant" });
    assert.equal((await userinfo(w, set.accessToken)).status, 401);
  });

for (const isPublic of [false, true])
  test(`passport-oauth2, ${isPublic ? "public" : "confidential"}: its own state and PKCE, tokens, refresh, denial`, async (t) => {
    const all = await setting(t, isPublic);
    const { w, ada, app } = all;
    const strategy = new Strategy(
      {
        authorizationURL: `${w.origin}/oauth/authorize`, tokenURL: `${w.origin}/oauth/token`, clientID: app.client_id, clientSecret: app.client_secret,
        callbackURL: CALLBACK, scope: SCOPE.split(" "), scopeSeparator: " ", state: true, pkce: true,
      },
      (access, refresh, params, profile, done) => done(null, { access, refresh, ...params }),
    );
    const session = {};
    const visit = (query) =>
      new Promise((resolve, reject) => {
        const asked = Object.assign(Object.create(strategy), { redirect: resolve, success: resolve, error: reject, fail: reject });
        asked.authenticate({ session, query, headers: {}, url: "/" }, {});
      });
    const back = new URL(await arrival(all, await visit({})));
    const set = await visit(Object.fromEntries(back.searchParams));
    assert.deepEqual(words(set.scope), words(SCOPE));
    const renewed = await new Promise((resolve, reject) =>
      strategy._oauth2.getOAuthAccessToken(set.refresh, { grant_type: "refresh_token" }, (error, access) => (error ? reject(new Error(error.data)) : resolve(access))),
    );
    assert.equal((await userinfo(w, renewed)).data.preferred_username, "ada");

    const asked = await ada.get(`${(await visit({})).slice(w.origin.length)}&prompt=consent`);
    const denied = new URL((await ada.through(asked, { decision: "deny" })).headers.location);
    await assert.rejects(visit(Object.fromEntries(denied.searchParams)), { message: "The user denied access." });
  });
