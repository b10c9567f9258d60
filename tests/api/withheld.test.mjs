// Facts that a user withholds from an app. For that app they do not exist: ada withholds them, bob never had
// them, and every route must answer both the same. The routes come from the route table, so a new route fails
// here until it has a probe.

import assert from "node:assert/strict";
import test from "node:test";
import { flashOf, mainText, open, press, SAME_SITE, state } from "../kit/account.mjs";
import { assertError, assertPage } from "../kit/expect.mjs";
import { Mcp, resultOf } from "../kit/mcp.mjs";
import { addApp, addPerson, DAY, EVERYTHING, Person, stage } from "../kit/oauth.mjs";
import { Client, connected, counts, FOOD, MUSIC } from "../kit/preferences.mjs";
import { formTo } from "../kit/html.mjs";

const CODING = "coding_profile";
const SCOPE = "preferences:read preferences:write agent_hints profile:read";

// What both users have, in order; the last is what only ada has, and does not share.
const FACTS = [
  [FOOD, { allergies: ["peanuts"], favorite_foods: ["ramen", "Zuppa Segreta"], household_size: 3 }, { favorite_foods: ["Zuppa Segreta"] }],
  [FOOD, { disliked_foods: ["okra"] }, {}],
  [MUSIC, { favorite_artists: ["Wyvernkvartett"] }, { favorite_artists: ["Wyvernkvartett"] }], // all there is
  [CODING, { languages: ["C"], indentation: { style: "tabs", width: 7 }, role: "Yakbarber" }, { indentation: { style: "tabs", width: 7 }, role: "Yakbarber" }],
];
// What ada states herself, because an app's write of it would wait.
const STATED = { allergies: "Quillaja", statements: "I love the Xylograph pizzeria" };
const SECRET = /quillaja|zuppa|xylograph|wyvern|yakbarber|"width": ?7|7 wide/i;

const without = (facts, withheld) =>
  Object.fromEntries(Object.entries(facts).flatMap(([member, value]) => {
    if (!(member in withheld)) return [[member, value]];
    const left = Array.isArray(value) ? value.filter((one) => !withheld[member].includes(one)) : [];
    return left.length > 0 ? [[member, left]] : [];
  }));

// Ids and times differ between users; everything else must not.
const plain = (text) => (text ?? "").replaceAll(/(atm|usr)_[\w-]{22}/g, "$1").replaceAll(/\d{4}-\d\d-\d\dT[\d:]+Z/g, "TIME").replaceAll(/"(updated_at|iat|exp)": ?\d+/g, "$1").replaceAll(/"(ada|bob)"/g, "NAME");
const VARYING = ["date", "x-request-id", "etag", "ratelimit-remaining", "ratelimit-reset"];
const seen = ({ status, headers, text }) => ({
  status, text: plain(text), headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !VARYING.includes(name))),
});

const HINTS = ["text", "json", "bullets"].flatMap((format) =>
  ["", "&context=restaurant_search", "&context=birthday%20dinner", "&context=code_review", `&domains=${MUSIC}`].flatMap((how) =>
    [30, 100, 2000].map((tokens) => `agent-hints?format=${format}&max_tokens=${tokens}${how}`)));

const DOMAINS = [FOOD, MUSIC, CODING];

// Each probe returns functions that send a request. Those of POST routes change nothing, or the same for both.
const PROBES = {
  "GET /oauth/userinfo": (api) => [() => api.app.userinfo(api.token)],
  "GET /v1/preferences": (api) => [() => api.get("preferences")],
  "GET /v1/preferences/{domain}": (api) => DOMAINS.map((domain) => () => api.get(`preferences/${domain}`)),
  "GET /v1/preferences/atoms": (api) =>
    ["", "?limit=2", "?limit=2&offset=2", "?status=all&limit=100", "?status=held", ...DOMAINS.map((domain) => `?domain=${domain}&status=all`)].map((query) => () => api.get(`preferences/atoms${query}`)),
  "GET /v1/preferences/export": (api) => [() => api.get("preferences/export")],
  "GET /v1/domains": (api) => [() => api.get("domains")],
  "GET /v1/domains/{domain}/schema": (api) => DOMAINS.map((domain) => () => api.get(`domains/${domain}/schema`)),
  "GET /v1/domains/{domain}/stats": (api) => DOMAINS.map((domain) => () => api.get(`domains/${domain}/stats`)),
  "GET /v1/agent-hints": (api) => HINTS.map((query) => () => api.get(query)),
  "POST /v1/preferences/{domain}": (api) => [
    () => api.send(FOOD, { disliked_foods: ["okra"] }),
    () => api.send(MUSIC, {}),
    () => api.send(FOOD, { no_such_member: 1 }),
  ],
  "POST /v1/preferences/suppress": (api, ids) => ids.map((id) => () => api.suppressing(id, "not_accurate")),
  "GET /mcp": (api) => [() => new Mcp(api.w, api.token).ask("GET")],
  "POST /mcp": (api, ids) => {
    const mcp = new Mcp(api.w, api.token);
    const call = (name, args) => () => mcp.legacy("tools/call", { name, arguments: args });
    return [
      ...["initialize", "ping", "tools/list", "resources/list", "resources/templates/list", "prompts/list"].map((method) => () => mcp.legacy(method, method === "initialize" ? { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } } : undefined)),
      () => mcp.modern("server/discover"),
      ...[{}, { task: "dinner" }, { task: "code review", max_tokens: 20 }, { domains: [MUSIC] }].map((args) => call("get_hints", args)),
      ...[{}, ...DOMAINS.map((domain) => ({ domain }))].map((args) => call("get_preferences", args)),
      call("remember", { domain: FOOD, member: "disliked_foods", values: ["okra"] }),
      ...ids.map((fact_id) => call("forget", { fact_id })),
      call("forget", { domain: FOOD, member: "favorite_foods", value: "Zuppa Segreta" }),
      call("forget", { domain: CODING, member: "indentation.width", value: "7" }),
      ...["hints", "hints/dinner", ...DOMAINS.map((domain) => `preferences/${domain}`)].map((path) => () => mcp.legacy("resources/read", { uri: `penchant://${path}` })),
      ...[["personalize", { request: "dinner" }], ["interview", { domain: FOOD }], ["tidy", {}]].map(([name, args]) => () => mcp.legacy("prompts/get", { name, arguments: args })),
      ...["q", "z", "r"].map((value) => () => mcp.legacy("completion/complete", { ref: { type: "ref/resource", uri: "penchant://hints/{task}" }, argument: { name: "task", value } })),
    ];
  },
};
const TOOLS = ["get_hints", "get_preferences", "remember", "forget"];

const factsPage = (app) => `/account/apps/${app.client_id}/facts`;

// Presses "Don't share" or "Share" beside a fact.
async function turn(person, app, action, brief, where = factsPage(app)) {
  const page = await open(person, where);
  const row = page.text.split('<li class="row">').find((one) => one.includes(`<p class="row-title">${brief}`) && one.includes(`/${action}"`));
  assert.ok(row, `there is no ${action} beside ${brief}: ${mainText(page)}`);
  const answer = await person.post(`/account/apps/${app.client_id}/${action}`, formTo(row, `/account/apps/${app.client_id}/${action}`).filled());
  assert.equal(answer.status, 303, answer.text);
  return person.get(person.ownPage(answer), SAME_SITE);
}

const withhold = (person, app, brief) => turn(person, app, "withhold", brief);
const share = (person, app, brief) => turn(person, app, "share", brief);
const SHOWN = ["Quillaja", "Zuppa Segreta", "I love the Xylograph pizzeria", "Wyvernkvartett", "Style: tabs, Width: 7", "Yakbarber"];

async function scene(t) {
  const { w, ada, app } = await connected(t, { scope: SCOPE });
  const bob = await addPerson(w, "bob");
  const writer = await addApp(w, { owner: "ada", name: "Writer" });
  const by = { ada: await Client.connect(ada, writer, { scope: SCOPE }), bob: await Client.connect(bob, writer, { scope: SCOPE }) };
  for (const [domain, facts, withheld] of FACTS) {
    await by.ada.write(domain, facts);
    const left = without(facts, withheld);
    if (Object.keys(left).length > 0) await by.bob.write(domain, left);
  }
  for (const [member, value] of Object.entries(STATED)) await state(ada, FOOD, member, value);
  const api = await Client.connect(ada, app, { scope: SCOPE }), twin = await Client.connect(bob, app, { scope: SCOPE });
  return { w, ada, bob, app, writer, by, api, twin };
}

test("no route shows, counts, or reveals a withheld fact", async (t) => {
  const { w, ada, app, by, api, twin } = await scene(t);
  const { data } = await w.penchant(["help", "routes", "--json"]);
  const table = data.filter(({ caller }) => caller === "token").map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(Object.keys(PROBES).sort(), table.sort(), "a route of the table has no probe");
  assert.deepEqual(resultOf(await new Mcp(w, api.token).legacy("tools/list")).tools.map(({ name }) => name), TOOLS, "a tool has no probe");
  const ids = (await api.atoms("status=all&limit=100")).filter(({ value }) => SECRET.test(JSON.stringify(value))).map(({ atom_id }) => atom_id);
  assert.equal(ids.length, SHOWN.length);

  for (const client of [api, twin]) await client.write(FOOD, { disliked_foods: ["okra"] }); // as a probe does
  // Everything is read first, so that caches are warm.
  const before = new Map();
  for (const [route, probe] of Object.entries(PROBES).filter(([route]) => route.startsWith("GET")))
    for (const [i, send] of probe(api).entries()) before.set(`${route} ${i}`, await send());
  assert.ok([...before.values()].filter(({ text }) => SECRET.test(text)).length > 20);

  for (const brief of SHOWN) await withhold(ada, app, brief);
  for (const [route, probe] of Object.entries(PROBES)) {
    const sends = probe(api, ids), others = probe(twin, ids);
    for (const [i, send] of sends.entries()) {
      for (const time of ["first", "second"]) { // the second may come from a cache
        const answer = await send(), wanted = await others[i]();
        const what = `${route} ${i}, ${time}`;
        if (!/schema/.test(route)) assert.doesNotMatch(answer.text + JSON.stringify(answer.headers), SECRET, what);
        assert.deepEqual(seen(answer), seen(wanted), what);
        const old = before.get(`${route} ${i}`);
        if (old?.headers.etag && SECRET.test(old.text)) assert.notEqual(answer.headers.etag, old.headers.etag, what);
      }
    }
  }
  // A conditional request with the old tag gets the new body.
  const { etag } = before.get("GET /v1/preferences/{domain} 0").headers;
  assert.equal((await api.get(`preferences/${FOOD}`, { "if-none-match": etag })).status, 200);

  // Another app and the user still see all of it, and the same token sees it again at once.
  assert.deepEqual((await by.ada.record(MUSIC)).favorite_artists, ["Wyvernkvartett"]);
  assert.match((await ada.get("/account", SAME_SITE)).text, SECRET);
  for (const brief of SHOWN) await share(ada, app, brief);
  for (const [name, old] of before) {
    const [, route, i] = /^(.*) (\d+)$/.exec(name);
    assert.deepEqual(seen(await PROBES[route](api)[i]()), seen(old), name);
  }
});

test("a new token and a refreshed one see as little", async (t) => {
  const { ada, app, api } = await scene(t);
  await withhold(ada, app, "Quillaja");
  await api.renew();
  assert.deepEqual((await api.record(FOOD)).allergies, ["peanuts"]);
  const again = await Client.connect(ada, app, { scope: SCOPE, prompt: "consent" });
  assert.deepEqual((await again.record(FOOD)).allergies, ["peanuts"]);
  assert.doesNotMatch((await again.get("agent-hints?max_tokens=2000")).text, /quillaja/i);
});

test("an app that writes a withheld fact learns nothing and changes nothing", async (t) => {
  const { w, ada, app, api, by } = await scene(t);
  const mcp = new Mcp(w, api.token);
  await withhold(ada, app, "Quillaja");
  await withhold(ada, app, "Yakbarber");
  const remembered = () => mcp.tool("remember", { domain: FOOD, member: "allergies", values: ["quillaja"] });
  const first = [await api.write(FOOD, { allergies: ["QUILLAJA"] }), await remembered()];
  const { added, updated, unchanged, suppressed, held } = first[0];
  assert.deepEqual({ added, updated, unchanged, suppressed, held }, counts({ held: 1 }));
  assert.deepEqual(first[0].preferences.allergies, ["peanuts"]);
  assert.equal(first[1].results[0].status, "waiting");
  const stored = await by.ada.atom("Quillaja");
  assert.equal(stored.source_count, 1, "the app became a source");
  assert.notEqual(/atm_[\w-]+/.exec(first[1].confirm_url)[0], stored.atom_id, "the id of a withheld fact was sent");
  assert.deepEqual(await api.atoms("status=held"), []);

  // The same answers when the fact is not stored: it then waits for the user, and stays withheld.
  await press(ada, `/account/facts/${stored.atom_id}`, `/account/facts/${stored.atom_id}/remove`);
  const later = [await api.write(FOOD, { allergies: ["QUILLAJA"] }), await remembered()];
  assert.deepEqual(plain(JSON.stringify(later)), plain(JSON.stringify(first)));
  assert.equal(later[1].confirm_url, first[1].confirm_url);
  assert.deepEqual(await api.atoms("status=held"), []);
  assert.match((await ada.get("/account/waiting", SAME_SITE)).text, /QUILLAJA/);

  // A single value that the app does not see is not replaced, whatever its source.
  const replaced = await api.write(CODING, { role: "Gardener" });
  assert.equal(replaced.held, 1);
  assert.equal((await by.ada.record(CODING)).role, "Yakbarber");
  assert.equal(replaced.preferences.role, undefined);
  const own = (await by.ada.atom("Yakbarber")).atom_id;
  assertError(await api.suppressing(own), 404);
  assert.match(await mcp.toolError("forget", { fact_id: own }), /There is no such fact/);
  assert.equal((await by.ada.record(CODING)).role, "Yakbarber");
});

test("the response to a write shows what a read then shows, without the withheld facts", async (t) => {
  const { ada, app, api, by } = await scene(t);
  await withhold(ada, app, "Zuppa Segreta");
  const shown = async (domain, { preferences, updated_at }) => {
    const read = await api.read(`preferences/${domain}`);
    assert.deepEqual({ preferences, updated_at }, { preferences: read.preferences, updated_at: read.updated_at });
    return preferences;
  };
  const added = await shown(FOOD, await api.write(FOOD, { favorite_foods: ["udon"] }));
  assert.deepEqual(added.favorite_foods, ["ramen", "udon"]);
  assert.deepEqual((await by.ada.record(FOOD)).favorite_foods, ["ramen", "Zuppa Segreta", "udon"]);
  const same = await shown(FOOD, await api.write(FOOD, { favorite_foods: ["udon"] }));
  assert.deepEqual(same, added);
  const all = await shown(MUSIC, await api.write(MUSIC, { favorite_artists: ["Nina Simone"] })); // nothing is withheld here
  assert.deepEqual(all.favorite_artists, ["Wyvernkvartett", "Nina Simone"]);
});

test("a withheld fact stays withheld when it is deleted and stated again in another spelling", async (t) => {
  const { ada, app, api, by } = await scene(t);
  await withhold(ada, app, "Zuppa Segreta");
  const { atom_id } = await by.ada.atom("Zuppa Segreta");
  await press(ada, `/account/facts/${atom_id}`, `/account/facts/${atom_id}/remove`);
  assert.match(mainText(await open(ada, factsPage(app))), /zuppa segreta Not shared/i);
  await by.ada.write(FOOD, { favorite_foods: ["ZUPPA  segreta"] });
  assert.deepEqual((await api.record(FOOD)).favorite_foods, ["ramen"]);
  const page = await share(ada, app, "ZUPPA segreta");
  assert.match(flashOf(page), /can see this fact again/);
  assert.deepEqual((await api.record(FOOD)).favorite_foods, ["ramen", "ZUPPA segreta"]);
});

test("facts are withheld on the consent page, before the app has read anything", async (t) => {
  const { w, ada, by } = await scene(t);
  const app = await addApp(w, { owner: "ada", name: "Trip Pal" });
  const { atom_id } = await by.ada.atom("Quillaja");
  const scope = `${FOOD} agent_hints`;
  const { form, page } = await ada.asked(app, { scope });
  assert.doesNotMatch(page.text, /name="withhold" value="[^"]*"( checked| disabled)/);
  const query = new URLSearchParams([["request", form.value("request")], ["scope", FOOD], ["scope", "agent_hints"]]);
  assert.match((await ada.get(`/oauth/consent/hints?${query}`, SAME_SITE)).text, /quillaja/i);
  query.append("withhold", atom_id);
  assert.doesNotMatch((await ada.get(`/oauth/consent/hints?${query}`, SAME_SITE)).text, /quillaja/i);
  const api = await Client.connect(ada, app, { scope, ticks: [FOOD, "agent_hints", atom_id] });
  assert.deepEqual((await api.record(FOOD)).allergies, ["peanuts"]);
  assert.doesNotMatch((await api.get("agent-hints?max_tokens=2000")).text, /quillaja/i);
  assert.match(mainText(await open(ada, `/account/apps/${app.client_id}`)), /You don't share 1 fact with this app/);
  assert.doesNotMatch((await ada.get(`/account/facts/${atom_id}`, SAME_SITE)).text, /Trip Pal/);

  // It is shown as withheld when the app asks again, and stays so.
  const second = await ada.asked(app, { scope, prompt: "consent" });
  assert.match(second.page.text, new RegExp(`value="${atom_id}" checked disabled`));
  const after = await Client.connect(ada, app, { scope, prompt: "consent" });
  assert.deepEqual((await after.record(FOOD)).allergies, ["peanuts"]);
});

test("a request for few areas offers more facts of each", async (t) => {
  const { w, ada } = await stage(t);
  const writer = await Client.connect(ada, await addApp(w, { owner: "ada" }), { scope: "preferences:write preferences:read" });
  const many = (what, count) => Array.from({ length: count }, (_, i) => `${what} ${i}`);
  await writer.write(FOOD, { favorite_foods: many("dish", 12) });
  await writer.write(MUSIC, { favorite_artists: many("band", 30) });
  const app = await addApp(w, { owner: "ada", name: "Trip Pal" });
  const offered = async (scope) => {
    const { page } = await ada.asked(app, { scope, prompt: "consent" });
    return [page.text.match(/name="withhold"/g).length, /(\d+) more facts?\. To withhold/.exec(mainText(page))?.[1]];
  };
  assert.deepEqual(await offered(FOOD), [12, undefined]);
  assert.deepEqual(await offered(MUSIC), [20, "10"]);
  assert.deepEqual(await offered(`${FOOD} ${MUSIC}`), [20, "22"]);
  await writer.write("travel_profile", { dream_destinations: many("place", 6) });
  await writer.write("coding_profile", { languages: many("tongue", 6) });
  await writer.write("media_profile", { favorite_books: many("book", 6) });
  assert.deepEqual(await offered(EVERYTHING), [20, "40"]);
});

test("a renewal after the end of access goes on without the withheld facts", async (t) => {
  const { w, ada, app } = await scene(t);
  await ada.connect(app, { scope: SCOPE, prompt: "consent", term: "30d" });
  await withhold(ada, app, "Quillaja");
  w.clock.forward(31 * DAY);
  const person = new Person(w, { username: "ada" });
  await person.signIn();
  const { page } = await person.asked(app, { scope: SCOPE });
  assert.match(page.text, /checked disabled>[^]*?Quillaja/);
  const api = await Client.connect(person, app, { scope: SCOPE });
  assert.deepEqual((await api.record(FOOD)).allergies, ["peanuts"]);
  const asked = await person.asked(app, { scope: SCOPE, prompt: "consent" });
  assert.match(asked.page.text, /<option value="revoked" selected>/, "the term is as the user chose it before");
});

test("facts of others, too many facts, and other users' apps are rejected", async (t) => {
  const { w, ada, bob, app, writer, by, api, twin } = await scene(t);
  const page = await open(ada, factsPage(app));
  const form = /name="form" value="([^"]+)"/.exec(page.text)[1];
  const post = (action, fact, person = ada) => person.post(`/account/apps/${app.client_id}/${action}`, { form, page: "1", fact });
  const theirs = (await by.bob.atom("ramen")).atom_id;
  assert.equal((await post("withhold", theirs)).status, 303); // as if it did nothing
  assert.equal((await post("withhold", "atm_nothing")).status, 303);
  assert.equal((await post("share", "nothing")).status, 303);
  assert.deepEqual((await twin.record(FOOD)).favorite_foods, ["ramen"]);
  assert.deepEqual((await api.record(FOOD)).favorite_foods, ["ramen", "Zuppa Segreta"]);
  assertPage(await post("withhold", theirs, bob), 403); // ada's form token
  const mine = { form: /name="form" value="([^"]+)"/.exec((await open(bob, factsPage(app))).text)[1], page: "1", fact: theirs };
  assert.equal((await bob.post(`/account/apps/${writer.client_id.slice(0, -1)}x/withhold`, mine)).status, 404);

  const many = Array.from({ length: 201 }, (_, i) => `Food ${i}`);
  for (let i = 0; i < many.length; i += 100) await by.ada.write(FOOD, { favorite_foods: many.slice(i, i + 100) });
  const ids = [];
  for (let offset = 0; ids.length < 201; offset += 100) ids.push(...(await by.ada.atoms(`limit=100&offset=${offset}`)).filter(({ value }) => many.includes(value)).map(({ atom_id }) => atom_id));
  const other = await addApp(w, { owner: "ada", name: "Greedy" });
  const sent = async (list) => {
    const { form: asked } = await ada.asked(other, { scope: FOOD, prompt: "consent" });
    const fields = [["request", asked.value("request")], ["form", asked.value("form")], ["scope", FOOD], ["term", "30d"], ["decision", "allow"]];
    return () => ada.post("/oauth/consent", [...fields, ...list.map((id) => ["withhold", id])]);
  };
  for (const list of [ids.slice(0, 100), ids.slice(100, 200)]) assert.equal((await (await sent(list))()).status, 303);
  const again = await sent(ids.slice(200));
  for (let i = 0; i < 2; i++) { // the refusal does not use up the request
    const refused = await again();
    assertPage(refused, 400);
    assert.match(refused.text, /as many facts from this app as we can store/);
  }
  const more = await open(ada, factsPage(other));
  assert.match(mainText(more), /1 to 50 of/);
  const token = /name="form" value="([^"]+)"/.exec(more.text)[1];
  assertPage(await ada.post(`/account/apps/${other.client_id}/withhold`, { form: token, page: "1", fact: ids[200] }), 400);
});

test("at random, an app sees what another user without the withheld facts shares", async (t) => {
  const { ada, bob, app, by, api, twin } = await scene(t);
  let seed = 7;
  const random = (n) => (seed = (seed * 1103515245 + 12345) % 2 ** 31) % n;
  for (const brief of SHOWN) await withhold(ada, app, brief);
  const foods = ["soba", "udon", "pho", "laksa", "dal"], hidden = new Set();
  const views = ["preferences", `preferences/atoms?status=all&limit=100&domain=${FOOD}`, `domains/${FOOD}/stats`, "domains", "agent-hints?format=json&max_tokens=500", `agent-hints?domains=${FOOD}`];
  await by.ada.write(FOOD, { favorite_foods: foods });
  await by.bob.write(FOOD, { favorite_foods: foods });
  // bob marks as wrong what ada withholds, through another app, whose marks the app does not see.
  for (let step = 0; step < 24; step++) {
    const food = foods[random(foods.length)];
    const [{ atom_id }] = (await by.bob.atoms("status=all&limit=100")).filter(({ value }) => value === food);
    if (hidden.has(food)) {
      await share(ada, app, food);
      await press(bob, `/account/facts/${atom_id}`, `/account/facts/${atom_id}/lift`);
      hidden.delete(food);
    } else {
      await withhold(ada, app, food);
      await press(bob, `/account/facts/${atom_id}`, `/account/facts/${atom_id}/suppress`, { chosen: { reason: "other" } });
      hidden.add(food);
    }
    const view = views[random(views.length)];
    assert.deepEqual(seen(await api.get(view)), seen(await twin.get(view)), `step ${step}: ${view} without ${[...hidden]}`);
  }
});
