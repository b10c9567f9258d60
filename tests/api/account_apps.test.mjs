// /account/apps: connected apps, their permissions, and how to revoke them.

import assert from "node:assert/strict";
import test from "node:test";
import { flashOf, formOn, mainText, open, press } from "../kit/account.mjs";
import { addApp, addPerson, appCommand, assertDead, DAY, NOW, stage, words } from "../kit/oauth.mjs";
import { Client, connected, FOOD, MUSIC, secondApp } from "../kit/preferences.mjs";
import { until } from "../kit/until.mjs";

const at = (app, what = "") => `/account/apps/${app.client_id}${what}`;

test("an app is listed with what it may do in words, since when and until when", async (t) => {
  const { w, ada, app } = await stage(t);
  assert.match(mainText(await open(ada, "/account/apps")), /No connected apps/);
  await ada.connect(app, { scope: `${MUSIC} agent_hints`, term: "30d" });
  w.clock.forward(2 * DAY);
  const page = await open(ada, "/account/apps");
  assert.match(mainText(page), /Concert Finder Connected 2 days ago · Access ends February 14, 2027 Music Hints for AI agents Not used yet\. No facts added\./);
  const one = await open(ada, at(app));
  assert.match(mainText(one), /See your taste in music/);
  assert.deepEqual(formOn(one, at(app, "/scopes")).ticked("scope"), [MUSIC, "agent_hints"]);
  assert.doesNotMatch(one.text, /music_preferences[^"]*</, "a scope's name is shown to a person");
});

test("a removed scope disappears from valid tokens, and stays removed (B36)", async (t) => {
  const { ada, app } = await stage(t);
  const set = await ada.connect(app, { scope: `${MUSIC} ${FOOD} profile:read` });
  const page = await press(ada, at(app), at(app, "/scopes"), { ticks: [MUSIC, "profile:read"] });
  assert.match(flashOf(page), /Permissions saved for Concert Finder\./);
  assert.deepEqual(await app.worth(set.access_token), words(`${MUSIC} profile:read`));
  const renewed = await app.refresh(set.refresh_token);
  assert.deepEqual(words(renewed.data.scope), words(`${MUSIC} profile:read`));
  assert.deepEqual(formOn(await open(ada, at(app)), at(app, "/scopes")).choices("scope"), [MUSIC, "profile:read"]);
});

test("a form on the app's page cannot add permissions", async (t) => {
  const { ada, app } = await stage(t);
  const set = await ada.connect(app, { scope: MUSIC });
  const form = formOn(await open(ada, at(app)), at(app, "/scopes")).filled();
  const answer = await ada.post(at(app, "/scopes"), [...form, ["scope", FOOD], ["scope", "preferences:read"], ["scope", "nonsense"]]);
  assert.equal(answer.status, 303);
  assert.deepEqual(await app.worth(set.access_token), [MUSIC]);
});

test("with nothing checked the app is disconnected", async (t) => {
  const { ada, app } = await stage(t);
  const set = await ada.connect(app);
  const page = await press(ada, at(app), at(app, "/scopes"), { ticks: [] });
  assert.match(flashOf(page), /Concert Finder is disconnected/);
  await assertDead(app, set);
});

test("a disconnected app's next request is rejected, and a new consent starts without permissions (B35)", async (t) => {
  const { ada, app } = await stage(t);
  const set = await ada.connect(app);
  const page = await press(ada, at(app), at(app, "/disconnect"));
  assert.match(flashOf(page), /Concert Finder is disconnected/);
  assert.match(mainText(page), /No connected apps/);
  await assertDead(app, set);
  await open(ada, at(app), 404);
  const { form } = await ada.asked(app);
  assert.ok(form, "it must ask");
});

test("access ends on the day the user chose, and not before", async (t) => {
  const { w, ada, app } = await stage(t);
  const set = await ada.connect(app);
  const day = new Date((NOW + 3 * DAY) * 1000).toISOString().slice(0, 10);
  const page = await press(ada, at(app), at(app, "/end"), { chosen: { until: "date" }, typed: { date: day } });
  assert.match(flashOf(page), /Access duration saved for/);
  assert.equal(formOn(page, at(app, "/end")).value("date"), day);
  w.clock.stop(Date.parse(`${day}T23:59:00Z`) / 1000);
  const kept = await app.refresh(set.refresh_token);
  assert.equal(kept.status, 200, kept.text);
  w.clock.stop(Date.parse(`${day}T23:59:59Z`) / 1000);
  assert.equal(await app.worth(kept.data.access_token), null);
});

test("a past or invalid date is an error at the field, and an end date can be removed", async (t) => {
  const { w, ada, app } = await stage(t);
  await ada.connect(app, { term: "1d" });
  for (const [date, problem] of [["2001-01-01", /Choose a future date/], ["2027-02-31", /Enter a date/], ["", /Enter a date/], ["tomorrow", /Enter a date/], ["2027-1-1", /Enter a date/]])
    assert.match(mainText(await press(ada, at(app), at(app, "/end"), { status: 400, chosen: { until: "date" }, typed: { date } })), problem);
  assert.match(mainText(await open(ada, at(app))), /Access ends January 16, 2027/);
  await press(ada, at(app), at(app, "/end"), { chosen: { until: "revoked" } });
  w.clock.forward(2 * DAY);
  assert.match(mainText(await open(ada, at(app))), /No end date/);
});

test("the facts of an app are listed, and deleting them keeps those of other sources (API and page agree)", async (t) => {
  const { w, ada, api } = await connected(t);
  const dinner = await secondApp(w, ada);
  await api.write(MUSIC, { favorite_artists: ["Björk", "Nina Simone"] });
  await dinner.write(MUSIC, { favorite_artists: ["Björk"] });
  await dinner.write(FOOD, { cuisines: ["Thai"] });
  const page = await open(ada, at(api.app));
  assert.match(mainText(page), /2 facts added\./);
  assert.match(mainText(page), /Nina Simone Music \/ Favorite artists/);
  const after = await press(ada, page, at(api.app, "/forget"));
  assert.match(flashOf(after), /Deleted everything only Concert Finder added: 1 in total/);
  assert.match(mainText(after), /No facts added\./);
  const { preferences } = await api.read("preferences");
  assert.deepEqual([preferences[FOOD], preferences[MUSIC]], [{ cuisines: ["Thai"] }, { favorite_artists: ["Björk"] }]);
});

test("a hostile app name and value are escaped on every page (B14)", async (t) => {
  const { w, ada } = await connected(t);
  const nasty = await addApp(w, { name: `<img src=x onerror=alert(1)>"'` });
  const api = await Client.connect(ada, nasty);
  await api.write(MUSIC, { favorite_artists: [`"><script>alert(2)</script>`, "{{form_token}}"] });
  for (const where of ["/account/apps", at(nasty)]) {
    const page = await open(ada, where);
    assert.doesNotMatch(page.text, /<img src=x|<script>alert/);
    assert.match(page.text, /&lt;img src=x/);
  }
  assert.match((await open(ada, at(nasty))).text, /\{\{form_token\}\}/);
  assert.match((await press(ada, at(nasty), at(nasty, "/disconnect"))).text, /&lt;img src=x[^<]* is disconnected/);
});

test("another user's connection and an app that was never connected are not found (B19)", async (t) => {
  const { w, ada, app } = await stage(t);
  const set = await ada.connect(app);
  const eve = await addPerson(w, "eve");
  const form = /name="form" value="([^"]+)"/.exec((await open(eve, "/account/apps")).text)[1];
  for (const id of [app.client_id, "app_AAAAAAAAAAAAAAAAAAAAAA", "app_1", "..", "%00", "x".repeat(300)]) {
    const shown = await eve.get(`/account/apps/${id}`);
    assert.ok([404, 400].includes(shown.status), `${id}: ${shown.status}`);
    for (const what of ["scopes", "end", "disconnect", "forget"]) {
      const answer = await eve.post(`/account/apps/${id}/${what}`, { form, until: "revoked", scope: MUSIC });
      assert.ok([404, 400].includes(answer.status), `${id}/${what}: ${answer.status}`);
    }
  }
  assert.ok(await app.worth(set.access_token));
});

test("the last use and the number of requests are shown correctly", async (t) => {
  const { w, ada, api } = await connected(t);
  const before = await open(ada, at(api.app));
  assert.match(mainText(before), /Not used yet\./);
  for (let i = 0; i < 4; i++) await api.read("preferences");
  w.clock.forward(3 * 3600);
  // A request is counted after its response was sent.
  const page = await until("4 requests", async () => [await open(ada, at(api.app))].find((one) => /\b4 requests\b/.test(mainText(one))));
  assert.match(mainText(page), /Last used 3 hours ago ?\. 4 requests in the last 30 days\./);
  assert.match(page.text, /<title>January 15, 2027: 4/);
  assert.match(mainText(await open(ada, "/account/apps")), /Last used 3 hours ago/);
});

test("usage counts of an app are deleted with the connection, also those not written yet", async (t) => {
  const { w, ada, api } = await connected(t);
  const page = async () => mainText(await open(ada, at(api.app)));
  for (const written of [true, false]) {
    await api.read("preferences");
    if (written) {
      await w.stop();
      await w.start();
    }
    await until("the request to be counted", async () => /1 request in the last 30 days/.test(await page()));
    await press(ada, at(api.app), at(api.app, "/disconnect"));
    await w.stop();
    await w.start();
    Object.assign(api, await Client.connect(ada, api.app));
    assert.match(await page(), /Not used yet\./);
  }
});

test("a disabled app is shown as turned off", async (t) => {
  const { w, ada, app } = await stage(t);
  await ada.connect(app);
  await appCommand(w, "disable", app.client_id);
  assert.match(mainText(await open(ada, "/account/apps")), /This app is turned off/);
});
