// Uses the account pages without a browser: opens a page, fills in a form, sends it, and follows the
// redirect. Only fields that the page contains can be sent.

import assert from "node:assert/strict";
import { assertPage } from "./expect.mjs";
import { formTo, textOf } from "./html.mjs";
import { assertPrivate } from "./oauth.mjs";

export const SAME_SITE = { "sec-fetch-site": "same-origin" };

// Checks the properties that every page must have.
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

// Sends a form of a page and returns the page it redirects to; with { status }, the response itself.
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

// Types the password on the confirm page, as before a sensitive change.
export const confirmed = (person) => press(person, "/account/confirm", "/account/confirm", { typed: { password: person.password } });

// The message that a page shows after an action.
export const flashOf = (page) => /<div class="flash"[^>]*>([^]*?)<\/div>/.exec(page.text)?.[1]?.replace(/<form[^]*/, "") ?? "";
// The text of a page without its header and footer.
export const mainText = (page) => textOf(page.text.replace(/^[^]*?<main/, "<main").replace(/<\/main>[^]*$/, ""));

// A member's part of a page: from its heading to the next.
export const part = (page, member) => new RegExp(`<section class="member" id="${member}"[^]*?</section>`).exec(page.text)?.[0] ?? "";

// Opens the input of one member and submits its form.
export async function state(person, domain, member, value, { status = 303, ...more } = {}) {
  const page = await open(person, `/account/domains/${domain}?edit=${member}`);
  const token = /name="form" value="([^"]+)"/.exec(part(page, member))?.[1];
  assert.ok(token, `${member} has no form`);
  const answer = await person.post(`/account/domains/${domain}`, { form: token, member, ...(value === undefined ? {} : { value }), ...more });
  assert.equal(answer.status, status, answer.text);
  return status === 303 ? person.get(answer.headers.location.split("#")[0], SAME_SITE) : answer;
}

// Uploads a PNG file as the picture of a user, through the form of the profile page.
export async function uploadPicture(person, bytes, { form, name = "file" } = {}) {
  const token = form ?? /name="form" value="([^"]+)"/.exec((await open(person, "/account/profile")).text)[1];
  const part = (field, value, more = "") => Buffer.concat([Buffer.from(`--x\r\nContent-Disposition: form-data; name="${field}"${more}\r\n\r\n`), Buffer.from(value), Buffer.from("\r\n")]);
  const body = Buffer.concat([part("form", token), part(name, bytes, '; filename="me.png"\r\nContent-Type: image/png'), Buffer.from("--x--\r\n")]);
  return person.ask("POST", "/account/profile/picture", { body, headers: { origin: person.w.publicOrigin(), "sec-fetch-site": "same-origin", "content-type": "multipart/form-data; boundary=x" } });
}
