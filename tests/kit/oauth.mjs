// Users and apps for OAuth tests. A Person acts as a browser: it keeps cookies, reads the forms of the
// real pages, and sends what a browser would. An App knows its secret and the endpoints. stage() is a
// world with one of each.

import assert from "node:assert/strict";
import crypto from "node:crypto";
import { assertCommon, assertError, assertPage } from "./expect.mjs";
import { formTo, textOf } from "./html.mjs";
import { PASSWORD, world } from "./world.mjs";

export const CALLBACK = "https://app.example/callback";
export const NOW = 1_800_000_000; // where the stopped clock of a stage begins
export const DOMAINS = ["music_preferences", "food_profile", "travel_profile", "coding_profile", "communication_profile", "lifestyle_profile", "media_profile"];
export const SCOPES = ["preferences:read", "preferences:write", ...DOMAINS, "agent_hints", "profile:read"];
export const EVERYTHING = SCOPES.join(" ");

export const MINUTE = 60;
export const HOUR = 3600;
export const DAY = 24 * HOUR;

export const words = (scope) => scope.split(" ").filter(Boolean).sort();

export function pkce(verifier = crypto.randomBytes(32).toString("base64url")) {
  return { verifier, challenge: crypto.createHash("sha256").update(verifier).digest("base64url") };
}

// A world with the user ada, signed in, and an app that may request every scope. The clock is stopped.
export async function stage(t, { settings, app: params, username = "ada", signedIn = true, clock = NOW, ...options } = {}) {
  const w = await world(t, { ...options, settings: { "rate-auth": 0, "rate-signin": 0, "rate-api": 0, ...settings } });
  if (clock) w.clock.stop(clock);
  const ada = await addPerson(w, username, { signedIn });
  const app = await addApp(w, { owner: username, ...params });
  return { w, ada, app };
}

// { email, confirmed: true }: the operator confirms the address.
export async function addPerson(w, username, { password = PASSWORD, signedIn = true, confirmed = false, ...fields } = {}) {
  const person = new Person(w, { username, password });
  const answer = await w.signUp({ username, password, ...fields }, { headers: { "user-agent": NAVIGATION["user-agent"] } });
  assert.equal(answer.status, 303, answer.text);
  if (signedIn) for (const line of answer.headers["set-cookie"]) person.keep(line);
  if (confirmed) await userCommand(w, "set", username, "--email", fields.email);
  return person;
}

// Runs `penchant app …`, through the control socket if there is one, which saves a process.
export async function appCommand(w, ...args) {
  const done = await w.prepareBy(["app", ...args, "--json"]);
  assert.equal(done.status, 0, `app ${args.join(" ")}: ${done.err}`);
  return done.data;
}

export async function userCommand(w, ...args) {
  const done = w.kind === "sqlite" && w.service?.alive ? await w.control(["user", ...args, "--json"]) : await w.command("user", ...args, "--json");
  assert.equal(done.status, 0, `user ${args.join(" ")}: ${done.err}`);
  return done.data;
}

export async function addApp(w, { owner = "ada", name = "Concert Finder", redirect_uri = CALLBACK, redirect_uris = [redirect_uri], scope = EVERYTHING, isPublic = false } = {}) {
  const uris = redirect_uris.flatMap((uri) => ["--redirect-uri", uri]);
  const made = await appCommand(w, "add", "--owner", owner, "--name", name, ...uris, "--scope", scope, ...(isPublic ? ["--public"] : []));
  if (made.client_secret) w.secrets.add(made.client_secret);
  return new App(w, { ...made, name, redirect_uri: redirect_uris[0], scope });
}

// ---- an app ----

export class App {
  constructor(w, { client_id, client_secret, name, redirect_uri, scope }) {
    Object.assign(this, { w, client_id, client_secret, name, redirect_uri, scope });
  }

  get issuer() {
    return this.w.options.settings?.["base-url"] ?? this.w.origin;
  }

  get isPublic() {
    return this.client_secret === undefined;
  }

  // An authorization request: the URL for the browser, and what the app must remember. A parameter that
  // is undefined is left out; an array repeats the parameter.
  request({ verifier, ...more } = {}) {
    const { verifier: kept, challenge } = pkce(verifier);
    const sent = {
      client_id: this.client_id,
      redirect_uri: this.redirect_uri,
      response_type: "code",
      scope: this.scope,
      state: crypto.randomBytes(12).toString("base64url"),
      code_challenge: challenge,
      code_challenge_method: "S256",
      ...more,
    };
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(sent))
      for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) query.append(name, one);
    return { path: `/oauth/authorize?${query}`, verifier: kept, state: sent.state, redirect_uri: sent.redirect_uri, app: this };
  }

  get credentials() {
    const { client_id, client_secret } = this;
    return this.isPublic ? { client_id } : { client_id, client_secret };
  }

  get basic() {
    return basic(this.client_id, this.client_secret);
  }

  // Posts a form. Credentials go in the body, or with { by: "basic" } in the header, or not at all.
  async post(where, form, { by = "body", headers } = {}) {
    const fields = by === "body" ? { ...this.credentials, ...form } : form;
    const given = Object.entries(fields).filter(([, value]) => value !== undefined);
    const answer = await this.w.ask("POST", where, {
      form: given.flatMap(([name, value]) => (Array.isArray(value) ? value.map((one) => [name, one]) : [[name, value]])),
      headers: { ...(by === "basic" ? { authorization: this.basic } : {}), ...headers },
    });
    for (const name of ["access_token", "refresh_token"]) if (this.keepsSecrets && answer.data?.[name]) this.w.secrets.add(answer.data[name]);
    return answer;
  }

  keepsSecrets = true; // every token that was ever answered must not be in a log

  exchange({ code, verifier, redirect_uri = this.redirect_uri }, more = {}, options) {
    return this.post("/oauth/token", { grant_type: "authorization_code", code, redirect_uri, code_verifier: verifier, ...more }, options);
  }

  refresh(refresh_token, more = {}, options) {
    return this.post("/oauth/token", { grant_type: "refresh_token", refresh_token, ...more }, options);
  }

  introspect(token, more = {}, options = { by: "basic" }) {
    return this.post("/oauth/introspect", { token, ...more }, options);
  }

  revoke(token, more = {}, options = { by: this.isPublic ? "body" : "basic" }) {
    return this.post("/oauth/revoke", { token, ...more }, options);
  }

  userinfo(token) {
    return userinfo(this.w, token);
  }

  // The token's current scopes in order, or null if it is not active.
  async worth(token) {
    const { status, data, text } = await this.introspect(token);
    assert.equal(status, 200, text);
    if (data.active) return words(data.scope);
    assert.deepEqual(data, { active: false });
    return null;
  }
}

export const basic = (name, secret) => `Basic ${Buffer.from(`${name}:${secret}`).toString("base64")}`;

export const userinfo = (w, token, headers) =>
  w.get("/oauth/userinfo", { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers });

// ---- a person ----

export const NAVIGATION = {
  accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
  "sec-fetch-mode": "navigate",
  "sec-fetch-dest": "document",
  "user-agent": "Mozilla/5.0 (a person of the tests)",
};

export class Person {
  constructor(w, { username, password = PASSWORD } = {}) {
    Object.assign(this, { w, username, password, cookies: new Map() });
  }

  get cookieName() {
    return this.w.publicOrigin().startsWith("https:") ? "__Host-penchant" : "penchant";
  }

  get session() {
    return this.cookies.get(this.cookieName);
  }

  async ask(method, where, { form, headers, body } = {}) {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await this.w.ask(method, where, {
      form,
      body,
      headers: { ...NAVIGATION, ...(cookie ? { cookie } : {}), ...headers },
    });
    for (const line of answer.headers["set-cookie"] ?? []) this.keep(line);
    return answer;
  }

  keep(line) {
    const [, name, value, rest] = /^([^=;]+)=([^;]*)(.*)$/.exec(line);
    if (value === "" || /;\s*max-age=0\b/i.test(rest)) this.cookies.delete(name);
    else this.cookies.set(name, value);
    if (value.length > 20) this.w.secrets.add(value);
    this.lastCookie = line;
  }

  // Follows a link or redirect of an app: a cross-site request.
  get(where, headers = { "sec-fetch-site": "cross-site" }) {
    return this.ask("GET", where, { headers });
  }

  post(where, form, headers) {
    return this.ask("POST", where, { form, headers: { origin: this.w.publicOrigin(), "sec-fetch-site": "same-origin", ...headers } });
  }

  // The path on our site that a response redirects to, or null.
  ownPage({ status, headers: { location } }) {
    if (![302, 303].includes(status) || location === undefined) return null;
    if (location.startsWith(`${this.w.publicOrigin()}/`)) return location.slice(this.w.publicOrigin().length);
    return /^\/(?![/\\])/.test(location) ? location : null;
  }

  async signIn({ where = "/signin", password = this.password, username = this.username } = {}) {
    return this.fillSignIn(await this.get(where, { "sec-fetch-site": "none" }), { username, password });
  }

  fillSignIn(page, { username = this.username, password = this.password } = {}) {
    const form = formTo(page.text, "/signin");
    assert.ok(form, `there is no sign-in form: ${page.status} ${page.headers.location} ${textOf(page.text)}`);
    return this.post("/signin", form.filled({ typed: { username, password } }));
  }

  async signOut() {
    const form = formTo((await this.get("/")).text, "/signout");
    assert.equal((await this.post("/signout", form.filled())).status, 303);
    assert.equal(this.session, undefined);
  }

  // The consent page as text and form.
  consentForm(page) {
    const form = formTo(page.text, "/oauth/consent");
    assert.ok(form, `there is no consent form: ${page.status} ${page.headers.location} ${textOf(page.text)}`);
    return form;
  }

  // Without `ticks`, a test's user also shares what is sensitive, unless `sensitive` is false.
  decide(page, { ticks, term, chosen = {}, decision = "allow", sensitive = true } = {}) {
    const form = this.consentForm(page);
    if (!ticks && sensitive) ticks = [...new Set([...form.ticked("scope"), ...form.ticked("area"), ...form.choices("sensitive")])];
    // Tests move the clock by months: without another term, access does not end after the 30 days of the page.
    if (!term && /<option value="30d" selected>/.test(page.text)) term = "revoked";
    return this.post("/oauth/consent", form.filled({ ticks, chosen: { ...(term && { term }), ...chosen }, button: { decision } }));
  }

  // Follows redirects until a page or the app is reached: signs in if asked to, then decides.
  async through(answer, choice = {}) {
    for (let step = 0; step < 8; step++) {
      const next = this.ownPage(answer);
      if (next) answer = await this.get(next);
      else if (answer.status !== 200) return answer;
      else if (formTo(answer.text, "/oauth/consent")) answer = await this.decide(answer, choice);
      else if (formTo(answer.text, "/signin")) answer = await this.fillSignIn(answer);
      else return answer;
    }
    throw new Error("the pages lead in a circle");
  }

  // Follows redirects until the consent page is shown.
  async asked(app, params = {}) {
    const request = app.request(params);
    let page = await this.get(request.path);
    for (let next; (next = this.ownPage(page)); ) {
      page = await this.get(next);
      if (formTo(page.text, "/signin")) page = await this.fillSignIn(page);
    }
    assert.equal(page.status, 200, `${page.headers.location} ${textOf(page.text)}`);
    return { ...request, page, form: this.consentForm(page) };
  }

  // Runs the flow up to the redirect: returns the request with the code.
  async authorize(app, { ticks, term, chosen, decision, sensitive, ...params } = {}) {
    const request = app.request(params);
    const answer = await this.through(await this.get(request.path), { ticks, term, chosen, decision, sensitive });
    return { ...request, answer, ...back(answer, request) };
  }

  // Runs the flow and exchanges the code: also returns the token set.
  async connect(app, params) {
    const request = await this.authorize(app, params);
    assert.ok(request.code, `no code: ${request.answer.status} ${request.answer.headers.location ?? textOf(request.answer.text)}`);
    const answer = await app.exchange(request);
    assertTokens(answer);
    return { ...request, ...answer.data, app };
  }
}

// The parameters of the redirect to the app.
export function back(answer, { redirect_uri }) {
  const { location } = answer.headers;
  if (answer.status !== 303 || location === undefined || !location.startsWith(redirect_uri)) return {};
  const sent = [...new URL(location).searchParams];
  const had = [...new URL(redirect_uri).searchParams].length;
  const params = Object.fromEntries(sent.slice(had));
  assert.equal(Object.keys(params).length, sent.length - had, `a parameter twice: ${location}`);
  return { params, code: params.code };
}

// ---- assertions ----

// A redirect to the app with exactly these parameters, and headers that keep it private.
export function assertBack(answer, request, wanted) {
  assert.equal(answer.status, 303, `${answer.headers.location} ${textOf(answer.text)}`);
  assertCommon(answer);
  assertPrivate(answer);
  const { params } = back(answer, request);
  assert.ok(params, `it does not lead to ${request.redirect_uri}: ${answer.headers.location}`);
  assert.equal(params.iss, request.app.issuer, "iss");
  if (wanted.error) assertRefusal(params, wanted);
  else {
    assert.match(params.code ?? "", /^pn_ac_[A-Za-z0-9_-]{49}$/, answer.headers.location);
    assert.deepEqual(Object.keys(params).sort(), request.state === undefined ? ["code", "iss"] : ["code", "iss", "state"]);
  }
  if ("state" in wanted || request.state !== undefined) assert.equal(params.state, "state" in wanted ? wanted.state : request.state);
  else assert.ok(!("state" in params), "a state that was not sent");
  return params;
}

function assertRefusal(params, { error }) {
  assert.equal(params.error, error);
  assert.ok(!("code" in params), "an error with a code");
  // Only the characters that RFC 6749 section 4.1.2.1 allows.
  assert.match(params.error_description ?? "", /^[\x20\x21\x23-\x5b\x5d-\x7e]{6,}$/);
}

// Headers of a redirect.
export function assertPrivate({ headers }) {
  assert.match(headers["cache-control"] ?? "", /no-store/);
  assert.equal(headers["referrer-policy"], "no-referrer");
  assert.equal(headers["access-control-allow-origin"], undefined);
}

// An error page without a redirect.
export function assertStop(answer, status = 400) {
  assertPage(answer, status);
  assert.equal(answer.headers.location, undefined);
  assert.equal(formTo(answer.text, "/oauth/consent"), undefined);
  return answer;
}

// A page whose form may redirect to the app.
export function assertPageTo(answer, goesTo, status = 200) {
  const policy = answer.headers["content-security-policy"] ?? "";
  const [, targets] = /form-action ([^;]+)/.exec(policy) ?? [];
  assert.equal(targets?.trim(), `'self' ${goesTo}`, policy);
  assertPage({ ...answer, headers: { ...answer.headers, "content-security-policy": policy.replace(targets, "'self'") } }, status);
}

export function assertTokenError(answer, status, error) {
  assertError(answer, status, error);
  if (status === 401) assert.match(answer.headers["www-authenticate"] ?? "", /^Basic\b/);
  for (const name of ["access_token", "refresh_token", "active"]) assert.ok(!(name in answer.data), name);
}

export const assertInvalidGrant = (answer) => assertTokenError(answer, 400, "invalid_grant");

export function assertTokens(answer, scope) {
  assert.equal(answer.status, 200, answer.text);
  assertCommon(answer);
  assert.match(answer.headers["content-type"], /^application\/json(; charset=utf-8)?$/);
  assert.match(answer.headers["cache-control"], /no-store/);
  assert.equal(answer.headers.pragma, "no-cache");
  const { access_token, refresh_token, ...rest } = answer.data;
  assert.match(access_token, /^pn_at_[A-Za-z0-9_-]{49}$/);
  assert.match(refresh_token, /^pn_rt_[A-Za-z0-9_-]{49}$/);
  assert.deepEqual(Object.keys(rest).sort(), ["expires_in", "scope", "token_type"]);
  assert.equal(rest.token_type, "Bearer");
  assert.ok(Number.isInteger(rest.expires_in) && rest.expires_in > 0 && rest.expires_in <= HOUR, answer.text);
  if (scope !== undefined) assert.deepEqual(words(rest.scope), words(scope));
  return answer.data;
}

// Every endpoint rejects both tokens of a set.
export async function assertDead(app, { access_token, refresh_token }) {
  const seen = await app.userinfo(access_token);
  assert.equal(seen.status, 401, seen.text);
  if (!app.isPublic) assert.deepEqual([await app.worth(access_token), await app.worth(refresh_token)], [null, null]);
  assertInvalidGrant(await app.refresh(refresh_token));
}
