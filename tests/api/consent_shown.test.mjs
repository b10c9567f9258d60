// A user decides by what the consent page says about an app. If that changes, the user is asked again.
// Also: what the responses say about lifetimes and users is true.

import assert from "node:assert/strict";
import test from "node:test";
import { press } from "../kit/account.mjs";
import { formTo, textOf } from "../kit/html.mjs";
import { addPerson, assertStop, assertTokens, CALLBACK, DAY, HOUR, NOW, stage } from "../kit/oauth.mjs";
import { registered } from "../kit/portal.mjs";

const OTHER = "https://other.example/callback";

async function change(person, app, typed) {
  const where = `/developer/apps/${app.client_id}/settings`;
  const form = formTo((await person.get(where)).text, where);
  const kept = { name: form.value("name"), redirect_uris: CALLBACK };
  const answer = await person.post(where, form.filled({ typed: { ...kept, ...typed } }));
  assert.equal(answer.status, 303, answer.text);
}

const asks = async (person, app, params) => formTo((await person.get(app.request(params).path)).text, "/oauth/consent") !== undefined;

test("the consent page names the developer and the host of the homepage", async (t) => {
  const { w, ada } = await stage(t);
  const grace = await addPerson(w, "grace");
  const app = await registered(ada, { name: "Concert Finder" });
  const about = async () => textOf(/<p class="about">[^]*?<\/p>/.exec((await grace.get(app.request().path)).text)[0]);
  assert.equal(await about(), "Developer: ada");
  await change(ada, app, { homepage: "https://concerts.example/about", privacy_link: "https://concerts.example/privacy" });
  await press(ada, "/account/profile", "/account/profile", { typed: { name: "Ada <b>Lovelace" } });
  assert.equal(await about(), "Developer: Ada <b>Lovelace About this app (concerts.example) Privacy policy");
  assert.doesNotMatch((await grace.get(app.request().path)).text, /<b>Lovelace/);
});

test("an app that changes its name, its privacy link, or its host after consent asks again", async (t) => {
  const { w, ada } = await stage(t);
  const grace = await addPerson(w, "grace");
  const app = await registered(ada, { name: "Concert Finder" });
  await grace.connect(app);
  assert.ok(!(await asks(grace, app)));

  await change(ada, app, { name: "Your Bank" });
  assert.ok(await asks(grace, app), "another name");
  await change(ada, app, { name: "Concert Finder" });
  assert.ok(!(await asks(grace, app)), "the name that was shown");
  await change(ada, app, { privacy_link: "https://app.example/privacy" });
  assert.ok(await asks(grace, app), "another privacy link");
  await grace.connect(app);
  assert.ok(!(await asks(grace, app)), "the link that was shown");

  const uris = `${CALLBACK}\r\n${OTHER}\r\nhttps://app.example/second`;
  await change(ada, app, { redirect_uris: uris, privacy_link: "https://app.example/privacy" });
  assert.ok(!(await asks(grace, app)), "the host that was shown");
  assert.ok(!(await asks(grace, app, { redirect_uri: "https://app.example/second" })), "another path on it");
  assert.ok(await asks(grace, app, { redirect_uri: OTHER }), "another host");
  await grace.connect(Object.assign(Object.create(app), { redirect_uri: OTHER }));
  for (const redirect_uri of [CALLBACK, OTHER]) assert.ok(!(await asks(grace, app, { redirect_uri })), "both hosts were shown");
});

test("an app that changes its name or its redirect URI while the page is open gets nothing", async (t) => {
  const { w, ada } = await stage(t);
  const grace = await addPerson(w, "grace");
  for (const typed of [{ name: "Your Bank" }, { privacy_link: "https://app.example/privacy" }, { redirect_uris: OTHER }]) {
    const app = await registered(ada, { name: "Concert Finder" });
    const { page } = await grace.asked(app);
    await change(ada, app, typed);
    assertStop(await grace.decide(page));
    assert.ok(!(await grace.get("/account/apps")).text.includes(app.client_id), JSON.stringify(typed));
  }
});

test("a session keeps its 20 newest requests", async (t) => {
  const { ada, app } = await stage(t);
  const pages = [];
  for (let i = 0; i < 21; i++) {
    pages.push((await ada.asked(app)).page);
    ada.w.clock.forward(1);
  }
  assertStop(await ada.decide(pages[0]));
  for (const page of [pages[1], pages[20]]) assert.equal((await ada.decide(page)).status, 303);
});

test("expires_in and exp end with the connection", async (t) => {
  const { w, ada, app } = await stage(t);
  const first = await ada.connect(app, { scope: "profile:read", term: "1d" });
  assert.equal(first.expires_in, HOUR);
  w.clock.forward(DAY - 660);
  const answer = await app.refresh(first.refresh_token);
  const { access_token, refresh_token, expires_in } = assertTokens(answer);
  assert.equal(expires_in, 660);
  for (const token of [access_token, refresh_token]) assert.equal((await app.introspect(token)).data.exp, NOW + DAY);
  w.clock.forward(659);
  assert.equal((await app.userinfo(access_token)).status, 200);
  w.clock.forward(1);
  assert.equal((await app.userinfo(access_token)).status, 401);
});

test("exp follows an end date that the user sets later", async (t) => {
  const { w, ada, app } = await stage(t);
  w.clock.stop(NOW - (NOW % DAY) + DAY - 600); // ten minutes before midnight
  const { access_token, refresh_token } = await ada.connect(app, { scope: "profile:read" });
  assert.equal((await app.introspect(access_token)).data.exp, w.clock.now() + HOUR);
  const date = new Date(w.clock.now() * 1000).toISOString().slice(0, 10);
  await press(ada, `/account/apps/${app.client_id}`, `/account/apps/${app.client_id}/end`, { typed: { date }, chosen: { until: "date" } });
  for (const token of [access_token, refresh_token]) assert.equal((await app.introspect(token)).data.exp, w.clock.now() + 599);
});

test("introspection returns the username only with profile:read", async (t) => {
  const { ada, app } = await stage(t);
  for (const [scope, username] of [["agent_hints", undefined], ["profile:read", "ada"]]) {
    const { access_token, refresh_token } = await ada.connect(app, { scope });
    for (const token of [access_token, refresh_token]) {
      const { data } = await app.introspect(token);
      assert.deepEqual([data.active, data.username, "username" in data], [true, username, username !== undefined], scope);
    }
  }
});
