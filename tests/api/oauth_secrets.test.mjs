// Secrets: what a copy of the store, a log, a metric or a page gives away (group I of the catalogue).

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import test from "node:test";
import { addPerson, appCommand, assertTokens, Person, stage } from "../kit/oauth.mjs";
import { ask } from "../kit/http.mjs";
import { PASSWORD, STORE } from "../kit/world.mjs";

// Every byte the store keeps.
async function everythingStored(w) {
  if (STORE === "sqlite") {
    await w.stop();
    return [w.file, `${w.file}-wal`].filter((file) => fs.existsSync(file)).map((file) => fs.readFileSync(file, "latin1")).join("");
  }
  const bin = ["15", "16", "17"].map((v) => `/usr/lib/postgresql/${v}/bin/pg_dump`).find((file) => fs.existsSync(file));
  const dump = (name) => execFileSync(bin, ["-h", "127.0.0.1", "-p", `${w.pgPort}`, "-U", "penchant", name], { encoding: "latin1", env: { PGPASSWORD: "x", PATH: process.env.PATH } });
  return w.databases.map(dump).join("");
}

test("a copy of the store holds no token, code, secret, session or password (I1)", async (t) => {
  const { w, ada, app } = await stage(t);
  const pending = await ada.authorize(app);
  const set = await ada.connect(app);
  const next = assertTokens(await app.refresh(set.refresh_token));
  const asked = await ada.asked(app, { prompt: "consent" });
  const rotated = await appCommand(w, "rotate-secret", app.client_id);
  w.secrets.add(rotated.client_secret);
  const secrets = {
    "a code": pending.code, "a used code": set.code, "an access token": set.access_token, "a refresh token": next.refresh_token, "a used refresh token": set.refresh_token,
    "a client secret": app.client_secret, "a new client secret": rotated.client_secret, "a session": ada.session, "a form token": asked.form.value("form"), "a password": PASSWORD, "a verifier": set.verifier,
    "the name of a request": asked.form.value("request"),
  };
  const stored = await everythingStored(w);
  assert.ok(stored.includes("Concert Finder"), "this is not the store");
  for (const [what, secret] of Object.entries(secrets)) {
    assert.ok(secret?.length > 10, what);
    for (const piece of [secret, secret.slice(6, 30), Buffer.from(secret).toString("hex"), Buffer.from(secret).toString("base64").slice(0, 30)]) assert.ok(!stored.includes(piece), `${what} is stored`);
  }
});

test("no log line contains a secret, for any response and any place in the request", async (t) => {
  const { w, ada, app } = await stage(t, { settings: { "log-level": "debug" } });
  const set = await ada.connect(app);
  w.secrets.add(set.code).add(set.verifier);
  // The kit looks at every line at the end; here are the places where one might slip out.
  await w.get(`/oauth/userinfo?access_token=${set.access_token}`);
  await w.get(`/nothing?token=${set.refresh_token}`);
  await app.post(`/oauth/token?client_secret=${app.client_secret}&code=${set.code}`, { grant_type: "authorization_code" }, { by: "none" });
  await w.get(`/oauth/introspect?token=${set.access_token}`, { authorization: app.basic, "user-agent": set.access_token, referer: `https://x.example/?code=${set.code}` });
  await new Person(w, { username: PASSWORD, password: "violet kettle sings at dusk" }).signIn(); // typed into the wrong field
  await ada.get(`/oauth/consent?request=${set.access_token}`);
  await ada.get(`/signin?next=${encodeURIComponent(`/x?code=${set.code}`)}`);
  await w.service.logged("the last request", (line) => line.path === "/signin");
});

test("a token in a path is not logged either", async (t) => {
  const { w, ada, app } = await stage(t);
  const set = await ada.connect(app);
  await w.get(`/nothing/${set.access_token}`);
  await w.get(`/oauth/userinfo/${set.refresh_token}/x`);
  await w.service.logged("the last request", (line) => line.path?.startsWith("/oauth/userinfo/"));
});

test("the metrics identify no user (I11)", async (t) => {
  const { w, ada, app } = await stage(t, { settings: { "metrics-listen": "127.0.0.1:0" } });
  const set = await ada.connect(app);
  await app.introspect(set.access_token);
  await app.userinfo(set.access_token);
  const { text } = await ask(await w.service.metricsOrigin(), "GET", "/metrics");
  for (const name of ["ada", app.client_id, "usr_", "app_", "Concert", set.access_token]) assert.ok(!text.includes(name), name);
});

test("a secret is shown once: when it is made, and in no list afterwards (B17)", async (t) => {
  const { w, app } = await stage(t);
  const again = await w.command("app", "list", "--json"); // the kit fails if a secret shows
  assert.equal(again.status, 0);
  assert.deepEqual(again.data.apps.map((one) => one.client_id), [app.client_id]);
  assert.doesNotMatch(again.out, /secret|pn_cs_|hash/);
  assert.doesNotMatch((await w.command("app", "list")).out, /pn_cs_/);
  for (const command of ["disable", "enable"]) assert.doesNotMatch((await w.command("app", command, app.client_id, "--json")).out, /pn_cs_|secret/);
});

test("a malformed token is rejected by its checksum before any lookup (I7)", async (t) => {
  const { w, ada, app } = await stage(t);
  const { access_token } = await ada.connect(app);
  const before = w.faults.storeCalls;
  const body = access_token.slice(6, 49);
  const wrong = `pn_at_${body}${access_token.endsWith("AAAAAA") ? "BBBBBB" : "AAAAAA"}`;
  for (let i = 0; i < 5; i++) assert.equal((await app.userinfo(wrong)).status, 401);
  assert.equal(w.faults.storeCalls, before, "the store was asked");
  assert.equal((await app.userinfo(access_token)).status, 200);
});

test("the same password twice is stored in two ways, by Argon2id with at least 19 MiB (I3)", async (t) => {
  const { w } = await stage(t, { hashing: "production" });
  await addPerson(w, "grace", { signedIn: false });
  const stored = await everythingStored(w);
  const hashes = [...new Set(stored.match(/\$argon2id\$v=19\$m=\d+,t=\d+,p=\d+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+/g) ?? [])];
  assert.equal(hashes.length >= 2, true, `${hashes.length} hashes`);
  for (const hash of hashes) {
    const [, memory, rounds] = /m=(\d+),t=(\d+)/.exec(hash);
    assert.ok(Number(memory) >= 19 * 1024 && Number(rounds) >= 2, hash);
  }
});
