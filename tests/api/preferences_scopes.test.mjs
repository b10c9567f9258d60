// Which scope opens which door: section 3 of the contract as a table, for rows 6 to 11 and 13 to 15.

import assert from "node:assert/strict";
import test from "node:test";
import { assertError } from "../kit/expect.mjs";
import { addApp, DOMAINS, HOUR, SCOPES, stage } from "../kit/oauth.mjs";
import { Random } from "../kit/preferences_model.mjs";
import { assertScopeNeeded, Client, fine, FOOD, MUSIC } from "../kit/preferences.mjs";

const ANY_READ = `preferences:read ${DOMAINS.join(" ")}`;
const write = (domain) => (api) => api.send(domain, {});
const read = (where) => (api) => api.get(where);

// Every endpoint: its request, which single scopes allow it, and which ones its error names.
const DOORS = [
  ["the music record", read(`preferences/${MUSIC}`), ["preferences:read", MUSIC], `preferences:read ${MUSIC}`],
  ["the food record", read(`preferences/${FOOD}`), ["preferences:read", FOOD], `preferences:read ${FOOD}`],
  ["everything", read("preferences"), ["preferences:read", ...DOMAINS], ANY_READ],
  ["atoms", read("preferences/atoms"), ["preferences:read", ...DOMAINS], ANY_READ],
  ["atoms of music", read(`preferences/atoms?domain=${MUSIC}`), ["preferences:read", MUSIC], null],
  ["writing music", write(MUSIC), ["preferences:write"], "preferences:write"],
  ["writing food", write(FOOD), ["preferences:write"], "preferences:write"],
  ["export", read("preferences/export"), ["preferences:read"], "preferences:read"],
  ["the domains", read("domains"), SCOPES, null],
  ["a schema", read(`domains/${FOOD}/schema`), SCOPES, null],
  ["the numbers of music", read(`domains/${MUSIC}/stats`), ["preferences:read", MUSIC], `preferences:read ${MUSIC}`],
  ["the numbers of food", read(`domains/${FOOD}/stats`), ["preferences:read", FOOD], `preferences:read ${FOOD}`],
];

test("each scope gives access to its own endpoints and no others", async (t) => {
  const { ada, app } = await stage(t);
  for (const scope of SCOPES) {
    const api = await Client.connect(ada, app, { scope });
    for (const [door, knock, opening, needed] of DOORS) {
      const answer = await knock(api);
      assert.equal(answer.status, opening.includes(scope) ? 200 : 403, `${scope} at ${door}: ${answer.text}`);
      if (answer.status === 200) fine(answer);
      else if (needed) assertScopeNeeded(answer, needed);
      else assertError(answer, 403, "insufficient_scope");
    }
    const suppressing = await api.suppressing("atm_nosuchatom");
    if (scope === "preferences:write") assertError(suppressing, 404);
    else assertScopeNeeded(suppressing, "preferences:write");
  }
});

// ---- scopes together ----

// What a set of scopes opens, all of it asked for and ticked, as docs/GUIDE.md describes it.
function opened(scopes) {
  const has = (scope) => scopes.includes(scope);
  const domains = DOMAINS.filter(has);
  const reads = (domain) => has("preferences:read") || has(domain);
  const reach = domains.length > 0 && !has("preferences:read") ? domains : DOMAINS;
  const rows = {
    "preferences/atoms": has("preferences:read") || domains.length > 0,
    preferences: has("preferences:read") || domains.length > 0,
    "preferences/export": has("preferences:read"),
    "agent-hints": has("agent_hints"),
    domains: true,
  };
  for (const domain of DOMAINS) {
    rows[`preferences/${domain}`] = rows[`domains/${domain}/stats`] = rows[`preferences/atoms?domain=${domain}`] = reads(domain);
    rows[`domains/${domain}/schema`] = true;
    rows[`agent-hints?domains=${domain}`] = has("agent_hints") && reach.includes(domain);
    rows[`POST ${domain}`] = has("preferences:write") && reach.includes(domain);
  }
  return rows;
}

// Every pair, all of them, and some sets in between.
function* sets() {
  for (const [i, one] of SCOPES.entries()) for (const other of SCOPES.slice(i + 1)) yield [one, other];
  yield SCOPES;
  const random = new Random(20261114);
  for (let i = 0; i < 10; i++) yield SCOPES.filter(() => random.below(2) === 1).concat(["profile:read"]).filter((scope, at, all) => all.indexOf(scope) === at);
}

test("several scopes together give the access of each, and no more", async (t) => {
  const { w, ada } = await stage(t);
  let number = 0;
  for (const scopes of sets()) {
    // An app of its own: what was granted before would still be there.
    const app = await addApp(w, { owner: "ada", name: `Asker ${number++}` });
    const api = await Client.connect(ada, app, { scope: scopes.join(" ") });
    for (const [row, open] of Object.entries(opened(scopes))) {
      const answer = row.startsWith("POST ") ? await api.send(row.slice(5), {}) : await api.get(row);
      assert.equal(answer.status, open ? 200 : 403, `${scopes.join(" ")} at ${row}: ${answer.text}`);
    }
    const suppressing = await api.suppressing("atm_nosuchatom");
    assert.equal(suppressing.status, scopes.includes("preferences:write") ? 404 : 403, `${scopes.join(" ")} at suppress`);
    const { status } = await w.get("/oauth/userinfo", { authorization: `Bearer ${api.token}` });
    assert.equal(status, scopes.includes("profile:read") ? 200 : 403, `${scopes.join(" ")} at userinfo`);
  }
});

test("without a token, every request gets 401", async (t) => {
  const { w, ada, app } = await stage(t);
  const api = await Client.connect(ada, app);
  const nobody = { ask: (method, where, options) => w.ask(method, `/v1/${where}`, options), get: (where) => w.get(`/v1/${where}`), send: Client.prototype.send };
  for (const [door, knock] of DOORS) {
    const answer = await knock(nobody);
    assertError(answer, 401, "invalid_token");
    assert.match(answer.headers["www-authenticate"], /^Bearer\b/, door);
    assert.doesNotMatch(answer.headers["www-authenticate"], /error/, door);
  }
  for (const [why, token] of [["nonsense", "x"], ["of no app", "pn_at_".padEnd(55, "A")], ["a refresh token", api.refresh_token]])
    for (const [door, knock] of DOORS) {
      const answer = await knock(new Client(w, { app, access_token: token }));
      assertError(answer, 401, "invalid_token");
      assert.match(answer.headers["www-authenticate"], /error="invalid_token"/, `${why} at ${door}`);
    }
  w.clock.forward(HOUR + 1);
  assertError(await api.get("preferences"), 401, "invalid_token");
});

// What was asked for, what was ticked of it, and which of two domains the token may write and read.
const REACHES = [
  { asks: ["preferences:write"], writes: [MUSIC, FOOD], reads: [] },
  { asks: ["preferences:write", MUSIC], writes: [MUSIC], reads: [MUSIC] },
  { asks: ["preferences:write", MUSIC, FOOD], writes: [MUSIC, FOOD], reads: [MUSIC, FOOD] },
  { asks: ["preferences:write", MUSIC, FOOD], ticks: ["preferences:write", FOOD], writes: [FOOD], reads: [FOOD] },
  { asks: ["preferences:write", MUSIC], ticks: ["preferences:write"], writes: [], reads: [] },
  { asks: ["preferences:write", "preferences:read"], writes: [MUSIC, FOOD], reads: [MUSIC, FOOD] },
  { asks: ["preferences:write", "preferences:read"], ticks: ["preferences:write"], writes: [MUSIC, FOOD], reads: [] },
  { asks: ["preferences:write", "preferences:read", MUSIC], ticks: ["preferences:write", MUSIC], writes: [MUSIC, FOOD], reads: [MUSIC] },
  { asks: ["preferences:read", MUSIC], writes: [], reads: [MUSIC, FOOD] },
];

test("writing is limited to the domains that were requested and checked", async (t) => {
  const { w, ada, app } = await stage(t);
  const author = await Client.connect(ada, app);
  const sent = { [MUSIC]: { genres: ["jazz"] }, [FOOD]: { cuisines: ["Thai"] } };
  for (const [domain, preferences] of Object.entries(sent)) await author.write(domain, preferences);
  for (const [i, { asks, ticks, writes, reads }] of REACHES.entries()) {
    const why = `${asks} ticked ${ticks ?? "all"}`;
    // An app of its own: what was once granted is not asked again.
    const asker = await addApp(w, { owner: "ada", name: `Asker ${i}` });
    const api = await Client.connect(ada, asker, { scope: asks.join(" "), ticks });
    for (const domain of [MUSIC, FOOD]) {
      const member = domain === MUSIC ? "favorite_songs" : "favorite_drinks";
      const answer = await api.send(domain, { [member]: [`Value number ${i}`] });
      assert.equal(answer.status, writes.includes(domain) ? 200 : 403, `${why}, writing ${domain}: ${answer.text}`);
      if (answer.status === 200) {
        assert.equal(reads.includes(domain) ? answer.data.added : answer.data.received, 1, why);
        assert.equal("preferences" in answer.data, reads.includes(domain), `${why}: the record is sent only to a token that may read`);
        assert.equal("updated_at" in answer.data, reads.includes(domain), why);
      } else assert.match(answer.headers["www-authenticate"], new RegExp(`scope="[^"]*\\b${writes.length || asks.includes("preferences:write") ? domain : "preferences:write"}\\b`), why);
      assert.equal((await api.get(`preferences/${domain}`)).status, reads.includes(domain) ? 200 : 403, `${why}, reading ${domain}`);
      // A fact that the token does not reach does not exist for it; one without any reach may not ask.
      const { atom_id } = await author.atom(Object.values(sent[domain])[0][0]);
      const gone = writes.includes(domain) ? 404 : writes.length > 0 ? 404 : 403;
      const other = await api.suppressing(writes.includes(domain) ? "atm_nosuch" : atom_id);
      assert.equal(other.status, gone, `${why}, suppressing in ${domain}: ${other.text}`);
    }
  }
});

test("a token that may not read learns nothing about what exists from writing", async (t) => {
  const { w, ada, app } = await stage(t);
  const reader = await Client.connect(ada, app, { scope: "preferences:read preferences:write" });
  const writer = await Client.connect(ada, await addApp(w, { owner: "ada", name: "Writer" }), { scope: "preferences:write" });
  await reader.write(FOOD, { cuisines: ["Thai", "Greek"], dietary: "vegan" });
  await reader.suppress("Greek", "not_mine");
  const probes = [["Thai"], ["Greek"], ["Polish"], ["see https://evil.example"]];
  for (const cuisines of [...probes, ...probes]) {
    const answer = await writer.send(FOOD, { cuisines });
    assert.deepEqual([answer.status, answer.data], [200, { domain: FOOD, received: 1 }], `${cuisines}`);
  }
  for (const dietary of ["vegan", "halal"]) assert.deepEqual((await writer.send(FOOD, { dietary })).data, { domain: FOOD, received: 1 });
  const seen = await reader.send(FOOD, { cuisines: ["Thai"] });
  assert.deepEqual(Object.keys(seen.data), ["domain", "preferences", "updated_at", "added", "updated", "unchanged", "suppressed", "held"]);
});

test("a response about several domains contains only those that the token reads", async (t) => {
  const { ada, app } = await stage(t);
  const author = await Client.connect(ada, app);
  await author.write(MUSIC, { genres: ["jazz"] });
  await author.write(FOOD, { cuisines: ["Thai", "Greek"] });
  const api = await Client.connect(ada, app, { scope: `${FOOD} travel_profile` });
  assert.deepEqual(await api.read("preferences"), { preferences: { food_profile: { cuisines: ["Thai", "Greek"] }, travel_profile: {} } });
  const atoms = await api.read("preferences/atoms");
  assert.deepEqual([atoms.total, atoms.atoms.map((atom) => atom.value)], [2, ["Greek", "Thai"]]);
  assertScopeNeeded(await api.get(`preferences/atoms?domain=${MUSIC}`), `preferences:read ${MUSIC}`);
  assertError(await api.get("preferences/atoms?domain=nosuch"), 400);
  const { domains } = await api.read("domains");
  assert.deepEqual(domains.map(({ domain }) => domain).sort(), [...DOMAINS].sort());
  for (const { domain, scope, title, description, readable, ...rest } of domains) {
    assert.equal(scope, domain);
    assert.ok(title && description, domain);
    assert.equal(readable, [FOOD, "travel_profile"].includes(domain), domain);
    assert.deepEqual(rest, readable ? { atom_count: domain === FOOD ? 2 : 0 } : {}, domain);
  }
});

test("an unknown domain is 404 for every token", async (t) => {
  const { ada, app } = await stage(t);
  const api = await Client.connect(ada, app, { scope: SCOPES.join(" ") });
  const narrow = await Client.connect(ada, app, { scope: "profile:read" });
  for (const where of ["preferences/nosuch", "domains/nosuch/schema", "domains/nosuch/stats", "preferences/agent_hints", "domains/atoms/stats"])
    for (const client of [api, narrow]) assertError(await client.get(where), 404);
  assertError(await api.send("nosuch", {}), 404);
});
