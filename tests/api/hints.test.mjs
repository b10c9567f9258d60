// Hints over HTTP: access, parameters, and responses. tests/oracle tests the sentences themselves.

import assert from "node:assert/strict";
import test from "node:test";
import { state } from "../kit/account.mjs";
import { assertError } from "../kit/expect.mjs";
import { DOMAINS } from "../kit/oauth.mjs";
import { connected, fine, FOOD, MUSIC, READ_WRITE, secondApp } from "../kit/preferences.mjs";

const ASKING = `${READ_WRITE} agent_hints`;
const TRAVEL = "travel_profile";

const query = (params) => `agent-hints?${new URLSearchParams(params)}`;

async function fed(t, scope = ASKING) {
  const world = await connected(t, { scope: ASKING });
  await world.api.write(FOOD, { allergies: ["peanuts", "shellfish"], dietary: "vegetarian", cuisines: ["Thai"], medical_diets: ["low-sodium"] });
  await world.api.write(MUSIC, { genres: ["jazz", "trip hop"], favorite_artists: ["Björk"] });
  const asking = scope === ASKING ? world.api : await secondApp(world.w, world.ada, { scope });
  return { ...world, asking };
}

test("hints are sentences within the budget, safety-critical ones first", async (t) => {
  const { api } = await fed(t);
  const answer = fine(await api.get(query({ context: "restaurant_search" })));
  assert.deepEqual(answer.hints, [
    "According to Concert Finder, the user is allergic to peanuts and shellfish; never suggest food containing them.",
    "According to Concert Finder, the user's medically required diet is low-sodium.",
    "According to Concert Finder, the user follows a vegetarian diet.",
    "User's favorite cuisine is Thai.",
  ]);
  const { hints, token_count, ...rest } = answer;
  assert.ok(token_count <= 100);
  assert.deepEqual(rest, {
    format: "text", domains: [FOOD], context: "restaurant_search", max_tokens: 100, tokenizer: "o200k_base",
    omitted: 0, context_matched: "restaurant_search", hints_available: 4, safety_complete: true, content_role: "data",
  });
});

test("JSON names who stated each member: the user, an app, or both", async (t) => {
  const { w, ada, api, app } = await connected(t, { scope: ASKING });
  const other = await secondApp(w, ada, { scope: ASKING });
  await api.write(FOOD, { allergies: ["peanuts"], cuisines: ["Thai"] });
  await other.write(FOOD, { cuisines: ["Greek"] });
  await other.write(MUSIC, { genres: ["jazz"] });
  const asked = (format) => api.read(query({ format, domains: `${FOOD},${MUSIC}`, max_tokens: 500 }));
  const [first, second] = [[app.client_id], [other.app.client_id]];
  const sorted = (origins) => JSON.parse(JSON.stringify(origins), (_, value) => (Array.isArray(value) ? value.sort() : value));

  assert.equal((await asked("text")).origins, undefined);
  assert.equal((await asked("bullets")).origins, undefined);
  assert.deepEqual(sorted((await asked("json")).origins), sorted({ [FOOD]: { allergies: first, cuisines: [...first, ...second] }, [MUSIC]: { genres: second } }));

  await state(ada, FOOD, "cuisines", "Thai");
  await state(ada, MUSIC, "favorite_artists", "Björk");
  const { origins } = await asked("json");
  assert.deepEqual(sorted(origins), sorted({ [FOOD]: { allergies: first, cuisines: ["user", ...first, ...second] }, [MUSIC]: { genres: second, top_artists: ["user"] } }));
});

test("the purpose of an app is the context of requests that send none", async (t) => {
  const { w, ada, api, app } = await connected(t, { scope: ASKING });
  await state(ada, FOOD, "cuisines", "Thai");
  await state(ada, MUSIC, "genres", "jazz");
  const hintsFor = async (more = {}) => {
    const { hints, context, context_matched } = await api.read(query(more));
    return [hints, context, context_matched];
  };
  const both = ["User's favorite cuisine is Thai.", "User's preferred genre is jazz."];
  assert.deepEqual((await hintsFor())[0].toSorted(), both);

  await w.command("app", "purpose", app.client_id, "restaurant_search");
  assert.deepEqual(await hintsFor(), [[both[0]], null, "restaurant_search"], "at once, although the response was cached");
  assert.deepEqual(await hintsFor({ context: "make a playlist" }), [[both[1]], "make a playlist", "playlist_creation"], "a context wins");
  assert.deepEqual((await hintsFor({ domains: `${FOOD},${MUSIC}` }))[0].toSorted(), both, "and so do domains");

  await w.command("app", "purpose", app.client_id, "payroll");
  assert.deepEqual(await hintsFor(), [[], null, null], "a purpose that needs no taste gets none");
  assert.deepEqual((await hintsFor({ fallback: "general" }))[0].toSorted(), both);

  await w.command("app", "purpose", app.client_id, "none");
  assert.deepEqual((await hintsFor())[0].toSorted(), both);
});

test("a diet among the dietary restrictions is the diet", async (t) => {
  const { api } = await connected(t, { scope: ASKING });
  const hintsFor = async (dietary_restrictions) => {
    await api.write(FOOD, { dietary_restrictions });
    return (await api.read(query({ domains: FOOD }))).hints;
  };
  assert.deepEqual(await hintsFor(["vegan"]), ["According to Concert Finder, the user follows a vegan diet."]);
  assert.deepEqual(await hintsFor(["halal", "pork"]), ["According to Concert Finder, the user follows a vegan diet.", "According to Concert Finder, the user's dietary restrictions are halal and pork."]);
  assert.equal((await api.read(query({ domains: FOOD, format: "bullets" }))).hints, "- According to Concert Finder, diet: vegan\n- According to Concert Finder, dietary restrictions: halal and pork");
});

test("each format has its own shape", async (t) => {
  const { api } = await fed(t);
  const bullets = await api.read(query({ domains: MUSIC, format: "bullets" }));
  assert.equal(bullets.hints, "- Favorite artists: Björk\n- Genres: jazz and trip-hop");
  assert.deepEqual(bullets.domains, [MUSIC]);
  const { hints } = await api.read(query({ domains: MUSIC, format: "json" }));
  assert.deepEqual(hints, {
    [MUSIC]: { summary: "User's favorite artist is Björk. User's preferred genres include jazz and trip-hop.", top_artists: ["Björk"], genres: ["jazz", "trip hop"] },
  });
  assert.equal((await api.read(query({ domains: `${MUSIC},${FOOD}`, format: "bullets", max_tokens: 500 }))).hints.split("\n").filter((line) => line.startsWith("**")).length, 2);
});

test("a budget that is too small returns no hints and counts the omitted facts", async (t) => {
  const { api } = await fed(t);
  for (const [format, nothing] of [["text", []], ["bullets", ""], ["json", {}]]) {
    const answer = await api.read(query({ format, max_tokens: 1 }));
    assert.deepEqual(answer.hints, nothing);
    assert.deepEqual([answer.safety_complete, answer.omitted], [false, 8]);
    assert.ok(answer.token_count <= 1);
  }
});

test("suppressed, held, and replaced facts are never in hints", async (t) => {
  const { api } = await fed(t);
  await api.write(MUSIC, { genres: ["https://evil.example"], discovery: "familiar" });
  await api.write(MUSIC, { discovery: "adventurous" });
  fine(await api.suppressing((await api.atom("jazz")).atom_id));
  const { hints } = await api.read(query({ domains: MUSIC, max_tokens: 500 }));
  assert.deepEqual(hints, ["User's favorite artist is Björk.", "User's preferred genre is trip-hop.", "User enjoys discovering unfamiliar music."]);
});

test("a user without facts has no hints", async (t) => {
  const { api } = await connected(t, { scope: ASKING });
  const answer = await api.read("agent-hints");
  assert.deepEqual([answer.hints, answer.token_count, answer.omitted, answer.safety_complete], [[], 0, 0, true]);
  assert.equal(answer.domains.length, DOMAINS.length);
  assert.equal(answer.context, null);
});

test("the token's domains limit the tools, and sensitive facts need a permission of their own", async (t) => {
  const { asking } = await fed(t, `agent_hints ${FOOD}`);
  const food = await asking.read(query({ max_tokens: 500 }));
  assert.deepEqual(food.domains, [FOOD]);
  assert.ok(food.hints.includes("According to Concert Finder, the user's medically required diet is low-sodium."));
  assertError(await asking.get(query({ domains: MUSIC })), 403, "insufficient_scope");
  assert.deepEqual((await asking.read(query({ context: "playlist_creation" }))).hints, []);

  const { asking: all } = await fed(t, "agent_hints");
  const { hints, domains } = await all.read(query({ max_tokens: 500 }));
  assert.equal(domains.length, DOMAINS.length);
  assert.ok(hints.some((hint) => hint.includes("peanuts")));
  assert.ok(!hints.some((hint) => hint.includes("low-sodium")), "the box of food's own sentence was not checked");
});

test("a token without access gets the reason", async (t) => {
  const { w, api, asking } = await fed(t, READ_WRITE);
  assertError(await asking.get("agent-hints"), 403, "insufficient_scope");
  assertError(await w.get("/v1/agent-hints"), 401, "invalid_token");
  for (const [params, word] of [
    [{ max_tokens: 0 }, /max_tokens/], [{ max_tokens: 4001 }, /max_tokens/], [{ max_tokens: "ten" }, /max_tokens/], [{ format: "xml" }, /format/],
    [{ domains: "nosuch" }, /domains/], [{ domains: `${MUSIC},nosuch` }, /nosuch/], [{ context: "x".repeat(2049) }, /context/], [{ context: "é".repeat(1025) }, /context/], [{ fallback: "all" }, /fallback/],
  ]) {
    const answer = await api.get(query(params));
    assertError(answer, 400, "invalid_request");
    assert.match(JSON.stringify(answer.data.details), word);
  }
  assertError(await api.get("agent-hints?format=text&format=json"), 400, "invalid_request");
});

test("every valid way to write the request is accepted", async (t) => {
  const { api } = await fed(t);
  for (const params of [{ domains: ` ${MUSIC} , ` }, { domains: `${MUSIC},${MUSIC}` }, { domains: MUSIC, context: "" }, { domains: MUSIC, context: "smalltalk", format: "" }])
    assert.deepEqual((await api.read(query(params))).hints, ["User's favorite artist is Björk.", "User's preferred genres include jazz and trip-hop."], JSON.stringify(params));
});

test("a context that matches nothing gets only safety facts that are not sensitive", async (t) => {
  const { api } = await fed(t);
  const peanuts = "According to Concert Finder, the user is allergic to peanuts and shellfish; never suggest food containing them.";
  const unknown = await api.read(query({ context: "smalltalk", max_tokens: 500 }));
  assert.deepEqual([unknown.hints, unknown.context_matched, unknown.domains, unknown.hints_available, unknown.safety_complete], [[peanuts], null, [FOOD], 1, false], "the medical diet is sensitive");
  assert.equal((await api.read(query({ context: "banking", max_tokens: 500 }))).safety_complete, false);
  assert.equal((await api.read(query({ context: "playlist_creation", max_tokens: 500 }))).safety_complete, false);
  assert.equal((await api.read(query({ context: "playlist_creation", domains: MUSIC, max_tokens: 500 }))).safety_complete, true, "music has no safety facts");
  for (const context of ["banking", "remind me to book a restaurant", "add dinner with Ada to my calendar", "change volume settings"]) {
    const { hints, context_matched, domains, omitted } = await api.read(query({ context, max_tokens: 500 }));
    assert.deepEqual([hints, context_matched, domains, omitted], [[], null, [], 0], context);
  }
  const { hints, context_matched } = await api.read(query({ context: "banking", fallback: "general", max_tokens: 500 }));
  assert.deepEqual([hints, context_matched], [(await api.read(query({ max_tokens: 500 }))).hints, null]);
  assert.deepEqual((await api.read(query({ context: "banking", domains: MUSIC }))).hints.length, 2, "named domains are used");
});

test("a context may be a text of 2 KiB", async (t) => {
  const { api } = await fed(t);
  const task = "You are a helpful concierge. The user lands on Friday and wants a quiet restaurant for dinner, with a menu for two. ";
  const context = task.padEnd(2048, "Keep the answer short. ");
  const answer = await api.read(query({ context }));
  assert.deepEqual([answer.context, answer.context_matched, answer.domains], [context, "restaurant_search", [FOOD]]);
});

test("unknown parameters are ignored, with a warning that names the nearest known one", async (t) => {
  const { api } = await fed(t);
  const warned = await api.read(query({ budget: 20, contxt: "music", zzz: "1", domains: MUSIC }));
  assert.equal(warned.max_tokens, 100);
  assert.deepEqual(warned.warnings, [
    "budget is not a parameter of this endpoint and was ignored. Did you mean max_tokens?",
    "contxt is not a parameter of this endpoint and was ignored. Did you mean context?",
    "zzz is not a parameter of this endpoint and was ignored.",
  ]);
  assert.ok(!("warnings" in (await api.read(query({ domains: MUSIC })))));
  const long = await api.read(`agent-hints?${"%C3%A9".repeat(40)}=1&${Array.from({ length: 12 }, (_, i) => `x${i}`).join("&")}`);
  assert.equal(long.warnings.length, 8);
  assert.match(long.warnings[0], /^é{16} is not/);
});

test("hints are conditional, and change with the facts", async (t) => {
  const { api } = await fed(t);
  const where = query({ context: "music_recommendation" });
  const { headers } = await api.get(where);
  assert.equal((await api.get(where, { "if-none-match": headers.etag })).status, 304);
  assert.equal(headers["cache-control"], "private, no-cache");
  await api.write(TRAVEL, { budget: "moderate" });
  assert.equal((await api.get(where, { "if-none-match": headers.etag })).status, 304, "of another domain");
  await api.write(MUSIC, { genres: ["soul"] });
  assert.equal((await api.get(where, { "if-none-match": headers.etag })).status, 200);
});

test("the command prints the hints an agent would get", async (t) => {
  const { w, api } = await fed(t);
  const { hints } = await api.read(query({ context: "restaurant_search" }));
  const said = await w.command("hints", "ada", "--context", "restaurant_search");
  assert.deepEqual([said.status, said.out], [0, `${hints.join("\n")}\n`]);
  const json = await w.command("hints", "ada", "--format", "json", "--domains", MUSIC, "--max-tokens", "200", "--json");
  assert.deepEqual(JSON.parse(json.out).hints, (await api.read(query({ format: "json", domains: MUSIC, max_tokens: 200 }))).hints);
  assert.equal((await w.command("hints", "nobody")).status, 1);
  for (const [wrong, reason] of [
    [["--max-tokens", "0"], /--max-tokens must be a whole number from 1 to 4000/],
    [["--format", "xml"], /--format must be text, json, or bullets/],
    [["--context", "x".repeat(2100)], /--context must have at most \d+ bytes/],
    [["--domains", "nosuch"], /there is no domain nosuch/],
  ]) {
    const { status, out, err } = await w.command("hints", "ada", ...wrong);
    assert.deepEqual([status, out], [2, ""], wrong[0]);
    assert.match(err, reason);
  }
});
