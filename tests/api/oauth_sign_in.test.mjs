// Signing in and out: sessions, the way back, and what a guesser learns (group B of the catalogue).

import assert from "node:assert/strict";
import test from "node:test";
import { assertCommon, assertPage } from "../kit/expect.mjs";
import { formTo, textOf } from "../kit/html.mjs";
import { addPerson, assertBack, assertPageTo, assertPrivate, assertStop, DAY, MINUTE, NAVIGATION, Person, stage, userCommand } from "../kit/oauth.mjs";
import { PASSWORD, world } from "../kit/world.mjs";

// Whether a browser is signed in: the app's request does not lead to the sign-in page.
async function isSignedIn(person, app) {
  const answer = await person.get(app.request().path);
  return !(answer.headers.location ?? "").startsWith("/signin");
}

test("signing in sets a cookie that scripts and other sites do not get, and answers 303 (B13, B28)", async (t) => {
  const { w, app } = await stage(t, { signedIn: false });
  const ada = new Person(w, { username: "ada" });
  const page = await ada.get("/signin", { "sec-fetch-site": "none" });
  assertPage(page);
  const answer = await ada.fillSignIn(page);
  assert.equal(answer.status, 303);
  assertCommon(answer);
  assertPrivate(answer);
  assert.equal(answer.headers.location, "/account");
  assert.equal(answer.text, "");
  const [first, ...rest] = ada.lastCookie.split(/;\s*/);
  assert.match(first, /^penchant=[A-Za-z0-9_-]{22,}$/); // at least 128 bits
  const attributes = rest.map((one) => one.toLowerCase());
  for (const wanted of ["httponly", "samesite=lax", "path=/"]) assert.ok(attributes.includes(wanted), ada.lastCookie);
  assert.ok(!attributes.some((one) => /^(domain|secure)/.test(one)), ada.lastCookie);
  assert.ok(await isSignedIn(ada, app));
});

test("on https the cookie is a __Host- cookie and Secure, and its plain name is ignored", async (t) => {
  const settings = { "base-url": "https://penchant.example" };
  const { w, ada, app } = await stage(t, { settings });
  assert.match(ada.lastCookie, /^__Host-penchant=[A-Za-z0-9_-]{22,};/);
  assert.match(ada.lastCookie, /;\s*secure/i);
  assert.match(ada.lastCookie, /;\s*httponly/i);
  assert.match(ada.lastCookie, /;\s*samesite=lax/i);
  assert.match(ada.lastCookie, /;\s*path=\/(;|$)/i);
  assert.doesNotMatch(ada.lastCookie, /domain/i);
  const thief = new Person(w, {});
  thief.cookies.set("penchant", ada.session);
  assert.equal(await isSignedIn(thief, app), false);
  assert.equal(await isSignedIn(ada, app), true);
});

test("users sign in with username or email address, in any case", async (t) => {
  const w = await world(t);
  await addPerson(w, "ada", { email: "ada@example.org", signedIn: false });
  assert.equal((await new Person(w, { username: "ada@example.org" }).signIn()).status, 401, "not confirmed");
  await userCommand(w, "set", "ada", "--email", "ada@example.org");
  for (const username of ["ada", "ADA", " ada ", "ada@example.org", "Ada@Example.ORG"]) {
    const person = new Person(w, { username });
    assert.equal((await person.signIn()).status, 303, username);
    assert.ok(person.session);
  }
});

test("signing in replaces a session key that was set before (B1)", async (t) => {
  const { w, app } = await stage(t, { signedIn: false });
  const planted = "A".repeat(43);
  const victim = new Person(w, { username: "ada" });
  victim.cookies.set("penchant", planted);
  assert.equal((await victim.signIn()).status, 303);
  assert.notEqual(victim.session, planted);
  const attacker = new Person(w, {});
  attacker.cookies.set("penchant", planted);
  assert.equal(await isSignedIn(attacker, app), false);

  const before = victim.session;
  assert.equal((await victim.signIn()).status, 303); // once more, in the same browser
  assert.notEqual(victim.session, before);
  attacker.cookies.set("penchant", before);
  assert.equal(await isSignedIn(attacker, app), false, "the old session lives on");
});

test("an unknown user, a wrong password, a disabled account and one without a password get the same response (B22)", async (t) => {
  const { w } = await stage(t, { signedIn: false, hashing: "production" });
  await addPerson(w, "gone", { signedIn: false });
  await userCommand(w, "disable", "gone");
  await userCommand(w, "add", "nopass", "--no-password");
  const attempt = async (username, password) => {
    const person = new Person(w, { username, password });
    const page = await person.get("/signin");
    const began = process.hrtime.bigint();
    const answer = await person.fillSignIn(page);
    const ms = Number(process.hrtime.bigint() - began) / 1e6;
    assertPage(answer, 401);
    assert.equal(person.session, undefined, "a failed sign-in sets a session");
    const form = formTo(answer.text, "/signin");
    assert.equal(form.value("username"), username); // what was typed is still there
    assert.equal(form.value("password") ?? "", "");
    const said = textOf(answer.text).replace(/[A-Za-z0-9_-]{16,}/g, "…");
    return { said, ms };
  };
  const cases = [["nobody", PASSWORD], ["ada", "wrong kettle sings at dusk"], ["gone", PASSWORD], ["nopass", PASSWORD], ["nopass", ""], ["ada", ""], ["ada", ` ${PASSWORD}`], ["ada", PASSWORD.toUpperCase()]];
  const seen = [];
  for (const [username, password] of cases) seen.push(await attempt(username, password));
  for (const { said } of seen.slice(0, 3)) assert.equal(said, seen[0].said);
  // The work is the same: a hash is computed for each. The machine is shared, so the shortest of three counts, and the bound is wide.
  const shortest = async (one) => Math.min(seen[one].ms, (await attempt(...cases[one])).ms, (await attempt(...cases[one])).ms);
  const [unknown, wrong] = [await shortest(0), await shortest(1)];
  assert.ok(unknown > wrong / 5 && wrong > unknown / 5, `unknown ${unknown} ms, wrong ${wrong} ms`);
});

test("after too many failures the account is throttled for any client and password, and then works again (B23, B25)", async (t) => {
  const { w, app } = await stage(t, { settings: { "rate-signin": 5 }, signedIn: false });
  const wrong = () => new Person(w, { username: "ada", password: "wrong kettle sings at dusk" }).signIn();
  for (let i = 0; i < 5; i++) assert.equal((await wrong()).status, 401);
  const late = await wrong();
  assertPage(late, 429);
  assert.match(late.headers["retry-after"], /^[1-9]\d*$/);
  assert.ok(Number(late.headers["retry-after"]) <= 15 * MINUTE);
  const right = await new Person(w, { username: "ada" }).signIn();
  assert.equal(right.status, 429, "a right guess is distinguished from a wrong one");
  w.deadlines.forward((15 * MINUTE + 1) * 1000);
  w.clock.forward(15 * MINUTE + 1); // the window of all nodes
  const ada = new Person(w, { username: "ada" });
  assert.equal((await ada.signIn()).status, 303);
  assert.ok(await isSignedIn(ada, app));
});

test("of 30 wrong passwords at the same time no more are checked than the limit allows (B23)", async (t) => {
  const { w } = await stage(t, { settings: { "rate-signin": 10 }, signedIn: false, hashing: "production" });
  const answers = await Promise.all(Array.from({ length: 30 }, () => new Person(w, { username: "ada", password: "wrong kettle sings at dusk" }).signIn()));
  const count = (status) => answers.filter((answer) => answer.status === status).length;
  assert.equal(count(401), 10, answers.map((answer) => answer.status).join(" "));
  assert.equal(count(429), 20);
});

test("an unknown user is throttled like a known one", async (t) => {
  const { w } = await stage(t, { settings: { "rate-signin": 3 }, signedIn: false });
  const statuses = [];
  for (let i = 0; i < 5; i++) statuses.push((await new Person(w, { username: "nobody" }).signIn()).status);
  assert.deepEqual(statuses, [401, 401, 401, 429, 429]);
});

test("a successful sign-in does not count as a failure", async (t) => {
  const { w } = await stage(t, { settings: { "rate-signin": 3 }, signedIn: false });
  for (let i = 0; i < 8; i++) assert.equal((await new Person(w, { username: "ada" }).signIn()).status, 303);
});

test("parallel successful sign-ins from one address are not throttled", async (t) => {
  const { w } = await stage(t, { settings: { "rate-signin": 3 }, signedIn: false, hashing: "production" });
  const answers = await Promise.all(Array.from({ length: 12 }, () => new Person(w, { username: "ada" }).signIn()));
  assert.deepEqual([...new Set(answers.map((answer) => answer.status))], [303]);
});

test("huge, malformed, and truncated passwords are rejected (B26)", async (t) => {
  const { w } = await stage(t, { signedIn: false });
  const type = "application/x-www-form-urlencoded";
  const send = (body) => w.ask("POST", "/signin", { headers: { ...NAVIGATION, "content-type": type, origin: w.origin }, body });
  const right = encodeURIComponent(PASSWORD);
  for (const body of [`username=ada&password=${right}%00`, `username=ada%00&password=${right}`, `username=ada&password=%ff%fe`, `username=ada&password=${right}&password=x`, `username=ada&username=eve&password=${right}`, `username=ada&password=${"x".repeat(2000)}`, `username=ada&password=${right}%`, "", "username=ada", `password=${right}`]) {
    const answer = await send(body);
    assert.ok([400, 401].includes(answer.status), `${body.slice(0, 60)}: ${answer.status}`);
    assert.equal(answer.headers["set-cookie"], undefined, body.slice(0, 60));
  }
  const long = await send(`username=ada&password=${"x".repeat(1 << 20)}`).catch(() => ({ status: 413 }));
  assert.equal(long.status, 413);
  // Nothing is cut at 72 bytes: two passwords that differ only after it are two.
  const start = "violet kettle sings at dawn and the lamp goes out when the tide turns north ";
  await addPerson(w, "grace", { password: `${start}one`, signedIn: false });
  assert.equal((await new Person(w, { username: "grace", password: `${start}two` }).signIn()).status, 401);
  assert.equal((await new Person(w, { username: "grace", password: start }).signIn()).status, 401);
  assert.equal((await new Person(w, { username: "grace", password: `${start}one` }).signIn()).status, 303);
});

test("signing in redirects only within this service (B20)", async (t) => {
  const { w } = await stage(t, { signedIn: false });
  for (const next of [
    "https://evil.example/", "//evil.example", "/\\evil.example", "\\\\evil.example", "https:evil.example", "http:/evil.example", "javascript:alert(1)", "evil.example",
    "/\t/evil.example", "/\n/evil.example", "\t//evil.example", " //evil.example", "/%09/evil.example/..//evil.example\r\nX: y", "", "?x", "//", "///evil.example", "/\0", `${w.origin}.evil.example/`, `${w.origin}@evil.example/`, "data:text/html,x",
  ]) {
    const person = new Person(w, { username: "ada" });
    const page = await person.get(`/signin?next=${encodeURIComponent(next)}`, { referer: "https://evil.example/", "sec-fetch-site": "cross-site" });
    if (page.status !== 200) {
      assertStop(page);
      continue;
    }
    const answer = await person.fillSignIn(page);
    assert.ok([303, 400].includes(answer.status));
    const { location = "/" } = answer.headers;
    const landed = new URL(location, w.origin);
    assert.equal(landed.origin, w.origin, `${JSON.stringify(next)} leads to ${location}`);
    assert.doesNotMatch(location, /^\/[/\\]|[\s\0]/);
    assert.notEqual(landed.hostname, "evil.example");
    // Nor when the hidden field says so itself.
    const forged = await person.post("/signin", { username: "ada", password: PASSWORD, next });
    assert.equal(new URL(forged.headers.location ?? "/", w.origin).origin, w.origin, `${JSON.stringify(next)} as a field`);
  }
  const person = new Person(w, { username: "ada" });
  assert.equal((await person.signIn({ where: "/signin?next=%2Fsignup%3Fx%3D1%26y%3D2" })).headers.location, "/signup?x=1&y=2");
});

test("a sign-in form sent from another site is rejected before the password is checked (B5)", async (t) => {
  const { w } = await stage(t, { signedIn: false });
  for (const headers of [{ origin: "https://evil.example" }, { origin: "null", "sec-fetch-site": "cross-site" }, { origin: w.origin.replace("http:", "https:") }, { "sec-fetch-site": "cross-site" }, { "sec-fetch-site": "same-site" }]) {
    const person = new Person(w, { username: "ada" });
    const answer = await person.post("/signin", { username: "ada", password: PASSWORD }, headers);
    assert.equal(answer.status, 403, JSON.stringify(headers));
    assert.equal(person.session, undefined);
  }
});

test("signing out ends the session at once, and needs the form of this session (B29)", async (t) => {
  const { w, ada, app } = await stage(t);
  const other = new Person(w, { username: "ada" });
  await other.signIn();
  const { form: consent } = await ada.asked(app);
  const token = consent.value("form");
  const old = ada.session;
  for (const [form, headers, status] of [
    [{}, {}, [400, 403]],
    [{ form: "" }, {}, [400, 403]],
    [{ form: "x".repeat(43) }, {}, [400, 403]],
    [{ form: (await other.asked(app)).form.value("form") }, {}, [403]],
    [{ form: token }, { origin: "https://evil.example" }, [403]],
  ]) {
    const refused = await ada.post("/signout", form, headers);
    assert.ok(status.includes(refused.status), `${JSON.stringify(form)}: ${refused.status}`);
    assert.ok(await isSignedIn(ada, app));
  }
  assert.equal((await ada.get(`/signout?form=${token}`)).status, 405);
  assert.ok(await isSignedIn(ada, app), "a GET does not sign out (B6)");
  const answer = await ada.post("/signout", { form: token });
  assert.equal(answer.status, 303);
  assert.equal(answer.headers.location, "/");
  assert.match(answer.headers["set-cookie"].join(), /penchant=;|max-age=0/i);
  ada.cookies.set("penchant", old); // a copy of the old cookie
  assert.equal(await isSignedIn(ada, app), false);
  assert.equal(await isSignedIn(other, app), true);
});

test("a session ends after 30 days, and when the user is disabled, even if enabled again (B33)", async (t) => {
  const { w, ada, app } = await stage(t);
  w.clock.forward(30 * DAY - 1);
  assert.equal(await isSignedIn(ada, app), true);
  w.clock.forward(2);
  assert.equal(await isSignedIn(ada, app), false);
  await ada.signIn();
  assert.equal(await isSignedIn(ada, app), true);
  await userCommand(w, "disable", "ada");
  assert.equal(await isSignedIn(ada, app), false);
  await userCommand(w, "enable", "ada");
  assert.equal(await isSignedIn(ada, app), false);
});

test("a session survives a restart and kill -9", async (t) => {
  const { w, ada, app } = await stage(t);
  await w.stop();
  await w.start();
  assert.ok(await isSignedIn(ada, app));
  await w.kill();
  await w.start();
  assert.ok(await isSignedIn(ada, app));
});

test("of more than 50 sessions the oldest end", async (t) => {
  const { w, ada, app } = await stage(t);
  const people = [];
  for (let i = 0; i < 50; i++) {
    w.clock.forward(1);
    const person = new Person(w, { username: "ada" });
    await person.signIn();
    people.push(person);
  }
  assert.equal(await isSignedIn(ada, app), false);
  assert.equal(await isSignedIn(people[0], app), true);
  assert.equal(await isSignedIn(people[49], app), true);
});

test("an invalid cookie is ignored: empty, truncated, changed, repeated, huge (B31)", async (t) => {
  const { w, ada, app } = await stage(t);
  const { path } = app.request();
  const key = ada.session;
  const flipped = (key[0] === "A" ? "B" : "A") + key.slice(1);
  for (const cookie of ["penchant=", "penchant", `penchant=${key.slice(1)}`, `penchant=${key}A`, `penchant=${flipped}`, `penchant=${key.toUpperCase()}`, `penchant="${key} "`, `Penchant=${key}`, `penchant=${"A".repeat(4000)}`, `penchant=' OR 1=1 --`, `xpenchant=${key}`]) {
    const answer = await w.get(path, { ...NAVIGATION, cookie });
    assert.match(answer.headers.location ?? "", /^\/signin/, cookie.slice(0, 60));
  }
  const twice = await w.get(path, { ...NAVIGATION, cookie: `penchant=${flipped}; penchant=${key}` });
  assert.ok([200, 303].includes(twice.status));
});

test("prompt=login asks for the password again, and only then goes on", async (t) => {
  const { ada, app } = await stage(t);
  await ada.connect(app); // a live grant that covers everything
  const request = app.request({ prompt: "login" });
  const first = await ada.get(request.path);
  assert.equal(first.status, 303);
  assert.match(first.headers.location, /^\/signin\?request=req_[A-Za-z0-9_-]{22}$/);
  const id = new URLSearchParams(first.headers.location.split("?")[1]).get("request");
  // The session that is there does not get around it.
  const around = await ada.get(`/oauth/consent?request=${id}`);
  assert.equal(formTo(around.text, "/oauth/consent"), undefined, "consent is offered without the sign-in that was asked for");
  const token = (await ada.asked(app, { prompt: "consent" })).form.value("form");
  const pushed = await ada.post("/oauth/consent", { request: id, form: token, scope: "profile:read", term: "revoked", decision: "allow" });
  assert.ok(!(pushed.headers.location ?? "").includes("code="), pushed.headers.location);

  const page = await ada.get(first.headers.location);
  assertPageTo(page, "https://app.example");
  const wrong = await ada.fillSignIn(page, { password: "wrong kettle sings at dusk" });
  assert.equal(wrong.status, 401);
  assert.ok(formTo(wrong.text, "/signin"), "one can try again");
  const old = ada.session;
  const answer = await ada.fillSignIn(wrong);
  assert.equal(answer.status, 303);
  assert.match(answer.headers.location, /^\/oauth\/consent\?request=req_/);
  assert.notEqual(ada.session, old);
  assertBack(await ada.through(answer), request, {});
});

const signedIn = async (w) => {
  const person = new Person(w, { username: "ada" });
  await person.signIn();
  return person;
};

// Follows one authorization request to its end and counts how often a password was asked for.
async function passwordsAsked(person, request, steps = {}) {
  let asked = 0;
  let answer = await person.get(request.path);
  for (let step = 0; step < 12; step++) {
    const next = person.ownPage(answer);
    if (next) answer = await person.get(next);
    else if (answer.status !== 200) return { asked, answer };
    else if (formTo(answer.text, "/oauth/consent")) {
      if (steps.consent) answer = (await steps.consent(answer)) ?? answer;
      answer = await person.decide(answer);
    } else {
      asked++;
      answer = await (steps.signIn ?? ((page) => person.fillSignIn(page)))(answer);
    }
  }
  throw new Error("the pages lead in a circle");
}

test("prompt=login requires exactly one sign-in, whatever happens on the way", async (t) => {
  const { w, ada, app } = await stage(t);
  await addPerson(w, "grace", { signedIn: false });
  const login = (more) => app.request({ scope: "profile:read", prompt: "login", ...more });
  const signedOut = () => new Person(w, { username: "ada" });
  const wrongFirst = (person) => async (page) => {
    const again = await person.fillSignIn(page, { password: "wrong kettle sings at dusk" });
    assert.equal(again.status, 401);
    return person.fillSignIn(again);
  };
  const signUpFirst = (person, username) => async (page) => {
    const [, link] = /href="(\/signup[^"]*)"/.exec(page.text);
    const form = formTo((await person.get(link.replaceAll("&amp;", "&"))).text, "/signup");
    return person.post("/signup", form.filled({ typed: { username, password: PASSWORD } }));
  };
  const reloaded = (person) => async (page) => {
    const id = formTo(page.text, "/oauth/consent").value("request");
    return person.get(`/oauth/consent?request=${id}`);
  };
  const ways = {
    "signed out": async () => [signedOut(), {}],
    "signed in": async () => [ada, {}],
    "signed out, a wrong password first": async () => { const p = signedOut(); return [p, { signIn: wrongFirst(p) }]; },
    "signed in, a wrong password first": async () => [ada, { signIn: wrongFirst(ada) }],
    "signed out, signs up first": async () => { const p = signedOut(); return [p, { signIn: signUpFirst(p, "newcomer1") }]; },
    "signed in, creates another account": async () => { const p = await signedIn(w); return [p, { signIn: signUpFirst(p, "newcomer2") }]; },
    "signed in as another user": async () => { const p = await signedIn(w); return [p, { signIn: (page) => p.fillSignIn(page, { username: "grace" }) }]; },
    "signed out, the consent page reloaded": async () => { const p = signedOut(); return [p, { consent: reloaded(p) }]; },
    "signed in, the consent page reloaded": async () => [ada, { consent: reloaded(ada) }],
  };
  for (const prompt of ["login", "login consent", "consent login"])
    for (const [why, way] of Object.entries(ways)) {
      if (prompt !== "login" && /account|signs up/.test(why)) continue; // a name is taken once
      const [person, steps] = await way();
      const request = login({ prompt });
      const { asked, answer } = await passwordsAsked(person, request, steps);
      assert.equal(asked, 1, `${why}, prompt=${prompt}`);
      const { code } = assertBack(answer, request, {});
      assert.equal((await app.exchange({ ...request, code })).status, 200, why);
    }
  // An invalid request is not stored, and is reported to the app as usual.
  const refused = app.request({ prompt: "login", scope: "nonsense" });
  const sentBack = await passwordsAsked(signedOut(), refused);
  assertBack(sentBack.answer, refused, { error: "invalid_scope" });
});

test("prompt=login is not satisfied by a sign-in for another purpose or by a URL", async (t) => {
  const { w, ada, app } = await stage(t);
  await ada.connect(app);
  const request = app.request({ prompt: "login" });
  for (const where of ["/signin", "/signin?next=/account", `/signin?next=${encodeURIComponent(app.request().path)}`]) {
    await ada.signIn({ where });
    assert.match((await ada.get(request.path)).headers.location, /^\/signin\?request=req_/, where);
  }
  // A request that was signed in for waits in that session alone.
  const grace = new Person(w, { username: "ada" });
  const kept = await grace.signIn({ where: `/signin?next=${encodeURIComponent(request.path)}` });
  assert.match(kept.headers.location, /^\/oauth\/consent\?request=req_[A-Za-z0-9_-]{22}$/);
  assertPage(await ada.get(kept.headers.location), 400);
  // Once that session has ended, another one can sign in for it.
  await grace.signOut();
  const left = await ada.get(kept.headers.location);
  assert.match(left.headers.location, /^\/signin\?request=req_/);
  assertBack(await ada.through(left), request, {});
});

test("prompt=login consent requires both; another user who signs in decides separately", async (t) => {
  const { w, ada, app } = await stage(t);
  await ada.connect(app);
  const grace = await addPerson(w, "grace", { signedIn: false });
  const request = app.request({ prompt: "login consent", scope: "profile:read" });
  const first = await ada.get(request.path);
  assert.match(first.headers.location, /^\/signin\?request=/);
  const signed = await ada.fillSignIn(await ada.get(first.headers.location), grace);
  const page = await ada.get(signed.headers.location);
  assert.equal(page.status, 200);
  const done = await ada.decide(page);
  const { code } = assertBack(done, request, {});
  const { data } = await app.exchange({ ...request, code });
  assert.equal((await app.userinfo(data.access_token)).data.preferred_username, "grace");
});

test("the sign-in page names the app that sent the user, as text, and only then", async (t) => {
  const { w, app } = await stage(t, { signedIn: false, app: { name: "<b>Concert</b> & Finder" } });
  const person = new Person(w, { username: "ada" });
  const sent = await person.get(app.request().path);
  const page = await person.get(person.ownPage(sent));
  assertPageTo(page, "https://app.example");
  assert.match(textOf(page.text), /Sign in to see what <b>Concert<\/b> & Finder asks for/);
  assert.ok(!page.text.includes("<b>Concert"));
  const wrong = await person.fillSignIn(page, { password: "not the one at all" });
  assert.match(textOf(wrong.text), /Sign in to see what/, "also after a mistake");
  const unregistered = app.request({ redirect_uri: "https://evil.example/" }).path;
  for (const where of ["/signin", "/signin?next=/account", `/signin?next=${encodeURIComponent(unregistered)}`])
    assert.doesNotMatch(textOf((await person.get(where)).text), /Sign in to see what/, where);
});

test("a new user returns to the app that sent them, and never to another site", async (t) => {
  const { w, app } = await stage(t, { signedIn: false });
  const grace = new Person(w, { username: "grace" });
  const request = app.request({ scope: "profile:read" });
  const signIn = await grace.get(grace.ownPage(await grace.get(request.path)));
  const [, link] = /href="(\/signup[^"]*)"/.exec(signIn.text);
  const signUp = await grace.get(link.replaceAll("&amp;", "&"));
  assertPageTo(signUp, "https://app.example");
  assert.match(textOf(signUp.text), /Create an account to see what Concert Finder asks for/);
  const again = await grace.post("/signup", formTo(signUp.text, "/signup").filled({ typed: { username: "x", password: PASSWORD } }));
  assert.equal(again.status, 400);
  const made = await grace.post("/signup", formTo(again.text, "/signup").filled({ typed: { username: "grace", password: PASSWORD } }));
  const consent = await grace.get(grace.ownPage(made));
  assert.ok(grace.consentForm(consent), "the next page is consent");
  assertBack(await grace.decide(consent), request, {});
  for (const next of ["https://evil.example/", "//evil.example/", "/\\evil.example/", "javascript:alert(1)"]) {
    const query = `next=${encodeURIComponent(next)}`;
    const form = { username: `eve${crypto.randomUUID().slice(0, 8)}`, password: PASSWORD, next };
    assert.equal((await new Person(w, {}).post("/signup", form)).headers.location, "/account/welcome", next);
    assert.match((await new Person(w, {}).get(`/signin?${query}`)).text, /href="\/signup"/, next);
  }
});
