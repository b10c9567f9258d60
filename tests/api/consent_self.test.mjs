// Consent for apps that registered themselves: who they say they are, the areas that the user allows,
// and whether their changes wait.

import assert from "node:assert/strict";
import test from "node:test";
import { mainText, open, press, state } from "../kit/account.mjs";
import { assistant } from "../kit/assistant.mjs";
import { documentClient, documentHost } from "../kit/document_host.mjs";
import { assertError } from "../kit/expect.mjs";
import { formTo, textOf } from "../kit/html.mjs";
import { MINUTE, stage } from "../kit/oauth.mjs";
import { Client, counts, FOOD, MUSIC } from "../kit/preferences.mjs";

const buttons = (page) => formTo(page.text, "/oauth/consent").controls.filter(({ type, name }) => type === "submit" && name === "decision").map(({ value }) => value);
const term = (page) => /<option value="([^"]*)" selected>/.exec(page.text)?.[1] ?? "revoked";

test("the page quotes the name, says that it is not verified, and offers to deny first", async (t) => {
  const { ada, app } = await assistant(t);
  const { page } = await ada.asked(app);
  assert.match(page.text, /<q>Claude Code<\/q>/);
  assert.match(textOf(page.text), /asks for access Not verified: any program can use this name\. After you decide, you'll be sent to an app on this device \./);
  assert.match(textOf(page.text), /Continue only if you just started this yourself\./);
  assert.doesNotMatch(textOf(page.text), /We can't verify|has changed since/);
  assert.deepEqual(buttons(page), ["deny", "allow"]);
  assert.equal(term(page), "1y");
  assert.match(page.headers["content-security-policy"], /form-action 'self' http:\/\/127\.0\.0\.1:8123/);
});

test("a document vouches for its host; a host that the user returns to is no reason to warn", async (t) => {
  const host = await documentHost(t);
  const { w, ada } = await stage(t, { settings: host.settings });
  const app = documentClient(w, host.publish("/client.json"));
  const { page } = await ada.asked(app);
  assert.match(textOf(page.text), /We know this app by its address: app\.localhost:\d+ \. The app chose its name itself\./);
  assert.doesNotMatch(textOf(page.text), /Not verified|just started this yourself/);
  assert.deepEqual([buttons(page), term(page)], [["allow", "deny"], "revoked"]);
  // A name that changed since the consent is pointed out.
  await ada.connect(app);
  assert.doesNotMatch(textOf((await ada.asked(app)).page.text), /has changed since/);
  host.publish("/client.json", { client_name: "Your Bank" });
  w.clock.forward(5 * MINUTE);
  assert.match(textOf((await ada.asked(app)).page.text), /This app's description of itself, such as its name or destination, has changed since you allowed it\./);
});

test("a private-use scheme is allowed by the policy of the page", async (t) => {
  const { ada, app } = await assistant(t, { redirect_uri: "com.example.editor:/done" });
  const { page } = await ada.asked(app);
  assert.match(page.headers["content-security-policy"], /form-action 'self' com\.example\.editor:/);
  assert.deepEqual(buttons(page), ["deny", "allow"]);
  assert.match((await ada.decide(page)).headers.location, /^com\.example\.editor:\/done\?code=/);
});

test("writes of a self-registered app wait unless the user chose otherwise", async (t) => {
  const { ada, app } = await assistant(t);
  const api = await Client.connect(ada, app);
  assert.deepEqual(await api.merge(FOOD, { allergies: ["sesame"] }), counts({ held: 1 }));
  assert.deepEqual(await api.record(FOOD), {});
  const [{ atom_id }] = await api.atoms("status=held");
  assert.match(mainText(await open(ada, "/account/waiting")), /Suggested by Claude Code for Food \/ Allergies sesame/);
  await press(ada, "/account/waiting", `/account/facts/${atom_id}/accept`);
  assert.deepEqual(await api.record(FOOD), { allergies: ["sesame"] });
  // Facts that others stated are only proposed for removal.
  await state(ada, MUSIC, "genres", "jazz");
  assert.equal((await api.suppressing((await api.atom("jazz")).atom_id)).status, 202);
  assert.deepEqual(await api.record(MUSIC), { genres: ["jazz"] });

  const trusted = await Client.connect(ada, app, { chosen: { writes: "store" } });
  assert.deepEqual(await trusted.merge(MUSIC, { genres: ["soul"] }), counts({ added: 1 }));
  // The user can change it at any time; the next consent decides for the whole connection.
  const page = `/account/apps/${app.client_id}`;
  assert.match(mainText(await open(ada, page)), /Not verified: any program can use this name\..*1 change by this app waits for your confirmation\./);
  await press(ada, page, `${page}/writes`, { chosen: { writes: "wait" } });
  assert.deepEqual(await trusted.merge(MUSIC, { genres: ["folk"] }), counts({ held: 1 }));
  await press(ada, page, `${page}/writes`, { chosen: { writes: "store" } });
  assert.deepEqual(await trusted.merge(MUSIC, { genres: ["blues"] }), counts({ added: 1 }));
  const token = formTo((await open(ada, page)).text, `${page}/writes`).filled().filter(([name]) => name === "form");
  assert.equal((await ada.post(`${page}/writes`, [...token, ["writes", "never"]])).status, 400);
  assert.equal((await ada.post(`${page}/writes`, { writes: "store" })).status, 403);
  await Client.connect(ada, app);
  assert.deepEqual(await trusted.merge(MUSIC, { genres: ["rock"] }), counts({ held: 1 }));
});

test("the user chooses the areas, whatever the app asked for", async (t) => {
  const { ada, app } = await assistant(t);
  await state(ada, MUSIC, "genres", "jazz");
  await state(ada, FOOD, "cuisines", "Thai");
  const everything = ["agent_hints", "preferences:read", "preferences:write"];
  const some = { chosen: { areas: "some", writes: "store" } };
  const wide = await Client.connect(ada, app, { chosen: { writes: "store" } });
  assert.equal((await wide.get(`preferences/${MUSIC}`)).status, 200);

  const asked = await ada.asked(app);
  const none = await ada.decide(asked.page, { ...some, ticks: everything });
  assert.equal(none.status, 400);
  assert.match(textOf(none.text), /Choose at least one area/);

  const { access_token, scope, refresh_token } = await ada.connect(app, { ...some, ticks: [...everything, FOOD] });
  assert.deepEqual(scope.split(" ").sort(), ["agent_hints", FOOD, "preferences:write"].sort());
  const api = new Client(ada.w, { app, access_token, refresh_token });
  assert.deepEqual(await api.record(FOOD), { cuisines: ["Thai"] });
  for (const client of [api, wide]) { // the earlier token as well
    assertError(await client.get(`preferences/${MUSIC}`), 403, "insufficient_scope");
    assertError(await client.send(MUSIC, { genres: ["soul"] }), 403, "insufficient_scope");
    assert.doesNotMatch(JSON.stringify((await client.read("agent-hints")).hints), /jazz/);
  }
  assert.equal((await api.send(FOOD, { cuisines: ["Lao"] })).status, 200);

  // Hints alone, in one area: nothing can be read.
  const hints = await Client.connect(ada, app, { ...some, ticks: ["agent_hints", MUSIC] });
  assert.match(JSON.stringify((await hints.read("agent-hints")).hints), /jazz/);
  assert.doesNotMatch(JSON.stringify((await hints.read("agent-hints")).hints), /Thai/);
  assertError(await hints.get(`preferences/${MUSIC}`), 403, "insufficient_scope");
  assertError(await api.get(`preferences/${FOOD}`), 403, "insufficient_scope");
});

test("the consent page of an app of the portal has none of these choices", async (t) => {
  const { ada, app } = await stage(t);
  const { page } = await ada.asked(app);
  assert.doesNotMatch(page.text, /name="areas"|name="writes"|<q>/);
  assert.deepEqual(buttons(page), ["allow", "deny"]);
  const form = formTo(page.text, "/oauth/consent").filled({ button: { decision: "allow" } });
  const answer = await ada.post("/oauth/consent", [...form, ["areas", "some"], ["area", FOOD], ["writes", "wait"]]);
  assert.match(answer.headers.location, /code=/);
});
