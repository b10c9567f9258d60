// Revoked credentials never work again: not after enabling, not after a restart, not after kill -9.

import assert from "node:assert/strict";
import test from "node:test";
import { App, addApp, addPerson, appCommand, assertInvalidGrant, assertStop, assertTokens, DAY, EVERYTHING, HOUR, MINUTE, Person, stage, userCommand, userinfo, words } from "../kit/oauth.mjs";

// Every way in which a token set, and the code it came from, can be tried.
async function assertOver(w, app, set) {
  assert.equal((await userinfo(w, set.access_token)).status, 401, "the access token works");
  const seen = await app.introspect(set.access_token);
  assert.ok(seen.status === 401 || seen.data.active === false, "the access token is reported as active");
  const kept = await app.introspect(set.refresh_token);
  assert.ok(kept.status === 401 || kept.data.active === false, "the refresh token is reported as active");
  const refreshed = await app.refresh(set.refresh_token);
  assert.ok([400, 401].includes(refreshed.status), `the refresh token works: ${refreshed.text}`);
  if (set.code) assert.ok([400, 401].includes((await app.exchange(set)).status), "the code works");
}

const crash = async (w) => {
  await w.kill();
  await w.start();
};

// { why, end: what ends it, back: what must not bring it back, also: what must live on }
const ENDS = [
  { why: "revoking the refresh token", end: ({ app, set }) => app.revoke(set.refresh_token) },
  { why: "using a used refresh token late", end: async ({ w, app, set }) => {
    await app.refresh(set.refresh_token);
    w.clock.forward(2 * MINUTE);
    assertInvalidGrant(await app.refresh(set.refresh_token));
  } },
  { why: "using the code again", end: async ({ app, set }) => assertInvalidGrant(await app.exchange(set)) },
  { why: "disabling the user", end: ({ w }) => userCommand(w, "disable", "ada"), back: ({ w }) => userCommand(w, "enable", "ada") },
  { why: "disabling the app", end: ({ w, app }) => appCommand(w, "disable", app.client_id), back: ({ w, app }) => appCommand(w, "enable", app.client_id) },
  { why: "deleting the app", end: ({ w, app }) => appCommand(w, "delete", app.client_id) },
  { why: "deleting the user", end: ({ w }) => userCommand(w, "delete", "ada"), back: async ({ w }) => void (await addPerson(w, "ada", { signedIn: false })) },
  { why: "the end of the consent", term: "1d", end: ({ w }) => w.clock.forward(DAY), back: ({ w }) => w.clock.forward(1) },
];

for (const { why, end, back, term } of ENDS)
  test(`${why} revokes all its tokens at once, also after a crash, a restart, and enabling`, async (t) => {
    const { w, ada, app } = await stage(t);
    const grace = await addPerson(w, "grace");
    const other = await addApp(w, { owner: "grace", name: "Other App" });
    const bystander = await grace.connect(other);
    const set = await ada.connect(app, { term });
    assert.equal((await userinfo(w, set.access_token)).status, 200);
    await end({ w, ada, app, set });
    await assertOver(w, app, set);
    await crash(w);
    await assertOver(w, app, set);
    await back?.({ w, ada, app, set });
    await assertOver(w, app, set);
    await crash(w);
    await assertOver(w, app, set);
    // Other users and apps are not affected.
    const live = assertTokens(await other.refresh(bystander.refresh_token), EVERYTHING);
    assert.equal((await userinfo(w, live.access_token)).data.preferred_username, "grace");
    await w.assertSound();
  });

test("a revoked access token stays revoked after a crash, and its family stays valid", async (t) => {
  const { w, ada, app } = await stage(t);
  const set = await ada.connect(app);
  const next = assertTokens(await app.refresh(set.refresh_token));
  await app.revoke(set.access_token);
  await crash(w);
  assert.equal(await app.worth(set.access_token), null);
  assert.deepEqual(await app.worth(next.access_token), words(EVERYTHING));
  assertTokens(await app.refresh(next.refresh_token));
});

test("narrowed permissions survive a crash, for existing and new tokens", async (t) => {
  const { w, ada, app } = await stage(t);
  const set = await ada.connect(app, { scope: "profile:read agent_hints" });
  await ada.authorize(app, { scope: "profile:read agent_hints", prompt: "consent", ticks: ["agent_hints"] });
  assert.equal((await userinfo(w, set.access_token)).status, 403);
  await crash(w);
  assert.equal((await userinfo(w, set.access_token)).status, 403);
  assert.deepEqual(await app.worth(set.access_token), ["agent_hints"]);
  const next = assertTokens(await app.refresh(set.refresh_token), "agent_hints");
  assert.equal((await userinfo(w, next.access_token)).status, 403);
});

test("acknowledged writes survive kill -9: code, tokens, consent, registration", async (t) => {
  const { w, ada, app } = await stage(t);
  const request = await ada.authorize(app);
  await crash(w);
  const set = assertTokens(await app.exchange(request));
  await crash(w);
  const next = assertTokens(await app.refresh(set.refresh_token));
  await crash(w);
  assert.deepEqual(await app.worth(next.access_token), words(EVERYTHING));
  assert.ok((await ada.authorize(app)).code, "the consent is forgotten");
  const waiting = await ada.asked(app, { prompt: "consent" });
  await crash(w);
  assert.ok((await ada.decide(waiting.page)).headers.location.includes("code="), "the request that waited is forgotten");
  await assertUsedStaysUsed(w, app, request, set);
});

async function assertUsedStaysUsed(w, app, request, set) {
  await crash(w);
  w.clock.forward(2 * MINUTE);
  assertInvalidGrant(await app.refresh(set.refresh_token));
  assertInvalidGrant(await app.exchange(request));
}

test("a user disabled and enabled again can connect anew, and only the new tokens work", async (t) => {
  const { w, ada, app } = await stage(t);
  const old = await ada.connect(app);
  await userCommand(w, "disable", "ada");
  assert.equal((await new Person(w, { username: "ada" }).signIn()).status, 401);
  await userCommand(w, "enable", "ada");
  await ada.signIn();
  const set = await ada.connect(app);
  assert.equal((await userinfo(w, set.access_token)).status, 200);
  await assertOver(w, app, { ...old, code: undefined });
  assert.equal((await userinfo(w, set.access_token)).status, 200);
});

test("disabling twice, or what is disabled already, ends nothing that began after enabling", async (t) => {
  const { w, ada, app } = await stage(t);
  for (const kind of [() => appCommand(w, "disable", app.client_id), () => appCommand(w, "disable", app.client_id), () => appCommand(w, "enable", app.client_id), () => appCommand(w, "enable", app.client_id)]) await kind();
  const set = await ada.connect(app);
  await appCommand(w, "enable", app.client_id);
  assert.deepEqual(await app.worth(set.access_token), words(EVERYTHING));
});

test("a revoked secret stays revoked after a crash; tokens that were issued with it stay valid", async (t) => {
  const { w, ada, app } = await stage(t);
  const set = await ada.connect(app);
  const { client_secret } = await appCommand(w, "rotate-secret", app.client_id, "--end-old");
  const next = new App(w, { ...app, client_secret });
  w.secrets.add(client_secret);
  for (let i = 0; i < 2; i++) {
    assert.equal((await app.introspect(set.access_token)).status, 401);
    assert.deepEqual(await next.worth(set.access_token), words(EVERYTHING));
    await crash(w);
  }
  assertTokens(await next.refresh(set.refresh_token));
});

test("a new app with the name of a deleted one inherits nothing", async (t) => {
  const { w, ada, app } = await stage(t);
  const set = await ada.connect(app);
  await appCommand(w, "delete", app.client_id);
  const again = await addApp(w);
  assert.notEqual(again.client_id, app.client_id);
  assert.equal(await again.worth(set.access_token), null);
  assertInvalidGrant(await again.refresh(set.refresh_token));
  assert.equal((await userinfo(w, set.access_token)).status, 401);
  assertStop(await ada.get(app.request().path));
});

test("tokens expire when the clock jumps ahead, and new ones work after 2038", async (t) => {
  const { w, ada, app } = await stage(t);
  const set = await ada.connect(app);
  w.clock.forward(400 * DAY);
  await assertOver(w, app, { ...set, code: undefined });
  w.clock.stop(2 ** 31 + 10); // past 2038
  await ada.signIn();
  const late = await ada.connect(app);
  assert.equal((await app.introspect(late.access_token)).data.exp, 2 ** 31 + 10 + HOUR);
});
