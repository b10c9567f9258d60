// /account/security: the password, and where one is signed in.

import assert from "node:assert/strict";
import test from "node:test";
import { flashOf, mainText, open, press } from "../kit/account.mjs";
import { formTo } from "../kit/html.mjs";
import { addPerson, assertDead, DAY, MINUTE, Person, stage } from "../kit/oauth.mjs";
import { until } from "../kit/until.mjs";

const CHANGE = "/account/security/password";
const CONFIRM = "/account/confirm";
const NEW = "seven quiet lanterns by the harbor";

async function signedIn(person) {
  return (await person.get("/account/security")).status === 200;
}

async function another(w, agent) {
  const person = new Person(w, { username: "ada" });
  const ask = person.ask.bind(person);
  if (agent) person.ask = (method, where, options = {}) => ask(method, where, { ...options, headers: { ...options.headers, "user-agent": agent } });
  assert.equal((await person.signIn()).status, 303);
  return person;
}

test("changing the password ends the other sessions, keeps this one and the apps, and invalidates the old password", async (t) => {
  const { w, ada, app } = await stage(t);
  const other = await another(w);
  const set = await ada.connect(app);
  w.secrets.add(NEW);
  const page = await press(ada, "/account/security", CHANGE, { typed: { new_password: NEW } });
  assert.match(flashOf(page), /Password changed/);
  assert.doesNotMatch(flashOf(await open(ada, "/account/security")), /Password changed/, "it is shown once");
  assert.deepEqual([await signedIn(ada), await signedIn(other)], [true, false]);
  assert.equal((await app.userinfo(set.access_token)).status, 200);
  assert.equal((await new Person(w, { username: "ada" }).signIn()).status, 401);
  assert.equal((await new Person(w, { username: "ada", password: NEW }).signIn()).status, 303);
});

test("a copy of the session's key from before a password change is invalid", async (t) => {
  const { w, ada } = await stage(t);
  const thief = new Person(w);
  thief.cookies.set("penchant", ada.session);
  const { length } = (await open(ada, "/account/security")).text.split("/account/security/sessions/");
  assert.equal(await signedIn(thief), true);
  w.secrets.add(NEW);
  await press(ada, "/account/security", CHANGE, { typed: { new_password: NEW } });
  assert.notEqual(ada.session, thief.session);
  assert.deepEqual([await signedIn(ada), await signedIn(thief)], [true, false]);
  const page = await open(ada, "/account/security");
  assert.equal(page.text.split("/account/security/sessions/").length, length, "the session was replaced, not added");
});

test("with the box checked every app is disconnected, too", async (t) => {
  const { w, ada, app } = await stage(t);
  const set = await ada.connect(app);
  w.secrets.add(NEW);
  const page = await press(ada, "/account/security", CHANGE, { typed: { new_password: NEW }, ticks: ["yes"] });
  assert.match(flashOf(page), /all apps are disconnected/);
  await assertDead(app, set);
});

test("a weak new password is an error at its field, and nothing changes", async (t) => {
  const { w, ada } = await stage(t);
  const other = await another(w);
  for (const [new_password, problem] of [["short", /at least 10 characters/], ["", /at least 10 characters/], ["ada-ada-ada-ada", /own name|repeats/]]) {
    const page = await press(ada, "/account/security", CHANGE, { status: 400, typed: { new_password } });
    assert.match(mainText(page), problem);
    assert.match(page.text, /aria-invalid="true"/);
    if (new_password.length > 5) assert.ok(!page.text.includes(new_password), "the page shows a password");
  }
  assert.deepEqual([await signedIn(ada), await signedIn(other)], [true, true]);
  assert.equal((await new Person(w, { username: "ada" }).signIn()).status, 303);
});

test("of many parallel guesses only as many as the limit allows are checked, and the right one is not revealed beyond it", async (t) => {
  const { w, ada } = await stage(t, { settings: { "rate-signin": 3, "metrics-listen": "127.0.0.1:0" }, hashing: "production" });
  const form = formTo((await open(ada, CONFIRM)).text, CONFIRM);
  const guess = (password) => ada.post(CONFIRM, form.filled({ typed: { password } }));
  const jobs = async () => (await w.metrics()).penchant_hashers_jobs_total;
  const before = await jobs();
  const guesses = Array.from({ length: 24 }, () => guess("wrong kettle sings at dusk"));
  await until("the guesses are with the workers", async () => (await jobs()) >= before + guesses.length);
  assert.equal((await guess(ada.password)).status, 429);
  const statuses = (await Promise.all(guesses)).map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 400).length, 3, statuses.join(" "));
  assert.equal(await signedIn(ada), true);
});

test("the password cannot be guessed in an open browser", async (t) => {
  const { w, ada } = await stage(t, { settings: { "rate-signin": 3 } });
  w.clock.forward(5 * MINUTE);
  const guess = (status, password = "wrong kettle sings at dusk") => press(ada, CONFIRM, CONFIRM, { status, typed: { password } });
  for (let i = 0; i < 3; i++) assert.match(mainText(await guess(400)), /Wrong password\./);
  assert.match(mainText(await guess(429)), /Too many failed attempts/);
  assert.match(mainText(await guess(429, ada.password)), /Too many failed attempts/);
  assert.equal(formTo((await open(ada, "/account/security")).text, CHANGE), undefined);
  w.deadlines.forward((15 * MINUTE + 1) * 1000);
  w.clock.forward(15 * MINUTE + 1); // the window of all nodes
  await guess(303, ada.password);
  assert.ok(formTo((await open(ada, "/account/security")).text, CHANGE));
});

test("sessions are listed with device, address, and time, and each can be signed out", async (t) => {
  const { w, ada } = await stage(t);
  w.clock.forward(3 * DAY);
  const phone = await another(w, "Mozilla/5.0 (Android 14; Mobile; rv:128.0) Gecko/128.0 Firefox/128.0");
  const page = await open(ada, "/account/security");
  assert.match(mainText(page), /Unknown device This device Signed in 3 days ago · 127\.0\.0\.1/);
  assert.match(mainText(page), /Firefox on Android Signed in just now · 127\.0\.0\.1/);
  const ends = [...page.text.matchAll(/action="(\/account\/security\/sessions\/[^"]+)"/g)].map(([, action]) => action);
  assert.equal(ends.length, 1, "this session has no button of its own");
  assert.ok(!page.text.includes(ada.session) && !page.text.includes(phone.session), "a key is shown");
  assert.match(flashOf(await press(ada, page, ends[0])), /Device signed out\./);
  assert.deepEqual([await signedIn(ada), await signedIn(phone)], [true, false]);
});

test("this session comes first, then the others, newest first", async (t) => {
  const { w, ada } = await stage(t);
  for (const agent of ["Firefox/128.0", "Edg/126.0"]) {
    w.clock.forward(DAY);
    await another(w, `Mozilla/5.0 (Windows NT 10.0) Chrome/126.0 ${agent}`);
  }
  const text = mainText(await open(ada, "/account/security"));
  assert.match(text, /This device Signed in 2 days ago .* Edge on Windows Signed in just now .* Firefox on Windows Signed in yesterday/);
});

test("sign out everywhere means everywhere, and apps stay", async (t) => {
  const { w, ada, app } = await stage(t);
  const set = await ada.connect(app);
  const other = await another(w);
  await press(ada, "/account/security", "/account/security/signout");
  assert.deepEqual([await signedIn(ada), await signedIn(other)], [false, false]);
  assert.equal((await app.userinfo(set.access_token)).status, 200);
});

test("another user's session cannot be signed out (B19)", async (t) => {
  const { w, ada } = await stage(t);
  await another(w);
  const eve = await addPerson(w, "eve");
  const page = await open(ada, "/account/security");
  const [, action] = /action="(\/account\/security\/sessions\/[^"]+)"/.exec(page.text);
  const form = [...(await open(eve, "/account/security")).text.matchAll(/name="form" value="([^"]+)"/g)][0][1];
  assert.equal((await eve.post(action, { form })).status, 404);
  assert.equal((await eve.post("/account/security/sessions/AAAA/end", { form })).status, 404);
  assert.match((await open(ada, "/account/security")).text, new RegExp(action), "it is over");
});

test("a forged flash cookie shows only our own messages", async (t) => {
  const { ada } = await stage(t);
  const note = (text) => Buffer.from(text).toString("base64url");
  for (const value of ["x", note("key=<script>"), note("key=page.brand"), note("key=flash.disconnected&what=%3Cscript%3Ealert(1)%3C/script%3E&undo=https://evil.example/"), note("a=%zz"), "A".repeat(5000)]) {
    ada.cookies.set("penchant-flash", value);
    const page = await open(ada, "/account/security");
    assert.doesNotMatch(page.text, /<script>alert|evil\.example/);
    assert.equal(ada.cookies.has("penchant-flash"), false, "it is taken away");
  }
});
