// A public client often shares one refresh token between many processes. Within 60 seconds of its use each
// of them gets the same next pair, so that no second branch of the family appears.

import assert from "node:assert/strict";
import test from "node:test";
import { assertDead, assertInvalidGrant, assertTokens, stage, userinfo } from "../kit/oauth.mjs";

const PUBLIC = { app: { isPublic: true, redirect_uri: "http://127.0.0.1/cb" } };
const pair = ({ access_token, refresh_token }) => [access_token, refresh_token];

test("43 processes that refresh one token at once all get the same pair", async (t) => {
  const { w, ada, app } = await stage(t, { ...PUBLIC, settings: { "rate-refresh": 20 } });
  const first = await ada.connect(app);
  const answers = await Promise.all(Array.from({ length: 43 }, () => app.refresh(first.refresh_token)));
  const sets = answers.map((answer) => assertTokens(answer));
  for (const set of sets) assert.deepEqual(pair(set), pair(sets[0]));
  w.clock.forward(50);
  const late = assertTokens(await app.refresh(first.refresh_token));
  assert.deepEqual(pair(late), pair(sets[0]));
  assert.equal(late.expires_in, 3550, "the life of the token that it repeats");
  assert.equal((await userinfo(w, late.access_token)).status, 200);
  assertTokens(await app.refresh(late.refresh_token));
});

test("if the next token was used, a retry gets a new pair of the family", async (t) => {
  const { w, ada, app } = await stage(t, PUBLIC);
  const first = await ada.connect(app);
  const second = assertTokens(await app.refresh(first.refresh_token));
  const third = assertTokens(await app.refresh(second.refresh_token));
  const other = assertTokens(await app.refresh(first.refresh_token));
  assert.equal(new Set([first, second, third, other].flatMap(pair)).size, 8);
  for (const set of [second, third, other]) assert.equal((await userinfo(w, set.access_token)).status, 200);
  const revoked = assertTokens(await app.refresh(third.refresh_token));
  await app.revoke(revoked.access_token);
  assert.notDeepEqual(pair(assertTokens(await app.refresh(third.refresh_token))), pair(revoked), "a revoked token is not repeated");
  assert.equal((await userinfo(w, revoked.access_token)).status, 401);
});

test("a retry that asks for less does not get more", async (t) => {
  const { ada, app } = await stage(t, PUBLIC);
  const first = await ada.connect(app);
  const second = assertTokens(await app.refresh(first.refresh_token));
  const less = assertTokens(await app.refresh(first.refresh_token, { scope: "profile:read" }));
  assert.equal(less.scope, "profile:read");
  assert.notEqual(less.access_token, second.access_token);
});

test("after 50 retries the token is rejected, and after 60 seconds the family ends", async (t) => {
  const { w, ada, app } = await stage(t, PUBLIC);
  const first = await ada.connect(app);
  const second = assertTokens(await app.refresh(first.refresh_token));
  for (let i = 0; i < 50; i++) assert.deepEqual(pair(assertTokens(await app.refresh(first.refresh_token))), pair(second), `${i}`);
  assertInvalidGrant(await app.refresh(first.refresh_token));
  assert.equal((await userinfo(w, second.access_token)).status, 200, "the family lives");
  w.clock.forward(61);
  assertInvalidGrant(await app.refresh(first.refresh_token));
  assert.equal((await userinfo(w, second.access_token)).status, 401);
  assertInvalidGrant(await app.refresh(second.refresh_token));
});

test("a confidential client gets another pair for each of three retries, as before", async (t) => {
  const { ada, app } = await stage(t);
  const first = await ada.connect(app);
  const sets = [];
  for (let i = 0; i < 4; i++) sets.push(assertTokens(await app.refresh(first.refresh_token)));
  assert.equal(new Set(sets.flatMap(pair)).size, 8);
  assertInvalidGrant(await app.refresh(first.refresh_token));
  await app.revoke(sets[0].refresh_token);
  for (const set of sets) await assertDead(app, set);
});
