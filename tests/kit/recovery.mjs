// Makes recovery codes and uses them on the pages.

import assert from "node:assert/strict";
import { press } from "./account.mjs";
import { formTo } from "./html.mjs";
import { Person } from "./oauth.mjs";

const SECURITY = "/account/security";
export const CODES = `${SECURITY}/codes`;
export const NEW = "seven quiet lanterns by the harbor";

export async function makeCodes(person) {
  const page = await press(person, SECURITY, CODES, { status: 200 });
  assert.match(page.headers["cache-control"], /no-store/);
  const codes = [...page.text.matchAll(/<code>([a-z2-9-]+)<\/code>/g)].map(([, code]) => code);
  assert.equal(new Set(codes).size, 10);
  for (const code of codes) {
    assert.match(code, /^([a-z2-9]{4}-){3}[a-z2-9]{4}$/);
    person.w.secrets.add(code);
  }
  return codes;
}

export async function recover(w, { username = "ada", code, new_password = NEW }, headers) {
  const browser = new Person(w);
  w.secrets.add(new_password);
  const form = formTo((await browser.get("/recover")).text, "/recover");
  return browser.post("/recover", form.filled({ typed: { username, code, new_password } }), headers);
}

export const signsIn = async (w, password, username = "ada") => (await new Person(w, { username, password }).signIn()).status === 303;
