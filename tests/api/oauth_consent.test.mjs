// The consent page: what it says, what can be ticked, and that nothing but this page's own form, in
// this session, in time, once, gives an app anything (group B of the catalogue).

import assert from "node:assert/strict";
import test from "node:test";
import { assertPage } from "../kit/expect.mjs";
import { formTo, textOf } from "../kit/html.mjs";
import { addApp, addPerson, appCommand, assertBack, assertDead, assertPageTo, assertStop, CALLBACK, DAY, DOMAINS, EVERYTHING, MINUTE, NOW, Person, SCOPES, stage, userCommand, words } from "../kit/oauth.mjs";
import { PASSWORD } from "../kit/world.mjs";

const TWO = "agent_hints profile:read";

// Nothing was granted: the app is asked about again.
async function assertNotGranted(person, app, scope = app.scope) {
  const { page } = await person.asked(app, { scope });
  assert.equal(page.status, 200);
}

test("the page shows the app, the destination, the user, and a sentence for each scope (B38)", async (t) => {
  const { ada, app } = await stage(t);
  const { page, form } = await ada.asked(app);
  assertPageTo(page, "https://app.example");
  const text = textOf(page.text);
  for (const said of ["Concert Finder", "app.example", "ada"]) assert.ok(text.includes(said), said);
  assert.deepEqual([...form.choices("scope")].sort(), [...SCOPES].sort());
  assert.deepEqual([...form.ticked("scope")].sort(), [...SCOPES].sort());
  assert.deepEqual(form.choices("term"), ["revoked", "1d", "30d", "1y"]);
  assert.match(page.text, /<option value="30d" selected>/);
  const [sees, changes] = page.text.split("<legend>Can change</legend>");
  assert.match(sees, /<legend>Can see<\/legend>[^]*value="preferences:read"[^]*value="music_preferences"/);
  assert.match(changes, /value="preferences:write"/);
  assert.doesNotMatch(sees, /value="preferences:write"/);
  assert.deepEqual(form.choices("decision").sort(), ["allow", "deny"]);
  for (const about of [/music/i, /food/i, /travel/i, /cod(e|ing)/i, /hint/i, /profile|name|email/i, /change|write|add/i]) assert.match(text, about);
  const { form: fewer } = await ada.asked(app, { scope: "music_preferences agent_hints" });
  assert.deepEqual([...fewer.choices("scope")].sort(), ["agent_hints", "music_preferences"]);
  assert.doesNotMatch(textOf((await ada.asked(app, { scope: "music_preferences" })).page.text), /food|travel/i);
});

test("the app gets exactly the checked scopes: all, some, none", async (t) => {
  const { ada, app } = await stage(t);
  const all = await ada.connect(app);
  assert.deepEqual(words(all.scope), words(EVERYTHING));
  const some = await ada.connect(app, { prompt: "consent", ticks: ["music_preferences", "profile:read"] });
  assert.deepEqual(words(some.scope), ["music_preferences", "profile:read"]);
  assert.deepEqual(await app.worth(some.access_token), ["music_preferences", "profile:read"]);
  const none = await ada.authorize(app, { prompt: "consent", ticks: [] });
  assertBack(none.answer, none, { error: "access_denied" });
  assert.deepEqual(await app.worth(some.access_token), ["music_preferences", "profile:read"], "a denial changes nothing");
});

test("denying redirects with access_denied, and the app gets nothing (A39)", async (t) => {
  const { ada, app } = await stage(t);
  const denied = await ada.authorize(app, { decision: "deny" });
  assertBack(denied.answer, denied, { error: "access_denied" });
  await assertNotGranted(ada, app);
});

test("scopes that were not asked for cannot be checked into the answer, nor anything else be changed by a field", async (t) => {
  const { w, ada, app } = await stage(t);
  const other = await addApp(w, { name: "Other App", redirect_uri: "https://other.example/cb" });
  const { form, ...request } = await ada.asked(app, { scope: TWO });
  const fields = form.filled({ ticks: ["profile:read"], button: { decision: "allow" } });
  const forged = [...fields, ...[...DOMAINS, "preferences:read", "preferences:write", "nonsense", "profile:read"].map((scope) => ["scope", scope]),
    ["client_id", other.client_id], ["redirect_uri", "https://evil.example/"], ["state", "forged"], ["code_challenge", "A".repeat(43)], ["user_id", "usr_x"], ["username", "eve"]];
  const answer = await ada.post("/oauth/consent", forged);
  const { code } = assertBack(answer, request, {});
  const { data } = await app.exchange({ ...request, code });
  assert.deepEqual(words(data.scope), ["profile:read"]);
  assert.equal((await app.userinfo(data.access_token)).data.preferred_username, "ada");
  assert.deepEqual(await other.worth(data.access_token), null);
});

test("a form without its token, with a wrong one, or with another session's is rejected and grants nothing (B3)", async (t) => {
  const { w, ada, app } = await stage(t);
  const eve = await addPerson(w, "eve");
  const again = new Person(w, { username: "ada" });
  await again.signIn(); // the same person in another browser
  const { form } = await ada.asked(app, { scope: TWO });
  const fields = Object.fromEntries(form.filled({ ticks: ["profile:read"], button: { decision: "allow" } }));
  const tokens = [undefined, "", "x", "A".repeat(43), fields.form.slice(1), `${fields.form}A`, (await eve.asked(app)).form.value("form"), (await again.asked(app)).form.value("form")];
  for (const token of tokens) {
    const { form: _, ...rest } = fields;
    const answer = await ada.post("/oauth/consent", token === undefined ? rest : { ...rest, form: token });
    assertPage(answer, 403);
    assert.equal(answer.headers.location, undefined);
  }
  const twice = await ada.post("/oauth/consent", [...Object.entries(fields), ["form", fields.form]]);
  assert.ok([400, 403].includes(twice.status));
  await assertNotGranted(ada, app, TWO);
  const answer = await ada.post("/oauth/consent", Object.entries(fields));
  assert.equal(answer.status, 303); // the real one still works
});

test("a request of another session cannot be answered, even with its id (B10)", async (t) => {
  const { w, ada, app } = await stage(t);
  const eve = await addPerson(w, "eve");
  const { form, ...request } = await ada.asked(app, { scope: TWO });
  const id = form.value("request");
  assertStop(await eve.get(`/oauth/consent?request=${id}`));
  const own = await eve.asked(app, { scope: TWO });
  assertStop(await eve.post("/oauth/consent", { request: id, form: own.form.value("form"), scope: "profile:read", term: "revoked", decision: "allow" }));
  for (const nonsense of ["req_AAAAAAAAAAAAAAAAAAAAAA", "", "x", "req_' OR 1=1", id.slice(0, -1), `${id}A`, id.toUpperCase()])
    assertStop(await ada.post("/oauth/consent", { request: nonsense, form: form.value("form"), scope: "profile:read", term: "revoked", decision: "allow" }));
  await assertNotGranted(eve, app, TWO);
  assertBack(await ada.decide(request.page), request, {});
});

test("a form token is invalid after signing in again (B4)", async (t) => {
  const { ada, app } = await stage(t);
  const { page } = await ada.asked(app, { scope: TWO });
  await ada.signIn(); // in another tab
  const late = await ada.decide(page);
  assert.equal(late.status, 403);
  await assertNotGranted(ada, app, TWO);
});

test("a consent sent from another site is rejected (B5)", async (t) => {
  const { ada, app } = await stage(t);
  const { form } = await ada.asked(app, { scope: TWO });
  const fields = form.filled({ button: { decision: "allow" } });
  for (const headers of [{ origin: "https://evil.example", "sec-fetch-site": "cross-site" }, { origin: "https://app.example" }, { "sec-fetch-site": "cross-site" }, { "sec-fetch-site": "same-site" }, { origin: "null", "sec-fetch-site": "cross-site" }]) {
    const answer = await ada.post("/oauth/consent", fields, headers);
    assertPage(answer, 403);
    assert.equal(answer.headers.location, undefined);
  }
  await assertNotGranted(ada, app, TWO);
});

test("a signed-out user cannot answer", async (t) => {
  const { w, ada, app } = await stage(t);
  const { form } = await ada.asked(app, { scope: TWO });
  const stranger = new Person(w, {});
  const answer = await stranger.post("/oauth/consent", form.filled({ button: { decision: "allow" } }));
  assert.ok(answer.status === 403 || /^\/signin/.test(answer.headers.location ?? ""), `${answer.status} ${answer.headers.location}`);
  const looked = await stranger.get(`/oauth/consent?request=${form.value("request")}`);
  assert.match(looked.headers.location ?? "", /^\/signin/);
  await assertNotGranted(ada, app, TWO);
});

const ENDINGS = {
  "signed out in another tab": (w, ada) => ada.signOut(),
  "the session was ended elsewhere": async (w, ada) => {
    const there = new Person(w, { username: "ada" });
    await there.signIn();
    const { text } = await there.get("/account/security");
    const [, action] = /action="(\/account\/security\/sessions\/[^"]+\/end)"/.exec(text);
    assert.equal((await there.post(action, formTo(text, action).filled())).status, 303);
  },
  "the account was disabled and enabled": async (w) => {
    for (const what of ["disable", "enable"]) await userCommand(w, what, "ada");
  },
};

for (const [why, end] of Object.entries(ENDINGS))
  for (const decision of ["allow", "deny"])
    test(`${why} while deciding, then ${decision}: after signing in the same request is asked again`, async (t) => {
      const { w, ada, app } = await stage(t);
      const { page, form, ...request } = await ada.asked(app, { scope: TWO });
      await end(w, ada);
      const sent = await ada.decide(page, { decision });
      assert.equal(sent.status, 303);
      assert.equal(sent.headers.location, `/signin?request=${form.value("request")}`);
      const signIn = await ada.get(sent.headers.location);
      assertPageTo(signIn, "https://app.example");
      assert.match(textOf(signIn.text), /You were signed out/);
      assert.match(textOf(signIn.text), /Sign in to see what Concert Finder asks for/);
      const wrong = await ada.fillSignIn(signIn, { password: "wrong kettle sings at dusk" });
      assert.match(textOf(wrong.text), /Sign in to see what/, "also after a mistake");
      const signed = await ada.fillSignIn(wrong);
      assert.equal(signed.headers.location, `/oauth/consent?request=${form.value("request")}`);
      const again = await ada.get(signed.headers.location);
      assert.equal(again.status, 200, "decided without the person");
      assert.deepEqual(ada.consentForm(again).choices("scope"), form.choices("scope"));
      const { code } = assertBack(await ada.decide(again), request, {});
      const { data } = await app.exchange({ ...request, code });
      assert.deepEqual(words(data.scope), words(TWO));
    });

test("the page leads to another account, which is asked instead", async (t) => {
  const { w, ada, app } = await stage(t);
  await addPerson(w, "grace", { signedIn: false });
  const { page, ...request } = await ada.asked(app, { scope: TWO });
  const [, link] = /href="(\/signin\?request=[^"]*)">Use another account</.exec(page.text);
  const again = await ada.get((await ada.signIn({ where: link, username: "grace" })).headers.location);
  assert.match(textOf(again.text), /You are signed in as grace/);
  assert.equal((await ada.decide(page)).status, 403, "the form of the first one is over");
  const { code } = assertBack(await ada.decide(again), request, {});
  const { data } = await app.exchange({ ...request, code });
  assert.equal((await app.userinfo(data.access_token)).data.preferred_username, "grace");
});

test("reloading or signing up also leads back to the request", async (t) => {
  const { w, ada, app } = await stage(t);
  const { form, ...request } = await ada.asked(app, { scope: TWO });
  const id = form.value("request");
  await ada.signOut();
  const sent = await ada.get(`/oauth/consent?request=${id}`);
  const signIn = await ada.get(sent.headers.location);
  assert.match(textOf(signIn.text), /Sign in to see what Concert Finder asks for/);
  const [, link] = /href="(\/signup[^"]*)"/.exec(signIn.text);
  const signUp = formTo((await ada.get(link.replaceAll("&amp;", "&"))).text, "/signup");
  const grace = await ada.post("/signup", signUp.filled({ typed: { username: "grace", password: PASSWORD } }));
  const { code } = assertBack(await ada.through(grace), request, {});
  const { data } = await app.exchange({ ...request, code });
  assert.equal((await app.userinfo(data.access_token)).data.preferred_username, "grace");
  await assertNotGranted(await addPerson(w, "eve"), app, TWO);
});

test("a sign-in does not take over a request of a valid session or an expired one, and leads to no other site", async (t) => {
  const { w, ada, app } = await stage(t);
  const eve = await addPerson(w, "eve");
  const { page, form, ...request } = await ada.asked(app, { scope: TWO });
  const id = form.value("request");
  for (const where of [`/signin?request=${id}`, `/signin?next=${encodeURIComponent(`/oauth/consent?request=${id}`)}`]) {
    assert.doesNotMatch(textOf((await eve.get(where)).text), /Sign in to see what/);
    assertStop(await eve.get((await eve.signIn({ where })).headers.location));
  }
  assertBack(await ada.decide(page), request, {}); // it still waits where it was
  const late = await ada.asked(app, { scope: TWO, prompt: "consent" });
  await ada.signOut();
  w.clock.stop(NOW + 10 * MINUTE);
  const sent = await ada.decide(late.page);
  assertStop(await ada.get((await ada.signIn({ where: sent.headers.location })).headers.location));
  await ada.signOut();
  for (const nonsense of ["https://evil.example/", "//evil.example", "req_x&next=//evil.example", "req_/../../signout", "req_\r\nX: y", ""]) {
    const answer = await ada.post("/oauth/consent", { request: nonsense, decision: "allow" });
    assert.deepEqual([answer.status, answer.headers.location], [303, "/signin"], nonsense);
    assert.equal(answer.headers.x, undefined);
    const signed = await ada.post("/signin", { request: nonsense, username: "ada", password: PASSWORD });
    assert.deepEqual([signed.status, signed.headers.location], [303, "/account"], nonsense);
    await ada.signOut();
  }
});

test("a GET never approves, whatever its query (B6)", async (t) => {
  const { ada, app } = await stage(t);
  const { form } = await ada.asked(app, { scope: TWO });
  const query = new URLSearchParams(form.filled({ button: { decision: "allow" } }));
  const seen = await ada.get(`/oauth/consent?${query}`);
  assert.ok(!(seen.headers.location ?? "").includes("code="));
  const asked = app.request({ scope: TWO });
  const shown = await ada.get(`${asked.path}&decision=allow&form=${form.value("form")}&term=revoked&approve=1`);
  assert.equal(shown.headers.location, undefined);
  const head = await ada.ask("HEAD", `/oauth/consent?${query}`);
  assert.equal(head.headers.location, undefined);
  await assertNotGranted(ada, app, TWO);
});

test("deciding twice, or going back and deciding again, counts once (B8)", async (t) => {
  const { ada, app } = await stage(t);
  const { page, ...request } = await ada.asked(app, { scope: TWO });
  const { code } = assertBack(await ada.decide(page), request, {});
  assertStop(await ada.decide(page));
  assertStop(await ada.decide(page, { decision: "deny" }));
  const { data } = await app.exchange({ ...request, code });
  assert.deepEqual(await app.worth(data.access_token), words(TWO)); // the second did no harm
});

test("of 16 simultaneous decisions on one request, one succeeds", async (t) => {
  const { ada, app } = await stage(t);
  const { form } = await ada.asked(app, { scope: TWO });
  const fields = form.filled({ button: { decision: "allow" } });
  const answers = await Promise.all(Array.from({ length: 16 }, () => ada.post("/oauth/consent", fields)));
  const statuses = answers.map((answer) => answer.status).sort();
  assert.deepEqual(statuses, [303, ...Array(15).fill(400)].sort());
});

test("a request waits for ten minutes and no longer (B9)", async (t) => {
  const { w, ada, app } = await stage(t);
  const early = await ada.asked(app, { scope: TWO });
  w.clock.forward(10 * MINUTE - 1);
  assertBack(await ada.decide(early.page), early, {});
  const late = await ada.asked(app, { scope: EVERYTHING });
  w.clock.forward(11 * MINUTE);
  const answer = assertStop(await ada.decide(late.page));
  assert.match(textOf(answer.text), /expired|too late|again/i);
  assertStop(await ada.get(`/oauth/consent?request=${late.form.value("request")}`));
  await assertNotGranted(ada, app, EVERYTHING);
});

test("two apps in two tabs: each decision goes to its own app (B10)", async (t) => {
  const { w, ada, app } = await stage(t);
  const other = await addApp(w, { name: "Other App", redirect_uri: "https://other.example/cb" });
  const one = await ada.asked(app, { scope: TWO });
  const two = await ada.asked(other, { scope: "music_preferences" });
  const three = await ada.asked(app, { scope: "food_profile" });
  assert.equal(new Set([one, two, three].map(({ form }) => form.value("request"))).size, 3);
  assertBack(await ada.decide(three.page, { decision: "deny" }), three, { error: "access_denied" });
  const first = assertBack(await ada.decide(one.page), one, {});
  const second = assertBack(await ada.decide(two.page), two, {});
  assert.deepEqual(words((await app.exchange({ ...one, code: first.code })).data.scope), words(TWO));
  assert.deepEqual(words((await other.exchange({ ...two, code: second.code })).data.scope), ["music_preferences"]);
});

test("the page of a waiting request can be seen again, and is the same", async (t) => {
  const { ada, app } = await stage(t);
  const { form, ...request } = await ada.asked(app, { scope: TWO });
  const again = await ada.get(`/oauth/consent?request=${form.value("request")}`);
  assertPageTo(again, "https://app.example");
  assert.deepEqual(formTo(again.text, "/oauth/consent").filled(), form.filled());
  assertBack(await ada.decide(again), request, {});
});

test("consent is asked again only for more scopes, after the end date, with prompt=consent, or for a public app", async (t) => {
  const { w, ada, app } = await stage(t);
  const silent = async (params) => (await ada.get(app.request(params).path)).status === 303;
  await ada.connect(app, { scope: TWO, term: "30d" });
  assert.equal(await silent({ scope: TWO }), true);
  assert.equal(await silent({ scope: "profile:read" }), true); // less
  assert.equal(await silent({ scope: `${TWO} music_preferences` }), false); // more
  assert.equal(await silent({ scope: "music_preferences" }), false); // other
  assert.equal(await silent({ scope: TWO, prompt: "consent" }), false);
  w.clock.forward(30 * DAY - 1);
  await ada.signIn(); // the session ends about then too
  assert.equal(await silent({ scope: TWO }), true);
  w.clock.forward(1);
  assert.equal(await silent({ scope: TWO }), false); // its end has come
});

test("the user of a public app is asked every time", async (t) => {
  const { ada, app } = await stage(t, { app: { isPublic: true } });
  assert.equal(app.client_secret, undefined);
  for (let i = 0; i < 3; i++) {
    const { page, ...request } = await ada.asked(app, { scope: TWO });
    const { code } = assertBack(await ada.decide(page), request, {});
    assert.equal((await app.exchange({ ...request, code })).status, 200);
  }
});

test("requested scopes become as checked, other scopes stay, and the end date is replaced", async (t) => {
  const { w, ada, app } = await stage(t);
  const first = await ada.connect(app, { scope: "music_preferences food_profile profile:read", term: "1d" });
  // A second consent: of what it asks for, food is unticked and hints are new; profile:read is not asked for.
  const second = await ada.connect(app, { scope: "music_preferences food_profile agent_hints", ticks: ["music_preferences", "agent_hints"], term: "1y" });
  assert.deepEqual(words(second.scope), ["agent_hints", "music_preferences"]);
  assert.deepEqual(await app.worth(first.access_token), ["music_preferences", "profile:read"], "unticking narrows live tokens (B36)");
  const refreshed = await app.refresh(first.refresh_token);
  assert.deepEqual(words(refreshed.data.scope), ["music_preferences", "profile:read"], "a token does not grow by another consent (D12)");
  const silent = await ada.authorize(app, { scope: "music_preferences agent_hints profile:read" });
  assert.ok(silent.code, "the grant holds what was ticked and what was not asked for");
  w.clock.forward(2 * DAY); // past the first end date, not past the second
  assert.deepEqual(words((await app.refresh(refreshed.data.refresh_token)).data.scope), ["music_preferences", "profile:read"]);
});

test("allowed again later, a scope comes back to tokens that were narrowed, and never to one that did not have it", async (t) => {
  const { ada, app } = await stage(t);
  const first = await ada.connect(app, { scope: TWO });
  const lesser = await ada.connect(app, { scope: "profile:read" });
  await ada.connect(app, { scope: TWO, prompt: "consent", ticks: ["profile:read"] });
  assert.deepEqual(await app.worth(first.access_token), ["profile:read"]);
  await ada.connect(app, { scope: TWO, prompt: "consent" });
  assert.deepEqual(await app.worth(first.access_token), words(TWO)); // the token's scopes ∩ what the grant allows now
  assert.deepEqual(await app.worth(lesser.access_token), ["profile:read"]);
});

test("each access duration ends on time", async (t) => {
  const { w, ada, app } = await stage(t);
  for (const [term, seconds] of [["1d", DAY], ["30d", 30 * DAY], ["1y", 365 * DAY]]) {
    const { refresh_token, access_token } = await ada.connect(app, { scope: TWO, prompt: "consent", term });
    let token = refresh_token;
    for (let left = seconds - 1; left > 0; ) {
      const step = Math.min(left, 29 * DAY); // a family that is used does not go idle
      w.clock.forward(step);
      left -= step;
      const next = await app.refresh(token);
      assert.equal(next.status, 200, `${term}: ${left} s before the end: ${next.text}`);
      token = next.data.refresh_token;
    }
    w.clock.forward(1);
    assert.equal((await app.refresh(token)).status, 400, term);
    assert.equal(await app.worth(access_token), null);
    await ada.signIn();
    await assertNotGranted(ada, app, TWO);
  }
});

test("a decision other than allow or deny, or without a duration, changes nothing", async (t) => {
  const { ada, app } = await stage(t);
  const { form } = await ada.asked(app, { scope: TWO });
  const base = { request: form.value("request"), form: form.value("form"), scope: "profile:read" };
  for (const wrong of [{}, { decision: "" }, { decision: "maybe", term: "1d" }, { decision: "allow", term: "forever" }, { decision: "allow", term: "" }, { decision: "ALLOW", term: "1d" }, { term: "1d" }]) {
    const answer = await ada.post("/oauth/consent", { ...base, ...wrong });
    assertStop(answer);
  }
  await assertNotGranted(ada, app, TWO);
});

test("an app's name is text on the page, whatever it is; names that deceive cannot be registered (B14)", async (t) => {
  const { w, ada } = await stage(t);
  for (const name of ["<script>alert(1)</script>", `"><img src=x onerror=alert(1)>`, "O'Brien & Söhne", "{{app}}", "日本の音楽"]) {
    const app = await addApp(w, { name });
    const { page } = await ada.asked(app, { scope: TWO });
    assertPageTo(page, "https://app.example");
    assert.ok(textOf(page.text).includes(name), name);
    assert.doesNotMatch(page.text, /<script>alert|<img src=x/);
  }
  const register = (name) => w.command("app", "add", "--owner", "ada", "--name", name, "--redirect-uri", CALLBACK, "--scope", "profile:read", "--json");
  for (const name of [" ", "x".repeat(10_240), "Concert \u202Erednif", "Zero\u200bWidth", "Two\nLines", "Penchant (official)", "PENCHANT", "Cоncert", "\u0007bell"]) {
    const made = await register(name);
    assert.equal(made.status, 1, `${JSON.stringify(name.slice(0, 30))} was registered`);
    assert.match(made.error.error_description, /name/i, JSON.stringify(name.slice(0, 30)));
  }
});

test("an open consent page is invalid once its app or user is disabled or deleted", async (t) => {
  const { w, ada, app } = await stage(t);
  const one = await ada.asked(app, { scope: TWO });
  await appCommand(w, "delete", app.client_id);
  const gone = await ada.decide(one.page);
  assert.ok(gone.status >= 400 && gone.headers.location === undefined);
  const other = await addApp(w);
  const two = await ada.asked(other, { scope: TWO });
  await userCommand(w, "disable", "ada");
  const late = await ada.decide(two.page);
  assert.ok(!(late.headers.location ?? "").includes("code="), late.headers.location);
  await userCommand(w, "enable", "ada");
  const later = await ada.decide(two.page);
  assert.ok(!(later.headers.location ?? "").includes("code="), later.headers.location);
});

test("of more than 100 connections under one grant the oldest ends", async (t) => {
  const { w, ada, app } = await stage(t);
  const first = await ada.connect(app, { scope: TWO });
  w.clock.forward(1);
  const second = await ada.connect(app, { scope: TWO });
  w.clock.forward(1);
  for (let i = 0; i < 98; i++) await ada.connect(app, { scope: TWO });
  assert.deepEqual(await app.worth(first.access_token), words(TWO));
  w.clock.forward(1);
  const last = await ada.connect(app, { scope: TWO });
  await assertDead(app, first);
  assert.deepEqual(await app.worth(second.access_token), words(TWO));
  assert.deepEqual(await app.worth(last.access_token), words(TWO));
});
