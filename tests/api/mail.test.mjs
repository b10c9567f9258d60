// Email: verification, forgotten passwords, notices, and a mail server that refuses, stalls, or dies.

import assert from "node:assert/strict";
import test from "node:test";
import { flashOf, mainText, open, press } from "../kit/account.mjs";
import { assertPage } from "../kit/expect.mjs";
import { formTo, textOf } from "../kit/html.mjs";
import { addPerson, assertBack, HOUR, MINUTE, Person, stage, userCommand, userinfo } from "../kit/oauth.mjs";
import { FROM, mailServer } from "../kit/smtp.mjs";
import { until } from "../kit/until.mjs";

const ADDRESS = "ada@example.org";
const NEW = "seven quiet lanterns by the harbor";

const mailSettings = (server, more) => ({ "smtp-url": server.url, "smtp-from": FROM, "rate-mail": 0, ...more });

// A stage with a mail server; ada has a confirmed address unless { confirmed: false }.
async function mailStage(t, { settings, confirmed = true, ...options } = {}) {
  const server = await mailServer(t);
  const stand = await stage(t, { settings: mailSettings(server, settings), ...options });
  if (confirmed) await confirm(stand.w, server, stand.ada, ADDRESS);
  return { server, ...stand };
}

const token = (w, mail) => {
  const found = new URL(mail.link).searchParams.get("token");
  w.secrets.add(found);
  return found;
};

// Signs up, opens the link in the email, and confirms.
async function confirm(w, server, person, address) {
  await press(person, "/account/profile", "/account/profile/email", { typed: { email: address } });
  const mail = await server.mail(({ to, headers }) => to[0] === address && /Confirm/.test(headers.subject));
  token(w, mail);
  await press(person, mail.path, "/verify");
  return mail;
}

const forgot = async (w, email, headers) => {
  const person = new Person(w);
  const form = formTo((await person.get("/forgot")).text, "/forgot");
  return person.post("/forgot", form.filled({ typed: { email } }), headers);
};

const number = async (w, sql) => Number(await w.sql(sql));
const resets = (server) => server.mails.filter(({ headers }) => /new password/.test(headers.subject));
const notices = (server, subject) => server.mails.filter(({ headers }) => subject.test(headers.subject));
const signsIn = async (w, username, password) => (await new Person(w, { username, password }).signIn()).status === 303;

test("an address belongs to the user only after the link in the email is confirmed", async (t) => {
  const { w, server, app } = await mailStage(t, { confirmed: false });
  const grace = await addPerson(w, "grace", { email: "grace@example.org" });
  const mail = await server.mail();
  assert.deepEqual([mail.sender, mail.to, mail.headers.to], [FROM, ["grace@example.org"], "<grace@example.org>"]);
  assert.equal(mail.headers.from, `"Penchant" <${FROM}>`);
  assert.equal(mail.headers.subject, "Confirm your email address");
  assert.equal(mail.headers.date, "Fri, 15 Jan 2027 08:00:00 +0000");
  assert.match(mail.headers["message-id"], /^<mail_[\w-]{22}\.1@mail\.test>$/);
  assert.ok(mail.html.includes(`<a href="${mail.link}">`) && mail.plain.includes("the account grace"), mail.raw);
  assert.ok(mail.link.startsWith(`${w.origin}/verify?token=pn_li_`), mail.link);
  token(w, mail);
  const { access_token } = await grace.connect(app, { scope: "profile:read" });
  assert.deepEqual((({ email, email_verified }) => [email, email_verified])((await userinfo(w, access_token)).data), [null, false]);
  assert.equal(await signsIn(w, "grace@example.org", grace.password), false);
  // Opening the link changes nothing, and does not sign in.
  const stranger = new Person(w);
  assert.match((await stranger.get(mail.path)).headers.location, /^\/signin\?next=/);
  assert.match(mainText(await open(grace, mail.path)), /grace@example\.org/);
  assert.equal((await userinfo(w, access_token)).data.email, null);
  assert.match(flashOf(await press(grace, mail.path, "/verify")), /Email address confirmed/);
  assert.deepEqual((({ email, email_verified }) => [email, email_verified])((await userinfo(w, access_token)).data), ["grace@example.org", true]);
  assert.equal(await signsIn(w, "Grace@Example.org", grace.password), true);
  assertPage(await grace.get(mail.path), 400);
});

test("a link confirms an address only for the account that asked for it, and the first of two accounts gets it", async (t) => {
  const { w, server, ada } = await mailStage(t, { confirmed: false });
  const eve = await addPerson(w, "eve", { email: "victim@example.org" });
  const evil = await server.mail();
  // The owner of the address opens the link of a stranger's account while signed in to another one.
  assertPage(await ada.get(evil.path), 400);
  const formToken = formTo((await open(ada, "/account/profile")).text, "/account/profile/email").value("form");
  assert.equal((await ada.post("/verify", { form: formToken, token: token(w, evil) })).status, 400);
  // Both may ask for it, and neither learns about the other.
  await press(ada, "/account/profile", "/account/profile/email", { typed: { email: "Victim@example.org" } });
  const own = await server.mail(({ to }) => to[0] === "Victim@example.org");
  token(w, own);
  const forms = await Promise.all([[eve, evil], [ada, own]].map(async ([person, mail]) => [person, formTo((await open(person, mail.path)).text, "/verify")]));
  const answers = await Promise.all(forms.map(([person, form]) => person.post("/verify", form.filled())));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 409]);
  assert.match(textOf(answers.find(({ status }) => status === 409).text), /Another account has confirmed this email address/);
  const owners = (await w.users()).filter(({ email }) => email !== null);
  assert.equal(owners.length, 1);
});

test("a forgotten password: a link for 30 minutes that works once and ends the sessions", async (t) => {
  const { w, server, ada } = await mailStage(t);
  assert.match(textOf((await w.get("/forgot")).text), /Send link/);
  const answer = await forgot(w, " ADA@example.org ");
  assert.deepEqual([answer.status, answer.headers.location], [303, "/signin"]);
  const mail = await server.mail(({ headers }) => /new password/.test(headers.subject));
  assert.deepEqual([mail.to, mail.plain.includes("account ada")], [[ADDRESS], true]);
  token(w, mail);
  w.clock.forward(30 * MINUTE - 1);
  const browser = new Person(w);
  const page = await browser.get(mail.path);
  assertPage(page);
  w.secrets.add(NEW);
  const done = await browser.post("/reset", formTo(page.text, "/reset").filled({ typed: { new_password: NEW } }));
  assert.equal(done.status, 303);
  assert.deepEqual([(await ada.get("/account")).status, await signsIn(w, "ada", NEW)], [303, true]);
  assertPage(await browser.get(mail.path), 400);
  await server.mail(({ headers }) => headers.subject === "Your password was changed");
  await forgot(w, ADDRESS);
  await until("a second email", () => resets(server).length === 2);
  const late = resets(server)[1];
  token(w, late);
  w.clock.forward(30 * MINUTE + 1);
  assertPage(await browser.get(late.path), 400);
});

test("an unknown address, an unconfirmed one, and a disabled account get the same response and no email", async (t) => {
  const { w, server } = await mailStage(t);
  await addPerson(w, "grace", { email: "grace@example.org" });
  await server.mail(({ to }) => to[0] === "grace@example.org");
  const shape = ({ status, headers, text }) => [status, headers.location, (headers["set-cookie"] ?? []).map((line) => line.replace(/=[^;]*/, "")), text];
  const known = shape(await forgot(w, ADDRESS));
  for (const address of ["nobody@example.org", "grace@example.org"]) assert.deepEqual(shape(await forgot(w, address)), known, address);
  await until("an email", () => resets(server).length === 1);
  await userCommand(w, "disable", "ada");
  assert.deepEqual(shape(await forgot(w, ADDRESS)), known);
  await until("an empty outbox", async () => (await number(w, "SELECT COUNT(*) FROM outbox")) === 0);
  assert.equal(resets(server).length, 1);
  for (const address of ["", "ada", "a b@example.org", "ada@example.org\r\nBcc: all@example.org", "<ada@example.org>", "ada@example.org,eve"])
    assertPage(await forgot(w, address), 400);
});

test("links come from the settings, not from the Host header, and leak nothing", async (t) => {
  const server = await mailServer(t);
  const { w } = await stage(t, { settings: mailSettings(server, { "base-url": "https://api.penchant.example", "auth-url": "https://id.penchant.example" }) });
  await addPerson(w, "grace", { email: "grace@example.org" });
  await w.signUp({ username: "carol", email: "carol@example.org" }, { headers: { host: "evil.example", "x-forwarded-host": "evil.example" } });
  for (const to of ["grace@example.org", "carol@example.org"]) {
    const mail = await server.mail((one) => one.to[0] === to);
    assert.ok(mail.link.startsWith("https://id.penchant.example/verify?token="), mail.link);
    token(w, mail);
  }
});

test("a one-time link reveals its URL to no other site, and its page loads nothing from elsewhere", async (t) => {
  const { w, server } = await mailStage(t);
  await forgot(w, ADDRESS);
  const mail = await server.mail(({ headers }) => /new password/.test(headers.subject));
  const secret = token(w, mail);
  const { text, headers } = await new Person(w).get(mail.path);
  assert.equal(headers["referrer-policy"], "no-referrer");
  assert.equal(headers["cache-control"], "no-store");
  assert.match(text, /<meta name="referrer" content="same-origin">/); // for forms, which need an Origin
  assert.match(headers["content-security-policy"], /^default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self';.* form-action 'self'$/);
  const elsewhere = [...text.matchAll(/(?:src|href|action|content)="(https?:[^"]*)"/g)].map(([, url]) => url);
  assert.deepEqual(elsewhere, []);
  // The choice of a language or theme leads back to the page, and nowhere else.
  const back = await new Person(w).post("/display", formTo(text, "/display").filled({ button: { theme: "dark" } }));
  assert.deepEqual([back.headers.location, back.headers["referrer-policy"]], [mail.path, "no-referrer"]);
  assert.ok(!w.services.some(({ err }) => err.includes(secret)));
});

test("a request for a link takes the same work for every address", async (t) => {
  const { w, server } = await mailStage(t);
  await addPerson(w, "grace", { email: "grace@example.org" });
  await server.mail(({ to }) => to[0] === "grace@example.org");
  await until("an empty outbox", async () => (await number(w, "SELECT COUNT(*) FROM outbox")) === 0);
  await server.become("stall");
  await forgot(w, ADDRESS); // keeps the thread that sends email busy
  await server.happened("stalled");
  const tables = ["outbox", "one_time_link", "session", "recovery_code", "user_account"];
  const counts = async () => Promise.all(tables.map((table) => number(w, `SELECT COUNT(*) FROM ${table}`)));
  const known = ["ada@example.org", "nobody@example.org", "grace@example.org"];
  for (const address of known) {
    const before = await counts();
    assert.equal((await forgot(w, address)).status, 303);
    // Housekeeping may delete expired sessions meanwhile.
    assert.deepEqual((await counts()).map((count, i) => Math.max(0, count - before[i])), [1, 0, 0, 0, 0], address);
  }
  const same = "SELECT COUNT(*) FROM outbox WHERE kind = 'reset' AND user_id IS NULL AND detail IS NULL AND tries = 0";
  assert.equal(await number(w, same), known.length);
  await server.become("accept");
});

test("notices: a sign-in on a new device, a changed password, a new app, and a changed address", async (t) => {
  const { w, server, ada, app } = await mailStage(t);
  await ada.signIn();
  assert.deepEqual(notices(server, /sign-in/), [], "a known browser");
  const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0";
  await new Person(w).post("/signin", { username: "ada", password: ada.password }, { "user-agent": firefox });
  const seen = await server.mail(({ headers }) => /New sign-in/.test(headers.subject));
  assert.match(seen.plain.replaceAll("\n", " "), /on a new device: Firefox on Linux, 127\.0\.0\.1/);
  const request = app.request({ scope: "profile:read" });
  assertBack(await ada.through(await ada.get(request.path)), request, {});
  await server.mail(({ headers }) => headers.subject === "Concert Finder is connected to your account");
  const again = app.request({ scope: "profile:read music_preferences" });
  assertBack(await ada.through(await ada.get(again.path)), again, {});
  w.secrets.add(NEW);
  await press(ada, "/account/security", "/account/security/password", { typed: { new_password: NEW } });
  ada.password = NEW;
  await server.mail(({ headers }) => headers.subject === "Your password was changed");
  assert.equal(notices(server, /is connected/).length, 1, "only the first time");
  await confirm(w, server, ada, "countess@example.org");
  const moved = await server.mail(({ headers }) => headers.subject === "Your email address was changed");
  assert.deepEqual(moved.to, [ADDRESS]);
});

test("names cannot add headers, and other scripts arrive readable", async (t) => {
  const { w, server, ada } = await mailStage(t);
  const { addApp } = await import("../kit/oauth.mjs");
  const app = await addApp(w, { name: "Bcc: Zoë & <b>友</b> des très longs noms d'applications" });
  const request = app.request({ scope: "profile:read" });
  assertBack(await ada.through(await ada.get(request.path)), request, {});
  const mail = await server.mail(({ plain }) => plain.includes("You connected"));
  assert.deepEqual(Object.keys(mail.headers).sort(), ["auto-submitted", "content-language", "content-type", "date", "from", "message-id", "mime-version", "subject", "to"]);
  const decoded = mail.headers.subject.replaceAll(/\?= =\?UTF-8\?Q\?/g, "").replace(/^=\?UTF-8\?Q\?(.*)\?=$/, "$1").replaceAll("_", " ");
  assert.equal(Buffer.from(decoded.replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16))), "latin1").toString(), `${app.name} is connected to your account`);
  assert.ok(mail.plain.includes(app.name) && mail.html.includes("&lt;b&gt;友&lt;/b&gt;"), mail.raw);
});

test("a mail server that is down, refuses, stalls, or dies loses nothing that can be delivered and blocks no request", async (t) => {
  const { w, server } = await mailStage(t);
  const next = () => w.clock.forward(2 * HOUR); // past every pause between two tries
  for (const [mode, event] of [["later", "later"], ["die", "died"]]) {
    const before = resets(server).length;
    const count = server.events.filter((one) => one.event === event).length;
    await server.become(mode);
    assert.equal((await forgot(w, ADDRESS)).status, 303);
    await server.happened(event, count + 1);
    await server.become("accept");
    await until("the failure is stored", async () => (await number(w, "SELECT COUNT(*) FROM outbox WHERE tries = 1")) === 1);
    await w.service.logged("a failed try", (line) => line.event === "mail_failed");
    next();
    await until(`the email after ${mode}`, () => resets(server).length === before + 1);
  }
  // A stalled connection ends when the service stops, and the email is sent after the restart.
  await server.become("stall");
  assert.equal((await forgot(w, ADDRESS)).status, 303);
  await server.happened("stalled");
  assert.equal((await w.get("/signin")).status, 200);
  await w.stop(10_000);
  await server.become("accept");
  const before = resets(server).length;
  await w.start();
  next();
  await until("the email after a stall", () => resets(server).length === before + 1);
  // Refused for good: given up, and the log names neither address nor link.
  await server.become("refuse");
  assert.equal((await forgot(w, ADDRESS)).status, 303);
  await server.happened("refused");
  await until("an empty outbox", async () => (await number(w, "SELECT COUNT(*) FROM outbox")) === 0);
  await server.become("accept");
  for (const mail of server.mails) if (mail.link.includes("token=")) token(w, mail);
  assert.ok(!w.services.some(({ err }) => err.includes(ADDRESS)), "the log has an address");
});

test("kill -9 between accepting a request and delivering the email sends it after the restart", async (t) => {
  const { w, server } = await mailStage(t);
  await server.become("stall");
  assert.equal((await forgot(w, ADDRESS)).status, 303);
  await server.happened("stalled"); // the message is with the server, which has not accepted it
  await w.kill();
  await server.stop();
  const again = await mailServer(t, { port: server.port });
  w.clock.forward(5 * MINUTE + 1);
  await w.start();
  const mail = await again.mail();
  assert.match(mail.headers.subject, /new password/);
  token(w, mail);
  assertPage(await new Person(w).get(mail.path));
});

test("requests for emails are limited per recipient and network, and the outbox is bounded", async (t) => {
  const { w, server } = await mailStage(t, { settings: { "rate-mail": 3 } });
  await server.become("later");
  const statuses = [];
  for (let i = 0; i < 5; i++) statuses.push((await forgot(w, `flood${i}@example.org`)).status);
  assert.deepEqual(statuses, [303, 303, 303, 429, 429]);
  // With an account: a request for an unknown address is deleted as soon as it is looked up.
  const { w: open } = await mailStage(t, { confirmed: false, settings: { "smtp-url": "smtp://127.0.0.1:1" } });
  await userCommand(open, "set", "ada", "--email", "one@example.org");
  for (let i = 0; i < 14; i++) assert.equal((await forgot(open, "one@example.org")).status, 303);
  assert.equal(await number(open, "SELECT COUNT(*) FROM outbox"), 10);
});
