// The trial on the portal: the authorization flow as the user's own app, with a redirect URI of the portal
// that works only for the owner and only for ten minutes.

import assert from "node:assert/strict";
import test from "node:test";
import { assertError, assertPage } from "../kit/expect.mjs";
import { formsOf } from "../kit/html.mjs";
import { addPerson, assertStop, stage } from "../kit/oauth.mjs";
import { pageOf, registered } from "../kit/portal.mjs";

async function workshop(t, options) {
  const { w, ada } = await stage(t, options);
  const app = await registered(ada, { scopes: ["agent_hints", "music_preferences"] });
  return { w, ada, app };
}

const tokenOf = async (person) => formsOf((await person.get("/developer/apps/new")).text).find((form) => form.value("form")).value("form");
const post = async (person, app, step, fields = {}) => person.post(`/developer/apps/${app.client_id}/try/${step}`, { form: await tokenOf(person), ...fields }, { accept: "application/json" });

// From the page's first step to the answer that the browser brings back.
async function walk(person, app, choice) {
  const { data } = await post(person, app, "begin");
  const answer = await person.decide(await person.get(data.url), choice);
  const back = new URL(answer.headers.location);
  return { data, answer, back, path: back.pathname + back.search, ...Object.fromEntries(back.searchParams) };
}

test("a developer completes the trial flow without the app's secret", async (t) => {
  const { w, ada, app } = await workshop(t);
  const { back, path, code, state, iss } = await walk(ada, app);
  assert.equal(back.origin + back.pathname, `${w.origin}/developer/try/callback`);
  assert.equal(iss, w.origin);
  const page = await ada.get(path);
  assertPage(page);
  assert.match(page.headers["content-security-policy"], /connect-src 'self'$/);
  assertPage(await ada.get(path)); // a reload uses nothing up
  const exchanged = await post(ada, app, "exchange", { code, state });
  assert.equal(exchanged.status, 200, exchanged.text);
  assert.match(exchanged.headers["cache-control"], /no-store/);
  const { access_token, refresh_token, scope } = exchanged.data;
  for (const secret of [access_token, refresh_token, code]) w.secrets.add(secret);
  assert.equal(scope, "agent_hints music_preferences");
  const call = () => w.get("/v1/agent-hints", { authorization: `Bearer ${access_token}` });
  assert.equal((await call()).status, 200);
  assert.equal((await post(ada, app, "end", { token: refresh_token })).status, 200);
  assert.equal((await call()).status, 401);
});

test("consent is asked for as usual, and a denial is respected", async (t) => {
  const { ada, app } = await workshop(t);
  const { data } = await post(ada, app, "begin");
  const page = await ada.get(data.url);
  assert.equal(page.status, 200);
  assert.ok(ada.consentForm(page));
  const { error, code } = await walk(ada, app, { decision: "deny" });
  assert.deepEqual([error, code], ["access_denied", undefined]);
});

test("a code of the trial is invalid elsewhere, and a second use revokes its tokens", async (t) => {
  const { w, ada, app } = await workshop(t);
  const { code, state } = await walk(ada, app);
  const redirect_uri = `${w.origin}/developer/try/callback`;
  for (const verifier of ["x".repeat(43), state]) {
    const answer = await app.exchange({ code, verifier, redirect_uri });
    assertError(answer, 400, "invalid_grant");
  }
  const first = await post(ada, app, "exchange", { code, state });
  assert.equal(first.status, 200);
  assertError(await post(ada, app, "exchange", { code, state }), 400, "invalid_grant");
  assert.equal((await w.get("/v1/domains", { authorization: `Bearer ${first.data.access_token}` })).status, 401);
});

test("the portal's redirect URI works only for the owner, in a trial, for ten minutes", async (t) => {
  const { w, ada, app } = await workshop(t);
  const eve = await addPerson(w, "eve", { password: "nine quiet harbors under snow" });
  const other = await registered(ada, { name: "Other" });
  const redirect_uri = `${w.origin}/developer/try/callback`;
  const { data } = await post(ada, app, "begin");
  const { state } = data.parameters;
  const stop = async (who, path, what) => assertStop(await who.get(path), 400, what);
  await stop(eve, data.url, "another user follows the link");
  await stop(ada, app.request({ redirect_uri }).path, "a state of the app's own");
  await stop(ada, app.request({ redirect_uri, state: undefined }).path, "no state");
  await stop(ada, app.request({ redirect_uri, state: state.replace(/.$/, (c) => (c === "A" ? "B" : "A")) }).path, "a forged mark");
  await stop(ada, other.request({ redirect_uri, state }).path, "another app");
  await stop(ada, app.request({ redirect_uri: `${redirect_uri}/`, state }).path, "another address");
  await stop(ada, app.request({ redirect_uri: "https://evil.example/developer/try/callback", state }).path, "another host");
  const [, , began] = state.split(".");
  await stop(ada, app.request({ redirect_uri, state: state.replace(began, `${Number(began) + 500}`) }).path, "a later time");
  await ada.asked(app, { redirect_uri, state }); // but this is one
  w.clock.forward(601);
  await stop(ada, data.url, "too late");
});

test("only the user of the trial can exchange its code", async (t) => {
  const { w, ada, app } = await workshop(t);
  const eve = await addPerson(w, "eve", { password: "nine quiet harbors under snow" });
  const hers = await registered(eve, { name: "Hers" });
  const other = await registered(ada, { name: "Other" });
  const { path, code, state } = await walk(ada, app);
  assert.equal((await post(eve, app, "exchange", { code, state })).status, 404);
  assertError(await post(eve, hers, "exchange", { code, state }), 400);
  assertError(await post(ada, other, "exchange", { code, state }), 400);
  assertPage(await eve.get(path), 400);
  const elsewhere = await addPerson(w, "mallory", { password: "four brass buttons on a kite" });
  assertPage(await elsewhere.get(path), 400);
  assert.equal((await post(ada, app, "exchange", { code, state })).status, 200); // none of it used the code up
});

test("an app that was disabled after the trial began is rejected", async (t) => {
  const { ada, app } = await workshop(t);
  const { code, state } = await walk(ada, app);
  const where = `/developer/apps/${app.client_id}/status`;
  const form = formsOf((await pageOf(ada, app, "/settings")).text).find((one) => one.action === where);
  assert.equal((await ada.post(where, form.filled({ button: { status: "disabled" } }))).status, 303);
  assert.equal((await post(ada, app, "exchange", { code, state })).status, 403);
});
