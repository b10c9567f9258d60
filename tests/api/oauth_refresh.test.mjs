// POST /oauth/token with a refresh token: rotation, the retry window, reuse, and ends (group D).

import assert from "node:assert/strict";
import test from "node:test";
import { addApp, assertDead, assertInvalidGrant, assertTokenError, assertTokens, DAY, EVERYTHING, HOUR, MINUTE, stage, userinfo, words } from "../kit/oauth.mjs";

const TWO = "agent_hints profile:read";

test("a refresh token gives a new pair and is used up; the old access token stays valid for its hour (D13)", async (t) => {
  const { w, ada, app } = await stage(t);
  const first = await ada.connect(app);
  w.clock.forward(10 * MINUTE);
  const second = assertTokens(await app.refresh(first.refresh_token), EVERYTHING);
  assert.notEqual(second.access_token, first.access_token);
  assert.notEqual(second.refresh_token, first.refresh_token);
  assert.equal(await app.worth(first.refresh_token), null);
  assert.deepEqual(await app.worth(second.refresh_token), words(EVERYTHING));
  assert.deepEqual(await app.worth(first.access_token), words(EVERYTHING));
  assert.equal((await app.introspect(second.access_token)).data.exp, w.clock.now() + HOUR);
  w.clock.forward(50 * MINUTE);
  assert.equal(await app.worth(first.access_token), null);
  assert.deepEqual(await app.worth(second.access_token), words(EVERYTHING));
});

test("a client that lost the response may retry three times within 60 seconds; a fourth retry fails and the family stays valid (D5, D6)", async (t) => {
  const { w, ada, app } = await stage(t);
  const first = await ada.connect(app);
  const answers = [assertTokens(await app.refresh(first.refresh_token), EVERYTHING)];
  for (let i = 0; i < 3; i++) {
    w.clock.forward(15);
    answers.push(assertTokens(await app.refresh(first.refresh_token), EVERYTHING));
  }
  assert.equal(new Set(answers.map((one) => one.refresh_token)).size, 4);
  assertInvalidGrant(await app.refresh(first.refresh_token));
  assertInvalidGrant(await app.refresh(first.refresh_token));
  for (const one of answers) {
    assert.deepEqual(await app.worth(one.access_token), words(EVERYTHING), "the family lives");
    assert.deepEqual(await app.worth(one.refresh_token), words(EVERYTHING));
  }
  assertTokens(await app.refresh(answers[0].refresh_token));
  assertTokens(await app.refresh(answers[3].refresh_token));
});

test("the 60 seconds are counted from the first use, not from the last", async (t) => {
  const { w, ada, app } = await stage(t);
  const first = await ada.connect(app);
  const second = assertTokens(await app.refresh(first.refresh_token));
  w.clock.forward(59);
  const third = assertTokens(await app.refresh(first.refresh_token));
  w.clock.forward(2);
  assertInvalidGrant(await app.refresh(first.refresh_token));
  for (const one of [first, second, third]) await assertDead(app, one);
});

test("reuse of any refresh token of a family after 60 seconds revokes the family", async (t) => {
  for (const generation of [0, 1, 3]) {
    const { w, ada, app } = await stage(t, {});
    const bystander = await ada.connect(app);
    const sets = [await ada.connect(app)];
    for (let i = 0; i < 4; i++) {
      w.clock.forward(5 * MINUTE);
      sets.push(assertTokens(await app.refresh(sets.at(-1).refresh_token)));
    }
    w.clock.forward(61);
    assertInvalidGrant(await app.refresh(sets[generation].refresh_token));
    for (const one of sets) await assertDead(app, one);
    assert.deepEqual(await app.worth(bystander.access_token), words(EVERYTHING), "another family lives on");
    await w.kill();
    await w.start();
    w.clock.forward(1);
    for (const one of sets) await assertDead(app, one);
  }
});

test("another app's refresh token is rejected, and its family stays valid", async (t) => {
  const { w, ada, app } = await stage(t);
  const other = await addApp(w, { name: "Other App" });
  const set = await ada.connect(app);
  assertInvalidGrant(await other.refresh(set.refresh_token));
  const next = assertTokens(await app.refresh(set.refresh_token));
  w.clock.forward(2 * MINUTE);
  assertInvalidGrant(await other.refresh(set.refresh_token)); // a used one, by the wrong app
  assert.deepEqual(await app.worth(next.access_token), words(EVERYTHING));
});

test("without its secret an app gets nothing for its refresh token (D2)", async (t) => {
  const { ada, app } = await stage(t);
  const { refresh_token } = await ada.connect(app);
  assertTokenError(await app.refresh(refresh_token, {}, { by: "none" }), 401, "invalid_client");
  assertTokenError(await app.refresh(refresh_token, { client_secret: undefined }), 401, "invalid_client");
  assertTokenError(await app.refresh(refresh_token, { client_secret: "" }), 401, "invalid_client");
  assertTokenError(await app.refresh(refresh_token, { client_secret: "wrong" }), 401, "invalid_client");
  assertTokens(await app.refresh(refresh_token)); // and nothing was counted against it
});

test("a narrower scope narrows the access token, not the refresh token; a broader one is rejected (D3)", async (t) => {
  const { ada, app } = await stage(t);
  const first = await ada.connect(app, { scope: TWO });
  const narrow = assertTokens(await app.refresh(first.refresh_token, { scope: "profile:read" }), "profile:read");
  assert.deepEqual(await app.worth(narrow.access_token), ["profile:read"]);
  assert.deepEqual(await app.worth(narrow.refresh_token), words(TWO));
  for (const scope of ["profile:read music_preferences", EVERYTHING, "nonsense", "profile:read nonsense"])
    assertTokenError(await app.refresh(narrow.refresh_token, { scope }), 400, "invalid_scope");
  const again = assertTokens(await app.refresh(narrow.refresh_token), TWO); // a refusal used nothing up
  assertTokens(await app.refresh(again.refresh_token, { scope: "" }), TWO); // empty is as if not sent
});

test("anything but a valid refresh token is invalid_grant: other kinds, truncated, changed, unknown (D10)", async (t) => {
  const { ada, app } = await stage(t);
  const pending = await ada.authorize(app);
  const set = await ada.connect(app);
  const token = set.refresh_token;
  for (const wrong of [set.access_token, pending.code, set.code, app.client_secret, ada.session, token.slice(0, -1), `${token}A`, ` ${token}`, token.toUpperCase(), token.replace("pn_rt_", "pn_at_"), `pn_rt_${"A".repeat(49)}`, "nonsense", "' OR 1=1", "\u0001"])
    assertInvalidGrant(await app.refresh(wrong));
  for (const missing of [undefined, ""]) assertTokenError(await app.refresh(missing), 400, "invalid_request");
  assertTokenError(await app.refresh([token, token]), 400, "invalid_request");
  assertTokens(await app.refresh(token));
  assertTokens(await app.exchange(pending));
});

test("a refresh token expires after 30 days without use (D11)", async (t) => {
  const { w, ada, app } = await stage(t);
  const one = await ada.connect(app);
  const two = await ada.connect(app);
  w.clock.forward(30 * DAY - 1);
  const renewed = assertTokens(await app.refresh(one.refresh_token));
  w.clock.forward(1);
  assertInvalidGrant(await app.refresh(two.refresh_token));
  w.clock.forward(30 * DAY - 2);
  assertTokens(await app.refresh(renewed.refresh_token)); // each use begins another 30 days
});

test("a family is valid for a year, however often it is used (D11)", async (t) => {
  const { w, ada, app } = await stage(t);
  let { refresh_token } = await ada.connect(app);
  let passed = 0;
  for (const step of [...Array(12).fill(29 * DAY), 17 * DAY - 1]) {
    w.clock.forward(step);
    passed += step;
    ({ refresh_token } = assertTokens(await app.refresh(refresh_token)));
  }
  assert.equal(passed, 365 * DAY - 1);
  const last = assertTokens(await app.refresh(refresh_token)).access_token;
  assert.ok(await app.worth(last));
  w.clock.forward(1);
  assertInvalidGrant(await app.refresh(refresh_token));
  assert.equal(await app.worth(last), null, "nor does an access token outlive its family");
});

test("introspection of a refresh token returns when it expires: 30 days idle, a year at most", async (t) => {
  const { w, ada, app } = await stage(t);
  const start = w.clock.now();
  let { refresh_token } = await ada.connect(app);
  for (let i = 0; i < 12; i++) {
    assert.equal((await app.introspect(refresh_token)).data.exp, Math.min(w.clock.now() + 30 * DAY, start + 365 * DAY));
    w.clock.forward(29 * DAY);
    ({ refresh_token } = assertTokens(await app.refresh(refresh_token)));
  }
  assert.equal((await app.introspect(refresh_token)).data.exp, start + 365 * DAY);
});

test("if the store fails during a refresh, the same token works afterwards (D9)", async (t) => {
  const { w, ada, app } = await stage(t, { failing: true });
  let { refresh_token } = await ada.connect(app);
  let faults = 0;
  for (let n = 1; n <= 40; n++) {
    w.failNthStoreCall(n);
    const answer = await app.refresh(refresh_token);
    const failed = w.faults.failed;
    w.faults.failNone();
    if (answer.status === 200) {
      assertTokens(answer);
      ({ refresh_token } = answer.data);
      if (!failed) break;
      continue;
    }
    faults++;
    assert.equal(answer.status, 503, answer.text);
    assert.match(answer.headers["retry-after"] ?? "", /^\d+$/);
    const again = assertTokens(await app.refresh(refresh_token));
    ({ refresh_token } = again);
  }
  assert.ok(faults >= 3, `only ${faults} calls failed`);
  assert.equal((await userinfo(w, assertTokens(await app.refresh(refresh_token)).access_token)).status, 200);
});

test("if the store fails during an exchange, the code stays valid and no token is returned (C35)", async (t) => {
  const { w, ada, app } = await stage(t, { failing: true });
  let faults = 0;
  for (let n = 1; n <= 40; n++) {
    const request = await ada.authorize(app);
    w.failNthStoreCall(n);
    const answer = await app.exchange(request);
    const failed = w.faults.failed;
    w.faults.failNone();
    if (answer.status === 200) {
      assert.deepEqual(await app.worth(assertTokens(answer).access_token), words(EVERYTHING));
      if (!failed) break;
      continue;
    }
    faults++;
    assert.equal(answer.status, 503, answer.text);
    assertTokens(await app.exchange(request));
  }
  assert.ok(faults >= 3, `only ${faults} calls failed`);
});
