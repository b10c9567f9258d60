// What comes first with the built-in definitions, what a context leaves out, and that nothing is omitted in the end.

import assert from "node:assert/strict";
import path from "node:path";
import test from "node:test";
import { askAll, stated } from "./hints_ask.mjs";
import { readDefinitions } from "./hints_model.mjs";
import { dice, makeFullPerson, readPositives } from "./hints_people.mjs";
import { ROOT } from "../kit/runner.mjs";

const FORMATS = ["text", "bullets", "json"];
const ask = (record, ...queries) => askAll([{ atoms: stated(record), queries }])[0];
const place = (lines, text) => {
  const found = lines.findIndex((line) => line.includes(text));
  assert.notEqual(found, -1, `${text} in ${JSON.stringify(lines)}`);
  return found;
};

test("statements that share a word with the task come before typed facts that do, however many there are", () => {
  const statements = ["salty", "sour", "sweet", "bitter", "hot", "cold", "green", "red", "yellow"].map((word) => `Thai ${word} plates suit me`);
  const [{ hints }] = ask({ food_profile: { cuisines: ["Thai"], statements } }, { context: "find thai places for dinner tonight", max_tokens: 500 });
  for (const statement of statements) assert.ok(place(hints, statement) < place(hints, "cuisine"), statement);
});

test("the first statements of the matched domain come before tastes", () => {
  const statements = ["Guided tastings bore me", "Eggs should be soft"];
  const [{ hints }] = ask({ food_profile: { cuisines: ["Thai"], favorite_foods: ["ramen"], statements } }, { context: "restaurant_search", max_tokens: 500 });
  for (const statement of statements) assert.ok(place(hints, statement) < place(hints, "cuisine"), statement);
});

test("statements that are only about the user leave room to what the task depends on", () => {
  const statements = ["I grew up on a farm", "Garlic goes into everything", "My freezer is full"];
  const [{ hints }] = ask({ food_profile: { cuisines: ["Thai"], price_range: "moderate", statements } }, { context: "restaurant_search", max_tokens: 500 });
  for (const statement of statements) assert.ok(place(hints, statement) > place(hints, "cuisine") && place(hints, statement) > place(hints, "priced"), statement);
});

test("units and formats are included only where they can matter", () => {
  const record = { communication_profile: { temperature_unit: "celsius", answer_length: "brief" }, food_profile: { cuisines: ["Thai"] }, music_preferences: { genres: ["jazz"] } };
  const told = ["recipe_recommendation", "food", undefined, "xyzzy"];
  const notTold = ["playlist_creation", "code_review"];
  const queries = [...told, ...notTold].flatMap((context) => FORMATS.map((format) => ({ context, format, max_tokens: 500 })));
  ask(record, ...queries).forEach(({ hints }, i) => {
    const { context, format } = queries[i];
    assert.equal(/celsius/i.test(JSON.stringify(hints)), told.includes(context), `${context} ${format}`);
    assert.match(JSON.stringify(hints), /brief|short/, `${context} ${format}`);
  });
});

const FLYER = { travel_profile: { meal_request: "VGML", avoided_airlines: ["Ryanair"], airlines: ["KLM"], accommodation_types: ["hostel"] } };

const RECORD = { coding_profile: { commit_style: "conventional", cloud_platforms: ["AWS"], databases: ["MariaDB"], license_restrictions: ["AGPL"] } };
const toldOfRecord = (context) => FORMATS.map((format) => JSON.stringify(ask(RECORD, { context, format, max_tokens: 500 })[0].hints));

test("examples say which members matter to a task", () => {
  for (const hints of toldOfRecord("write_commit_message")) assert.match(hints, /[Cc]onventional/);
  for (const hints of toldOfRecord("write a function that reads the database")) assert.match(hints, /MariaDB/);
  for (const hints of toldOfRecord("write a function that parses dates")) assert.doesNotMatch(hints, /[Cc]onventional|AWS/);
  for (const hints of toldOfRecord("squash these commits")) assert.match(hints, /[Cc]onventional/);
  for (const hints of toldOfRecord("add a package for PDF export, mind the licenses")) assert.match(hints, /AGPL/);
  for (const hints of toldOfRecord("explain this regex")) assert.doesNotMatch(hints, /AGPL|[Cc]onventional/);
});

// Whether a fact of a member is included, for members whose definition gives 0.6 or more in the context of a task, and examples little
// or nothing.
test("a high weight in the definition includes a member unless examples give it nothing", () => {
  const builtIn = readDefinitions(path.join(ROOT, "domains"));
  const tasks = readPositives().filter((_, i) => i % 8 === 0);
  const matches = askAll([{ atoms: [], queries: tasks.map((label) => ({ label })) }])[0];
  const cases = tasks.flatMap((task, i) => {
    if (matches[i].length !== 1) return [];
    const [[domain, context, second, scores, isByName]] = matches[i];
    return builtIn.get(domain).members.filter(({ name, type, safety, vocabulary }) => !isByName && name in scores && type === "array" && safety === "none" && !vocabulary).flatMap(({ name, contexts }) => {
      const weightIn = (one) => contexts[one] ?? contexts["*"] ?? 0.5;
      const defined = Math.max(weightIn(context), second ? (7 / 8) * weightIn(second) : 0);
      const weight = 0.25 + scores[name] / 64 + defined / 2;
      return defined >= 0.6 && weight < 0.28 && Math.abs(weight) > 0.01 ? [{ task, domain, name, isIncluded: weight > 0 }] : [];
    });
  });
  for (const isIncluded of [true, false]) assert.ok(cases.filter((one) => one.isIncluded === isIncluded).length >= 5);
  askAll(cases.map(({ task, domain, name }) => ({ atoms: stated({ [domain]: { [name]: ["Amber Willow"] } }), queries: [{ context: task, max_tokens: 500 }] })))
    .forEach(([{ hints }], i) => assert.equal(hints.length, cases[i].isIncluded ? 1 : 0, JSON.stringify(cases[i])));
});

test("a task that matches a domain but none of its contexts gets what matters in the usual ones, after what matters in all", () => {
  const record = { food_profile: { disliked_foods: ["olives"], price_range: "moderate", cooking_skill: "beginner" }, media_profile: { screen_genres: ["drama"], podcast_topics: ["history"] }, lifestyle_profile: { pets: ["a cat"], clothing_sizes: { shoe: "43" } } };
  const [food, media, life] = ask(record, ...["food", "media", "lifestyle"].map((context) => ({ context, max_tokens: 500 })));
  assert.ok(place(food.hints, "olives") < place(food.hints, "moderately priced"));
  assert.ok(place(food.hints, "moderately priced") < place(food.hints, "new to cooking"));
  assert.ok(place(media.hints, "drama") >= 0 && place(media.hints, "drama") < place(media.hints, "history"));
  assert.ok(place(life.hints, "cat") >= 0);
  assert.doesNotMatch(life.hints.join(" "), /43/);
});

test("a task that fits two contexts gets what matters in either, the likelier one first", () => {
  const record = { coding_profile: { testing_frameworks: ["Vitest"], paradigms: ["functional"], commit_style: "conventional", editors: ["Helix"] } };
  const [both, tests] = ask(record, { context: "add tests and refactor the parser module", max_tokens: 500 }, { context: "test_writing", max_tokens: 500 });
  assert.ok(place(both.hints, "Vitest") >= 0 && place(both.hints, "Vitest") < place(both.hints, "functional"));
  assert.doesNotMatch(both.hints.join(" "), /onventional/);
  assert.ok(place(tests.hints, "Vitest") >= 0);
  for (const { hints } of [both, tests]) assert.doesNotMatch(hints.join(" "), /Helix/);
});

test("units come before tone where they matter to the context", () => {
  const record = { communication_profile: { tones: ["casual"], units: "metric" }, food_profile: { favorite_foods: ["ramen"] } };
  const [recipe, mix] = ask(record, { context: "recipe_recommendation", max_tokens: 500 }, { max_tokens: 500 });
  assert.ok(place(recipe.hints, "metric") < place(recipe.hints, "casual"));
  assert.ok(place(mix.hints, "casual") < place(mix.hints, "metric"));
});

test("what excludes choices is left out where it does not matter", () => {
  const contexts = ["train_search", "things to do in Rome", "search trains to Vienna", "hotel_search"];
  const queries = contexts.flatMap((context) => FORMATS.map((format) => ({ context, format, max_tokens: 500 })));
  ask(FLYER, ...queries).forEach((answer, i) => {
    assert.notEqual(answer.context_matched, null);
    assert.doesNotMatch(JSON.stringify(answer.hints), /vegan|VGML|Ryanair|KLM/, `${queries[i].context} ${queries[i].format}`);
  });
  const [flight] = ask(FLYER, { context: "flight_search", max_tokens: 500 });
  assert.match(flight.hints.join(" "), /vegan/);
  assert.match(flight.hints.join(" "), /Ryanair/);
});

const LONG = "Please never answer me with a wall of text that repeats my question, thanks me for asking it, apologizes twice, and only then comes to the point that I wanted to know from the beginning";

test("how to answer comes first and leaves most of the budget to the task", () => {
  const food = { dietary: ["vegetarian"], cuisines: ["Thai", "Italian"], favorite_foods: ["ramen", "sushi"], disliked_foods: ["olives"] };
  for (const communication of [{ answer_length: "brief" }, { answer_length: "brief", statements: [LONG] }, { statements: [LONG] }]) {
    const record = { communication_profile: communication, food_profile: food };
    const [small, large] = ask(record, { context: "restaurant_search", max_tokens: 50 }, { context: "restaurant_search", max_tokens: 500 });
    assert.ok(!small.hints.join(" ").includes("wall of text"), JSON.stringify(small.hints));
    assert.ok(small.hints.filter((line) => !line.includes("answers")).length >= 3, JSON.stringify(small.hints));
    if (communication.answer_length) assert.match(small.hints[0], /answers/);
    if (communication.statements) assert.match(large.hints.join(" "), /wall of text/);
  }
});

test("nothing is omitted if the budget is large enough", () => {
  const definitions = readDefinitions(path.join(ROOT, "domains"));
  const d = dice(24);
  const contexts = [undefined, ...[...definitions.values()].flatMap((domain) => domain.contexts.slice(0, 2).map(({ name }) => name))];
  const queries = contexts.flatMap((context) => FORMATS.map((format) => ({ context, format, max_tokens: 4000 })));
  const people = Array.from({ length: 6 }, () => ({ atoms: makeFullPerson(definitions, d), queries }));
  askAll(people).forEach((answers) =>
    answers.forEach(({ omitted, hints }, i) => {
      assert.equal(omitted, 0, JSON.stringify(queries[i]));
      assert.notEqual(Object.keys(hints).length, 0, JSON.stringify(queries[i]));
    }),
  );
});
