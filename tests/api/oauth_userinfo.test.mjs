// GET /oauth/userinfo, and what a bearer token is (group F of the catalogue).

import assert from "node:assert/strict";
import test from "node:test";
import { assertCommon, assertError } from "../kit/expect.mjs";
import { addPerson, assertTokens, HOUR, NOW, stage, userCommand, userinfo } from "../kit/oauth.mjs";

function assertRefused(answer, status, { error, scope } = {}) {
  assertError(answer, status, error ?? "invalid_token");
  const said = answer.headers["www-authenticate"] ?? "";
  assert.match(said, /^Bearer realm="[^"]+"/);
  if (error) assert.ok(said.includes(`error="${error}"`), said);
  else assert.ok(!said.includes("error="), said);
  if (scope) assert.ok(said.includes(`scope="${scope}"`), said);
}

test("it returns the user's profile, as far as it is set", async (t) => {
  const { w, ada, app } = await stage(t);
  const grace = await addPerson(w, "grace", { email: "grace@example.org", confirmed: true, name: "Grace Hopper" });
  const subs = Object.fromEntries((await w.users()).map((user) => [user.username, user.sub]));
  const full = await app.userinfo((await grace.connect(app, { scope: "profile:read" })).access_token);
  assert.equal(full.status, 200);
  assertCommon(full);
  assert.match(full.headers["content-type"], /^application\/json/);
  assert.match(full.headers["cache-control"], /no-store/);
  assert.match(full.headers.vary, /Authorization/i);
  assert.deepEqual(full.data, { sub: subs.grace, preferred_username: "grace", name: "Grace Hopper", email: "grace@example.org", email_verified: true, updated_at: NOW });
  const bare = await app.userinfo((await ada.connect(app, { scope: "profile:read" })).access_token);
  assert.equal(bare.data.sub, subs.ada);
  assert.equal(bare.data.preferred_username, "ada");
  assert.ok(!bare.data.name && !bare.data.email);
});

test("without a token it asks for one and gives no error code (F1)", async (t) => {
  const { w, ada, app } = await stage(t);
  assertRefused(await userinfo(w), 401);
  const { access_token } = await ada.connect(app);
  for (const query of [`access_token=${access_token}`, `token=${access_token}`]) assertRefused(await w.get(`/oauth/userinfo?${query}`), 401); // F4
  assertRefused(await w.get("/oauth/userinfo", { cookie: `${ada.cookieName}=${ada.session}` }), 401); // F9
  assertRefused(await w.get("/oauth/userinfo", { authorization: app.basic }), 401);
  const both = await w.get("/oauth/userinfo", { cookie: `${ada.cookieName}=${ada.session}`, authorization: "Bearer nonsense" });
  assertRefused(both, 401, { error: "invalid_token" });
});

test("anything but a valid access token is invalid_token (F2, F8, F11)", async (t) => {
  const { w, ada, app } = await stage(t);
  const pending = await ada.authorize(app);
  const { access_token, refresh_token } = await ada.connect(app);
  const swapped = access_token.replace(/[a-zA-Z](?=.{0,20}$)/, (c) => (c === c.toUpperCase() ? c.toLowerCase() : c.toUpperCase()));
  for (const token of ["nonsense", refresh_token, pending.code, app.client_secret, ada.session, access_token.slice(0, -1), `${access_token}A`, swapped, `pn_at_${"A".repeat(49)}`, access_token.replace("pn_at_", "pn_rt_"), access_token.slice(6)])
    assertRefused(await userinfo(w, token), 401, { error: "invalid_token" });
  w.clock.forward(HOUR);
  assertRefused(await userinfo(w, access_token), 401, { error: "invalid_token" });
});

test("the scheme may be written in any case; anything around the token is rejected (F6)", async (t) => {
  const { w, ada, app } = await stage(t);
  const { access_token: token } = await ada.connect(app);
  const ask = (authorization) => w.get("/oauth/userinfo", { authorization });
  for (const scheme of ["Bearer", "bearer", "BEARER", "bEaReR"]) assert.equal((await ask(`${scheme} ${token}`)).status, 200, scheme);
  for (const value of [`Bearer  ${token}`, `Bearer\t${token}`, `Bearer ${token},${token}`, `Bearer ${token} x`, `Bearer ${token}=`, `Bearer "${token}"`, `Bearer token=${token}`, `Bearer${token}`, "Bearer", "Bearer ", token, `Token ${token}`, `Bearer é`]) {
    const answer = await ask(Buffer.from(value, "utf8").toString("latin1"));
    assert.ok([400, 401].includes(answer.status), `${value.replace(token, "…")}: ${answer.status}`);
  }
  const twice = await w.raw(`GET /oauth/userinfo HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${token}\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`);
  assert.ok([400, 401].includes(twice.status), `two headers: ${twice.status}`);
});

test("a valid token without profile:read is 403 with the required scope (F3)", async (t) => {
  const { w, ada, app } = await stage(t);
  const { access_token } = await ada.connect(app, { scope: "preferences:read preferences:write music_preferences agent_hints" });
  assertRefused(await userinfo(w, access_token), 403, { error: "insufficient_scope", scope: "profile:read" });
  const both = await ada.connect(app, { scope: "profile:read agent_hints" });
  const narrowed = assertTokens(await app.refresh(both.refresh_token, { scope: "agent_hints" }));
  assert.equal((await userinfo(w, narrowed.access_token)).status, 403);
});

test("a token sent in header and body, or with another method, is rejected (F5)", async (t) => {
  const { w, ada, app } = await stage(t);
  const { access_token } = await ada.connect(app);
  const posted = await w.ask("POST", "/oauth/userinfo", { form: { access_token }, headers: { authorization: `Bearer ${access_token}` } });
  assert.ok([400, 405].includes(posted.status), `${posted.status}`);
  assertError(posted, posted.status);
  assert.equal((await w.ask("HEAD", "/oauth/userinfo", { headers: { authorization: `Bearer ${access_token}` } })).text, "");
});

test("a user's token reveals nothing about another user (F10)", async (t) => {
  const { w, ada, app } = await stage(t);
  const eve = await addPerson(w, "eve", { email: "eve@example.org", confirmed: true });
  const mine = await ada.connect(app);
  const hers = await eve.connect(app);
  const answers = await Promise.all(Array.from({ length: 64 }, (_, i) => userinfo(w, i % 2 ? mine.access_token : hers.access_token)));
  answers.forEach((answer, i) => assert.equal(answer.data.preferred_username, i % 2 ? "ada" : "eve"));
  assert.ok(answers.every((answer, i) => (i % 2 ? !answer.text.includes("eve") : !answer.text.includes("ada\""))));
});

test("it returns the current profile, and none after the account is deleted (F26)", async (t) => {
  const { w, ada, app } = await stage(t);
  const { access_token } = await ada.connect(app);
  await userCommand(w, "disable", "ada");
  assertRefused(await userinfo(w, access_token), 401, { error: "invalid_token" });
  await userCommand(w, "enable", "ada");
  assertRefused(await userinfo(w, access_token), 401, { error: "invalid_token" });
  await userCommand(w, "delete", "ada");
  assertRefused(await userinfo(w, access_token), 401, { error: "invalid_token" });
});

test("a token over its rate limit waits, another does not, and reconnecting does not help (F23)", async (t) => {
  const { w, ada, app } = await stage(t, { settings: { "rate-api": 5 } });
  const one = await ada.connect(app);
  const two = await ada.connect(app);
  const statuses = [];
  for (let i = 0; i < 12; i++) statuses.push((await userinfo(w, one.access_token)).status);
  assert.ok(statuses.includes(429), statuses.join(" "));
  assert.equal(statuses.filter((status) => status === 200).length >= 5, true, statuses.join(" "));
  assert.equal((await userinfo(w, two.access_token)).status, 200);
  const late = await Promise.all(Array.from({ length: 10 }, () => userinfo(w, one.access_token)));
  const refused = late.find((answer) => answer.status === 429);
  assertError(refused, 429);
  w.deadlines.forward(1500);
  assert.equal((await userinfo(w, one.access_token)).status, 200);
});

test("scripts of any origin may read it with a token (CORS)", async (t) => {
  const { w, ada, app } = await stage(t);
  const { access_token } = await ada.connect(app);
  const origin = "https://spa.example";
  const preflight = await w.ask("OPTIONS", "/oauth/userinfo", { headers: { origin, "access-control-request-method": "GET", "access-control-request-headers": "authorization" } });
  assert.ok([200, 204].includes(preflight.status));
  assert.equal(preflight.headers["access-control-allow-origin"], "*");
  assert.match(preflight.headers["access-control-allow-headers"], /authorization/i);
  for (const token of [access_token, "nonsense"]) {
    const answer = await userinfo(w, token, { origin });
    assert.equal(answer.headers["access-control-allow-origin"], "*");
    assert.equal(answer.headers["access-control-allow-credentials"], undefined);
  }
});
