// Answers come from memory when they can: never one that an acknowledged write has made wrong.

import assert from "node:assert/strict";
import test from "node:test";
import { App, appCommand } from "../kit/oauth.mjs";
import { Client, connected, fine, MUSIC, READ_WRITE, secondApp } from "../kit/preferences.mjs";

const EVERYTHING = `${READ_WRITE} agent_hints profile:read`;

// Sends requests on several connections until stopped. `judge` gets what was known before a request was sent,
// and its response.
function hammer(count, ask, known, judge) {
  const state = { stop: false, asked: 0 };
  const one = async () => {
    while (!state.stop) {
      const before = known();
      judge(before, await ask());
      state.asked++;
    }
  };
  const all = Promise.all(Array.from({ length: count }, one));
  return async () => {
    state.stop = true;
    await all;
    return state.asked;
  };
}

test("no read is older than a write that was acknowledged before it", async (t) => {
  const { api } = await connected(t, { scope: EVERYTHING, settings: { "rate-api": "0" } });
  let written = 0;
  const newest = (values) => Math.max(0, ...values.map((value) => Number(value.slice("artist ".length))));
  const record = hammer(6, () => api.read(`preferences/${MUSIC}`), () => written, (before, answer) =>
    assert.ok(newest(answer.preferences.favorite_artists ?? []) >= before, `record older than write ${before}`));
  const atoms = hammer(2, () => api.read("preferences/atoms?limit=1"), () => written, (before, answer) =>
    assert.ok(newest(answer.atoms.map(({ value }) => value)) >= before, `atoms older than write ${before}`));
  const hints = hammer(6, () => api.read(`agent-hints?domains=${MUSIC}&max_tokens=500&format=json`), () => written, (before, answer) => {
    const facts = answer.omitted + (answer.hints[MUSIC]?.summary.match(/artist \d+/g) ?? []).length;
    assert.ok(facts >= before, `hints know ${facts} facts after write ${before}`);
  });
  for (let i = 1; i <= 60; i++) {
    await api.write(MUSIC, { favorite_artists: [`artist ${i}`] });
    written = i;
  }
  const asked = [await record(), await atoms(), await hints()];
  assert.ok(asked.every((times) => times > 60), `asked too seldom to tell: ${asked}`);
});

test("a suppressed fact is in no later response", async (t) => {
  const { api } = await connected(t, { scope: EVERYTHING, settings: { "rate-api": "0" } });
  await api.write(MUSIC, { genres: Array.from({ length: 20 }, (_, i) => `genre ${i}`) });
  let gone = 0;
  const stop = hammer(8, () => api.read(`preferences/${MUSIC}`), () => gone, (before, { preferences }) => {
    for (let i = 0; i < before; i++) assert.ok(!preferences.genres?.includes(`genre ${i}`), `genre ${i} was suppressed`);
  });
  for (let i = 0; i < 20; i++) {
    fine(await api.suppressing((await api.atom(`genre ${i}`)).atom_id));
    gone = i + 1;
  }
  assert.ok((await stop()) > 20);
});

// Each ends the access of one token; another app of the same user keeps its access.
const ENDINGS = [
  ["the token is revoked", ({ api }) => api.app.revoke(api.token)],
  ["its refresh token is revoked", ({ api }) => api.app.revoke(api.refresh_token)],
  ["the app is disabled", ({ w, api }) => w.command("app", "disable", api.app.client_id)],
  ["the app is deleted", ({ w, api }) => w.command("app", "delete", api.app.client_id)],
];

for (const [why, end] of ENDINGS) {
  test(`no response comes from memory after ${why}`, async (t) => {
    const { w, ada, app } = await connected(t, { scope: EVERYTHING, settings: { "rate-api": "0" } });
    const other = await secondApp(w, ada, { scope: EVERYTHING });
    const api = await Client.connect(ada, app, { scope: EVERYTHING });
    const paths = [`preferences/${MUSIC}`, "agent-hints", "domains"];
    let ended = false;
    const judge = (before, answer) => {
      if (before) assert.equal(answer.status, 401, "asked after the end was acknowledged");
      else assert.ok([200, 401].includes(answer.status), `${answer.status}`);
    };
    const stops = paths.map((path) => hammer(3, () => api.get(path), () => ended, judge));
    const introspected = hammer(3, () => api.app.introspect(api.token), () => ended, (before, { status, data }) => {
      if (before) assert.ok(status === 401 || data.active === false, "introspected as live after the end");
    });
    while ((await api.get(paths[0])).status !== 200);
    const done = await end({ w, api });
    assert.ok((done.status ?? 0) === 0 || done.status === 200, `${done.status} ${done.err ?? ""}`);
    ended = true;
    for (let i = 0; i < 20; i++) assert.equal((await api.get(paths[i % 3])).status, 401);
    for (const stop of [...stops, introspected]) assert.ok((await stop()) > 0);
    fine(await other.get(`preferences/${MUSIC}`));
  });
}

test("disabling the user ends the access of every app at once", async (t) => {
  const { w, ada, api } = await connected(t, { scope: EVERYTHING });
  const other = await secondApp(w, ada, { scope: EVERYTHING });
  for (const one of [api, other]) for (let i = 0; i < 3; i++) fine(await one.get(`preferences/${MUSIC}`));
  assert.equal((await w.command("user", "disable", "ada")).status, 0);
  for (const one of [api, other]) assert.equal((await one.get(`preferences/${MUSIC}`)).status, 401);
});

test("a cached response is not used after its token has expired", async (t) => {
  const { w, api } = await connected(t, { scope: EVERYTHING });
  for (let i = 0; i < 3; i++) fine(await api.get(`preferences/${MUSIC}`));
  assert.equal((await api.app.introspect(api.token)).data.active, true);
  w.clock.forward(3601);
  assert.equal((await api.get(`preferences/${MUSIC}`)).status, 401);
  assert.equal((await api.app.introspect(api.token)).data.active, false);
});

test("a cached response is the same response: headers, ETag, 304, HEAD", async (t) => {
  const { api } = await connected(t, { scope: EVERYTHING });
  await api.write(MUSIC, { genres: ["jazz"] });
  const plain = ({ status, text, headers }) => {
    const { date, "x-request-id": id, ...rest } = headers;
    assert.ok(date && id);
    return { status, text, headers: rest };
  };
  for (const path of [`preferences/${MUSIC}`, "preferences", "preferences/atoms", "domains", `domains/${MUSIC}/stats`, "agent-hints?context=music"]) {
    const first = await api.get(path);
    const second = await api.get(path);
    assert.deepEqual(plain(second), plain(first), path);
    assert.notEqual(second.headers["x-request-id"], first.headers["x-request-id"]);
    assert.equal((await api.get(path, { "if-none-match": first.headers.etag })).status, 304, path);
    const head = await api.ask("HEAD", path);
    assert.deepEqual([head.status, head.text, head.headers.etag], [200, "", first.headers.etag], path);
  }
  const info = (headers) => api.w.get("/oauth/userinfo", { authorization: `Bearer ${api.token}`, ...headers });
  assert.deepEqual(plain(await info()), plain(await info()));
  assert.deepEqual(plain(await api.app.introspect(api.token)), plain(await api.app.introspect(api.token)));
});

test("a wrong secret is rejected, even if a response to the right one is cached", async (t) => {
  const { api } = await connected(t, { scope: EVERYTHING });
  for (let i = 0; i < 3; i++) assert.equal((await api.app.introspect(api.token)).data.active, true);
  const basic = (secret) => ({ authorization: `Basic ${Buffer.from(`${api.app.client_id}:${secret}`).toString("base64")}` });
  const asked = await api.w.ask("POST", "/oauth/introspect", { headers: basic("pn_cs_wrong"), form: { token: api.token } });
  assert.equal(asked.status, 401);
});

test("a revoked secret no longer authenticates the app, and the new one does at once", async (t) => {
  const { w, api } = await connected(t, { scope: EVERYTHING, settings: { "rate-api": "0", "rate-auth": "0" } });
  const withSecret = (client_secret) => new App(w, { ...api.app, client_secret });
  let newest = withSecret(api.app.client_secret), older = withSecret("pn_cs_none");
  let asked = 0; // about another token each time: no answer is kept
  const stop = hammer(6, () => newest.introspect(`${api.token}${asked++}`), () => null, (_, { status }) => assert.ok(status === 200 || status === 401));
  const stopOld = hammer(4, () => older.introspect(`${api.token}${asked++}`), () => older, (_, answer) => assert.equal(answer.status, 401, "an ended secret was taken"));
  for (let i = 0; i < 10; i++) {
    const { client_secret } = await appCommand(w, "rotate-secret", api.app.client_id, "--end-old");
    w.secrets.add(client_secret);
    [older, newest] = [newest, withSecret(client_secret)];
    assert.equal((await newest.introspect(api.token)).data.active, true);
    assert.equal((await older.introspect(api.token)).status, 401);
  }
  assert.ok((await stop()) > 10 && (await stopOld()) > 10);
});

test("with cache = 0 everything works the same", async (t) => {
  const { w, api } = await connected(t, { scope: EVERYTHING, settings: { cache: "0" } });
  await api.write(MUSIC, { genres: ["jazz"] });
  for (let i = 0; i < 3; i++) assert.deepEqual(await api.record(MUSIC), { genres: ["jazz"] });
  assert.equal((await w.command("user", "disable", "ada")).status, 0);
  assert.equal((await api.get(`preferences/${MUSIC}`)).status, 401);
});
