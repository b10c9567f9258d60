// Passkeys with a software authenticator: adding, signing in, confirming, removing, and everything that must be refused.

import assert from "node:assert/strict";
import path from "node:path";
import test from "node:test";
import { flashOf, mainText, open, press } from "../kit/account.mjs";
import { challengeFor, Passkey } from "../kit/authenticator.mjs";
import { formTo, textOf } from "../kit/html.mjs";
import { addPerson, assertPrivate, MINUTE, Person, stage, userCommand } from "../kit/oauth.mjs";
import { createDatabase } from "../kit/pg.mjs";
import { FROM, mailServer } from "../kit/smtp.mjs";
import { until } from "../kit/until.mjs";
import { DATABASES, world } from "../kit/world.mjs";

const ORIGIN = "http://localhost:8080";
const SETTINGS = { "auth-url": ORIGIN, "base-url": ORIGIN };
const SECURITY = "/account/security";
const ADD = "/account/passkeys";

const begin = (t, { settings, ...options } = {}) => stage(t, { ...options, settings: { ...SETTINGS, ...settings } });
const count = async (w, table, sql = `SELECT COUNT(*) FROM ${table}`) => Number(await w.sql(sql));
const isSignedIn = async (person) => (await person.get(SECURITY)).status === 200;
const formToken = async (person) => /name="form" value="([^"]+)"/.exec((await open(person, SECURITY)).text)[1];

async function add(person, passkey, { wrong, name = "My laptop", options } = {}) {
  options ??= await challengeFor(person, "add");
  return person.post(ADD, { form: await formToken(person), name, ...passkey.register(options, wrong) });
}

async function added(person, params = {}) {
  const passkey = new Passkey({ origin: ORIGIN, ...params });
  const answer = await add(person, passkey, params);
  assert.deepEqual([answer.status, answer.headers.location], [303, SECURITY], textOf(answer.text));
  return passkey;
}

// Signs in as a new browser would, and returns the browser.
async function signIn(w, passkey, { wrong, browser = new Person(w), options, next, headers } = {}) {
  options ??= await challengeFor(browser, "sign_in");
  browser.answer = await browser.post("/signin/passkey", { ...passkey.sign(options, wrong), ...(next && { next }) }, headers);
  return browser;
}

async function assertRefused(w, what, browser) {
  assert.equal(browser.answer.status, 401, `${what}: ${browser.answer.headers.location}`);
  assert.match(textOf(browser.answer.text), /This passkey wasn't accepted\./, what);
  assert.equal(browser.session, undefined, what);
}

for (const kind of ["ES256", "EdDSA", "RS256"])
  test(`a passkey is added, listed, and signs in without a username: ${kind}`, async (t) => {
    const { w, ada } = await begin(t);
    const passkey = await added(ada, { kind, name: "  My   laptop " });
    const page = await open(ada, SECURITY);
    assert.match(flashOf(page), /Passkey added\./);
    assert.match(mainText(page), /My laptop Added just now/);
    const browser = await signIn(w, passkey);
    assert.deepEqual([browser.answer.status, browser.answer.headers.location], [303, "/account"]);
    assertPrivate(browser.answer);
    assert.match((await open(browser, SECURITY)).text, />ada</);
    assert.match(mainText(await open(ada, SECURITY)), /My laptop Added just now · last used just now/);
  });

test("a stolen, mixed-up, replayed, or forged passkey response is rejected, and the right one works afterwards", async (t) => {
  const { w, ada } = await begin(t);
  const eve = await addPerson(w, "eve");
  const passkey = await added(ada);
  const other = await added(eve);
  const cases = {
    "wrong origin": { origin: "https://evil.example" },
    "origin with a path": { origin: `${ORIGIN}/` },
    "wrong RP ID": { rpId: "evil.example" },
    "in a frame of another site": { crossOrigin: true },
    "a registration": { type: "webauthn.create" },
    "no user verification": { unverified: true },
    "no user presence": { absent: true },
    "another user's credential": { id: other.id },
    "another user's handle": { userHandle: other.userHandle },
    "no handle": { userHandle: "" },
    "another key": { privateKey: other.privateKey },
    "an unknown credential": { id: Buffer.alloc(32) },
    "no credential": { id: Buffer.alloc(0) },
  };
  for (const [what, wrong] of Object.entries(cases)) await assertRefused(w, what, await signIn(w, passkey, { wrong }));
  const browser = new Person(w);
  const options = await challengeFor(browser, "sign_in");
  await signIn(w, passkey, { browser, options });
  assert.equal(browser.answer.status, 303);
  await browser.signOut();
  await assertRefused(w, "a replayed challenge", await signIn(w, passkey, { browser, options }));
});

test("a challenge is bound to its browser, its purpose, its user, and five minutes", async (t) => {
  const { w, ada } = await begin(t);
  const eve = await addPerson(w, "eve");
  const passkey = await added(ada);
  const browser = new Person(w);
  const options = await challengeFor(browser, "sign_in");
  await assertRefused(w, "another browser", await signIn(w, passkey, { options, browser: new Person(w) }));
  const other = new Person(w);
  await challengeFor(other, "sign_in");
  await assertRefused(w, "another browser's cookie", await signIn(w, passkey, { options, browser: other }));
  for (const purpose of ["sign_up", "add", "confirm"]) {
    const person = await new Person(w, { username: "ada" });
    await person.signIn();
    const wrongly = await challengeFor(person, purpose);
    person.cookies.delete("penchant");
    await assertRefused(w, `a challenge to ${purpose}`, await signIn(w, passkey, { options: wrongly, browser: person }));
  }
  for (const challenge of ["", "AAAA", "not base64url!", Buffer.from("a.b.c").toString("base64url"), `${options.challenge}A`, options.challenge.slice(0, -4)])
    await assertRefused(w, `the challenge ${challenge}`, await signIn(w, passkey, { options: { challenge }, browser: Object.assign(new Person(w), { cookies: new Map(browser.cookies) }) }));
  const confirm = await challengeFor(ada, "confirm");
  eve.cookies.set("penchant-challenges", ada.cookies.get("penchant-challenges"));
  const stolen = await eve.post("/account/confirm/passkey", { form: await formToken(eve), next: "", ...passkey.sign(confirm) });
  assert.equal(stolen.status, 400, "a confirmation in another account");
  w.clock.forward(5 * MINUTE - 1);
  const early = await challengeFor(browser, "sign_in");
  assert.equal((await signIn(w, passkey, { browser, options })).answer.status, 303, "in the last second");
  browser.cookies.delete("penchant");
  w.clock.forward(5 * MINUTE);
  await assertRefused(w, "too late", await signIn(w, passkey, { browser, options: early }));
});

test("a counter that does not increase reveals a copy, and 0 may stay 0", async (t) => {
  const { w, ada } = await begin(t);
  const passkey = await added(ada, { counter: 5 });
  const copy = passkey.copy();
  assert.equal((await signIn(w, passkey)).answer.status, 303);
  await assertRefused(w, "the copy is behind", await signIn(w, copy));
  await w.service.logged("passkey_copied", ({ event, level }) => event === "passkey_copied" && level === "warn");
  await assertRefused(w, "a counter that restarts", await signIn(w, passkey, { wrong: { counter: 0 } }));
  assert.equal((await signIn(w, passkey)).answer.status, 303);
  const plain = await added(ada, { counter: 0 });
  for (let i = 0; i < 2; i++) assert.equal((await signIn(w, plain)).answer.status, 303);
});

test("of many parallel uses of one challenge exactly one succeeds", async (t) => {
  const { w, ada } = await begin(t);
  const passkey = await added(ada);
  const browser = new Person(w);
  const answer = passkey.sign(await challengeFor(browser, "sign_in"));
  const all = await Promise.all(Array.from({ length: 8 }, () => Object.assign(new Person(w), { cookies: new Map(browser.cookies) }).post("/signin/passkey", answer)));
  assert.deepEqual(all.map(({ status }) => status).sort(), [303, ...Array(7).fill(401)]);
});

test("a new passkey is checked like a signature, and one passkey belongs to one account", async (t) => {
  const { w, ada } = await begin(t);
  const cases = {
    "wrong origin": { origin: "https://evil.example" },
    "wrong RP ID": { rpId: "evil.example" },
    "in a frame of another site": { crossOrigin: true },
    "a signature": { type: "webauthn.get" },
    "no user verification": { unverified: true },
    "no key": { attested: false },
  };
  for (const [what, wrong] of Object.entries(cases)) {
    const answer = await add(ada, new Passkey({ origin: ORIGIN }), { wrong });
    assert.equal(answer.status, 400, what);
    assert.match(mainText(answer), /The passkey wasn't added/, what);
  }
  assert.equal((await add(ada, new Passkey({ origin: ORIGIN, kind: "ES384" }))).status, 400, "an algorithm that was not offered");
  const nameless = await add(ada, new Passkey({ origin: ORIGIN }), { name: " " });
  assert.equal(nameless.status, 400);
  assert.match(mainText(nameless), /at least one visible character/);
  const options = await challengeFor(ada, "add");
  const passkey = new Passkey({ origin: ORIGIN });
  assert.equal((await add(ada, passkey, { options })).status, 303);
  assert.match(mainText(await add(ada, new Passkey({ origin: ORIGIN }), { options })), /wasn't added/, "a used challenge");
  const eve = await addPerson(w, "eve");
  assert.match(mainText(await add(eve, passkey)), /already belongs to an account/);
  assert.match(mainText(await open(eve, SECURITY)), /You have no passkeys yet\./);
  const browser = await signIn(w, Object.assign(passkey, { userHandle: (await challengeFor(ada, "add")).user_id }));
  assert.match((await open(browser, SECURITY)).text, />ada</);
  assert.deepEqual((await challengeFor(ada, "add")).credentials, [passkey.id.toString("base64url")]);
});

test("a passkey can be renamed and removed by its owner only, and not if it is the only way to sign in", async (t) => {
  const { w, ada } = await begin(t);
  const eve = await addPerson(w, "eve");
  const passkey = await added(ada);
  const page = await open(ada, SECURITY);
  const [, remove] = /action="(\/account\/passkeys\/[^"]+\/remove)"/.exec(page.text);
  const rename = remove.replace(/remove$/, "name");
  for (const action of [remove, rename])
    assert.equal((await eve.post(action, { form: await formToken(eve), name: "Mine" })).status, 404, action);
  assert.match(mainText(await press(ada, SECURITY, rename, { typed: { name: "Blue key" } })), /Blue key Added/);
  assert.equal((await ada.post(rename, { form: await formToken(ada), name: "a\u202eb" })).status, 400);
  const password = `${SECURITY}/password/remove`;
  assert.match(mainText(await press(ada, SECURITY, password, { status: 400 })), /Create recovery codes first/);
  assert.equal((await new Person(w, { username: "ada" }).signIn()).status, 303);
  await press(ada, SECURITY, `${SECURITY}/codes`, { status: 200 });
  assert.match(flashOf(await press(ada, SECURITY, password)), /Password removed\./);
  assert.equal((await new Person(w, { username: "ada" }).signIn()).status, 401);
  const last = await ada.post(remove, { form: await formToken(ada) });
  assert.equal(last.status, 400);
  assert.match(mainText(last), /your only way to sign in/);
  assert.equal((await signIn(w, passkey)).answer.status, 303);
  const NEW = "seven quiet lanterns by the harbor";
  w.secrets.add(NEW);
  await press(ada, SECURITY, `${SECURITY}/password`, { typed: { new_password: NEW } });
  assert.match(flashOf(await press(ada, SECURITY, remove)), /Passkey removed/);
  await assertRefused(w, "a removed passkey", await signIn(w, passkey));
  assert.equal((await new Person(w, { username: "ada", password: NEW }).signIn()).status, 303);
});

test("an account without a password is created with a passkey, and the app that asked is continued", async (t) => {
  const { w, app } = await begin(t, { signedIn: false });
  const grace = new Person(w);
  const request = app.request();
  const signup = await grace.get(grace.ownPage(await grace.get(request.path)).replace("/signin", "/signup"));
  const next = formTo(signup.text, "/signup").value("next");
  const create = async (fields, { options, wrong } = {}) => {
    options ??= await challengeFor(grace, "sign_up");
    const passkey = new Passkey({ origin: ORIGIN });
    return { passkey, answer: await grace.post("/signup/passkey", { next, email: "", name: "", user_id: options.user_id, ...passkey.register(options, wrong), ...fields }) };
  };
  const taken = await create({ username: "ada" });
  assert.equal(taken.answer.status, 400);
  assert.match(mainText(taken.answer), /The username ada is taken/);
  const wrong = await create({ username: "grace" }, { wrong: { unverified: true } });
  assert.match(mainText(wrong.answer), /The passkey wasn't added/);
  const { user_id } = await challengeFor(new Person(w), "sign_up");
  assert.equal((await create({ username: "grace", user_id })).answer.status, 400, "another id than the challenge's");
  const { passkey, answer } = await create({ username: "Grace" });
  assert.equal(answer.status, 303, textOf(answer.text));
  assert.ok(formTo((await grace.get(grace.ownPage(answer))).text, "/oauth/consent"), "the next page is consent");
  assert.match(mainText(await open(grace, SECURITY)), /Your account has no password\./);
  assert.equal((await new Person(w, { username: "grace", password: "" }).signIn()).status, 401);
  assert.equal((await signIn(w, passkey)).answer.status, 303);
  const { passkeys } = await userCommand(w, "show", "grace");
  assert.deepEqual(passkeys.map(({ name, used_at }) => [name, used_at !== null]), [["Unknown device", true]]);
});

test("the passkey of a disabled or deleted account opens nothing", async (t) => {
  const { w, ada } = await begin(t);
  const passkey = await added(ada);
  await userCommand(w, "disable", "ada");
  await assertRefused(w, "a disabled account", await signIn(w, passkey));
  await userCommand(w, "enable", "ada");
  assert.equal((await signIn(w, passkey)).answer.status, 303);
  await userCommand(w, "delete", "ada");
  await assertRefused(w, "a deleted account", await signIn(w, passkey));
  const again = await addPerson(w, "ada");
  assert.equal((await add(again, passkey)).status, 303, "its passkey was deleted, too");
});

test("sensitive changes need a password or passkey of the last five minutes", async (t) => {
  const { w, ada } = await begin(t, { settings: { "rate-signin": 3 } });
  const passkey = await added(ada);
  w.clock.forward(5 * MINUTE);
  const form = await formToken(ada);
  const page = await open(ada, SECURITY);
  for (const action of [`${SECURITY}/password`, `${SECURITY}/codes`, ADD, "/account/security/password/remove"])
    assert.equal(formTo(page.text, action), undefined, `${action} is offered`);
  const [, id] = /action="\/account\/passkeys\/([^"]+)\/name"/.exec(page.text);
  const forms = {
    [`${SECURITY}/password`]: { new_password: "seven quiet lanterns by the harbor" },
    [`${SECURITY}/codes`]: {}, [`${SECURITY}/password/remove`]: {}, [`${ADD}/${id}/remove`]: {},
    [ADD]: { name: "x", ...new Passkey({ origin: ORIGIN }).register(await challengeFor(ada, "add")) },
    "/account/profile/email": { email: "ada@example.org" }, "/account/data/delete": { sure: "yes" },
  };
  for (const [action, fields] of Object.entries(forms)) {
    const answer = await ada.post(action, { form, ...fields });
    assert.equal(answer.status, 303, action);
    assert.match(answer.headers.location, /^\/account\/confirm\?next=%2Faccount%2F/, action);
    assert.match(flashOf(await open(ada, answer.headers.location)), /Nothing was changed\./, action);
  }
  assert.equal((await new Person(w, { username: "ada" }).signIn()).status, 303, "nothing was changed");
  const confirmed = await ada.post("/account/confirm/passkey", { form, next: "/account/data", ...passkey.sign(await challengeFor(ada, "confirm")) });
  assert.deepEqual([confirmed.status, confirmed.headers.location], [303, "/account/data"]);
  assert.ok(formTo((await open(ada, "/account/data")).text, "/account/data/delete"));
  w.clock.forward(5 * MINUTE);
  const confirm = (status, password, next = "/account/data") => press(ada, `/account/confirm?next=${encodeURIComponent(next)}`, "/account/confirm", { status, typed: { password } });
  assert.match(mainText(await confirm(400, "not the one at all")), /Wrong password/);
  assert.match(mainText(await confirm(400, "")), /Wrong password/);
  const elsewhere = await ada.post("/account/confirm", { form, password: ada.password, next: "https://evil.example/" });
  assert.equal(elsewhere.headers.location, "/account");
  w.clock.forward(5 * MINUTE);
  await confirm(400, "not the one at all");
  assert.match(mainText(await confirm(429, ada.password)), /Too many failed attempts/);
  const gone = await ada.post("/account/data/delete", { form, sure: "yes" });
  assert.match(gone.headers.location, /^\/account\/confirm/);
  assert.equal(await isSignedIn(ada), true);
});

test("deleting the account needs the checked box, and deletes the passkeys", async (t) => {
  const { w, ada } = await begin(t);
  const passkey = await added(ada);
  const { user } = JSON.parse((await ada.get("/account/data/export")).text);
  assert.deepEqual(user.passkeys, [{ name: "My laptop", created_at: "2026-11-14T09:30:00Z" }].map((one) => ({ ...one, created_at: user.passkeys[0].created_at })));
  const unsure = await press(ada, "/account/data", "/account/data/delete", { status: 400 });
  assert.match(mainText(unsure), /Check the box/);
  assert.equal((await ada.post("/account/data/delete", { form: await formToken(ada), sure: "yes" })).headers.location, "/account-deleted");
  await assertRefused(w, "a deleted account", await signIn(w, passkey));
});

test("a new passkey is reported by email", async (t) => {
  const server = await mailServer(t);
  const { w, ada } = await begin(t, { settings: { "smtp-url": server.url, "smtp-from": FROM, "rate-mail": 0 } });
  await userCommand(w, "set", "ada", "--email", "ada@example.org");
  await added(ada);
  const mail = await server.mail(({ headers }) => headers.subject === "A passkey was added to your account");
  assert.deepEqual(mail.to, ["ada@example.org"]);
  assert.match(mail.plain.replaceAll(/\s+/g, " "), /The passkey "My laptop" was added to your account ada\./);
});

test("an account with only a passkey gets a notice of a new device, and none of a known one", async (t) => {
  const server = await mailServer(t);
  const { w } = await begin(t, { signedIn: false, settings: { "smtp-url": server.url, "smtp-from": FROM, "rate-mail": 0 } });
  const browser = new Person(w);
  const options = await challengeFor(browser, "sign_up");
  const passkey = new Passkey({ origin: ORIGIN });
  await browser.post("/signup/passkey", { username: "grace", email: "", name: "", user_id: options.user_id, ...passkey.register(options) });
  await userCommand(w, "set", "grace", "--email", "grace@example.org");
  const signedIn = async (one) => assert.equal((await signIn(w, passkey, { browser: one })).answer.status, 303);
  await signedIn(browser); // the browser of the sign-up
  const other = new Person(w);
  await signedIn(other);
  await signedIn(other);
  // The cookie of another account's browser says nothing about this account.
  const stranger = new Person(w, { username: "ada" });
  await stranger.signIn();
  await stranger.signOut();
  await signedIn(stranger);
  const notices = () => server.mails.filter(({ headers }) => /New sign-in/.test(headers.subject)).length;
  await until("two emails", () => notices() >= 2);
  await until("an empty outbox", async () => (await count(w, "outbox")) === 0);
  assert.equal(notices(), 2);
});

test("where sign-up is closed, a passkey creates no account", async (t) => {
  const w = await world(t, { settings: { ...SETTINGS, registration: "closed" } });
  const options = await challengeFor(new Person(w), "sign_up");
  const answer = await new Person(w).post("/signup/passkey", { username: "ada", user_id: options.user_id, ...new Passkey({ origin: ORIGIN }).register(options) });
  assert.equal(answer.status, 403);
  assert.match(textOf(answer.text), /Sign-up is closed/);
});

test("on an IP address no passkeys are offered", async (t) => {
  const { w, ada } = await stage(t);
  assert.match(mainText(await open(ada, SECURITY)), /use passkeys here because the address/);
  for (const path of ["/signin", "/signup", SECURITY]) assert.doesNotMatch((await ada.get(path)).text, /passkey\.js|data-passkey/, path);
  assert.equal((await new Person(w).get("/passkeys/challenge?for=sign_in")).status, 404);
});

const usedChallenges = (w) => count(w, "used_challenge");

// `backup` and `restore` work on one database.
(DATABASES === 1 ? test : test.skip)("challenges store nothing until they are used, and a restore makes earlier ones invalid", async (t) => {
  const { w, ada } = await begin(t);
  const passkey = await added(ada);
  const browser = new Person(w);
  const options = await challengeFor(browser, "sign_in");
  for (let i = 0; i < 5; i++) await challengeFor(new Person(w), "sign_in");
  assert.equal(await usedChallenges(w), 1, "the one with which the passkey was added");
  const file = path.join(w.dir, "copy");
  assert.equal((await w.command("backup", file)).status, 0);
  await w.stop();
  const store = w.kind === "sqlite" ? w.address : w.address.replace(/[^/]+$/, await createDatabase(w.pgPort));
  const restored = await w.penchant(["restore", file, "--store", store]);
  assert.equal(restored.status, 0, restored.err);
  await w.start({ store });
  await assertRefused(w, "a challenge from before the restore", await signIn(w, passkey, { browser, options }));
  assert.equal((await signIn(w, passkey, { browser })).answer.status, 303);
});

test("challenges are given to no other site and need a session where they concern one", async (t) => {
  const { w } = await begin(t);
  const nobody = new Person(w);
  for (const purpose of ["add", "confirm"]) assert.equal((await nobody.get(`/passkeys/challenge?for=${purpose}`)).status, 403);
  for (const query of ["", "?for=", "?for=other"]) assert.ok([400, 404].includes((await nobody.get(`/passkeys/challenge${query}`)).status), query);
  const answer = await nobody.get("/passkeys/challenge?for=sign_in");
  assert.equal(answer.headers["access-control-allow-origin"], undefined);
  assert.match(answer.headers["set-cookie"][0], /^penchant-challenges=[\w-]{43}; Path=\/; Max-Age=3600; HttpOnly; SameSite=Lax$/);
  assert.deepEqual(Object.keys(JSON.parse(answer.text)), ["challenge", "rp_id"]);
  const form = passkeyless(await challengeFor(nobody, "sign_in"));
  assert.equal((await nobody.post("/signin/passkey", form, { origin: "https://evil.example", "sec-fetch-site": "cross-site" })).status, 403);
});

const passkeyless = (options) => {
  const passkey = new Passkey({ origin: ORIGIN });
  passkey.userHandle = "";
  return passkey.sign(options);
};
