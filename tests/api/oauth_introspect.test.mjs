// POST /oauth/introspect and /oauth/revoke (group E of the catalogue).

import assert from "node:assert/strict";
import test from "node:test";
import { assertCommon, assertError } from "../kit/expect.mjs";
import { addApp, assertDead, assertInvalidGrant, assertTokenError, assertTokens, basic, EVERYTHING, MINUTE, stage, userinfo, words } from "../kit/oauth.mjs";

function assertRevoked(answer) {
  assert.equal(answer.status, 200, answer.text);
  assertCommon(answer);
  assert.equal(answer.text, "");
  assert.equal(answer.headers["content-type"], undefined, "a library would read JSON where there is none");
  assert.match(answer.headers["cache-control"], /no-store/);
}

const WRONG = (app) => [
  ["no credentials", {}, {}],
  ["a name alone", { client_id: app.client_id }, {}],
  ["a wrong secret in the body", { client_id: app.client_id, client_secret: "wrong" }, {}],
  ["a wrong secret in the header", {}, { authorization: basic(app.client_id, "wrong") }],
  ["a header that is none", {}, { authorization: "Basic !!!" }],
  ["a bearer token", {}, { authorization: `Bearer ${app.client_secret}` }],
];

test("without client authentication nothing is revealed or revoked (E1, E14)", async (t) => {
  const { ada, app } = await stage(t);
  const { access_token } = await ada.connect(app);
  for (const where of ["/oauth/introspect", "/oauth/revoke"])
    for (const [why, body, headers] of WRONG(app)) {
      const answer = await app.post(where, { token: access_token, ...body }, { by: "none", headers });
      assertTokenError(answer, 401, "invalid_client");
      assert.ok(!answer.text.includes("ada"), why);
    }
  const both = await app.post("/oauth/introspect", { token: access_token, ...app.credentials }, { by: "basic" });
  assertTokenError(both, 400, "invalid_request");
  assertTokenError(await app.post("/oauth/introspect", { token: access_token }, { by: "none", headers: { authorization: `Bearer ${access_token}` } }), 401, "invalid_client");
  assert.deepEqual(await app.worth(access_token), words(EVERYTHING));
});

test("the response for a valid token is complete and minimal (E6, E8)", async (t) => {
  const { ada, app } = await stage(t);
  const { access_token } = await ada.connect(app, { scope: "profile:read agent_hints" });
  for (const options of [{ by: "basic" }, { by: "body" }]) {
    const answer = await app.introspect(access_token, {}, options);
    assert.equal(answer.status, 200);
    assertCommon(answer);
    assert.match(answer.headers["content-type"], /^application\/json/);
    assert.match(answer.headers["cache-control"], /no-store/);
    assert.equal(answer.headers["access-control-allow-origin"], undefined);
    assert.deepEqual(Object.keys(answer.data).sort(), ["active", "aud", "client_id", "exp", "iat", "iss", "scope", "sub", "token_type", "username"]);
  }
});

test("anything else is exactly {\"active\":false}: unknown, broken, over, another app's (E9, E12)", async (t) => {
  const { w, ada, app } = await stage(t);
  const other = await addApp(w, { name: "Other App" });
  const set = await ada.connect(app);
  const pending = await ada.authorize(app);
  const said = new Set();
  const look = async (one, token) => {
    const answer = await one.introspect(token);
    assert.equal(answer.status, 200);
    said.add(answer.text);
  };
  for (const token of [set.access_token, set.refresh_token]) await look(other, token);
  for (const token of ["nonsense", set.access_token.slice(0, -1), `${set.access_token}x`, `pn_at_${"A".repeat(49)}`, `pn_rt_${"A".repeat(49)}`, pending.code, app.client_secret, ada.session, "é", "' OR 1=1 --", "x".repeat(3000)]) await look(app, token);
  await app.refresh(set.refresh_token);
  await look(app, set.refresh_token); // used
  w.clock.forward(61 * MINUTE);
  await look(app, set.access_token); // over
  assert.deepEqual([...said], ['{"active":false}']);
  assertTokens(await app.exchange(await ada.authorize(app)));
});

test("a public app may not introspect, since it cannot authenticate", async (t) => {
  const { ada, app } = await stage(t, { app: { isPublic: true } });
  const { access_token } = await ada.connect(app);
  assertTokenError(await app.introspect(access_token, {}, { by: "body" }), 401, "invalid_client");
});

test("a missing token is invalid_request, one sent twice too; a hint, right, wrong or unknown, changes nothing (E3, E4)", async (t) => {
  const { ada, app } = await stage(t);
  const set = await ada.connect(app);
  for (const where of ["introspect", "revoke"]) {
    assertTokenError(await app[where](undefined), 400, "invalid_request");
    assertTokenError(await app[where](""), 400, "invalid_request");
    assertTokenError(await app[where]([set.access_token, set.access_token]), 400, "invalid_request");
  }
  for (const token_type_hint of ["access_token", "refresh_token", "nonsense", ""])
    for (const token of [set.access_token, set.refresh_token]) assert.equal((await app.introspect(token, { token_type_hint })).data.active, true);
  for (const token_type_hint of ["refresh_token", "access_token", "nonsense"]) {
    const one = await ada.connect(app);
    assertRevoked(await app.revoke(one.access_token, { token_type_hint }));
    assert.equal(await app.worth(one.access_token), null);
    assertRevoked(await app.revoke(one.refresh_token, { token_type_hint }));
    await assertDead(app, one);
  }
});

test("other methods are 405, and a token in the URL is ignored (E5)", async (t) => {
  const { w, ada, app } = await stage(t);
  const { access_token } = await ada.connect(app);
  for (const where of ["/oauth/introspect", "/oauth/revoke"]) {
    const answer = await w.get(`${where}?token=${access_token}`, { authorization: app.basic });
    assertError(answer, 405);
    assert.match(answer.headers.allow, /\bPOST\b/);
    const posted = await app.post(`${where}?token=${access_token}`, {}, { by: "basic" });
    assertTokenError(posted, 400, "invalid_request");
    assertError(await w.ask("POST", where, { headers: { authorization: app.basic }, json: { token: access_token } }), 415);
  }
  assert.deepEqual(await app.worth(access_token), words(EVERYTHING));
});

test("revoking an access token ends that token and nothing else (E10)", async (t) => {
  const { w, ada, app } = await stage(t);
  const set = await ada.connect(app);
  assertRevoked(await app.revoke(set.access_token));
  assert.equal(await app.worth(set.access_token), null);
  assert.equal((await userinfo(w, set.access_token)).status, 401);
  assertRevoked(await app.revoke(set.access_token)); // again
  const next = assertTokens(await app.refresh(set.refresh_token), EVERYTHING);
  assert.equal((await userinfo(w, next.access_token)).status, 200);
});

test("revoking a refresh token, also a used one, ends its family and no other", async (t) => {
  const { ada, app } = await stage(t);
  const bystander = await ada.connect(app);
  for (const generation of [0, 1]) {
    const sets = [await ada.connect(app)];
    sets.push(assertTokens(await app.refresh(sets[0].refresh_token)));
    assertRevoked(await app.revoke(sets[generation].refresh_token, { token_type_hint: "refresh_token" }));
    for (const one of sets) await assertDead(app, one);
    assertInvalidGrant(await app.exchange(sets[0])); // nor does the code
  }
  assert.deepEqual(await app.worth(bystander.access_token), words(EVERYTHING));
  assert.ok((await ada.authorize(app)).code, "the grant lives: nothing is asked again");
});

test("revoking an unknown token is 200; another app's token stays valid (E12, E13)", async (t) => {
  const { w, ada, app } = await stage(t);
  const other = await addApp(w, { name: "Other App" });
  const set = await ada.connect(app);
  for (const token of ["nonsense", `pn_at_${"A".repeat(49)}`, set.code, app.client_secret, "é", "x".repeat(3000)]) assertRevoked(await app.revoke(token));
  for (const token of [set.access_token, set.refresh_token]) assertRevoked(await other.revoke(token));
  assert.deepEqual(await app.worth(set.access_token), words(EVERYTHING));
  assertTokens(await app.refresh(set.refresh_token));
});

test("a public app revokes its own tokens by client_id, and no others", async (t) => {
  const { w, ada, app } = await stage(t, { app: { isPublic: true } });
  const confidential = await addApp(w, { name: "Other App" });
  const set = await ada.connect(app);
  const theirs = await ada.connect(confidential);
  assertRevoked(await app.revoke(theirs.refresh_token));
  assert.deepEqual(await confidential.worth(theirs.access_token), words(EVERYTHING));
  assertRevoked(await app.revoke(set.refresh_token));
  await assertDead(app, set);
});

test("parallel revocations succeed, and the token is revoked (E17)", async (t) => {
  const { ada, app } = await stage(t);
  const set = await ada.connect(app);
  const answers = await Promise.all(Array.from({ length: 16 }, (_, i) => app.revoke(i % 2 ? set.access_token : set.refresh_token)));
  answers.forEach(assertRevoked);
  await assertDead(app, set);
});

test("a failing store gets 503, never a false success of a revocation (E15)", async (t) => {
  const { w, ada, app } = await stage(t, { failing: true });
  let faults = 0;
  for (let n = 1; n <= 40; n++) {
    const set = await ada.connect(app);
    w.failNthStoreCall(n);
    const answer = await app.revoke(set.refresh_token);
    const failed = w.faults.failed;
    w.faults.failNone();
    if (answer.status === 200) {
      await assertDead(app, set);
      if (!failed) break;
      continue;
    }
    faults++;
    assert.equal(answer.status, 503, answer.text);
    assert.match(answer.headers["retry-after"] ?? "", /^\d+$/);
    assert.deepEqual(await app.worth(set.access_token), words(EVERYTHING), "half ended");
    assert.deepEqual(await app.worth(set.refresh_token), words(EVERYTHING), "half ended");
  }
  assert.ok(faults >= 3, `only ${faults} calls failed`);
});
