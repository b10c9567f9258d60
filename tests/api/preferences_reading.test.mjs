// Reading: tags, headers, the export, the numbers, the domains and their schemas.

import assert from "node:assert/strict";
import test from "node:test";
import { assertError } from "../kit/expect.mjs";
import { addPerson, DOMAINS, HOUR, userinfo } from "../kit/oauth.mjs";
import { Client, connected, fine, FOOD, MUSIC, secondApp, WAITING } from "../kit/preferences.mjs";

const READS = [`preferences/${MUSIC}`, "preferences", "preferences/atoms", "domains", `domains/${MUSIC}/schema`, `domains/${MUSIC}/stats`];

test("a read with an unchanged response is a 304, and a new response after a write", async (t) => {
  const { api } = await connected(t);
  await api.write(MUSIC, { genres: ["jazz"] });
  const tags = new Map();
  for (const where of READS) {
    const answer = await api.get(where);
    fine(answer);
    const { etag } = answer.headers;
    assert.match(etag, /^"[A-Za-z0-9_-]{16,}"$/, where);
    assert.equal(answer.headers["cache-control"], "private, no-cache", where);
    assert.match(answer.headers.vary ?? "", /\bAuthorization\b/, where);
    assert.equal((await api.get(where)).headers.etag, etag, `${where} twice`);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, `${etag},"other"`, "*"]) {
      const unchanged = await api.get(where, { "if-none-match": known });
      assert.deepEqual([unchanged.status, unchanged.text], [304, ""], `${where} with ${known}`);
      assert.equal(unchanged.headers.etag, etag);
      assert.equal(unchanged.headers["cache-control"], "private, no-cache");
      assert.match(unchanged.headers.vary ?? "", /\bAuthorization\b/);
    }
    for (const unknown of ['"other"', etag.slice(1, -1), etag.slice(0, -2) + '"', ""]) assert.equal((await api.get(where, { "if-none-match": unknown })).status, 200, unknown);
    tags.set(where, etag);
  }
  await api.write(MUSIC, { genres: ["soul"] });
  for (const [where, etag] of tags) assert.equal((await api.get(where, { "if-none-match": etag })).status, /schema/.test(where) ? 304 : 200, where);
  // A tag is no way around the token.
  assertError(await api.w.get(`/v1/${READS[0]}`, { "if-none-match": "*" }), 401, "invalid_token");
});

test("the tag of a page depends on what is asked and on nothing else", async (t) => {
  const { w, api } = await connected(t);
  await api.write(MUSIC, { genres: ["jazz", "soul", "folk"] });
  const tag = async (query) => (await api.get(`preferences/atoms?${query}`)).headers.etag;
  assert.equal(new Set([await tag("limit=1"), await tag("limit=2"), await tag("offset=1"), await tag("status=all&limit=3")]).size, 4);
  const [page, record] = [await tag(""), (await api.get(`preferences/${MUSIC}`)).headers.etag];
  w.clock.forward(HOUR / 2);
  assert.equal(await tag(""), page);
  await api.write(FOOD, { cuisines: ["Thai"] });
  assert.notEqual(await tag(""), page);
  assert.equal((await api.get(`preferences/${MUSIC}`)).headers.etag, record);
});

test("responses allow any origin without credentials, and errors are not cached", async (t) => {
  const { api } = await connected(t);
  for (const where of [...READS, "preferences/export"]) {
    const { headers } = await api.get(where, { origin: "https://elsewhere.example" });
    assert.equal(headers["access-control-allow-origin"], "*", where);
    assert.equal(headers["access-control-allow-credentials"], undefined, where);
  }
  const preflight = await api.ask("OPTIONS", READS[0], { headers: { origin: "https://elsewhere.example", "access-control-request-method": "GET", "access-control-request-headers": "authorization,if-none-match" } });
  assert.equal(preflight.headers["access-control-allow-headers"], "Authorization, Content-Type, Accept, If-None-Match, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID, traceparent, tracestate"); // what a script may send back of an ETag it may read
  assertError(await api.get("preferences/nosuch"), 404);
  const written = await api.send(MUSIC, { genres: ["jazz"] });
  assert.equal(written.headers.etag, undefined);
  assert.match(written.headers["cache-control"], /no-store/);
  for (const [method, where] of [["PUT", `preferences/${MUSIC}`], ["DELETE", "preferences"], ["POST", "domains"], ["PATCH", "preferences/atoms"]])
    assertError(await api.ask(method, where), 405);
});

test("the export is one document with every record and every active fact, to be saved", async (t) => {
  const { w, ada, api } = await connected(t, { scope: "preferences:read preferences:write profile:read" });
  const other = await secondApp(w, ada);
  await api.write(MUSIC, { favorite_artists: ["Björk", '"Weird Al" \\ Yankovic'], genres: ["jazz", "https://held.example"] });
  await other.write(FOOD, { dietary: "vegan", nutrition_goals: { protein_grams: 90.5 }, household_size: 2 });
  await api.suppress("jazz");
  const answer = await api.get("preferences/export");
  const { domains, ...about } = fine(answer);
  assert.match(answer.headers["content-disposition"], /^attachment; filename="[a-z-]+\.json"$/);
  assert.equal(answer.headers["cache-control"], "private, no-cache");
  const { sub } = (await userinfo(w, api.token)).data;
  assert.deepEqual(about, { format: "penchant-export", version: 1, exported_at: "2027-01-15T08:00:00Z", user: { sub } });
  assert.deepEqual(Object.keys(domains).sort(), [...DOMAINS].sort());
  for (const [domain, { preferences, atoms, ...rest }] of Object.entries(domains)) {
    assert.deepEqual(rest, {});
    assert.deepEqual(preferences, await api.record(domain));
    const listed = await api.atoms(`domain=${domain}&limit=100`);
    assert.deepEqual([...atoms].sort(byId), [...listed].sort(byId), domain);
  }
  assert.doesNotMatch(answer.text, /held\.example|jazz/);
});

const byId = (a, b) => (a.atom_id < b.atom_id ? -1 : 1);

test("the export of a user without facts is complete, too", async (t) => {
  const { api } = await connected(t);
  const { domains } = fine(await api.get("preferences/export"));
  assert.deepEqual(domains, Object.fromEntries(Object.keys(domains).map((domain) => [domain, { preferences: {}, atoms: [] }])));
  assert.deepEqual(await api.read("preferences"), { preferences: Object.fromEntries(Object.keys(domains).map((domain) => [domain, {}])) });
});

test("the numbers of a domain add up, for each app by what it may see", async (t) => {
  const { w, ada, api } = await connected(t);
  const other = await secondApp(w, ada);
  const empty = { atom_count: 0, suppressed_count: 0, held_count: 0, members: {}, sources: 0, first_recorded_at: null, updated_at: null };
  assert.deepEqual(await api.read(`domains/${FOOD}/stats`), { domain: FOOD, ...empty });
  await api.write(MUSIC, { genres: ["jazz", "soul", "folk"], favorite_artists: ["Björk", "<i>x</i>"] });
  w.clock.forward(HOUR / 4);
  await other.write(MUSIC, { genres: ["soul", "salsa"], discovery: "balanced", favorite_artists: ["<b>y</b>", "<b>z</b>"] });
  w.clock.forward(HOUR / 4);
  await api.suppress("folk");
  await other.suppress("salsa");
  const shared = {
    domain: MUSIC, atom_count: 4, members: { favorite_artists: 1, genres: 2, discovery: 1 },
    sources: 2, first_recorded_at: "2027-01-15T08:00:00Z", updated_at: "2027-01-15T08:15:00Z",
  };
  assert.deepEqual(await api.read(`domains/${MUSIC}/stats`), { ...shared, suppressed_count: 1, held_count: 1 });
  assert.deepEqual(await other.read(`domains/${MUSIC}/stats`), { ...shared, suppressed_count: 1, held_count: 2 });
  for (const client of [api, other]) {
    const stats = await client.read(`domains/${MUSIC}/stats`);
    assert.equal(Object.values(stats.members).reduce((a, b) => a + b, 0), stats.atom_count);
    for (const [status, count] of [["active", stats.atom_count], ["suppressed", stats.suppressed_count], ["held", stats.held_count]])
      assert.equal((await client.read(`preferences/atoms?status=${status}`)).total, count, status);
    const record = await client.record(MUSIC);
    for (const [member, count] of Object.entries(stats.members)) assert.equal([record[member]].flat().length, count);
    const { domains } = await client.read("domains");
    assert.equal(domains.find(({ domain }) => domain === MUSIC).atom_count, stats.atom_count);
  }
});

test("every domain has a schema of its record, by the draft of 2020-12", async (t) => {
  const { api } = await connected(t);
  for (const domain of DOMAINS) {
    const { schema, version, domain: named, ...rest } = await api.read(`domains/${domain}/schema`);
    assert.deepEqual([named, rest], [domain, {}]);
    assert.match(version, /^\d+\.\d+\.\d+$/);
    assert.equal(schema.$schema, "https://json-schema.org/draft/2020-12/schema");
    assert.equal(schema.type, "object");
    assert.equal(schema.additionalProperties, false, "an unknown member is refused");
    for (const [member, { type, description, items }] of Object.entries(schema.properties)) {
      assert.ok(["array", "string", "number", "boolean", "object"].includes(type), `${domain}.${member}`);
      assert.ok(description.length > 5, `${domain}.${member}`);
      if (type === "array") assert.equal(items.type, "string", `${domain}.${member}`);
    }
  }
  const { schema } = await api.read(`domains/${MUSIC}/schema`);
  assert.ok(schema.properties.favorite_artists && schema.properties.genres);
});

test("every member of a schema accepts a value of its type and returns it", async (t) => {
  const { api } = await connected(t);
  const sample = ({ type, enum: words, minimum, properties, maxLength = 200 }) => {
    if (words) return words[0];
    if (type === "string") return "abc".slice(0, maxLength);
    if (type === "number") return minimum ?? 1;
    if (type === "boolean") return true;
    return Object.fromEntries(Object.entries(properties).map(([name, of]) => [name, sample(of)]));
  };
  for (const domain of DOMAINS) {
    const { schema } = await api.read(`domains/${domain}/schema`);
    const members = Object.entries(schema.properties).map(([name, of]) => [name, of.type === "array" ? [sample(of.items)] : sample(of)]);
    const preferences = Object.fromEntries(members);
    const waiting = WAITING.filter((member) => member in preferences);
    const written = await api.write(domain, preferences);
    for (const member of waiting) delete preferences[member];
    assert.deepEqual([written.added, written.held, written.preferences], [members.length - waiting.length, waiting.length, preferences], domain);
  }
});

test("the facts of different users are never mixed: no facts, many, the same ones", async (t) => {
  const { w, app, api } = await connected(t);
  const eve = await Client.connect(await addPerson(w, "eve"), app);
  for (let i = 0; i < 3; i++) await api.write(MUSIC, { favorite_songs: Array.from({ length: 100 }, (_, n) => `Song ${i}-${n}`) });
  assert.deepEqual((await eve.read("preferences/atoms")).total, 0);
  assert.deepEqual((await eve.read("domains")).domains.map(({ atom_count }) => atom_count), DOMAINS.map(() => 0));
  assert.equal((await api.read("preferences/atoms?limit=1")).total, 300);
  assert.equal((await api.record(MUSIC)).favorite_songs.length, 300);
});
