// The description of the interface: it is OpenAPI, it is this installation's, its examples happen, and
// the tests would notice if it were not true.

import assert from "node:assert/strict";
import path from "node:path";
import test from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Description, descriptionOf } from "../kit/described.mjs";
import { assertCommon } from "../kit/expect.mjs";
import { addPerson, App, HOUR, stage } from "../kit/oauth.mjs";
import { Client, FOOD, MUSIC } from "../kit/preferences.mjs";
import { CHECKED, ROOT, world } from "../kit/world.mjs";

const WHERE = "/openapi.json";
const EXAMPLES = path.join(ROOT, "docs/examples");
const MORNING = Date.parse("2026-11-14T09:30:00Z") / 1000; // when the examples happen

// ---- the document ----

test("it is valid OpenAPI 3.1 for an independent validator, also with an operator's domains", async (t) => {
  for (const domains of [undefined, EXAMPLES]) {
    const { document } = await descriptionOf(CHECKED, domains);
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(document));
    assert.ok(valid, JSON.stringify(errors, null, 1));
    assert.equal(validator.version, "3.1");
  }
});

test("the document is public, cacheable, and equal to the output of the program", async (t) => {
  const urls = { "base-url": "https://api.penchant.example", "auth-url": "https://id.penchant.example" };
  const w = await world(t, { settings: urls });
  const answer = await w.get(WHERE, { origin: "https://editor.example" });
  assert.equal(answer.status, 200);
  assertCommon(answer);
  assert.equal(answer.headers["access-control-allow-origin"], "*");
  assert.equal(answer.headers["cache-control"], "public, max-age=300");
  assert.match(answer.headers["access-control-expose-headers"], /ETag/);
  const again = await w.get(WHERE, { "if-none-match": answer.headers.etag });
  assert.deepEqual([again.status, again.text, again.headers.etag], [304, "", answer.headers.etag]);
  assert.deepEqual((await w.ask("HEAD", WHERE)).headers.etag, answer.headers.etag);

  const printed = await w.penchant(["help", "api", "--json", ...Object.entries(urls).flatMap(([name, url]) => [`--${name}`, url])]);
  assert.equal(printed.out, `${answer.text}\n`);
  const { servers, paths, components } = answer.data;
  assert.deepEqual(servers, [{ url: urls["base-url"] }]);
  assert.deepEqual(paths["/oauth/authorize"].servers, [{ url: urls["auth-url"] }]);
  const flow = components.securitySchemes.oauth2.flows.authorizationCode;
  assert.deepEqual([flow.authorizationUrl, flow.tokenUrl], [`${urls["auth-url"]}/oauth/authorize`, `${urls["base-url"]}/oauth/token`]);
  const { scopes_supported } = (await w.get("/.well-known/oauth-authorization-server")).data;
  assert.deepEqual(Object.keys(flow.scopes), scopes_supported);
});

test("an operator's domain has its scope, name, and record in the document", async (t) => {
  const w = await world(t, { settings: { domains: EXAMPLES } });
  const { components, paths } = (await w.get(WHERE)).data;
  assert.ok(components.securitySchemes.oauth2.flows.authorizationCode.scopes.reading);
  assert.ok(components.schemas.DomainName.enum.includes("reading"));
  assert.ok(components.schemas.reading.properties.favorite_authors);
  assert.ok(paths["/v1/preferences/{domain}"].get.security.some(({ oauth2 }) => oauth2[0] === "reading"));
  const without = (await descriptionOf(CHECKED, undefined)).document;
  assert.equal(without.components.schemas.reading, undefined);
});

test("every operation has what a generator of clients needs", async () => {
  const { document } = await descriptionOf(CHECKED, undefined);
  const tags = document.tags.map(({ name }) => name);
  const ids = new Set();
  for (const [where, place] of Object.entries(document.paths))
    for (const method of ["get", "post"].filter((one) => place[one])) {
      const { operationId, tags: own, summary, description, responses, security } = place[method];
      const why = `${method} ${where}`;
      assert.match(operationId, /^[a-z][A-Za-z]+$/, why);
      assert.ok(!ids.has(operationId), operationId);
      ids.add(operationId);
      assert.equal(own.length, 1, why);
      assert.ok(tags.includes(own[0]), why);
      assert.ok(summary && !summary.endsWith(".") && description?.endsWith("."), why);
      assert.ok(Array.isArray(security), why);
      assert.ok(Object.keys(responses).some((status) => /^[23]/.test(status)), why);
    }
});

// ---- its examples ----

// Every example in it, with the schema beside it.
function* examplesIn(description, value, keys = []) {
  if (typeof value !== "object" || value === null) return;
  if (value.schema && ("example" in value || value.examples)) {
    const all = { ...("example" in value ? { "": value.example } : {}), ...Object.fromEntries(Object.entries(value.examples ?? {}).map(([name, one]) => [name, one.value])) };
    for (const example of Object.values(all)) yield { keys, example };
    return;
  }
  for (const [key, one] of Object.entries(value)) yield* examplesIn(description, one, [...keys, key]);
}

const pointer = (keys) => keys.map((key) => `/${encodeURIComponent(key.replace(/~/g, "~0").replace(/\//g, "~1"))}`).join("");

test("every example is valid against the schema beside it", async () => {
  const description = await descriptionOf(CHECKED, undefined);
  let count = 0;
  for (const { keys, example } of examplesIn(description, description.document)) {
    description.checkAnswer(pointer([...keys, "schema"]), example, keys.join(" "));
    count++;
  }
  assert.ok(count > 40, `${count} examples`);
});

// Ids and secrets are another one each time.
const faceless = (value) =>
  JSON.parse(JSON.stringify(value).replace(/\b(usr|app|atm)_[A-Za-z0-9_-]{22}/g, "$1_").replace(/\b(pn_[a-z]{2}_)(…|[A-Za-z0-9_-]{49})/g, "$1"));

// The same members in the same order.
function assertHappened(answer, example, why) {
  assert.equal(JSON.stringify(faceless(answer.data), null, 1), JSON.stringify(faceless(example), null, 1), why);
}

const DEFAULT_SCOPE = "preferences:read preferences:write agent_hints profile:read";

async function morning(t, settings) {
  const { w, app } = await stage(t, { clock: MORNING, username: "grace", settings });
  const ada = await addPerson(w, "ada", { name: "Ada", email: "ada@example.org", confirmed: true });
  const { document } = new Description((await w.get(WHERE)).data);
  const example = (where, method = "get", status = "200", name) => {
    const response = document.paths[where][method].responses[status];
    const resolved = response.$ref ? document.components.responses[response.$ref.split("/").at(-1)] : response;
    const { example: only, examples } = resolved.content["application/json"];
    return name === undefined ? only : examples[name].value;
  };
  const body = (where) => document.paths[where].post.requestBody.content["application/json"].example;
  return { w, app, ada, example, body };
}

test("the examples are responses of the service", async (t) => {
  const { w, app, ada, example, body } = await morning(t);
  assertHappened(await w.get("/healthz"), example("/healthz"));
  assertHappened(await w.get("/readyz"), example("/readyz"));
  assertHappened(await w.get("/.well-known/oauth-authorization-server"), example("/.well-known/oauth-authorization-server"));

  const request = await ada.authorize(app, { scope: DEFAULT_SCOPE });
  const tokens = await app.exchange(request);
  assertHappened(tokens, example("/oauth/token", "post"));
  const { access_token, refresh_token } = tokens.data;
  assertHappened(await app.introspect(access_token), example("/oauth/introspect", "post", "200", "live"));
  assertHappened(await app.introspect("pn_at_x"), example("/oauth/introspect", "post", "200", "anything_else"));
  assertHappened(await app.userinfo(access_token), example("/oauth/userinfo"));

  const api = new Client(w, { app, access_token });
  assertHappened(await api.get("domains"), example("/v1/domains"));
  await api.write(FOOD, { dietary: "vegetarian" });
  assertHappened(await api.get("preferences/export"), example("/v1/preferences/export"));
  const { preferences } = body("/v1/preferences/{domain}");
  assertHappened(await api.send(MUSIC, preferences), example("/v1/preferences/{domain}", "post"));
  assertHappened(await api.get(`preferences/${MUSIC}`), example("/v1/preferences/{domain}"));
  const atoms = await api.get(`preferences/atoms?domain=${MUSIC}&limit=2`);
  assertHappened(atoms, example("/v1/preferences/atoms"));
  assertHappened(await api.get(`domains/${MUSIC}/stats`), example("/v1/domains/{domain}/stats"));
  await api.write(FOOD, { allergies: ["peanuts"] });
  assertHappened(await api.get("preferences"), example("/v1/preferences"));
  for (const format of ["text", "json", "bullets"])
    assertHappened(await api.get(`agent-hints?context=restaurant_search&format=${format}`), example("/v1/agent-hints", "get", "200", format));
  const { reason } = body("/v1/preferences/suppress");
  assertHappened(await api.suppressing(atoms.data.atoms[0].atom_id, reason), example("/v1/preferences/suppress", "post"));
  assert.equal((await app.revoke(refresh_token)).status, 200);
});

test("the examples of errors are responses of the service", async (t) => {
  const { w, app, ada, example } = await morning(t);
  const request = await ada.authorize(app, { scope: "preferences:read" });
  const token = (name) => example("/oauth/token", "post", "400", name);
  const exchanging = (code, more) => app.exchange({ ...request, code }, more);
  w.clock.forward(61);
  assertHappened(await exchanging(request.code), token("invalid_grant"));
  w.clock.stop(MORNING);
  assertHappened(await exchanging(request.code, { code_verifier: undefined }), token("invalid_request"));
  assertHappened(await exchanging(request.code, { grant_type: "password" }), token("unsupported_grant_type"));
  const { access_token, refresh_token } = (await exchanging(request.code)).data;
  assertHappened(await app.refresh(refresh_token, { scope: "profile:read" }), token("invalid_scope"));
  const stranger = new App(w, { ...app, client_secret: "wrong" });
  assertHappened(await stranger.revoke("x"), example("/oauth/revoke", "post", "401"));

  const api = new Client(w, { app, access_token });
  assertHappened(await api.get("preferences/atoms?limit=0"), example("/v1/preferences/atoms", "get", "400"));
  assertHappened(await api.get("domains/nothing/stats"), example("/v1/domains/{domain}/stats", "get", "404"));
  assertHappened(await api.send(MUSIC, {}), example("/v1/preferences/{domain}", "post", "403"));
  const writer = await Client.connect(ada, app);
  assertHappened(await writer.send(MUSIC, { genres: ["jazz", 7] }), example("/v1/preferences/{domain}", "post", "400"));
  assertHappened(await writer.suppressing("atm_x"), example("/v1/preferences/suppress", "post", "404"));
  assertHappened(await writer.ask("POST", `preferences/${MUSIC}`, { form: {} }), example("/v1/preferences/{domain}", "post", "415"));
  assertHappened(await writer.send(MUSIC, { genres: ["x".repeat(70_000)] }), example("/v1/preferences/{domain}", "post", "413"));
  w.clock.forward(HOUR + 1);
  assertHappened(await api.get("domains"), example("/v1/domains", "get", "401"));
});

test("too many requests get the response of the example", async (t) => {
  const { app, ada, example } = await morning(t, { "rate-api": 1 });
  const api = await Client.connect(ada, app);
  const answers = await Promise.all(Array.from({ length: 8 }, () => api.get("domains")));
  const refused = answers.find(({ status }) => status === 429);
  assertHappened(refused, example("/v1/domains", "get", "429"));
});

// ---- and it would be noticed ----

const ANSWER = {
  status: 200,
  headers: { "content-type": "application/json", "x-request-id": "abcdefgh", etag: '"x"' },
  data: { domain: MUSIC, preferences: { genres: ["jazz"] }, updated_at: "2026-11-14T09:30:00Z" },
};
const ERROR = { "content-type": "application/json", "x-request-id": "abcdefgh" };

// What is asked, what is answered instead of the right thing, and what is said about it.
const UNTRUE = [
  ["a member more", {}, { data: { ...ANSWER.data, secret: 1 } }, /additional properties/],
  ["a member less", {}, { data: { domain: MUSIC, preferences: {} } }, /required property 'updated_at'/],
  ["a member of another type", {}, { data: { ...ANSWER.data, updated_at: 7 } }, /updated_at must be string/],
  ["a time that is none", {}, { data: { ...ANSWER.data, updated_at: "yesterday" } }, /format "date-time"/],
  ["a domain that is none", {}, { data: { ...ANSWER.data, domain: "x" } }, /allowed values/],
  ["a record of another domain", {}, { data: { ...ANSWER.data, preferences: { cuisines: ["Thai"] } } }, /additional properties/],
  ["a member of a record too long", {}, { data: { ...ANSWER.data, preferences: { genres: ["x".repeat(300)] } } }, /80 characters/],
  ["no tag", {}, { headers: { ...ANSWER.headers, etag: undefined } }, /no ETag/],
  ["a header that is not described", {}, { headers: { ...ANSWER.headers, location: "/" } }, /location is not described/],
  ["no request id", {}, { headers: { ...ANSWER.headers, "x-request-id": undefined } }, /no X-Request-Id/],
  ["a page", {}, { headers: { ...ANSWER.headers, "content-type": "text/html" } }, /type text\/html is not described/],
  ["a status that is not described", {}, { status: 201 }, /status is not described/],
  ["a defect", {}, { status: 500, headers: ERROR, data: { error: "server_error", error_description: "x" } }, /status is not described/],
  ["another code than its status has", {}, { status: 404, headers: ERROR, data: { error: "invalid_request", error_description: "x" } }, /invalid_request is not described there/],
  ["an error of another shape", {}, { status: 404, headers: ERROR, data: { message: "x" } }, /required property 'error'/],
  ["503 without Retry-After", {}, { status: 503, headers: ERROR, data: { error: "temporarily_unavailable", error_description: "x" } }, /no Retry-After/],
  ["a body where there is none", {}, { status: 304, text: "x" }, /a body that is not described/],
  ["a method that is not described", { method: "DELETE" }, {}, /method is not described/],
  ["a path that is not described", { where: "/v1/nothing" }, {}, /nothing of that path is described/],
  ["an accepted parameter out of bounds", { where: "/v1/preferences/atoms?limit=1000" }, { data: { atoms: [], total: 0, limit: 1, offset: 0 } }, /must be <= 100/],
  ["an accepted parameter of no such value", { where: "/v1/preferences/atoms?status=x" }, { data: { atoms: [], total: 0, limit: 1, offset: 0 } }, /allowed values/],
  ["an accepted body that is not described", { method: "POST", where: "/v1/preferences/suppress", json: { atom_id: "x" } }, { data: { atom_id: `atm_${"x".repeat(22)}`, status: "suppressed", reason: "other", suppressed_at: "2026-11-14T09:30:00Z" }, headers: ERROR }, /required property 'reason'/],
];

test("a response or route without a description is detected", async () => {
  const description = await descriptionOf(CHECKED, undefined);
  const right = { method: "GET", where: `/v1/preferences/${MUSIC}` };
  description.hold(right, { ...ANSWER, text: JSON.stringify(ANSWER.data) });
  for (const [why, request, change, said] of UNTRUE) {
    const answer = { text: "", ...ANSWER, ...change };
    assert.throws(() => description.hold({ ...right, ...request }, answer), said, why);
  }
});
