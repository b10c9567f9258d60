// The footer's form: language and colors of the pages.

import assert from "node:assert/strict";
import test from "node:test";
import { assertPage } from "../kit/expect.mjs";
import { formTo } from "../kit/html.mjs";
import { Person, stage } from "../kit/oauth.mjs";
import { world } from "../kit/world.mjs";

const footer = async (person, where) => formTo((await person.get(where)).text, "/display");
const choose = async (person, where, button) => person.post("/display", (await footer(person, where)).filled({ button }));

test("colors follow the system until the user chooses them, and again after that", async (t) => {
  const w = await world(t);
  const person = new Person(w);
  const dark = /<link rel="stylesheet" href="\/assets\/dark\.css[^"]*" media="([^"]*)">/;
  const colors = async () => {
    const { text } = await person.get("/signin");
    return [dark.exec(text)?.[1], /name="color-scheme" content="([^"]*)"/.exec(text)[1], /value="(\w+)" aria-pressed="true"/.exec(text.slice(text.indexOf('name="theme"')))[1]];
  };
  const system = ["screen and (prefers-color-scheme: dark)", "light dark", "system"];
  assert.deepEqual(await colors(), system);
  const answer = await choose(person, "/signin?next=%2Faccount%2Fapps", { theme: "dark" });
  assert.deepEqual([answer.status, answer.headers.location], [303, "/signin?next=%2Faccount%2Fapps"]);
  assert.match(answer.headers["set-cookie"].join(), /^penchant-theme=dark; Path=\/; Max-Age=31536000; HttpOnly; SameSite=Lax$/);
  assert.deepEqual(await colors(), ["screen", "dark", "dark"]);
  await choose(person, "/signin", { theme: "light" });
  assert.deepEqual(await colors(), [undefined, "light", "light"]);
  await choose(person, "/signin", { theme: "system" });
  assert.equal(person.cookies.size, 0);
  assert.deepEqual(await colors(), system);
  person.cookies.set("penchant-theme", '"><script>');
  assert.deepEqual(await colors(), system);
});

test("the choice returns to a page of this service and nowhere else", async (t) => {
  const w = await world(t);
  const person = new Person(w);
  for (const to of ["//evil.example", "https://evil.example", "/\\evil.example", "/a\r\nSet-Cookie: x=y", "", `/${"a".repeat(9000)}`]) {
    const { status, headers } = await person.post("/display", { theme: "dark", to });
    assert.ok(status === 400 || headers.location === "/", `${to}: ${status} ${headers.location}`);
  }
  assertPage(await person.post("/display", { theme: "pink", to: "/" }), 400);
  assertPage(await person.post("/display", { language: "tlh", to: "/" }), 400);
  assertPage(await person.post("/display", { to: "/" }), 400);
  assertPage(await person.post("/display", { theme: "dark" }, { origin: "https://evil.example", "sec-fetch-site": "cross-site" }), 403);
  // A page that only a form shows cannot be returned to.
  const refused = await person.post("/signup", { username: "x" });
  assert.equal(formTo(refused.text, "/display").value("to"), "/signup");
});

test("the language of a signed-in user changes only with the form of that session", async (t) => {
  const { w, ada } = await stage(t);
  await ada.signIn();
  assertPage(await ada.post("/display", { language: "en", to: "/account" }), 403);
  assertPage(await ada.post("/display", { language: "en", form: "x".repeat(43), to: "/account" }), 403);
  const answer = await ada.post("/display", { language: "en", form: (await footer(ada, "/account")).value("form"), to: "/account" });
  assert.deepEqual([answer.status, answer.headers.location], [303, "/account"]);
  assert.equal((await w.users()).find(({ username }) => username === "ada").language, "en");
});
