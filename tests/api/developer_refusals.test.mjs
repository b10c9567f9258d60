// Mistakes that developers make: each is answered with what was wrong, and each leaves a line on the
// app's page that its developer can act on.

import assert from "node:assert/strict";
import test from "node:test";
import { addPerson, CALLBACK, HOUR, MINUTE, pkce, stage } from "../kit/oauth.mjs";
import { textOf } from "../kit/html.mjs";
import { pageOf, refusals, registered } from "../kit/portal.mjs";
import { until } from "../kit/until.mjs";

const SCOPES = ["agent_hints", "music_preferences", "preferences:write"];

// Ada is the developer, Grace a user of the app.
async function workshop(t, options) {
  const { w, ada } = await stage(t, options);
  const grace = await addPerson(w, "grace", { password: "seven green lanterns drift north" });
  const app = await registered(ada, { scopes: SCOPES });
  return { w, ada, grace, app };
}

function said(answer) {
  if (answer.data?.error_description) return answer.data.error_description;
  return answer.headers.location ? new URL(answer.headers.location).searchParams.get("error_description") : textOf(answer.text);
}

const MISTAKES = [
  {
    what: "a slash more at the end of the redirect URI",
    make: ({ grace, app }) => grace.get(app.request({ redirect_uri: `${CALLBACK}/` }).path),
    status: 400,
    answer: /trailing slash/,
    line: { endpoint: "GET /oauth/authorize", error: "invalid_request", reason: /differs from the registered one by a trailing slash/, detail: /callback\/, registered: https:/ },
  },
  {
    what: "http instead of https",
    make: ({ grace, app }) => grace.get(app.request({ redirect_uri: CALLBACK.replace("https", "http") }).path),
    status: 400,
    answer: /in its scheme/,
    line: { endpoint: "GET /oauth/authorize", error: "invalid_request", reason: /differs from the registered one in its scheme/ },
  },
  {
    what: "a redirect URI of somewhere else",
    make: ({ grace, app }) => grace.get(app.request({ redirect_uri: "https://other.example/done" }).path),
    status: 400,
    answer: /has not registered/,
    line: { endpoint: "GET /oauth/authorize", error: "invalid_request", reason: /redirect_uri is not registered for this app/ },
  },
  {
    what: "no PKCE",
    make: ({ grace, app }) => grace.get(app.request({ code_challenge: undefined, code_challenge_method: undefined }).path),
    status: 303,
    answer: /PKCE is required/,
    line: { endpoint: "GET /oauth/authorize", error: "invalid_request", reason: /code_challenge is missing/ },
  },
  {
    what: "the plain method",
    make: ({ grace, app }) => grace.get(app.request({ code_challenge_method: "plain" }).path),
    status: 303,
    answer: /must be S256/,
    line: { endpoint: "GET /oauth/authorize", error: "invalid_request", reason: /must be S256/ },
  },
  {
    what: "a scope that the app did not register",
    make: ({ grace, app }) => grace.get(app.request({ scope: "agent_hints travel_profile" }).path),
    status: 303,
    answer: /travel_profile/,
    line: { endpoint: "GET /oauth/authorize", error: "invalid_scope", reason: /scope travel_profile is not registered/ },
  },
  {
    what: "a wrong secret",
    make: async ({ grace, app, other }) => app.exchange(await grace.authorize(app), { client_secret: other.client_secret }),
    status: 401,
    answer: /Unknown client_id or wrong client_secret/,
    line: { endpoint: "POST /oauth/token", error: "invalid_client", reason: /The secret is wrong/ },
  },
  {
    what: "no secret",
    make: async ({ grace, app }) => app.exchange(await grace.authorize(app), { client_secret: undefined }),
    status: 401,
    answer: /client_secret/,
    line: { endpoint: "POST /oauth/token", error: "invalid_client", reason: /client_secret is missing/ },
  },
  {
    what: "another verifier",
    make: async ({ grace, app }) => app.exchange({ ...(await grace.authorize(app)), verifier: pkce().verifier }),
    status: 400,
    answer: /code_verifier does not match/,
    line: { endpoint: "POST /oauth/token", error: "invalid_grant", reason: /code_verifier does not match/ },
  },
  {
    what: "a code used twice",
    make: async ({ grace, app }) => {
      const request = await grace.authorize(app);
      assert.equal((await app.exchange(request)).status, 200);
      return app.exchange(request);
    },
    status: 400,
    answer: /already used/,
    line: { endpoint: "POST /oauth/token", error: "invalid_grant", reason: /The code was already used/ },
  },
  {
    what: "a code too late",
    make: async ({ w, grace, app }) => {
      const request = await grace.authorize(app);
      w.clock.forward(61);
      return app.exchange(request);
    },
    status: 400,
    answer: /has expired.*60 seconds/,
    line: { endpoint: "POST /oauth/token", error: "invalid_grant", reason: /The code has expired/ },
  },
  {
    what: "an expired token",
    make: async ({ w, grace, app }) => {
      const { access_token } = await grace.connect(app);
      w.clock.forward(HOUR);
      return w.get("/v1/preferences/music_preferences", { authorization: `Bearer ${access_token}` });
    },
    status: 401,
    answer: /has expired/,
    line: { endpoint: "GET /v1/preferences/{domain}", error: "invalid_token", reason: /has expired: it is valid for one hour/ },
  },
  {
    what: "a refresh token where an access token belongs",
    make: async ({ w, grace, app }) => w.get("/v1/domains", { authorization: `Bearer ${(await grace.connect(app)).refresh_token}` }),
    status: 401,
    answer: /is a refresh token/,
    line: { endpoint: "GET /v1/domains", error: "invalid_token", reason: /is a refresh token/ },
  },
  {
    what: "a scope that the token lacks",
    make: async ({ w, grace, app }) => w.get("/oauth/userinfo", { authorization: `Bearer ${(await grace.connect(app)).access_token}` }),
    status: 403,
    answer: /profile:read/,
    line: { endpoint: "GET /oauth/userinfo", error: "insufficient_scope", reason: /does not have a required scope/, detail: /profile:read/ },
  },
  {
    what: "JSON at the token endpoint",
    make: ({ w, app }) => w.ask("POST", "/oauth/token", { json: { grant_type: "authorization_code", ...app.credentials } }),
    status: 415,
    answer: /x-www-form-urlencoded/,
    line: { endpoint: "POST /oauth/token", error: "unsupported_media_type", reason: /x-www-form-urlencoded/ },
  },
  {
    what: "a compressed body at the API",
    make: async ({ w, grace, app }) => {
      const { access_token } = await grace.connect(app);
      return w.ask("POST", "/v1/preferences/music_preferences", { json: { preferences: {} }, headers: { authorization: `Bearer ${access_token}`, "content-encoding": "gzip" } });
    },
    status: 415,
    answer: /Content-Encoding/,
    line: { endpoint: "POST /v1/preferences/{domain}", error: "unsupported_media_type", reason: /Content-Encoding/ },
  },
  {
    what: "a form at the API",
    make: async ({ w, grace, app }) => {
      const { access_token } = await grace.connect(app);
      return w.ask("POST", "/v1/preferences/music_preferences", { form: { genres: "jazz" }, headers: { authorization: `Bearer ${access_token}` } });
    },
    status: 415,
    answer: /application\/json/,
    line: { endpoint: "POST /v1/preferences/{domain}", error: "unsupported_media_type", reason: /application\/json/ },
  },
  {
    what: "a member that does not exist",
    make: async ({ w, grace, app }) => {
      const { access_token } = await grace.connect(app);
      return w.ask("POST", "/v1/preferences/music_preferences", { json: { preferences: { gendres: ["jazz"] } }, headers: { authorization: `Bearer ${access_token}` } });
    },
    status: 400,
    answer: /gendres/,
    line: { endpoint: "POST /v1/preferences/{domain}", error: "invalid_request", detail: /gendres/ },
  },
  {
    what: "a refresh token of another service",
    make: ({ app }) => app.refresh("1//0gFU7vqrTxyzAbCdEf"),
    status: 400,
    answer: /not issued by this service/,
    line: { endpoint: "POST /oauth/token", error: "invalid_grant", reason: /not issued by this service/ },
  },
  {
    what: "asking about a token of another service",
    make: ({ app }) => app.post("/oauth/introspect", { token: "gho_16C7e42F292c6912E7710c838347Ae178B4a" }),
    status: 200,
    answer: /active":false/,
    line: { endpoint: "POST /oauth/introspect", error: "inactive", reason: /did not issue the token/ },
  },
  {
    what: "credentials in the header and in the body",
    make: async ({ grace, app }) => app.exchange(await grace.authorize(app), {}, { by: "body", headers: { authorization: app.basic } }),
    status: 400,
    answer: /header or in the body, not in both/,
    line: { endpoint: "POST /oauth/token", error: "invalid_request", reason: /not in both/ },
  },
];

test("each of twenty mistakes gets a response with the reason, and leaves a line for the developer", async (t) => {
  const { w, ada, grace, app } = await workshop(t);
  const other = await registered(ada, { name: "Another", scopes: SCOPES });
  for (const { what, make, status, answer: words, line } of MISTAKES) {
    w.clock.forward(MINUTE);
    const answer = await make({ w, ada, grace, app, other });
    assert.equal(answer.status, status, `${what}: ${answer.text}`);
    assert.match(status === 200 ? answer.text : said(answer), words, what);
    // While lines are written to the store they are in neither place, so the page is read until it shows the line.
    const isIt = (found) => Object.entries(line).every(([name, wanted]) => (wanted instanceof RegExp ? wanted.test(found[name]) : wanted === found[name]));
    const newest = await until(`the line of ${what}`, async () => (await refusals(ada, app)).slice(0, 1).find(isIt));
    assert.equal(newest.times, "once", what);
  }
  // None of it shows what was sent in confidence, and the other app has nothing to do with it.
  const page = await pageOf(ada, app);
  w.checkSecrets(page.text, "the app's page");
  assert.doesNotMatch(page.text, /pn_(at|rt|ac|cs)_[A-Za-z0-9_-]|gho_|1\/\/0g/);
  assert.deepEqual(await refusals(ada, other), []);
});

test("the same mistake is one line with how often, also after it was written and after a restart", async (t) => {
  const { w, ada, app } = await workshop(t);
  for (let i = 0; i < 7; i++) await app.refresh(`pn_rt_${"x".repeat(49)}`);
  // Read until it is shown, for the reason above.
  await until("seven times", async () => (await refusals(ada, app)).map((one) => one.times).join() === "7 times");
  await w.stop();
  await w.start();
  assert.deepEqual((await refusals(ada, app)).map((one) => one.times), ["7 times"]);
  await app.refresh(`pn_rt_${"x".repeat(49)}`);
  w.deadlines.forward(11_000); // it is written now, and for that moment in neither place
  const line = await until("8 times", async () => (await refusals(ada, app)).find(({ times }) => times === "8 times"));
  assert.equal(line.reason, "The refresh token is malformed or was not issued by this service.");
});

test("requests with a foreign client_id cannot flood or poison an app's error list", async (t) => {
  const { w, ada, grace, app } = await workshop(t);
  const nasty = ["<script>alert(1)</script>", "\u202egnp.exe", "a\r\nb", "pn_at_" + "A".repeat(49), "x".repeat(3000)];
  for (let i = 0; i < 60; i++) await grace.get(app.request({ redirect_uri: `https://evil.example/${i}/${nasty[i % nasty.length]}` }).path);
  await w.ask("POST", "/oauth/token", { form: { grant_type: "x", client_id: app.client_id, client_secret: "<b>" } });
  await w.ask("POST", "/oauth/token", { form: { grant_type: "x", client_id: "app_AAAAAAAAAAAAAAAAAAAAAA", client_secret: "x" } });
  const lines = await refusals(ada, app);
  assert.equal(lines.length, 2, JSON.stringify(lines));
  const page = (await pageOf(ada, app)).text;
  assert.doesNotMatch(page, /<script>alert|<b>|\u202e|pn_at_A/);
  assert.ok(lines.every((line) => line.detail.length < 300));
});

test("successful requests are counted for the developer, and per user", async (t) => {
  const { w, ada, grace, app } = await workshop(t);
  const { access_token } = await grace.connect(app);
  for (let i = 0; i < 3; i++) assert.equal((await w.get("/v1/domains", { authorization: `Bearer ${access_token}` })).status, 200);
  const figures = (text) => Object.fromEntries([...text.matchAll(/<dt>([^<]*)<\/dt><dd>(\d+)<\/dd>/g)].map(([, name, value]) => [name, Number(value)]));
  assert.deepEqual(figures((await pageOf(ada, app)).text), { "Successful requests": 3, "Tokens issued": 1, "Rejected requests": 0, Users: 0, "Connected now": 1 });
  await w.stop(); // what was counted is written at the end
  await w.start();
  const page = (await pageOf(ada, app)).text;
  assert.deepEqual(figures(page), { "Successful requests": 3, "Tokens issued": 1, "Rejected requests": 0, Users: 1, "Connected now": 1 });
  assert.match(page, /<title>January 15, 2027: 3 successful, 0 rejected<\/title>/);
  assert.match(textOf((await ada.get("/developer")).text), /Concert Finder.*3 requests in 30 days/);
  assert.match(textOf((await grace.get(`/account/apps/${app.client_id}`)).text), /3 requests in the last 30 days/, "the user sees the same number");
});
