// Ways back into an account without the password: recovery codes, and links of the operator.

import assert from "node:assert/strict";
import test from "node:test";
import { confirmed, flashOf, mainText, open, press } from "../kit/account.mjs";
import { assertPage } from "../kit/expect.mjs";
import { formTo, textOf } from "../kit/html.mjs";
import { CODES, makeCodes, NEW, recover, signsIn } from "../kit/recovery.mjs";
import { addPerson, assertPrivate, DAY, MINUTE, Person, stage, userCommand } from "../kit/oauth.mjs";

const SECURITY = "/account/security";
const OTHER = "nine copper kites above the marsh";

const isSignedIn = async (person) => (await person.get(SECURITY)).status === 200;

async function link(w, username = "ada") {
  const { link, expires_at } = await userCommand(w, "recover", username);
  w.secrets.add(new URL(link).searchParams.get("token"));
  const { origin, pathname, search } = new URL(link);
  return { origin, where: pathname + search, expires_at };
}

async function reset(person, where, new_password = NEW) {
  person.w.secrets.add(new_password);
  const page = await person.get(where);
  assertPage(page);
  return person.post("/reset", formTo(page.text, "/reset").filled({ typed: { new_password } }));
}

test("a recovery code sets a new password once, ends every session, and keeps the apps", async (t) => {
  const { w, ada, app } = await stage(t);
  const set = await ada.connect(app);
  const [first, second] = await makeCodes(ada);
  assert.match(mainText(await open(ada, SECURITY)), /You have 10 unused codes\./);
  const answer = await recover(w, { code: first });
  assert.deepEqual([answer.status, answer.headers.location], [303, "/signin"]);
  assertPrivate(answer);
  assert.deepEqual([await isSignedIn(ada), await signsIn(w, ada.password), await signsIn(w, NEW)], [false, false, true]);
  assert.equal((await app.userinfo(set.access_token)).status, 200);
  assert.equal((await recover(w, { code: first, new_password: OTHER })).status, 401, "a used code");
  // As people copy it: upper case, blanks instead of hyphens, with the email address.
  assert.equal((await recover(w, { username: " ADA ", code: ` ${second.toUpperCase().replaceAll("-", " ")} `, new_password: OTHER })).status, 303);
  assert.equal(await signsIn(w, OTHER), true);
});

test("new codes need a recent password and replace the old ones", async (t) => {
  const { w, ada } = await stage(t);
  const [old] = await makeCodes(ada);
  const form = formTo((await open(ada, SECURITY)).text, CODES).filled();
  w.clock.forward(5 * MINUTE);
  assert.equal(formTo((await open(ada, SECURITY)).text, CODES), undefined);
  assert.match((await ada.post(CODES, form)).headers.location, /^\/account\/confirm\?/);
  await confirmed(ada);
  const [fresh] = await makeCodes(ada);
  assert.equal((await recover(w, { code: old })).status, 401);
  assert.equal((await recover(w, { code: fresh })).status, 303);
  assert.doesNotMatch((await open(await addPerson(w, "grace"), SECURITY)).text, /unused code/);
});

test("a wrong code, an unknown user, another user's code, and a disabled account get the same response", async (t) => {
  const { w, ada } = await stage(t);
  const grace = await addPerson(w, "grace");
  const [code] = await makeCodes(ada);
  const [other] = await makeCodes(grace);
  const wrong = "aaaa-bbbb-cccc-dddd";
  const answers = [
    await recover(w, { code: wrong }), await recover(w, { username: "nobody", code: wrong }), await recover(w, { username: "nobody", code }),
    await recover(w, { code: other }), await recover(w, { code: "" }), await recover(w, { code: `${code}a` }), await recover(w, { username: "", code }),
  ];
  await userCommand(w, "disable", "ada");
  answers.push(await recover(w, { code }));
  for (const answer of answers) {
    assertPage(answer, 401);
    assert.match(textOf(answer.text), /Wrong username or recovery code\./);
  }
  const bare = (answer) => answer.text.replaceAll(/value="[^"]*"/g, "");
  assert.equal(new Set(answers.map(bare)).size, 1);
  await userCommand(w, "enable", "ada");
  assert.deepEqual([await signsIn(w, ada.password), await signsIn(w, grace.password, "grace")], [true, true]);
  assert.equal((await recover(w, { code })).status, 303, "a refused attempt does not use the code");
});

test("a weak password is rejected at its field, and code and link stay valid", async (t) => {
  const { w, ada } = await stage(t);
  const [code] = await makeCodes(ada);
  const weak = await recover(w, { code, new_password: "short" });
  assertPage(weak, 400);
  assert.match(textOf(weak.text), /at least 10 characters/);
  assert.ok(!weak.text.includes(code), "the page repeats the code");
  const { where } = await link(w);
  assertPage(await reset(new Person(w), where, "short"), 400);
  assert.equal(await signsIn(w, ada.password), true);
  assert.equal((await recover(w, { code })).status, 303);
});

test("guessing codes is limited like guessing passwords", async (t) => {
  const { w, ada } = await stage(t, { settings: { "rate-signin": 3 } });
  const [code] = await makeCodes(ada);
  for (let i = 0; i < 3; i++) assert.equal((await recover(w, { code: "aaaa-bbbb-cccc-dddd" })).status, 401);
  const late = await recover(w, { code });
  assertPage(late, 429);
  assert.match(textOf(late.text), /Too many failed attempts/);
  assert.equal(await isSignedIn(ada), true);
});

test("of many parallel uses of one code or one link exactly one succeeds", async (t) => {
  const { w, ada } = await stage(t);
  const [code] = await makeCodes(ada);
  const codes = await Promise.all(Array.from({ length: 8 }, (_, i) => recover(w, { code, new_password: `${NEW} ${i}` })));
  assert.deepEqual(codes.map(({ status }) => status).sort(), [303, ...Array(7).fill(401)]);
  const { where } = await link(w);
  const links = await Promise.all(Array.from({ length: 8 }, async (_, i) => {
    const token = new URLSearchParams(where.split("?")[1]).get("token");
    return new Person(w).post("/reset", { token, new_password: `${OTHER} ${i}` });
  }));
  assert.deepEqual(links.map(({ status }) => status).sort(), [303, ...Array(7).fill(400)]);
});

test("penchant user recover prints a link that works once, for a day, and ends the sessions", async (t) => {
  const { w, ada } = await stage(t);
  const first = await link(w);
  // On PostgreSQL the command runs beside the service and knows only its own settings.
  assert.equal(first.origin, w.kind === "sqlite" ? w.origin : "http://127.0.0.1:8080");
  assert.match(first.where, /^\/reset\?token=pn_li_/);
  if (w.kind === "sqlite") assert.equal(first.expires_at, "2027-01-16T08:00:00Z");
  const page = await new Person(w).get(first.where);
  assertPage(page);
  assert.equal(page.headers["referrer-policy"], "no-referrer");
  assert.doesNotMatch(page.text, /(?:src|href)="https?:/, "something of another site would be loaded");
  assert.equal(await isSignedIn(ada), true, "opening a link changes nothing");
  const { where } = await link(w);
  assert.equal((await reset(new Person(w), where)).status, 303);
  assert.deepEqual([await isSignedIn(ada), await signsIn(w, NEW), await signsIn(w, ada.password)], [false, true, false]);
  for (const used of [where, first.where]) assertPage(await new Person(w).get(used), 400);
  const text = await w.command("user", "recover", "ada");
  assert.match(text.out, /^http\S+\/reset\?token=pn_li_\S{49}\n$/);
  w.secrets.add(/token=(\S+)/.exec(text.out)[1]);
  const nobody = await w.command("user", "recover", "nobody");
  assert.deepEqual([nobody.status, nobody.err], [1, "penchant: there is no user nobody\n"]);
});

test("a link is invalid after its lifetime, a password change, or deletion of the account", async (t) => {
  const { w, ada } = await stage(t);
  const gone = async (where) => {
    const page = await new Person(w).get(where);
    assertPage(page, 400);
    assert.match(textOf(page.text), /This link doesn't work anymore/);
    const token = new URLSearchParams(where.split("?")[1]).get("token");
    assert.equal((await new Person(w).post("/reset", { token, new_password: NEW })).status, 400);
  };
  const late = await link(w);
  w.clock.forward(DAY + 1);
  await gone(late.where);
  await gone(`${late.where}x`);
  await gone("/reset?token=");
  const changed = await link(w);
  w.secrets.add(OTHER);
  await confirmed(ada);
  assert.match(flashOf(await press(ada, SECURITY, `${SECURITY}/password`, { typed: { new_password: OTHER } })), /Password changed/);
  await gone(changed.where);
  const disabled = await link(w);
  await userCommand(w, "disable", "ada");
  await gone(disabled.where);
  await userCommand(w, "enable", "ada");
  const deleted = await link(w);
  await userCommand(w, "delete", "ada");
  await gone(deleted.where);
});

test("links are made from the settings, never from the Host header", async (t) => {
  const settings = { "base-url": "https://api.penchant.example", "auth-url": "https://id.penchant.example" };
  const { w } = await stage(t, { settings });
  const flags = w.kind === "sqlite" ? [] : Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const { link: made } = await userCommand(w, "recover", "ada", ...flags);
  assert.ok(made.startsWith("https://id.penchant.example/reset?token="), made);
  w.secrets.add(new URL(made).searchParams.get("token"));
});

test("the sign-in page leads to the ways back", async (t) => {
  const { w } = await stage(t);
  assert.match((await w.get("/signin")).text, /href="\/forgot"/);
  const page = await w.get("/forgot");
  assertPage(page);
  assert.match(page.text, /href="\/recover"/);
  assert.match(textOf(page.text), /Ask the administrator/);
});
