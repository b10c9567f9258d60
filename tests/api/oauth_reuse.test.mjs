// Limits on codes and refresh tokens, and what users, developers, and operators learn about reuse.

import assert from "node:assert/strict";
import test from "node:test";
import { mainText, open } from "../kit/account.mjs";
import { assertError } from "../kit/expect.mjs";
import { addPerson, assertDead, assertInvalidGrant, assertTokens, DAY, stage, words } from "../kit/oauth.mjs";
import { refusals } from "../kit/portal.mjs";
import { until } from "../kit/until.mjs";

const SCOPE = "profile:read";

test("codes that are never redeemed do not end a valid authorization", async (t) => {
  const { w, ada, app } = await stage(t);
  const first = await ada.connect(app, { scope: SCOPE });
  w.clock.forward(1);
  const codes = [];
  for (let i = 0; i < 101; i++) codes.push(await ada.authorize(app, { scope: SCOPE }));
  assert.deepEqual(await app.worth(first.access_token), words(SCOPE));
  assertTokens(await app.refresh(first.refresh_token));
  assertTokens(await app.exchange(codes[100])); // the newest codes work
});

test("an authorization is refreshed at most rate-refresh times a minute", async (t) => {
  const { ada, app } = await stage(t, { settings: { "rate-refresh": 3 } });
  let set = await ada.connect(app, { scope: SCOPE });
  const other = await ada.connect(app, { scope: SCOPE });
  for (let i = 0; i < 3; i++) set = assertTokens(await app.refresh(set.refresh_token));
  const refused = await app.refresh(set.refresh_token);
  assertError(refused, 429, "rate_limited");
  assert.match(refused.headers["retry-after"], /^[1-9]\d*$/);
  assert.deepEqual(await app.worth(set.refresh_token), words(SCOPE), "the refused token was not used");
  assert.deepEqual(await app.worth(set.access_token), words(SCOPE));
  assertTokens(await app.refresh(other.refresh_token)); // counted by itself
});

// Undoes the last refresh, as a promoted replica does that did not receive it.
async function loseRefresh(w, ...spans) {
  await w.sql("DELETE FROM refresh_token WHERE used_at IS NULL");
  await w.sql(`UPDATE refresh_token SET used_at = NULL, seed = NULL, expires_at = ${w.clock.now() + 30 * DAY}`);
  for (const [i, [from, until]] of spans.entries()) await w.sql(`INSERT INTO lost_writes VALUES ('0000000${i + 2}', ${from}, ${until})`);
}

test("a refresh token that a failover lost is not reported as stolen, and its authorization stays", async (t) => {
  const { w, ada, app } = await stage(t);
  const first = await ada.connect(app, { scope: SCOPE });
  w.clock.forward(100);
  const issued = w.clock.now();
  const lost = assertTokens(await app.refresh(first.refresh_token));
  // The spans overlap, and the one that ends first did not lose the token.
  await loseRefresh(w, [issued, issued + 20], [issued + 6, issued + 10], [issued - 1000, issued - 500]);
  w.clock.forward(300);
  for (let i = 0; i < 2; i++) {
    const refused = await app.refresh(lost.refresh_token);
    assertInvalidGrant(refused);
    assert.match(refused.data.error_description, /The database lost the refresh token in a failover\. Ask the user to connect the app again\./);
  }
  assert.doesNotMatch(mainText(await open(ada, "/account/apps")), /used twice/);
  assert.ok(!w.service.log.some(({ event }) => event === "refresh_token_reuse"));
  assert.deepEqual(await app.worth(first.refresh_token), words(SCOPE));
  await app.revoke(lost.refresh_token); // ends the family, as any token of it
  await assertDead(app, first);
});

test("without a failover at the time of its issue, an unknown refresh token of a family counts as stolen", async (t) => {
  for (const spans of [[], [[-1000, -1]], [[6, 1000]], [[-1000, -1], [6, 1000]]]) {
    const { w, ada, app } = await stage(t);
    const first = await ada.connect(app, { scope: SCOPE });
    w.clock.forward(100);
    const issued = w.clock.now();
    const unknown = assertTokens(await app.refresh(first.refresh_token));
    await loseRefresh(w, ...spans.map((span) => span.map((seconds) => issued + seconds)));
    w.clock.forward(300);
    const refused = await app.refresh(unknown.refresh_token);
    assertInvalidGrant(refused);
    assert.match(refused.data.error_description, /already used, and the authorization was revoked/);
    await assertDead(app, first);
  }
});

test("reuse of a refresh token or code is logged and shown to the user and the developer", async (t) => {
  for (const [event, reuse, reason] of [
    ["refresh_token_reuse", async (w, app, first) => {
      assertTokens(await app.refresh(first.refresh_token));
      w.clock.forward(61);
      return app.refresh(first.refresh_token);
    }, /refresh token was already used, and the authorization was revoked/],
    ["code_reuse", (w, app, first) => app.exchange(first), /code was already used; its tokens were revoked/],
  ]) {
    const { w, ada, app } = await stage(t);
    const grace = await addPerson(w, "grace");
    const kept = await grace.connect(app, { scope: SCOPE });
    const first = await grace.connect(app, { scope: SCOPE });
    const where = ["/account/apps", `/account/apps/${app.client_id}`];
    for (const page of where) assert.doesNotMatch(mainText(await open(grace, page)), /used twice/);

    const refused = await reuse(w, app, first);
    assertInvalidGrant(refused);
    await assertDead(app, first);
    const line = await w.service.logged(event, (one) => one.event === event);
    assert.equal(line.id, refused.headers["x-request-id"]);
    assert.deepEqual([line.level, line.app, line.user], ["warn", app.client_id, (await app.userinfo(kept.access_token)).data.sub]);
    for (const page of where) assert.match(mainText(await open(grace, page)), /an old key of this app was used twice/);
    await until("the developer sees it", async () => (await refusals(ada, app)).some((one) => reason.test(one.reason)));

    assertInvalidGrant(await app.refresh(first.refresh_token)); // the authorization is gone: not another event
    assert.equal(w.service.log.filter((one) => one.event === event).length, 1);
  }
});
