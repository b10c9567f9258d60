// RateLimit-… headers, and limits of single apps.

import assert from "node:assert/strict";
import test from "node:test";
import { connected, secondApp } from "../kit/preferences.mjs";
import { stage } from "../kit/oauth.mjs";
import { world } from "../kit/world.mjs";

const rate = ({ headers }) => ["limit", "remaining", "reset"].map((name) => headers[`ratelimit-${name}`]);

test("every response to a token says how much of its limit is left, and a 429 when to try again", async (t) => {
  const { w, api } = await connected(t, { settings: { "rate-api": 3 } });
  let answers, began;
  do {
    w.deadlines.forward(2000); // a new window of one second
    began = Date.now();
    answers = [];
    for (let i = 0; i < 5; i++) answers.push(await api.get("preferences"));
  } while (Date.now() - began > 900); // again on a machine so slow that a second window may have begun
  assert.deepEqual(answers.map(({ status }) => status), [200, 200, 200, 429, 429]);
  assert.deepEqual(answers.map((answer) => rate(answer)[1]), ["2", "1", "0", "0", "0"]);
  for (const answer of answers) {
    assert.equal(rate(answer)[0], "3");
    assert.match(rate(answer)[2], /^[01]$/);
    assert.match(answer.headers["access-control-expose-headers"], /RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset/);
  }
  assert.equal(answers[3].headers["retry-after"], rate(answers[3])[2]);
  w.deadlines.forward(2000);
  const after = await api.get("preferences", { "if-none-match": answers[0].headers.etag });
  assert.deepEqual([after.status, rate(after)[1]], [304, "2"]);
});

test("without a limit there are no such headers", async (t) => {
  const { api } = await connected(t, { settings: { "rate-api": 0 } });
  assert.deepEqual(rate(await api.get("preferences")), [undefined, undefined, undefined]);
  const w = await world(t);
  assert.deepEqual(rate(await w.get("/healthz")), [undefined, undefined, undefined]);
});

test("an app can have its own limit, which takes effect at once and ends with default", async (t) => {
  const { w, ada, api, app } = await connected(t, { settings: { "rate-api": 3 } });
  const other = await secondApp(w, ada);
  const limit = async (client) => rate(await client.get("preferences"))[0];
  const set = async (value) => {
    const { status, err } = await w.command("app", "limit", app.client_id, value);
    assert.deepEqual([status, err], [0, ""]);
    w.deadlines.forward(2000);
  };
  w.deadlines.forward(2000);
  assert.equal(await limit(api), "3");
  await set("50");
  for (let i = 0; i < 10; i++) assert.equal((await api.get("preferences")).status, 200);
  assert.deepEqual([await limit(api), await limit(other)], ["50", "3"]);
  await set("1");
  assert.deepEqual([(await api.get("preferences")).status, (await api.get("preferences")).status], [200, 429]);
  await set("none");
  for (let i = 0; i < 10; i++) assert.deepEqual(rate(await api.get("preferences")), [undefined, undefined, undefined]);
  await set("default");
  assert.equal(await limit(api), "3");
  const listed = async () => (await w.command("app", "list", "--json")).data.apps.find(({ client_id }) => client_id === app.client_id).rate_api;
  assert.equal(await listed(), undefined);
  await set("7");
  assert.equal(await listed(), 7);
});

test("an app keeps its limit where the setting has none", async (t) => {
  const { w, api, app } = await connected(t, { settings: { "rate-api": 0 } });
  await w.command("app", "limit", app.client_id, "2");
  w.deadlines.forward(2000);
  const statuses = [];
  for (let i = 0; i < 3; i++) statuses.push((await api.get("preferences")).status);
  assert.deepEqual(statuses, [200, 200, 429]);
});

test("wrong rates and unknown apps are rejected", async (t) => {
  const { w, app } = await connected(t);
  for (const value of ["0", "-1", "1000001", "many", ""]) {
    const { status, err } = await w.command("app", "limit", app.client_id, value);
    assert.deepEqual([status, /RATE must be a whole number from 1 to 1000000, default, or none/.test(err)], [2, true], value);
  }
  assert.equal((await w.command("app", "limit", "app_unknown", "5")).status, 1);
});

test("a 429 of a failed sign-in or client authentication has the headers too", async (t) => {
  const { w, app } = await stage(t, { settings: { "rate-signin": 1, "rate-auth": 1 }, signedIn: false });
  const fail = () => app.refresh("x", { client_secret: "wrong" });
  await fail();
  const refused = await fail();
  assert.deepEqual([refused.status, ...rate(refused)], [429, "1", "0", refused.headers["retry-after"]]);
  const signIn = () => w.ask("POST", "/signin", { form: { username: "ada", password: "wrong kettle" }, headers: { origin: w.origin } });
  await signIn();
  const late = await signIn();
  assert.deepEqual([late.status, ...rate(late)], [429, "1", "0", late.headers["retry-after"]]);
});
