// The developer portal over HTTP: registering, changing, secrets, the end of an app, and other
// people's apps.

import assert from "node:assert/strict";
import fs from "node:fs";
import test from "node:test";
import { assertPage } from "../kit/expect.mjs";
import { formTo, formsOf, textOf } from "../kit/html.mjs";
import { addPerson, CALLBACK, DAY, stage } from "../kit/oauth.mjs";
import { pageOf, register, registered } from "../kit/portal.mjs";

const BELOW = ["", "/connect", "/settings", "/delete", "/try"];
const WRITES = ["/settings", "/rotate", "/rotate/end", "/status", "/delete", "/try/begin", "/try/exchange", "/try/end"];

const save = async (person, app, typed, ticks) => {
  const where = `/developer/apps/${app.client_id}/settings`;
  const form = formTo((await person.get(where)).text, where);
  const kept = { name: form.value("name"), redirect_uris: CALLBACK, ...typed };
  return person.post(where, form.filled({ typed: kept, ticks }));
};

const rotate = async (person, app, old = "day") => {
  const where = `/developer/apps/${app.client_id}/rotate`;
  const form = formTo((await pageOf(person, app, "/settings")).text, where);
  const fields = form.filled({ chosen: { old } });
  return { fields, answer: await person.post(where, fields) };
};

const secretOn = (page) => /id="secret"[^>]*value="(pn_cs_[^"]*)"/.exec(page.text)?.[1];

test("an app registered on the page works, and is listed", async (t) => {
  const { w, ada } = await stage(t);
  const app = await registered(ada, { name: "Concert Finder", scopes: ["agent_hints", "music_preferences"] });
  const tokens = await ada.connect(app);
  assert.equal((await w.get("/v1/domains", { authorization: `Bearer ${tokens.access_token}` })).status, 200);
  const list = await ada.get("/developer");
  assertPage(list);
  assert.match(textOf(list.text), /Concert Finder/);
  for (const below of BELOW) assertPage(await pageOf(ada, app, below));
});

test("a public app gets no secret, and the form redirects to its page", async (t) => {
  const { ada } = await stage(t);
  const { answer } = await register(ada, { kind: "public" });
  assert.equal(answer.status, 303);
  const page = await ada.get(answer.headers.location);
  assertPage(page);
  assert.match(textOf(page.text), /Public/);
  assert.doesNotMatch((await ada.get(`${answer.headers.location}/settings`)).text, /\/rotate/);
});

test("each invalid redirect URI is named with its own problem", async (t) => {
  const { ada } = await stage(t);
  const { answer } = await register(ada, { name: "Trip", uris: ["http://c.example/x", CALLBACK, "https://c.example/#part", "not a URI"], scopes: ["agent_hints"], kind: "public" });
  assertPage(answer, 400);
  const text = textOf(answer.text);
  assert.match(text, /Line 1: .*must have a loopback host.* Line 3: .*fragment.* Line 4: /);
  assert.doesNotMatch(text, /Line 2:/);
});

test("each problem is shown at its field, and the input is kept", async (t) => {
  const { ada } = await stage(t);
  const { answer } = await register(ada, { name: "Penchant Official", uris: [CALLBACK, "http://c.example/x"], scopes: [], kind: "public", homepage: "http://c.example", privacy_link: "javascript:alert(1)", purpose: "x".repeat(101) });
  assertPage(answer, 400);
  const text = textOf(answer.text);
  for (const words of [/contains the name of this service/, /Line 2: .*must have a loopback host/, /at least one scope/, /absolute https URL/, /at most 100 characters/]) assert.match(text, words);
  for (const id of ["name", "redirect_uris", "homepage", "privacy_link", "purpose"]) {
    const field = new RegExp(`id="${id}"[^>]*aria-invalid="true"[^>]*aria-describedby="[^"]*${id}-problem`, "s");
    assert.match(answer.text, field, id);
  }
  const form = formTo(answer.text, "/developer/apps/new");
  assert.equal(form.value("name"), "Penchant Official");
  assert.equal(form.value("homepage"), "http://c.example");
  assert.equal(form.value("privacy_link"), "javascript:alert(1)");
  assert.deepEqual(form.ticked("kind"), ["public"]);
  assert.match(answer.text, /<textarea[^>]*>https:\/\/app\.example\/callback\nhttp:\/\/c\.example\/x/);
  assert.doesNotMatch(textOf((await ada.get("/developer")).text), /Penchant Official/);
});

test("a form that is sent twice creates one app and shows its secret once", async (t) => {
  const { w, ada } = await stage(t);
  const { answer, fields } = await register(ada, { name: "Twice" });
  w.secrets.add(secretOn(answer));
  const again = await ada.post("/developer/apps/new", fields);
  assert.equal(again.status, 303);
  const page = await ada.get(again.headers.location);
  assertPage(page);
  w.checkSecrets(page.text, "the page that follows");
  assert.equal((await ada.get("/developer")).text.split("Twice</a>").length - 1, 1);
});

test("name, addresses, links and scopes can be changed, and hold at once", async (t) => {
  const { ada } = await stage(t);
  const app = await registered(ada, { scopes: ["agent_hints"] });
  const answer = await save(ada, app, { name: "Gig Finder", redirect_uris: "https://new.example/cb", homepage: "https://new.example/", privacy_link: "https://new.example/privacy", purpose: "concert_search" }, ["music_preferences"]);
  assert.equal(answer.status, 303, textOf(answer.text));
  assert.match(textOf((await ada.get(answer.headers.location)).text), /Saved/);
  assertPage(await ada.get(app.request().path), 400); // the old address
  const { page } = await ada.asked(app, { redirect_uri: "https://new.example/cb", scope: "music_preferences" });
  assert.match(textOf(page.text), /Gig Finder/);
  assert.match(page.text, /href="https:\/\/new\.example\/privacy"/);
  const settings = `/developer/apps/${app.client_id}/settings`;
  assert.equal(formTo((await ada.get(settings)).text, settings).value("purpose"), "concert_search");
  const refused = await save(ada, app, { name: "", redirect_uris: "x" }, ["music_preferences"]);
  assertPage(refused, 400);
  assert.match(textOf((await ada.get("/developer")).text), /Gig Finder/);
});

test("two secrets are valid while rotating, for a day or until the old one is revoked", async (t) => {
  const { w, ada } = await stage(t);
  const app = await registered(ada);
  const works = async (client_secret) => (await app.post("/oauth/introspect", { token: "x", client_secret })).status === 200;
  const { answer, fields } = await rotate(ada, app);
  assertPage(answer);
  const second = secretOn(answer);
  w.secrets.add(second);
  assert.deepEqual([await works(app.client_secret), await works(second)], [true, true]);
  assert.match(textOf((await pageOf(ada, app, "/settings")).text), /Two secrets work now/);

  assert.equal((await ada.post(`/developer/apps/${app.client_id}/rotate`, fields)).status, 303, "sent twice");
  assert.deepEqual([await works(app.client_secret), await works(second)], [true, true]);

  w.clock.forward(DAY);
  assert.deepEqual([await works(app.client_secret), await works(second)], [false, true]);
  const third = secretOn((await rotate(ada, app, "now")).answer);
  w.secrets.add(third);
  assert.deepEqual([await works(second), await works(third)], [false, true]);

  const fourth = secretOn((await rotate(ada, app)).answer);
  w.secrets.add(fourth);
  const end = formTo((await pageOf(ada, app, "/settings")).text, `/developer/apps/${app.client_id}/rotate/end`);
  assert.equal((await ada.post(`/developer/apps/${app.client_id}/rotate/end`, end.filled())).status, 303);
  assert.deepEqual([await works(third), await works(fourth)], [false, true]);
});

test("disabling ends every connection, enabling brings none back, deleting asks first", async (t) => {
  const { w, ada } = await stage(t);
  const app = await registered(ada);
  const { access_token } = await ada.connect(app);
  const status = async (value) => {
    const where = `/developer/apps/${app.client_id}/status`;
    const form = formTo((await pageOf(ada, app, "/settings")).text, where);
    return ada.post(where, form.filled({ button: { status: value } }));
  };
  const call = async () => (await w.get("/v1/domains", { authorization: `Bearer ${access_token}` })).status;
  assert.equal((await status("disabled")).status, 303);
  assert.equal(await call(), 401);
  assert.match(textOf((await pageOf(ada, app)).text), /This app is disabled/);
  assert.equal((await status("active")).status, 303);
  assert.equal(await call(), 401);
  await ada.connect(app);

  const asks = await pageOf(ada, app, "/delete");
  assert.match(textOf(asks.text), /Delete Concert Finder\?.*Users connected now: 1/);
  const where = `/developer/apps/${app.client_id}/delete`;
  assert.equal((await ada.post(where, formTo(asks.text, where).filled())).status, 303);
  assert.equal((await pageOf(ada, app)).status, 404);
  assertPage(await ada.get(app.request().path), 400);
});

test("another developer's app is invisible and untouchable", async (t) => {
  const { w, ada } = await stage(t);
  const eve = await addPerson(w, "eve", { password: "nine quiet harbors under snow" });
  const app = await registered(ada, { name: "Secret Project" });
  const own = await registered(eve, { name: "Her Own" });
  const token = formsOf((await pageOf(eve, own, "/settings")).text).find((form) => form.value("form")).value("form");
  const before = (await pageOf(ada, app, "/settings")).text;
  for (const below of BELOW) {
    const theirs = await pageOf(eve, app, below);
    const unknown = await eve.get(`/developer/apps/app_AAAAAAAAAAAAAAAAAAAAAA${below}`);
    assert.equal(theirs.status, 404, below);
    const plain = (page) => textOf(page.text).replace(/request ID \S+/, "");
    assert.equal(plain(theirs), plain(unknown), "an app of another user looks like an unknown one");
  }
  for (const below of WRITES) {
    const answer = await eve.post(`/developer/apps/${app.client_id}${below}`, { form: token, name: "Mine now", redirect_uris: "https://evil.example/", scope: "agent_hints", status: "disabled", old: "now", current: "x", code: "x", state: "x", token: "x" });
    assert.equal(answer.status, 404, below);
  }
  assert.doesNotMatch((await eve.get("/developer")).text, /Secret Project/);
  assert.equal((await pageOf(ada, app, "/settings")).text.replace(/ago|now/g, ""), before.replace(/ago|now/g, ""));
  await ada.connect(app);
});

test("signed-out users are redirected to sign in, and their forms change nothing", async (t) => {
  const { w, ada } = await stage(t);
  const app = await registered(ada);
  for (const where of ["/developer", "/developer/apps/new", ...BELOW.map((below) => `/developer/apps/${app.client_id}${below}`)]) {
    const answer = await w.get(where);
    assert.equal(answer.status, 303, where);
    assert.match(answer.headers.location, /^\/signin\?next=%2Fdeveloper/);
  }
  const forged = await ada.post(`/developer/apps/${app.client_id}/delete`, { form: "x" });
  assert.equal(forged.status, 403);
  const elsewhere = await ada.post(`/developer/apps/${app.client_id}/delete`, { form: "x" }, { origin: "https://evil.example", "sec-fetch-site": "cross-site" });
  assert.equal(elsewhere.status, 403);
  assertPage(await pageOf(ada, app));
});

test("after a secret was shown once, it is in no page, log line, store, or metric", async (t) => {
  const { w, ada } = await stage(t, { settings: { "metrics-listen": "127.0.0.1:0", "log-level": "debug" } });
  const app = await registered(ada);
  const next = secretOn((await rotate(ada, app)).answer);
  w.secrets.add(next);
  await app.post("/oauth/introspect", { token: "x", client_secret: `${next}x` });
  await app.refresh("x", { client_secret: next });
  for (const where of ["/developer", ...BELOW.map((below) => `/developer/apps/${app.client_id}${below}`)]) w.checkSecrets((await ada.get(where)).text, where);
  w.checkSecrets(JSON.stringify(await w.metrics()), "/metrics");
  await w.stop();
  if (w.file) for (const ending of ["", "-wal"]) if (fs.existsSync(w.file + ending)) w.checkSecrets(fs.readFileSync(w.file + ending, "latin1"), "the store");
  const dumped = await w.command("app", "list", "--json");
  w.checkSecrets(dumped.out, "penchant app list");
});

test("an account can have 100 apps, and the page explains the limit", async (t) => {
  const { w, ada } = await stage(t); // which has one app already
  for (let i = 0; i < 99; i++) assert.equal((await register(ada, { name: `App ${i}`, kind: "public" })).answer.status, 303);
  assert.match(textOf((await ada.get("/developer")).text), /100 apps, the maximum for one account/);
  const { answer } = await register(ada, { name: "One too many" });
  assertPage(answer, 400);
  assert.match(textOf(answer.text), /has 100 apps, the maximum. Delete one first/);
  assert.equal(w.services.length, 1);
});
