// Attacks on the limits themselves: other spellings, other addresses, a full table, and locking out
// the user whom a limit should protect.

import assert from "node:assert/strict";
import test from "node:test";
import { assertPage } from "../kit/expect.mjs";
import { formTo } from "../kit/html.mjs";
import { addPerson, HOUR, MINUTE, Person, stage, userCommand } from "../kit/oauth.mjs";
import { until } from "../kit/until.mjs";
import { PASSWORD, world } from "../kit/world.mjs";

const WRONG = "wrong kettle sings at dusk";
const NEW = "purple ladder hums at noon 52";
const LIMIT = 3;
const PROXY = { "trusted-proxies": "127.0.0.1" };

// One attempt from an address, in a browser of its own unless given.
async function attempt(w, username, password, address, person = new Person(w)) {
  const forwarded = address === undefined ? {} : { "x-forwarded-for": address };
  return (await person.post("/signin", { username, password }, forwarded)).status;
}

test("every spelling of an account shares one budget of failures", async (t) => {
  const { w } = await stage(t, { settings: { "rate-signin": LIMIT, ...PROXY }, signedIn: false });
  await addPerson(w, "kim", { email: "kím.k@example.org", confirmed: true, signedIn: false });
  const [{ sub }] = (await w.users()).filter((user) => user.username === "kim");
  const spellings = ["kim", "KIM", "kím.k@example.org", "ki\u0301m.k@example.org", "kím.\u212a@example.org", " kim "];
  const statuses = [];
  for (const [i, username] of spellings.entries()) statuses.push(await attempt(w, username, WRONG, `192.0.2.${i}`));
  assert.deepEqual(statuses, [401, 401, 401, 429, 429, 429]);
  assert.equal(await attempt(w, "kim", PASSWORD, "192.0.2.99"), 429);
  assert.equal(await attempt(w, sub, PASSWORD, "192.0.2.98"), 401, "the id is not offered for signing in");
  w.deadlines.forward((15 * MINUTE + 1) * 1000);
  w.clock.forward(15 * MINUTE + 1); // the window of all nodes
  assert.equal(await attempt(w, "kim", PASSWORD, "192.0.2.99"), 303);
});

test("an IPv6 network of 64 bits is one address; unknown users share its budget", async (t) => {
  const { w, app } = await stage(t, { settings: { "rate-signin": LIMIT, "rate-auth": LIMIT, ...PROXY }, signedIn: false });
  const statuses = [];
  for (let i = 1; i <= 5; i++) statuses.push(await attempt(w, `nobody${i}`, WRONG, `2001:db8:1:2:${i}::${i}`));
  assert.deepEqual(statuses, [401, 401, 401, 429, 429]);
  assert.equal(await attempt(w, "nobody", WRONG, "2001:db8:1:3::1"), 401);
  assert.equal(await attempt(w, "ada", PASSWORD, "2001:db8:1:3::2"), 303);
  const clients = [];
  for (let i = 1; i <= 5; i++) clients.push((await app.refresh("x", { client_secret: "wrong" }, { headers: { "x-forwarded-for": `2001:db8:9:9::${i}` } })).status);
  assert.deepEqual(clients, [401, 401, 401, 429, 429]);
});

test("failures of strangers do not lock out a browser that has signed in before", async (t) => {
  const { w, ada } = await stage(t, { settings: { "rate-signin": LIMIT } });
  const [device] = [...ada.cookies.keys()].filter((name) => name === "penchant-device");
  assert.ok(device, "signing in marks the browser");
  await ada.signOut();
  for (let i = 0; i < LIMIT; i++) assert.equal(await attempt(w, "ada", WRONG), 401);
  assert.equal(await attempt(w, "ada", PASSWORD), 429);
  assert.equal((await ada.signIn()).status, 303, "the user's own browser still signs in");

  // Its own budget has the same size, and is no budget for another account.
  const statuses = [];
  for (let i = 0; i < LIMIT + 2; i++) statuses.push(await attempt(w, "ada", WRONG, undefined, ada));
  assert.deepEqual(statuses, [401, 401, 401, 429, 429]);
  assert.equal(await attempt(w, "ada", PASSWORD, undefined, ada), 429, "a right guess is distinguished from a wrong one");
  w.deadlines.forward((15 * MINUTE + 1) * 1000);
  w.clock.forward(15 * MINUTE + 1); // the window of all nodes
  await addPerson(w, "grace", { signedIn: false });
  for (let i = 0; i < LIMIT; i++) assert.equal(await attempt(w, "grace", WRONG, undefined, ada), 401);
  assert.equal(await attempt(w, "grace", PASSWORD, undefined, ada), 429);
});

test("a device cookie that is forged, cut, of another user, or of an old password has no budget", async (t) => {
  const { w, ada } = await stage(t, { settings: { "rate-signin": LIMIT, ...PROXY } });
  const grace = await addPerson(w, "grace");
  const token = ada.cookies.get("penchant-device");
  assert.match(token, /^[A-Za-z0-9_-]{86}$/);
  for (let i = 0; i < LIMIT; i++) assert.equal(await attempt(w, "ada", WRONG, "192.0.2.1"), 401);
  const tried = async (cookie) => {
    const person = new Person(w);
    person.cookies.set("penchant-device", cookie);
    return attempt(w, "ada", PASSWORD, "192.0.2.2", person);
  };
  const last = token.at(-1) === "A" ? "E" : "A";
  const first = token.at(0) === "A" ? "E" : "A";
  for (const cookie of [grace.cookies.get("penchant-device"), token.slice(0, -1) + last, token.slice(0, 43), "A".repeat(86), first + token.slice(1), `${token}A`])
    assert.equal(await tried(cookie), 429, cookie);
  assert.equal(await tried(token), 303);

  const page = await ada.get("/account/security", { "sec-fetch-site": "none" });
  const form = formTo(page.text, "/account/security/password").filled({ typed: { new_password: NEW } });
  w.secrets.add(NEW);
  assert.equal((await ada.post("/account/security/password", form)).status, 303);
  assert.equal(await tried(token), 429, "a new password ends what the old one proved");
  const again = await attempt(w, "ada", NEW, "192.0.2.3", ada);
  assert.equal(again, 303, "the browser that changed it is marked anew");
});

test("a password that is too long is rejected without being counted", async (t) => {
  const { w } = await stage(t, { settings: { "rate-signin": LIMIT }, signedIn: false });
  for (let i = 0; i < LIMIT + 2; i++) assertPage(await new Person(w).post("/signin", { username: "ada", password: "x".repeat(1025) }), 401);
  assert.equal(await attempt(w, "ada", PASSWORD), 303);
  const longest = PASSWORD.padEnd(1024, "x");
  assert.equal((await w.signUp({ username: "grace", password: longest })).status, 303);
  assert.equal(await attempt(w, "grace", longest), 303);
});

test("new accounts are limited per network; mistakes in the form do not count", async (t) => {
  const w = await world(t, { settings: { "rate-signup": LIMIT, ...PROXY } });
  const from = (address) => ({ headers: { "x-forwarded-for": address } });
  for (let i = 0; i < LIMIT + 2; i++) assert.equal((await w.signUp({ username: "ada", password: "password123" }, from("2001:db8::1"))).status, 400);
  for (let i = 0; i < LIMIT; i++) assert.equal((await w.signUp({ username: `ada${i}` }, from(`2001:db8::${i}`))).status, 303);
  const late = await w.signUp({ username: "grace" }, { headers: { ...from("2001:db8::99").headers, accept: "text/html" } });
  assertPage(late, 429);
  assert.ok(Number(late.headers["retry-after"]) > 0 && Number(late.headers["retry-after"]) <= HOUR);
  assert.equal((await w.signUp({ username: "grace" }, from("2001:db8:0:1::1"))).status, 303);
  assert.deepEqual(await w.usernames(), ["ada0", "ada1", "ada2", "grace"]);
  w.deadlines.forward((HOUR + 1) * 1000);
  assert.equal((await w.signUp({ username: "mary" }, from("2001:db8::1"))).status, 303);
});

test("new accounts are limited in all, however many networks they come from", async (t) => {
  const w = await world(t, { settings: { "rate-signup": 1, ...PROXY } });
  const statuses = [];
  for (let i = 0; i < 52; i++) statuses.push((await w.signUp({ username: `user${i}` }, { headers: { "x-forwarded-for": `192.0.2.${i}` } })).status);
  assert.deepEqual(statuses, [...Array(50).fill(303), 429, 429]);
  assert.equal((await w.users()).length, 50);
});

test("new apps are limited per network", async (t) => {
  const { ada } = await stage(t, { settings: { "rate-signup": LIMIT } }); // signing up was the first
  const create = async (name) => {
    const form = formTo((await ada.get("/developer/apps/new", { "sec-fetch-site": "none" })).text, "/developer/apps/new");
    return (await ada.post("/developer/apps/new", form.filled({ typed: { name, redirect_uris: "https://app.example/callback" } }))).status;
  };
  const statuses = [];
  for (let i = 1; i < LIMIT + 2; i++) statuses.push(await create(`Finder ${i}`));
  assert.deepEqual(statuses, [200, 200, 429, 429]);
});

// Hashing is slow in this build: the queue stays full much longer than the other requests take.
test("a flood of passwords gets 503, and delays neither apps nor commands", async (t) => {
  const { w, ada, app } = await stage(t, { settings: { "metrics-listen": "127.0.0.1:0" }, hashing: "production" });
  const { refresh_token } = await ada.connect(app);
  const waiting = async () => (await w.metrics()).penchant_hashers_waiting;
  const flood = Array.from({ length: 80 }, (_, i) => w.signUp({ username: `flood${i}` }));
  await until("the queue to fill", async () => (await waiting()) >= 24);
  assert.equal((await app.refresh(refresh_token)).status, 200);
  await userCommand(w, "disable", "ada");
  assert.ok((await waiting()) > 0, "both were done while passwords waited");
  const answers = await Promise.all(flood);
  const refused = answers.filter(({ status }) => status === 503);
  assert.ok(refused.length > 0 && refused.every(({ headers }) => Number(headers["retry-after"]) > 0));
  assert.deepEqual([...new Set(answers.map(({ status }) => status))].sort(), [303, 503]);
  assert.equal((await w.users()).length, 1 + answers.length - refused.length);
});
