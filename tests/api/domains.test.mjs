// Definitions of domains: the ones compiled in, and those of an operator's folder. Whatever the
// schema of definitions refuses, the program refuses too, with one line that says where.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import Ajv2020 from "ajv/dist/2020.js";
import { EVERYTHING } from "../kit/oauth.mjs";
import { connected } from "../kit/preferences.mjs";
import { onSqlite, PASSWORD, ROOT, world } from "../kit/world.mjs";

const EXAMPLES = path.join(ROOT, "docs/examples");
const OWN = ["preferences:read", "preferences:write", "agent_hints", "profile:read"];
const BUILT_IN = ["coding_profile", "communication_profile", "food_profile", "lifestyle_profile", "media_profile", "music_preferences", "travel_profile"];

const read = (file) => JSON.parse(fs.readFileSync(path.join(ROOT, file), "utf8"));
const fits = new Ajv2020.default({ allErrors: true }).compile(read("domains/definition.schema.json"));

async function supportedScopes(w) {
  const answer = await w.get("/.well-known/oauth-authorization-server");
  assert.equal(answer.status, 200);
  return answer.data.scopes_supported;
}

// A folder with one definition in it: the example, as `change` leaves it.
function folderWith(w, change, name = "reading") {
  const folder = fs.mkdtempSync(path.join(w.dir, "domains-"));
  const definition = read("docs/examples/reading.json");
  change(definition);
  fs.writeFileSync(path.join(folder, `${name}.json`), JSON.stringify(definition));
  return { folder, definition, file: path.join(folder, `${name}.json`) };
}

test("every definition here is valid against the schema of definitions", () => {
  const files = [...BUILT_IN.map((name) => `domains/${name}.json`), "docs/examples/reading.json"];
  for (const file of files) assert.ok(fits(read(file)), `${file}: ${JSON.stringify(fits.errors, null, 1)}`);
});

test("without a folder the scopes are our own and those of the built-in domains", async (t) => {
  const w = await world(t);
  assert.deepEqual(await supportedScopes(w), [...OWN, ...BUILT_IN]);
});

test("a definition in the folder is a scope, for apps and for commands", async (t) => {
  const w = await world(t, { settings: { domains: EXAMPLES } });
  assert.deepEqual(await supportedScopes(w), [...OWN, ...[...BUILT_IN, "reading"].sort()]);

  assert.equal((await w.command("user", "add", "ada", { stdin: PASSWORD })).status, 0);
  const add = ["app", "add", "--owner", "ada", "--name", "Book Finder", "--redirect-uri", "https://b.example/cb"];
  const added = await w.command(...add, "--scope", "reading agent_hints", "--json", { env: { PENCHANT_DOMAINS: EXAMPLES } });
  assert.equal(added.status, 0, added.err);
  w.secrets.add(added.data.client_secret);
  assert.equal(added.data.scope, "agent_hints reading");

  await w.stop();
  const without = await w.command(...add, "--scope", "reading");
  assert.equal(without.status, 1);
  assert.match(without.err, /reading/);
  const listed = await w.command("app", "list", "--json"); // the domain is gone, and so is its scope; the app is not
  assert.match(listed.out, /"scope":"agent_hints"/);
});

onSqlite("how to answer is part of every hint, and other domains only of those that they match", async (t) => {
  const { api } = await connected(t, { scope: EVERYTHING });
  for (const [domain, preferences] of [
    ["communication_profile", { answer_languages: ["German"] }],
    ["media_profile", { favorite_movies: ["Alien"] }],
    ["lifestyle_profile", { fitness_activities: ["climbing"] }],
    ["food_profile", { cuisines: ["Italian"] }],
  ])
    assert.equal((await api.send(domain, preferences)).status, 200);
  const hints = async (context) => (await api.get(`agent-hints?max_tokens=200&context=${context}`)).data.hints.join(" ");
  assert.match(await hints("restaurant_search"), /^User wants answers in German\. .*Italian/);
  assert.match(await hints("movie_night"), /^User wants answers in German\. .*Alien/);
  assert.match(await hints("workout_plan"), /^User wants answers in German\. .*climbing/);
  assert.doesNotMatch(await hints("restaurant_search"), /Alien|climbing/);
  assert.equal(await hints("quantum_physics"), "User wants answers in German.");
});

onSqlite("an installation leaves built-in domains out: no scope, no page, no route; what was stored stays", async (t) => {
  const { w, ada, app, api } = await connected(t, { scope: EVERYTHING });
  await api.write("media_profile", { favorite_movies: ["Alien"] });
  await api.write("food_profile", { cuisines: ["Italian"] });
  await w.stop();
  await w.start({ "domains-off": "media_profile lifestyle_profile" });
  assert.deepEqual(await supportedScopes(w), [...OWN, ...BUILT_IN.filter((name) => !/media|lifestyle/.test(name))]);
  for (const where of ["preferences/media_profile", "domains/media_profile/schema", "domains/media_profile/stats"]) assert.equal((await api.get(where)).status, 404, where);
  const sent = await api.send("media_profile", { favorite_movies: ["Brazil"] });
  assert.equal(sent.status, 404, sent.text);
  for (const where of ["preferences", "preferences/atoms?limit=100", "preferences/export", "domains", "agent-hints?max_tokens=500"]) {
    const answer = await api.get(where);
    assert.equal(answer.status, 200, where);
    assert.doesNotMatch(answer.text, /media_profile|Alien/, where);
  }
  assert.equal((await ada.get("/account/domains/media_profile")).status, 404);
  assert.doesNotMatch((await ada.get("/account")).text, /media_profile/);
  assert.equal((await ada.get(app.request({ scope: "media_profile" }).path)).status, 303, "an unknown scope");
  await w.stop();
  await w.start();
  assert.deepEqual((await api.record("media_profile")).favorite_movies, ["Alien"]);
});

onSqlite("a name that is not a built-in domain stops the start", async (t) => {
  const w = await world(t, { start: false });
  const started = await w.command("serve", "--domains-off", "food_profil");
  assert.equal(started.status, 2);
  assert.match(started.err, /^penchant: domains-off: "food_profil" is not a built-in domain; the nearest name is food_profile$/m);
});

test("a folder may replace a domain that is built in", async (t) => {
  const w = await world(t, { start: false });
  const { folder } = folderWith(w, (it) => (it.domain = "food_profile"), "food_profile");
  await w.start({ domains: folder });
  assert.deepEqual(await supportedScopes(w), [...OWN, ...BUILT_IN]);
});

test("an invalid definition stops the start with file, position, and problem", async (t) => {
  const w = await world(t, { start: false });
  const { folder, file } = folderWith(w, (it) => (it.members[1].hint.text = "User reads {list} a lot."));
  const line = `penchant: ${file}: members[1].hint.text: {list} must come last, right before the period\n`;
  const served = w.launch({ domains: folder });
  assert.deepEqual(await served.exited(), { status: 2, signal: null });
  assert.equal(served.err, line);
  const listed = await w.command("user", "list", "--domains", folder);
  assert.deepEqual([listed.status, listed.out, listed.err], [2, "", line]);
  const help = await w.penchant(["help", "settings"], { env: { PENCHANT_DOMAINS: folder } });
  assert.equal(help.status, 0, "help is there when a definition is wrong");
});

test("a safety context that is no context of another domain stops the start, and one of a domain that was replaced does not", async (t) => {
  const w = await world(t, { start: false });
  const { folder, file } = folderWith(w, (it) => (it.safety_contexts = ["flight_search", "restaurant_serach"]));
  const line = `penchant: ${file}: safety_contexts[1]: restaurant_serach is not a context of another domain\n`;
  const served = w.launch({ domains: folder });
  assert.deepEqual(await served.exited(), { status: 2, signal: null });
  assert.equal(served.err, line);
  const own = folderWith(w, (it) => (it.safety_contexts = ["library_visit"]));
  assert.match((await w.command("user", "list", "--domains", own.folder)).err, /safety_contexts\[0\]: library_visit is not a context of another domain/);
  assert.equal((await w.command("migrate")).status, 0); // there is a store to list
  const right = folderWith(w, (it) => (it.safety_contexts = ["flight_search", "restaurant_search"]));
  assert.equal((await w.command("user", "list", "--domains", right.folder)).status, 0);
  // The built-in travel_profile names contexts of the food_profile that is replaced here.
  const instead = folderWith(w, (it) => (it.domain = "food_profile"), "food_profile");
  assert.equal((await w.command("user", "list", "--domains", instead.folder)).status, 0);
});

test("the program rejects every definition that the schema rejects", async (t) => {
  const w = await world(t, { start: false });
  const cases = [
    ["an unknown key", (it) => (it.color = "red")],
    ["no members", (it) => (it.members = [])],
    ["no title", (it) => delete it.title],
    ["another format", (it) => (it.format = 2)],
    ["a bad name", (it) => (it.members[0].name = "Authors")],
    ["a bad version", (it) => (it.version = "1.0")],
    ["a long title", (it) => (it.title = "x".repeat(81))],
    ["a consent without end", (it) => (it.consent = "See it")],
    ["a context without name", (it) => it.contexts.push({})],
    ["a keyword of two words", (it) => it.keywords.strong.push("two words")],
    ["a keyword twice", (it) => it.keywords.strong.push("book")],
    ["a vocabulary without values", (it) => (it.vocabularies.genre.values = [])],
    ["an unknown type", (it) => (it.members[0].type = "list")],
    ["an array of one", (it) => (it.members[0].cardinality = "one")],
    ["an array without items", (it) => delete it.members[0].items],
    ["an enum without vocabulary", (it) => delete it.members[3].vocabulary],
    ["an object without properties", (it) => delete it.members[7].properties],
    ["a weight above 1", (it) => (it.members[0].weight = 1.5)],
    ["a half-life of half days", (it) => (it.members[0].half_life_days = 0.5)],
    ["an unknown place", (it) => (it.members[0].hint.text = "User reads {books}.")],
    ["a length of 201", (it) => (it.members[9].max_length = 201)],
    ["opposing in numbers", (it) => (it.members[2].opposes = [1])],
    ["opposing twice", (it) => (it.members[2].opposes = ["genres", "genres"])],
    ["a limit of 0", (it) => (it.members[0].json.limit = 0)],
    ["nine sentences", (it) => (it.summary.max_sentences = 9)],
  ];
  for (const [why, change] of cases) {
    const { folder, definition, file } = folderWith(w, change);
    assert.equal(fits(definition), false, `${why}: the schema takes it`);
    const result = await w.command("user", "list", "--domains", folder);
    assert.equal(result.status, 2, why);
    assert.ok(result.err.startsWith(`penchant: ${file}: `), `${why}: ${result.err}`);
    assert.equal(result.err.trimEnd().split("\n").length, 1, why);
  }
});
