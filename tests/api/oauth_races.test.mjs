// Sixty-four at once, on connections of their own.

import assert from "node:assert/strict";
import test from "node:test";
import { addApp, appCommand, assertDead, assertInvalidGrant, assertTokens, EVERYTHING, MINUTE, stage, userCommand, userinfo, words } from "../kit/oauth.mjs";

const MANY = 64;
const atOnce = (doing) => Promise.all(Array.from({ length: MANY }, (_, i) => doing(i)));
const tally = (answers) => {
  const counts = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

test("one code redeemed by 64 at once: one gets tokens, 63 are rejected, and no valid token remains", async (t) => {
  const { w, ada, app } = await stage(t);
  for (let round = 0; round < 3; round++) {
    const request = await ada.authorize(app);
    const answers = await atOnce(() => app.exchange(request));
    assert.deepEqual(tally(answers), { 200: 1, 400: 63 });
    for (const answer of answers) if (answer.status === 400) assertInvalidGrant(answer);
    await assertDead(app, answers.find((answer) => answer.status === 200).data);
  }
  const set = await ada.connect(app); // the app itself is well
  assert.equal((await userinfo(w, set.access_token)).status, 200);
});

test("one refresh token used 64 times in parallel: it and three retries succeed, and the family stays valid", async (t) => {
  const { w, ada, app } = await stage(t);
  for (let round = 0; round < 3; round++) {
    const set = await ada.connect(app);
    const answers = await atOnce(() => app.refresh(set.refresh_token));
    assert.deepEqual(tally(answers), { 200: 4, 400: 60 });
    const live = answers.filter((answer) => answer.status === 200).map((answer) => assertTokens(answer, EVERYTHING));
    for (const answer of answers) if (answer.status === 400) assertInvalidGrant(answer);
    for (const one of live) {
      assert.deepEqual(await app.worth(one.access_token), words(EVERYTHING));
      assertTokens(await app.refresh(one.refresh_token));
    }
    w.clock.forward(2 * MINUTE);
    assertInvalidGrant(await app.refresh(set.refresh_token)); // and late reuse still ends it
    for (const one of live) await assertDead(app, one);
  }
});

test("redeeming 64 codes at once creates 64 families", async (t) => {
  const { ada, app } = await stage(t);
  const requests = [];
  for (let i = 0; i < MANY; i++) requests.push(await ada.authorize(app));
  const answers = await atOnce((i) => app.exchange(requests[i]));
  assert.deepEqual(tally(answers), { 200: MANY });
  assert.equal(new Set(answers.map((answer) => answer.data.access_token)).size, MANY);
  const seen = await atOnce((i) => app.worth(answers[i].data.access_token));
  assert.ok(seen.every((scope) => scope?.length === words(EVERYTHING).length));
});

test("refreshing and revoking in parallel: afterwards the family is revoked", async (t) => {
  const { ada, app } = await stage(t);
  for (let round = 0; round < 5; round++) {
    const set = await ada.connect(app);
    const answers = await atOnce((i) => (i === 32 ? app.revoke(set.refresh_token) : app.refresh(set.refresh_token)));
    assert.equal(answers[32].status, 200);
    for (const answer of answers) if (answer.data?.access_token) await assertDead(app, answer.data);
    await assertDead(app, set);
  }
});

test("refreshing while the user is disabled: afterwards no token is valid, even when enabled again", async (t) => {
  const { w, ada, app } = await stage(t);
  for (let round = 0; round < 3; round++) {
    const sets = [];
    for (let i = 0; i < 16; i++) sets.push(await ada.connect(app));
    const [, ...answers] = await Promise.all([userCommand(w, "disable", "ada"), ...sets.map((set) => app.refresh(set.refresh_token))]);
    await userCommand(w, "enable", "ada");
    for (const answer of answers) if (answer.status === 200) await assertDead(app, answer.data);
    for (const set of sets) await assertDead(app, set);
    await ada.signIn();
  }
});

test("an app that is disabled while its secret is rotated is disabled", async (t) => {
  const { w, app } = await stage(t);
  for (let round = 0; round < 6; round++) {
    const made = await Promise.all([0, 1, 2, 3, 4].map((i) => appCommand(w, i === 2 ? "disable" : "rotate-secret", app.client_id)));
    for (const { client_secret } of made) if (client_secret) w.secrets.add(client_secret);
    const [{ status }] = (await appCommand(w, "list")).apps;
    assert.equal(status, "disabled", `round ${round}`);
    await appCommand(w, "enable", app.client_id);
  }
});

test("exchanging while the grant is narrowed gives no token more than the grant", async (t) => {
  const { ada, app } = await stage(t);
  for (let round = 0; round < 5; round++) {
    await ada.connect(app, { scope: "agent_hints profile:read", prompt: "consent" });
    const requests = [];
    for (let i = 0; i < 8; i++) requests.push(await ada.authorize(app, { scope: "agent_hints profile:read" }));
    const { page } = await ada.asked(app, { scope: "agent_hints profile:read", prompt: "consent" });
    const [, ...answers] = await Promise.all([ada.decide(page, { ticks: ["profile:read"] }), ...requests.map((request) => app.exchange(request))]);
    for (const answer of answers) assert.deepEqual(await app.worth(assertTokens(answer).access_token), ["profile:read"]);
  }
});

// A user's first consent creates the grant: parallel consents must create one, and lose none.
test("first consents given at the same time are all kept, and every code of them works", async (t) => {
  const { w, ada } = await stage(t);
  for (let round = 0; round < 10; round++) {
    const app = await addApp(w, { name: `App ${round}` });
    const asked = [];
    for (let i = 0; i < 8; i++) asked.push(await ada.asked(app));
    const answers = await Promise.all(asked.map(({ page }) => ada.decide(page)));
    assert.deepEqual(tally(answers), { 303: 8 }, `round ${round}`);
    for (const [i, answer] of answers.entries()) {
      const code = new URL(answer.headers.location).searchParams.get("code");
      const { access_token } = assertTokens(await app.exchange({ ...asked[i], code }), EVERYTHING);
      assert.deepEqual(await app.worth(access_token), words(EVERYTHING), `round ${round}`);
    }
  }
});

test("of two consents at the same time, one narrowing and one adding, neither is lost", async (t) => {
  const { w, ada } = await stage(t);
  // Each round leaves a request that waits. Beyond 20, one of those with the same time, which stands still, is dropped.
  for (let round = 0; round < 18; round++) {
    const app = await addApp(w, { name: `App ${round}` });
    const old = await ada.connect(app, { scope: "agent_hints profile:read" });
    const narrow = await ada.asked(app, { scope: "agent_hints profile:read", prompt: "consent" });
    const more = await ada.asked(app, { scope: "music_preferences" });
    const answers = await Promise.all([ada.decide(narrow.page, { ticks: ["agent_hints"] }), ada.decide(more.page)]);
    assert.deepEqual(tally(answers), { 303: 2 }, `round ${round}`);
    assert.deepEqual(await app.worth(old.access_token), ["agent_hints"], `round ${round}: what was unticked is back`);
    const silent = await ada.get(app.request({ scope: "agent_hints music_preferences" }).path);
    assert.equal(silent.status, 303, `round ${round}: what was added is lost`);
    const asks = await ada.get(app.request({ scope: "profile:read" }).path);
    assert.equal(asks.status, 200, `round ${round}: what was unticked is held`);
  }
});

const WAITING = 20; // requests that can wait in one session

test("20 consents to different requests at the same time all succeed", async (t) => {
  const { ada, app } = await stage(t);
  await ada.connect(app);
  const asked = [];
  for (let i = 0; i < WAITING; i++) asked.push(await ada.asked(app, { prompt: "consent" }));
  const answers = await Promise.all(asked.map(({ page }) => ada.decide(page)));
  assert.deepEqual(tally(answers), { 303: WAITING });
  const codes = answers.map((answer) => new URL(answer.headers.location).searchParams.get("code"));
  assert.equal(new Set(codes).size, WAITING);
  answers.forEach((answer, i) => assert.equal(new URL(answer.headers.location).searchParams.get("state"), asked[i].state));
});
