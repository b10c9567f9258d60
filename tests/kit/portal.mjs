// Uses the developer portal without a browser: the forms of the real pages, and the rejected requests on
// the app's page.

import assert from "node:assert/strict";
import { assertPage } from "./expect.mjs";
import { formTo, textOf, unescape } from "./html.mjs";
import { App, CALLBACK } from "./oauth.mjs";

// Fills in the form that registers an app and returns the resulting page.
export async function register(person, { name = "Concert Finder", uris = [CALLBACK], scopes = ["agent_hints"], kind = "confidential", ...links } = {}) {
  const page = await person.get("/developer/apps/new");
  assertPage(page);
  const form = formTo(page.text, "/developer/apps/new");
  const fields = form.filled({ typed: { name, redirect_uris: uris.join("\r\n"), ...links }, ticks: scopes, chosen: { kind } });
  return { page, fields, answer: await person.post("/developer/apps/new", fields) };
}

const valueOf = (html, id) => unescape(new RegExp(`id="${id}"[^>]*\\svalue="([^"]*)"`).exec(html)?.[1] ?? "");

// Registers an app and returns it as an App, with the ID and secret from the page.
export async function registered(person, params = {}) {
  const { answer } = await register(person, params);
  assertPage(answer, 200);
  const app = new App(person.w, {
    client_id: valueOf(answer.text, "client_id"),
    client_secret: valueOf(answer.text, "secret"),
    name: params.name ?? "Concert Finder",
    redirect_uri: (params.uris ?? [CALLBACK])[0],
    scope: (params.scopes ?? ["agent_hints"]).join(" "),
  });
  assert.match(app.client_id, /^app_[A-Za-z0-9_-]{22}$/);
  assert.match(app.client_secret, /^pn_cs_[A-Za-z0-9_-]{49}$/);
  person.w.secrets.add(app.client_secret);
  return app;
}

export async function pageOf(person, app, below = "") {
  return person.get(`/developer/apps/${app.client_id}${below}`);
}

// The recent rejected requests of the page, newest first.
export async function refusals(person, app) {
  const page = await pageOf(person, app);
  assertPage(page);
  return [...page.text.matchAll(/<li class="row refusal">(.*?)<\/li>/gs)].map(([, inner]) => {
    const codes = [...inner.matchAll(/<code[^>]*>([^<]*)<\/code>/g)].map(([, text]) => unescape(text));
    const at = codes.findIndex((text) => /^(GET|POST) \//.test(text));
    return {
      reason: textOf(/<p class="row-title">(.*?)<\/p>/s.exec(inner)[1]),
      detail: at > 0 ? codes[0] : "",
      endpoint: codes[at],
      error: codes[at + 1] ?? "",
      times: textOf(/<span>(.*?)<\/span>/s.exec(inner)[1]),
    };
  });
}
