// Random walks through everything that can happen to a connection, against a small model of what the
// contract says. After every step each token ever issued is asked what it may do, and the model must
// agree. A walk that disagrees prints its seed; MODEL_SEED=… walks that one again and prints its steps.
// MODEL_WALKS says how many new ones (4000 in soak); without it, the same 15 are walked each time.

import assert from "node:assert/strict";
import test from "node:test";
import { STORE } from "../kit/world.mjs";
import { addApp, addPerson, appCommand, assertInvalidGrant, assertTokenError, assertTokens, DAY, HOUR, stage, userCommand, userinfo } from "../kit/oauth.mjs";

const WALKS = Number(process.env.MODEL_WALKS ?? 15);
const STEPS = 16;
const SCOPE = ["agent_hints", "music_preferences", "profile:read"];

// ---- chance, from a seed ----

function chance(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), 1 | state);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    below: (n) => Math.floor(next() * n),
    pick: (list) => list[Math.floor(next() * list.length)],
    some: (list) => list.filter(() => next() < 0.6),
  };
}

// ---- the model: what should be so ----

const TERMS = { revoked: Infinity, "1d": DAY, "30d": 30 * DAY, "1y": 365 * DAY };
const both = (one, other) => one.filter((scope) => other.includes(scope));

// Where hints apply: in music, in the other domains, and in those that are added later.
const MUSIC = "music_preferences";
const EVERYWHERE = [MUSIC, "others", "later"];
const hintsOf = (asked, ticked) => (!ticked.includes("agent_hints") ? [] : asked.includes(MUSIC) ? both([MUSIC], ticked) : EVERYWHERE);
const hintsLeft = (hints, removed) => (removed.includes("agent_hints") ? [] : removed.includes(MUSIC) ? both(hints, ["others"]) : hints);

class Model {
  constructor(now) {
    Object.assign(this, { now, userEpoch: 0, userActive: true, signedIn: true, apps: new Map(), families: [], tokens: [] });
  }

  addApp(name, isPublic) {
    this.apps.set(name, { isPublic, epoch: 0, active: true, grant: null });
  }

  grant(name) {
    const { grant } = this.apps.get(name);
    return grant && grant.ends > this.now ? grant : null;
  }

  // Whether an authorization asks for consent, and the grant after the decision.
  mustAsk(name, asked, prompt) {
    const grant = this.grant(name);
    return this.apps.get(name).isPublic || prompt === "consent" || !grant || both(asked, grant.scopes).length < asked.length ||
      hintsOf(asked, asked).some((domain) => !grant.hints.includes(domain));
  }

  consent(name, asked, ticked, term) {
    const app = this.apps.get(name);
    const held = this.grant(name);
    const kept = held ? held.scopes.filter((scope) => !asked.includes(scope)) : [];
    const left = held ? hintsLeft(held.hints, asked.filter((scope) => !ticked.includes(scope))) : [];
    const grant = { scopes: [...kept, ...ticked], hints: [...left, ...hintsOf(asked, ticked)], ends: this.now + TERMS[term] };
    if (held) Object.assign(held, grant);
    else app.grant = grant;
  }

  begin(name, scopes) {
    const app = this.apps.get(name);
    const family = { name, scopes, grant: app.grant, userEpoch: this.userEpoch, appEpoch: app.epoch, ended: false, codeEnds: this.now + 60, redeemed: false, ends: Infinity };
    this.families.push(family);
    return family;
  }

  lives(family) {
    const app = this.apps.get(family.name);
    return !family.ended && family.grant === app.grant && this.grant(family.name) !== null && family.ends > this.now &&
      this.userActive && this.userEpoch === family.userEpoch && app.active && app.epoch === family.appEpoch;
  }

  add(family, answer, scopes = family.scopes) {
    const repeated = this.tokens.find(({ text }) => text === answer.access_token);
    if (repeated) return this.repeat(family, answer, repeated);
    assert.equal(answer.expires_in, Math.min(HOUR, family.ends - this.now, family.grant.ends - this.now), "expires_in");
    if (this.now - family.issued >= DAY) family.issued = this.now; // noted once a day
    this.tokens.push({ kind: "access", text: answer.access_token, family, scopes: both(scopes, family.grant.scopes), ends: this.now + HOUR });
    this.tokens.push({ kind: "refresh", text: answer.refresh_token, family, ends: this.now + 30 * DAY, used: null, reuses: 0 });
  }

  // A public client that tries again gets the same pair, as long as its refresh token is unused.
  repeat(family, answer, access) {
    const refresh = this.tokens[this.tokens.indexOf(access) + 1];
    assert.ok(this.apps.get(family.name).isPublic, "a confidential client got a token twice");
    assert.deepEqual([access.family, refresh.text, refresh.used, access.ended], [family, answer.refresh_token, null, undefined]);
    assert.equal(answer.expires_in, Math.min(access.ends - this.now, family.ends - this.now, family.grant.ends - this.now), "expires_in");
  }

  // What a token may do now: its scopes in order, or null.
  worth(token) {
    const { family } = token;
    if (token.ended || token.ends <= this.now || !this.lives(family)) return null;
    if (token.kind === "refresh" && token.used !== null) return null;
    return both(token.scopes ?? family.scopes, family.grant.scopes).sort();
  }

  // What presenting a refresh token must do: "tokens", "refused", or "ends" (the family, if it was there).
  judge(token) {
    const { family } = token;
    if (family.ended) return "refused";
    // Then no row is left, and the family's newest token is another one.
    if (token.ends <= this.now || (token.used !== null && this.now - token.used > 60)) return this.now - family.issued < 30 * DAY ? "ends" : "refused";
    if (token.used !== null && token.reuses >= (this.apps.get(family.name).isPublic ? 50 : 3)) return "refused";
    return this.lives(family) ? "tokens" : "refused";
  }

  use(token) {
    if (token.used === null) token.used = this.now;
    else token.reuses++;
  }
}

// ---- a walk: the same steps in the program and in the model ----

class Walk {
  constructor(w, person, apps, random) {
    Object.assign(this, { w, person, random, apps, steps: [] });
    this.model = new Model(w.clock.now());
    for (const [name, app] of Object.entries(apps)) {
      app.keepsSecrets = false;
      this.model.addApp(name, app.isPublic);
    }
  }

  note(...words) {
    this.steps.push(words.join(" "));
  }

  get usable() {
    return Object.keys(this.apps).filter((name) => this.model.apps.get(name).active);
  }

  token(kind) {
    return this.random.pick(this.model.tokens.filter((token) => token.kind === kind).slice(-6));
  }

  async signIn() {
    if (!this.model.userActive || this.model.signedIn) return;
    assert.equal((await this.person.signIn()).status, 303);
    this.model.signedIn = true;
  }

  async step() {
    const doing = this.random.pick(["authorize", "authorize", "authorize", "authorize", "exchange", "refresh", "refresh", "refresh", "refresh", "retry", "replay", "revoke", "revokeOther", "stranger", "disableApp", "disableUser", "wait", "wait", "wait"]);
    await this[doing]();
    await this.compare();
  }

  async authorize() {
    if (!this.model.userActive) return;
    await this.signIn();
    const { random, model } = this;
    const name = random.pick(this.usable);
    if (name === undefined) return;
    const asked = random.some(SCOPE);
    if (asked.length === 0) asked.push(random.pick(SCOPE));
    const prompt = random.below(3) === 0 ? "consent" : undefined;
    const ticks = random.below(3) === 0 ? random.some(asked) : asked;
    const term = random.pick(Object.keys(TERMS));
    const decision = random.below(6) === 0 ? "deny" : "allow";
    this.note("authorize", name, asked, prompt ?? "", "ticks", ticks, term, decision);
    const mustAsk = model.mustAsk(name, asked, prompt);
    const request = this.apps[name].request({ scope: asked.join(" "), prompt });
    const first = await this.person.get(request.path);
    assert.equal(first.status, mustAsk ? 200 : 303, mustAsk ? "it does not ask" : "it asks");
    const answer = mustAsk ? await this.person.decide(first, { ticks, term, decision }) : first;
    const { searchParams } = new URL(answer.headers.location);
    const denied = mustAsk && (decision === "deny" || ticks.length === 0);
    assert.equal(searchParams.get("error"), denied ? "access_denied" : null);
    if (denied) return;
    if (mustAsk) model.consent(name, asked, ticks, term);
    const family = model.begin(name, mustAsk ? ticks : asked);
    family.request = { ...request, code: searchParams.get("code") };
    if (random.below(4) !== 0) await this.redeem(family);
  }

  async redeem(family) {
    const { model } = this;
    const right = !family.redeemed && family.codeEnds > model.now && model.lives(family);
    this.note("exchange", family.name, right ? "" : "(refused)");
    const answer = await this.apps[family.name].exchange(family.request);
    if (!model.apps.get(family.name).active) return assertTokenError(answer, 401, "invalid_client");
    if (!right) {
      assertInvalidGrant(answer);
      if (family.redeemed) family.ended = true;
      return;
    }
    Object.assign(family, { redeemed: true, issued: model.now });
    family.ends = model.now + 365 * DAY;
    assertTokens(answer, both(family.scopes, family.grant.scopes).join(" "));
    model.add(family, answer.data);
  }

  async exchange() {
    const waiting = this.model.families.filter((family) => !family.redeemed);
    if (waiting.length > 0) await this.redeem(this.random.pick(waiting));
  }

  async replay() {
    if (this.random.below(3) !== 0) return;
    const redeemed = this.model.families.filter((family) => family.redeemed && !family.ended);
    if (redeemed.length > 0) await this.redeem(this.random.pick(redeemed));
  }

  async refresh(token = this.token("refresh")) {
    if (token === undefined) return;
    const { model, random } = this;
    const { family } = token;
    const verdict = model.judge(token);
    const held = both(family.scopes, family.grant.scopes);
    const narrow = random.below(4) === 0 ? [random.pick(SCOPE)] : null;
    this.note("refresh", family.name, verdict, narrow ?? "");
    const answer = await this.apps[family.name].refresh(token.text, narrow ? { scope: narrow.join(" ") } : {});
    if (!model.apps.get(family.name).active) return assertTokenError(answer, 401, "invalid_client");
    if (verdict !== "tokens") {
      assertInvalidGrant(answer);
      if (verdict === "ends") family.ended = true;
      return;
    }
    if (narrow && !held.includes(narrow[0])) return assertTokenError(answer, 400, "invalid_scope");
    assertTokens(answer, (narrow ?? held).join(" "));
    model.use(token);
    model.add(family, answer.data, narrow ?? held);
  }

  async retry() {
    const used = this.model.tokens.filter((token) => token.kind === "refresh" && token.used !== null);
    if (used.length > 0) await this.refresh(this.random.pick(used.slice(-4)));
  }

  async revoke() {
    if (this.random.below(2) !== 0) return;
    const token = this.token(this.random.pick(["access", "access", "refresh"]));
    if (token === undefined) return;
    this.note("revoke", token.kind, "of", token.family.name);
    const answer = await this.apps[token.family.name].revoke(token.text);
    if (!this.model.apps.get(token.family.name).active) return assertTokenError(answer, 401, "invalid_client");
    assert.equal(answer.status, 200);
    if (token.kind === "access") token.ended = true;
    else if (token.ends > this.model.now) token.family.ended = true;
  }

  // Another app tries what is not its own: nothing happens.
  async revokeOther() {
    const token = this.token(this.random.pick(["access", "refresh"]));
    const name = this.usable.find((one) => one !== token?.family.name);
    if (token === undefined || name === undefined) return;
    this.note("revoke", token.kind, "of", token.family.name, "as", name);
    assert.equal((await this.apps[name].revoke(token.text)).status, 200);
    if (token.kind === "refresh") assertInvalidGrant(await this.apps[name].refresh(token.text));
  }

  async stranger() {
    const family = this.random.pick(this.model.families);
    const name = this.usable.find((one) => one !== family?.name);
    if (family === undefined || name === undefined) return;
    this.note("exchange the code of", family.name, "as", name);
    assertInvalidGrant(await this.apps[name].exchange(family.request));
    assertInvalidGrant(await this.apps[family.name].exchange({ ...family.request, verifier: "x".repeat(43) }).then((answer) => (answer.status === 401 ? this.apps[name].exchange(family.request) : answer)));
  }

  // Usually enabled again soon: whatever was revoked must stay revoked.
  async disableApp() {
    const name = this.random.pick(Object.keys(this.apps));
    const { active } = this.model.apps.get(name);
    if (active && this.random.below(3) !== 0) return;
    await this.toggleApp(name);
    await this.compare();
    if (active && this.random.below(4) !== 0) await this.toggleApp(name);
  }

  async toggleApp(name) {
    const app = this.model.apps.get(name);
    this.note(app.active ? "disable" : "enable", name);
    await appCommand(this.w, app.active ? "disable" : "enable", this.apps[name].client_id);
    if (app.active) app.epoch++;
    app.active = !app.active;
  }

  async disableUser() {
    const { userActive } = this.model;
    if (userActive && this.random.below(4) !== 0) return;
    await this.toggleUser();
    await this.compare();
    if (userActive && this.random.below(4) !== 0) await this.toggleUser();
  }

  async toggleUser() {
    const { model } = this;
    this.note(model.userActive ? "disable" : "enable", "the user");
    await userCommand(this.w, model.userActive ? "disable" : "enable", this.person.username);
    if (model.userActive) Object.assign(model, { userEpoch: model.userEpoch + 1, signedIn: false });
    model.userActive = !model.userActive;
  }

  async wait() {
    const seconds = this.random.pick([1, 1, 20, 20, 59, 60, 61, 61, 600, 600, HOUR - 1, HOUR, DAY, 20 * DAY, 30 * DAY, 120 * DAY]);
    this.note("wait", seconds);
    this.w.clock.forward(seconds);
    this.model.now += seconds;
    if (seconds >= DAY) this.model.signedIn = false; // it may have ended; signing in again is always right
  }

  // Every token, asked of its own app, of another, and at user info.
  async compare() {
    const { model } = this;
    await Promise.all(model.tokens.map(async (token) => {
      const { name } = token.family;
      const wanted = model.worth(token);
      const own = this.apps[name];
      if (!own.isPublic && model.apps.get(name).active) assert.deepEqual(await own.worth(token.text), wanted, `${token.kind} of ${name}`);
      if (token.kind === "access") {
        const seen = (await userinfo(this.w, token.text)).status;
        assert.equal(seen, wanted === null ? 401 : wanted.includes("profile:read") ? 200 : 403, `user info with a token of ${name}`);
      }
    }));
    const [token] = model.tokens.slice(-1);
    const other = this.usable.find((name) => name !== token?.family.name && !this.apps[name].isPublic);
    if (token && other) assert.equal(await this.apps[other].worth(token.text), null, "another app sees it");
  }
}

test(`${WALKS} random walks agree with the model at every step about which token may do what`, async (t) => {
  const { w } = await stage(t, { settings: { "access-log": "off" } });
  const people = [];
  for (const name of ["grace", "hedy", "mary", "joan"]) people.push(await addPerson(w, name));
  const fresh = process.env.MODEL_WALKS ? Math.floor(Math.random() * 2 ** 31) : 1; // make check walks the same ways each time
  const first = Number(process.env.MODEL_SEED ?? fresh);
  const count = process.env.MODEL_SEED ? 1 : WALKS;
  for (let i = 0; i < count; i++) {
    const seed = (first + i) >>> 0;
    const random = chance(seed);
    const person = people[i % people.length];
    const apps = {
      one: await addApp(w, { owner: "ada", name: "One", scope: SCOPE.join(" ") }),
      two: await addApp(w, { owner: "ada", name: "Two", scope: SCOPE.join(" "), isPublic: random.below(2) === 0 }),
    };
    const walk = new Walk(w, person, apps, random);
    walk.model.signedIn = false;
    try {
      for (let step = 0; step < STEPS; step++) await walk.step();
    } catch (fault) {
      throw new Error(`MODEL_SEED=${seed} STORE=${STORE}, after\n  ${walk.steps.join("\n  ")}\n${fault.stack}`);
    }
    if (process.env.MODEL_SEED) console.error(walk.steps.join("\n"));
    if (!walk.model.userActive) await userCommand(w, "enable", person.username);
    for (const app of Object.values(apps)) await appCommand(w, "delete", app.client_id);
  }
});
