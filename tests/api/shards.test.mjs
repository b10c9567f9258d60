// Everything of a user leads to the user's shard (docs/SCALE.md): ids, session keys, requests, codes, tokens, and the keys of
// stored rows. A secret that names another shard is unknown.
import assert from "node:assert/strict";
import crypto from "node:crypto";
import test from "node:test";
import { addApp, addPerson, assertInvalidGrant, stage } from "../kit/oauth.mjs";

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const value = (text, at) => DIGITS.indexOf(text[at]);

// src/crypt/secret.h: the shard is in the first two characters after the prefix, combined with the 41st and the 42nd.
const shardOf = (secret) => [0, 1].map((i) => DIGITS[value(secret, 6 + i) ^ value(secret, 46 + i)]).join("");

function inShard(secret, shard) {
  const text = [...secret.slice(0, 49)];
  for (const i of [0, 1]) text[6 + i] = DIGITS[DIGITS.indexOf(shard[i]) ^ value(secret, 46 + i)];
  const start = text.join("");
  return start + crypto.createHash("sha256").update(start).digest("base64url").slice(0, 6);
}

const sql = async (w, text) => (await w.sql(text)).split("\n");

const KEYS = {
  user_account: "substr(user_id, 5, 2)",
  session: "substr(session_hash, 1, 2)",
  auth_request: "substr(request_hash, 1, 2)",
  app_grant: "substr(grant_id, 5, 2)",
  token_family: "substr(family_id, 5, 2)",
  auth_code: "substr(code_hash, 1, 2)",
};
const ROW_KEYS = { user_record: 256 * 64 ** 7, access_token: 64 ** 8, refresh_token: 64 ** 8 };

test("ids, codes, tokens, sessions, requests, and stored rows carry the shard of their user", async (t) => {
  const { w, ada, app } = await stage(t, { settings: { "rate-signin": 0 } });
  const grace = await addPerson(w, "grace");
  const seen = new Set();
  for (const person of [ada, grace]) {
    const shared = await person.connect(app, { scope: "profile:read agent_hints" });
    const { data } = await app.refresh(shared.refresh_token);
    const { page } = await person.asked(app, { scope: "profile:read agent_hints", prompt: "consent" });
    const { sub } = (await app.userinfo(data.access_token)).data;
    const shard = sub.slice(4, 6);
    seen.add(shard);
    assert.equal(person.session.slice(0, 2), shard, "session");
    assert.equal(/name="request" value="(.{6})/.exec(page.text)[1], `req_${shard}`, "request");
    for (const secret of [shared.code, shared.access_token, shared.refresh_token, data.access_token, data.refresh_token]) assert.equal(shardOf(secret), shard, secret.slice(0, 5));
  }
  const expected = [...seen].sort();
  for (const [table, key] of Object.entries(KEYS)) assert.deepEqual([...new Set(await sql(w, `SELECT DISTINCT ${key} FROM ${table}`))].sort(), expected, table);
  const numbers = expected.map((shard) => value(shard, 0) * 64 + value(shard, 1)).sort((a, b) => a - b);
  for (const [table, unit] of Object.entries(ROW_KEYS)) {
    const found = (await sql(w, `SELECT DISTINCT row_key / ${unit} FROM ${table}`)).map(Number).sort((a, b) => a - b);
    assert.deepEqual(found, numbers, table);
  }
  await w.assertSound();
});

test("a code, token, or session key that names another shard is unknown, and the right one works afterwards", async (t) => {
  const { w, ada } = await stage(t);
  const app = await addApp(w, { name: "Another", isPublic: true });
  const { sub } = (await app.userinfo((await ada.connect(app, { scope: "profile:read" })).access_token)).data;
  const other = sub.slice(4, 6) === "AA" ? "AB" : "AA";

  const request = await ada.authorize(app, { scope: "profile:read" });
  assertInvalidGrant(await app.exchange({ ...request, code: inShard(request.code, other) }));
  const { data: tokens } = await app.exchange(request);
  assert.equal(inShard(tokens.access_token, sub.slice(4, 6)), tokens.access_token, "the test makes the same secrets");

  assert.equal((await app.userinfo(inShard(tokens.access_token, other))).status, 401);
  assert.equal((await app.userinfo(tokens.access_token)).status, 200);
  assertInvalidGrant(await app.refresh(inShard(tokens.refresh_token, other)));
  assert.equal((await app.refresh(tokens.refresh_token)).status, 200, "the family was not revoked");

  const key = ada.session;
  ada.cookies.set(ada.cookieName, other + key.slice(2));
  assert.equal((await ada.get("/account")).status, 303);
  ada.cookies.set(ada.cookieName, key);
  assert.equal((await ada.get("/account", { "sec-fetch-site": "none" })).status, 200);
  await w.assertSound();
});
