// The account pages as a person without a screen uses them: opens a page, fills one of its forms,
// sends it and goes where it leads. What a page does not offer cannot be sent.

import assert from "node:assert/strict";
import { assertPage } from "./expect.mjs";
import { formTo, textOf } from "./html.mjs";
import { assertPrivate } from "./oauth.mjs";

export const SAME_SITE = { "sec-fetch-site": "same-origin" };

// A page of ours, as it must be.
export async function open(person, where, status = 200) {
  const page = await person.get(where, SAME_SITE);
  assert.equal(page.status, status, `${where}: ${page.headers.location ?? textOf(page.text)}`);
  assertPage(page, status);
  return page;
}

export function formOn(page, action) {
  const form = formTo(page.text, action);
  assert.ok(form, `there is no form to ${action}: ${textOf(page.text)}`);
  return form;
}

// Sends a form of a page and gives the page it leads to; with { status } the answer itself.
export async function press(person, where, action, { status = 303, ...choice } = {}) {
  const page = typeof where === "string" ? await open(person, where) : where;
  const answer = await person.post(action, formOn(page, action).filled(choice));
  assert.equal(answer.status, status, `${action}: ${textOf(answer.text)}`);
  if (status !== 303) {
    assertPage(answer, status);
    return answer;
  }
  assertPrivate(answer);
  const next = person.ownPage(answer);
  assert.ok(next, `${action} leads to ${answer.headers.location}`);
  return person.get(next.split("#")[0], SAME_SITE);
}

// What a page tells after something was done.
export const told = (page) => /<div class="flash"[^>]*>([^]*?)<\/div>/.exec(page.text)?.[1]?.replace(/<form[^]*/, "") ?? "";
export const says = (page) => textOf(page.text.replace(/^[^]*?<main/, "<main").replace(/<\/main>[^]*$/, ""));
