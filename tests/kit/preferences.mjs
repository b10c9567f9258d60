// The preferences API as an app uses it: a Client has a token of one user for one app.

import assert from "node:assert/strict";
import { assertCommon, assertError } from "./expect.mjs";
import { addApp, DAY, stage } from "./oauth.mjs";

// Members whose values wait for the user if an app writes them: statements, critical facts outside the vocabulary, and how to
// answer outside the vocabulary, which concerns every request.
export const WAITING = [
  "statements", "allergies", "intolerances", "medical_diets", "accessibility_needs", "reading_aids",
  "answer_accessibility", "answer_languages", "avoided_languages", "pronouns", "tones", "avoided_tones", "formats", "avoided_formats", "currency",
];

export const READ_WRITE = "preferences:read preferences:write";
export const MUSIC = "music_preferences";
export const FOOD = "food_profile";

// The response to a write: the given counts, all others 0.
export const counts = (named) => ({ added: 0, updated: 0, unchanged: 0, suppressed: 0, held: 0, ...named });

// A world with the user ada and one connected app.
export async function connected(t, { scope = READ_WRITE, ...options } = {}) {
  const { w, ada, app } = await stage(t, options);
  return { w, ada, app, api: await Client.connect(ada, app, { scope }) };
}

// Another app, connected to the same user.
export async function secondApp(w, person, { scope = READ_WRITE, name = "Dinner Planner" } = {}) {
  return Client.connect(person, await addApp(w, { owner: "ada", name }), { scope });
}

export class Client {
  constructor(w, { app, access_token, refresh_token }) {
    Object.assign(this, { w, app, token: access_token, refresh_token });
  }

  static async connect(person, app, params = { scope: READ_WRITE }) {
    return new Client(person.w, await person.connect(app, params));
  }

  // Gets a new token, because tokens expire after an hour.
  async renew() {
    const { status, text, data } = await this.app.refresh(this.refresh_token);
    assert.equal(status, 200, text);
    Object.assign(this, { token: data.access_token, refresh_token: data.refresh_token });
  }

  ask(method, where, { headers, ...rest } = {}) {
    return this.w.ask(method, `/v1/${where}`, { ...rest, headers: { authorization: `Bearer ${this.token}`, ...headers } });
  }

  get(where, headers) {
    return this.ask("GET", where, { headers });
  }

  send(domain, preferences) {
    return this.ask("POST", `preferences/${domain}`, { json: { preferences } });
  }

  suppressing(atom_id, reason = "not_accurate") {
    return this.ask("POST", "preferences/suppress", { json: { atom_id, reason } });
  }

  // The same for requests that must succeed; returns the body.
  async read(where) {
    return fine(await this.get(where));
  }

  async record(domain) {
    return (await this.read(`preferences/${domain}`)).preferences;
  }

  async atoms(query = "limit=100") {
    return (await this.read(`preferences/atoms?${query}`)).atoms;
  }

  async atom(value, query = "limit=100&status=all") {
    return (await this.atoms(query)).find((atom) => atom.value === value);
  }

  async write(domain, preferences) {
    return fine(await this.send(domain, preferences));
  }

  // Returns only the five counts.
  async merge(domain, preferences) {
    const { added, updated, unchanged, suppressed, held } = await this.write(domain, preferences);
    return { added, updated, unchanged, suppressed, held };
  }

  async suppress(value, reason) {
    const { atom_id } = await this.atom(value);
    return fine(await this.suppressing(atom_id, reason));
  }

  // Moves the clock forward by days and gives the clients new tokens.
  static async daysLater(days, ...clients) {
    clients[0].w.clock.forward(days * DAY);
    for (const client of clients) await client.renew();
  }
}

export function fine(answer) {
  assert.equal(answer.status, 200, answer.text);
  assertCommon(answer);
  assert.match(answer.headers["content-type"], /^application\/json(; charset=utf-8)?$/);
  return answer.data;
}

// Rejected with exactly these details.
export function assertDetails(answer, wanted) {
  assertError(answer, 400);
  const { details = [] } = answer.data;
  assert.deepEqual(details.map(({ at }) => at), wanted.map(([at]) => at), answer.text);
  for (const [i, [at, problem]] of wanted.entries()) assert.match(details[i].problem, problem, at);
}

// 403 that names the scopes which would allow the request.
export function assertScopeNeeded(answer, scope) {
  assertError(answer, 403, "insufficient_scope");
  const [, named] = /scope="([^"]*)"/.exec(answer.headers["www-authenticate"] ?? "") ?? [];
  assert.match(answer.headers["www-authenticate"] ?? "", /^Bearer .*error="insufficient_scope"/);
  assert.deepEqual((named ?? "").split(" ").sort(), scope.split(" ").sort());
}
