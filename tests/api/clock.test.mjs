// A wall clock that is set back, or that jumps ahead: expired credentials stay expired, and nothing
// is deleted because of a jump alone.

import assert from "node:assert/strict";
import test from "node:test";
import { assertInvalidGrant, assertTokens, DAY, EVERYTHING, HOUR, NOW, stage, userinfo } from "../kit/oauth.mjs";
import { until } from "../kit/until.mjs";

const restart = async (w) => {
  await w.stop();
  await w.start();
};

test("a token and a code that expired stay expired when the clock is set back, and after a restart", async (t) => {
  const { w, ada, app } = await stage(t);
  const set = await ada.connect(app);
  const unused = await ada.authorize(app);
  assert.equal((await userinfo(w, set.access_token)).status, 200);
  w.clock.forward(DAY);
  assert.equal((await userinfo(w, set.access_token)).status, 401);
  assertInvalidGrant(await app.exchange(unused));

  w.clock.stop(NOW);
  const assertExpired = async () => {
    const refused = await userinfo(w, set.access_token);
    assert.equal(refused.status, 401);
    assert.match(refused.headers["www-authenticate"], /error="invalid_token"/);
    assert.match(refused.text, /expired/);
    assert.equal((await app.introspect(set.access_token)).data.active, false);
    assertInvalidGrant(await app.exchange(unused));
  };
  await assertExpired();
  const { level, seconds } = await w.service.logged("clock_set_back", ({ event }) => event === "clock_set_back");
  assert.deepEqual({ level, seconds }, { level: "warn", seconds: DAY });
  await restart(w);
  await assertExpired();

  // New credentials have the ordinary lifetime.
  const fresh = assertTokens(await app.refresh(set.refresh_token), EVERYTHING);
  assert.equal((await userinfo(w, fresh.access_token)).status, 200);
  assert.equal((await app.introspect(fresh.access_token)).data.active, true);
  w.clock.forward(HOUR);
  assert.equal((await userinfo(w, fresh.access_token)).status, 401);
});

test("a token that was issued while the clock was ahead is not valid after it is set back", async (t) => {
  const { w, ada, app } = await stage(t);
  w.clock.forward(20 * DAY);
  const set = await ada.connect(app);
  assert.equal((await userinfo(w, set.access_token)).status, 200);
  w.clock.stop(NOW);
  assert.equal((await userinfo(w, set.access_token)).status, 401);
});

test("a step of a few seconds changes nothing", async (t) => {
  const { w, ada, app } = await stage(t);
  const set = await ada.connect(app);
  w.clock.forward(30);
  assert.equal((await userinfo(w, set.access_token)).status, 200);
  w.clock.stop(NOW);
  assert.equal((await userinfo(w, set.access_token)).status, 200);
});

// Lets the background thread run through a round of deletions.
async function runHousekeeping(w, seconds) {
  const rounds = () => w.service.log.filter(({ event }) => event === "housekeeping_done").length;
  const before = rounds();
  w.deadlines.forward(seconds * 1000);
  await until("a round of deletions", () => rounds() > before);
}

test("a clock 40 days ahead for 75 seconds deletes nothing; after an hour, deletion follows it", async (t) => {
  const { w, ada, app } = await stage(t, { settings: { "log-level": "debug" } });
  await runHousekeeping(w, 2 * HOUR); // the stopped clock of the test is a jump, too
  const set = await ada.connect(app);
  w.clock.forward(40 * DAY);
  await runHousekeeping(w, 75);
  w.clock.stop(NOW);
  assert.equal((await ada.get("/account", { "sec-fetch-site": "same-origin" })).status, 200, "the session is deleted");
  const fresh = assertTokens(await app.refresh(set.refresh_token), EVERYTHING);

  w.clock.forward(40 * DAY);
  await runHousekeeping(w, 75);
  await runHousekeeping(w, HOUR);
  await runHousekeeping(w, 75);
  w.clock.stop(NOW);
  assertInvalidGrant(await app.refresh(fresh.refresh_token));
  assert.equal((await ada.get("/account", { "sec-fetch-site": "same-origin" })).status, 303);
});
