// Making an account on the sign-up page, with every Yes and every No.

import assert from "node:assert/strict";
import test from "node:test";
import { assertCommon, assertPage } from "../kit/expect.mjs";
import { userCommand } from "../kit/oauth.mjs";
import { PASSWORD, world } from "../kit/world.mjs";

const ada = { username: "ada", email: "ada@example.org", name: "Ada Lovelace", password: PASSWORD };

const text = (html) =>
  html.replace(/<[^>]*>/g, " ").replace(/&quot;/g, '"').replace(/&#0*39;|&#x27;/gi, "'").replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&").replace(/\s+/g, " ");

test("a valid form creates an account and signs in", async (t) => {
  const w = await world(t);
  w.clock.stop(1_800_000_000);
  const answer = await w.signUp(ada);
  assert.equal(answer.status, 303);
  assertCommon(answer);
  assert.equal(answer.headers.location, "/account/welcome");
  assert.equal(answer.text, "");
  assert.match(answer.headers["cache-control"], /no-store/);
  const cookie = answer.headers["set-cookie"].map((line) => line.split(";")[0]).join("; ");
  const account = await w.get("/account", { cookie });
  assertPage(account);
  assert.match(text(account.text), /ada Sign out/);
  const [user, ...others] = await w.users();
  assert.deepEqual(others, []);
  assert.match(user.sub, /^usr_[A-Za-z0-9_-]{22}$/);
  const { sub, ...rest } = user;
  assert.deepEqual(rest, {
    username: "ada",
    email: null,
    unconfirmed_email: "ada@example.org",
    name: "Ada Lovelace",
    language: null,
    time_zone: null,
    status: "active",
    created_at: "2027-01-15T08:00:00Z",
  });
});

test("a username and a password are enough", async (t) => {
  const w = await world(t);
  assert.equal((await w.signUp({ username: "grace" })).status, 303);
  const [user] = await w.users();
  assert.deepEqual([user.username, user.email, user.name], ["grace", null, null]);
});

test("a browser that sends neither Origin nor Sec-Fetch-Site can sign up too", async (t) => {
  const w = await world(t);
  const answer = await w.ask("POST", "/signup", { form: { username: "old", password: PASSWORD } });
  assert.equal(answer.status, 303);
});

test("upper case in a username is folded, blanks around what was typed are dropped", async (t) => {
  const w = await world(t);
  assert.equal((await w.signUp({ username: "  Ada ", email: " Ada@Example.ORG ", name: "  Ada  " })).status, 303);
  const [user] = await w.users();
  assert.deepEqual([user.username, user.unconfirmed_email, user.name], ["ada", "Ada@Example.ORG", "Ada"]);
});

// Problems are shown at their fields and the input is kept, except for the password.
const WRONG = [
  ["a name too short", { username: "ad" }, /3 to 32|at least 3/i],
  ["a name too long", { username: "a".repeat(33) }, /3 to 32|at most 32|32/i],
  ["no name", { username: "" }, /user ?name/i],
  ["a name that begins with a digit", { username: "1ada" }, /letter/i],
  ["a name with a blank inside", { username: "ada lovelace" }, /user ?name|letters/i],
  ["a name with markup", { username: "<b>ada</b>" }, /user ?name|letters/i],
  ["a name in another script", { username: "адa" }, /user ?name|letters/i],
  ["an email address without an at sign", { email: "ada.example.org" }, /e-?mail|address/i],
  ["an email address with two", { email: "ada@@example.org" }, /e-?mail|address/i],
  ["an email address with a line end", { email: "ada@example.org\r\nBcc: all@example.org" }, /e-?mail|address/i],
  ["an email address of 300 characters", { email: `${"a".repeat(290)}@example.org` }, /e-?mail|address|254|long/i],
  ["a display name with a line end", { name: "Ada\nLovelace" }, /name|line/i],
  ["a display name that turns the text around", { name: "Ada \u202Ecod.exe" }, /name|character/i],
  ["a display name with nothing to see", { name: "\u200b\u200b" }, /name|character/i],
  ["a display name of 81 characters", { name: "x".repeat(81) }, /80|long/i],
  ["no password", { password: "" }, /password/i],
  ["a short password", { password: "kettle7" }, /password|longer|characters/i],
  ["a password everybody has", { password: "password123" }, /password|guess|common/i],
  ["a password made of the username", { username: "marmalade", password: "marmalade1" }, /password|guess|name/i],
  ["a password of one letter", { password: "aaaaaaaaaaaaaaaa" }, /password|guess|repeat/i],
  ["a password of 2,000 bytes", { password: "violet kettle ".repeat(143) }, /password|long|1024|1,024/i],
];

test("each problem is shown at its field with the input, and nothing is stored", async (t) => {
  const w = await world(t);
  for (const [why, wrong, words] of WRONG) {
    const sent = { ...ada, ...wrong };
    const answer = await w.signUp(sent);
    assertPage(answer, 400);
    assert.match(text(answer.text), words, why);
    assert.match(answer.text, /aria-invalid="true"/, why);
    if (sent.password) assert.ok(!answer.text.includes(sent.password), `${why}: the password comes back`);
    assert.doesNotMatch(answer.text, /<b>ada/, why);
    if (!wrong.email) assert.ok(answer.text.includes('value="ada@example.org"'), `${why}: what was typed is gone`);
  }
  assert.deepEqual(await w.users(), []);
  assert.equal((await w.signUp(ada)).status, 303);
});

test("malformed forms are rejected: NUL, invalid UTF-8, invalid escapes, a repeated field", async (t) => {
  const w = await world(t);
  const password = `password=${encodeURIComponent(PASSWORD)}`;
  for (const body of [
    `username=ada%00min&${password}`, `username=ada&password=violet%00kettle+sings+at+dawn`, `username=ada&name=A%00da&${password}`,
    `username=ada\0&${password}`, `username=ada&name=%ff%fe&${password}`, `username=ada&name=%c0%ae&${password}`, `username=ada&name=%ed%a0%80&${password}`,
    `username=ada&username=eve&${password}`, `username=ada&${password}&password=second+kettle+sings+at+dawn`, `username=ada&name=%zz&${password}`, `username=ada&name=%4&${password}`,
  ]) {
    const answer = await w.ask("POST", "/signup", { headers: { "content-type": "application/x-www-form-urlencoded" }, body });
    assert.equal(answer.status, 400, body);
  }
  assert.deepEqual(await w.users(), []);
});

test("characters of every script can be a display name and a password, and markup stays text", async (t) => {
  const w = await world(t);
  const names = ["Björk Guðmundsdóttir", "李小龙", "O'Brien & <Sons>", "نور", "Zoë 🎻"];
  for (const [i, name] of names.entries())
    assert.equal((await w.signUp({ username: `user${i}`, name, password: `Kännchen ${name} grüßt die Nacht` })).status, 303, name);
  assert.deepEqual((await w.users()).map((user) => user.name).sort(), [...names].sort());
  const back = await w.signUp({ username: "x", name: "O'Brien & <Sons> \"quoted\"" });
  assert.equal(back.status, 400);
  assert.doesNotMatch(back.text, /<Sons>|"quoted"/);
  assert.match(back.text, /&lt;Sons&gt;/);
});

test("a taken username is reported, in any spelling; an email address reveals no other account", async (t) => {
  const w = await world(t);
  assert.equal((await w.signUp(ada)).status, 303);
  for (const fields of [{ username: "ada" }, { username: "ADA" }]) {
    const answer = await w.signUp({ ...fields, password: "another kettle hums at noon 12" });
    assertPage(answer, 400);
    assert.match(text(answer.text), /taken|already|in use/i);
  }
  assert.deepEqual(await w.usernames(), ["ada"]);
  await userCommand(w, "set", "ada", "--email", "ada@example.org");
  assert.equal((await w.signUp({ username: "ada2", email: "ADA@example.ORG" })).status, 303);
  const addresses = Object.fromEntries((await w.users()).map(({ username, email, unconfirmed_email }) => [username, [email, unconfirmed_email]]));
  assert.deepEqual(addresses, { ada: ["ada@example.org", null], ada2: [null, "ADA@example.ORG"] });
});

test("of 30 parallel sign-ups with one username exactly one succeeds", async (t) => {
  const w = await world(t);
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, i) => w.signUp({ username: "popular", name: `Number ${i}` })),
  );
  const statuses = answers.map((answer) => answer.status);
  assert.equal(statuses.filter((status) => status === 303).length, 1, statuses.join(" "));
  assert.equal(statuses.filter((status) => status === 400).length, 29, statuses.join(" "));
  const users = await w.users();
  assert.deepEqual(users.map((user) => user.username), ["popular"]);
  const winner = statuses.indexOf(303);
  assert.equal(users[0].name, `Number ${winner}`);
});

test("when registration is closed no account is created, and the page gives the reason", async (t) => {
  const w = await world(t, { settings: { registration: "closed" } });
  const answer = await w.signUp(ada);
  assert.equal(answer.status, 403);
  const page = await w.get("/signup", { accept: "text/html" });
  assertPage(page, page.status);
  assert.match(text(page.text), /closed|not open|administrator|operator/i);
  assert.doesNotMatch(page.text, /action="\/signup"/);
  assert.doesNotMatch((await w.get("/")).text, /href="\/signup"/);
  assert.deepEqual(await w.users(), []);
  await w.addUser("invited"); // operators can still add users
  assert.deepEqual(await w.usernames(), ["invited"]);
});

test("a form sent from another site is rejected before any other check", async (t) => {
  const w = await world(t);
  const foreign = [
    { origin: "https://evil.example" }, { origin: "null", "sec-fetch-site": undefined }, { origin: "null", "sec-fetch-site": "cross-site" }, { origin: `${w.origin}.evil.example` }, { origin: w.origin.replace("http:", "https:") },
    { origin: w.origin.replace(/:\d+$/, ":1") }, { origin: `${w.origin}/` }, { origin: `${w.origin} ` + "https://evil.example" }, { origin: "" },
    { "sec-fetch-site": "cross-site" }, { "sec-fetch-site": "same-site" }, { "sec-fetch-site": "nonsense" },
  ];
  for (const headers of foreign) {
    const answer = await w.signUp(ada, { headers });
    assert.equal(answer.status, 403, JSON.stringify(headers));
  }
  assert.deepEqual(await w.users(), []);
  assert.equal((await w.signUp(ada, { headers: { "sec-fetch-site": "none" } })).status, 303);
});

// A browser sends "null" from a page that asks for no referrer, as ours do; then the other header tells.
test("a form from the service's own page is accepted although its Origin is null", async (t) => {
  const w = await world(t);
  assert.equal((await w.signUp(ada, { headers: { origin: "null", "sec-fetch-site": "same-origin" } })).status, 303);
  assert.equal((await w.signUp({ username: "eve" }, { headers: { origin: "null", "sec-fetch-site": "none" } })).status, 403);
});

test("with an auth URL of its own, that is the origin forms come from", async (t) => {
  const w = await world(t, { settings: { "base-url": "https://api.penchant.example", "auth-url": "https://id.penchant.example" } });
  assert.equal((await w.signUp(ada, { headers: { origin: "https://api.penchant.example" } })).status, 403);
  assert.equal((await w.signUp(ada, { headers: { origin: "https://id.penchant.example" } })).status, 303);
});

test("a GET of the form creates nothing, whatever its query, and the query is not logged", async (t) => {
  const w = await world(t);
  const query = new URLSearchParams(ada).toString();
  const answer = await w.get(`/signup?${query}`);
  assert.equal(answer.status, 200);
  assert.equal((await w.ask("HEAD", `/signup?${query}`)).status, 200);
  assert.deepEqual(await w.users(), []);
});

test("a new account survives a restart", async (t) => {
  const w = await world(t);
  await w.signUp(ada);
  const before = await w.users();
  await w.stop();
  await w.start();
  assert.deepEqual(await w.users(), before);
  assert.equal((await w.signUp(ada)).status, 400);
});
