// /account/welcome without a browser: what is stored, what is refused.

import assert from "node:assert/strict";
import test from "node:test";
import { mainText, open, press } from "../kit/account.mjs";
import { addPerson, Person, stage } from "../kit/oauth.mjs";
import { world } from "../kit/world.mjs";

const WELCOME = "/account/welcome";

test("answers to the questions are the user's own facts; skipping stores nothing; a forged answer is rejected", async (t) => {
  const w = await world(t);
  const ada = await addPerson(w, "ada");
  const form = /name="form" value="([^"]+)"/.exec((await open(ada, WELCOME)).text)[1];
  const post = (fields) => ada.post(WELCOME, [["form", form], ...fields]);
  const none = await post([["step", "1"]]);
  assert.equal(none.headers.location, `${WELCOME}?step=2`);
  assert.doesNotMatch((await ada.get("/account/data/export")).text, /"value"/);
  const two = await post([["step", "1"], ["value", "peanuts"], ["value", "milk"]]);
  assert.equal(two.headers.location, `${WELCOME}?step=2`);
  const { domains } = JSON.parse((await ada.get("/account/data/export")).text);
  assert.deepEqual(domains.food_profile.preferences.allergies, ["peanuts", "milk"]);
  assert.deepEqual(domains.food_profile.atoms.map(({ by_user }) => by_user), [true, true]);
  const wrong = await post([["step", "1"], ["value", "x".repeat(300)]]);
  assert.equal(wrong.status, 400);
  assert.match(mainText(wrong), /Allergies/);
  assert.equal((await post([["step", "99"]])).status, 404);
  assert.equal((await ada.get(`${WELCOME}?step=0`)).status, 400);
  assert.equal((await new Person(w).get(WELCOME)).status, 303);
  assert.equal((await ada.post(WELCOME, [["step", "1"], ["value", "eggs"]])).status, 403);
  assert.match(mainText(await open(ada, `${WELCOME}?step=99`)), /This is what an assistant would know now.*peanuts/);
});

test("a user whom an app sent goes to consent, not to the questions", async (t) => {
  const { w, app } = await stage(t, { signedIn: false });
  const grace = new Person(w);
  const signIn = await grace.get(grace.ownPage(await grace.get(app.request().path)));
  const [, link] = /href="(\/signup[^"]*)"/.exec(signIn.text);
  const page = await grace.get(link.replaceAll("&amp;", "&"));
  const made = await press(grace, page, "/signup", { typed: { username: "grace", password: grace.password } });
  assert.match(made.headers.location ?? made.text, /consent/);
});
