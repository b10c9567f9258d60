// Facts about safety that were stated in another domain than the one that a task is about.

import assert from "node:assert/strict";
import test from "node:test";
import { askAll, stated } from "./hints_ask.mjs";

const FOOD_TASKS = ["restaurant_search", "grocery_shopping", "recipe_recommendation", "flight_search"];
const NONE = { food_profile: { allergies: ["none"] } };

const ask = (record, contexts, more = {}) => askAll([{ atoms: stated(record), queries: contexts.map((context) => ({ context, max_tokens: 1000, ...more })) }])[0];
const hintsOf = (record, contexts, more) => ask(record, contexts, more).map(({ hints }) => hints);

function assertTold(record, contexts, text, told) {
  hintsOf(record, contexts).forEach((hints, i) => assert.equal(hints.some((hint) => hint.includes(text)), told, `${text} for ${contexts[i]}: ${JSON.stringify(hints)}`));
}

test("an allergy to food is included wherever food matters, whatever domain it was stated in", () => {
  for (const value of ["cashews", "dragonfruit", "peanut dust", "food dye"]) assertTold({ lifestyle_profile: { allergies: [value] } }, FOOD_TASKS, value, true);
  for (const domain of ["lifestyle_profile", "travel_profile"]) assertTold({ [domain]: { statements: ["I'm allergic to melon"] } }, FOOD_TASKS, "melon", true);
  for (const domain of ["lifestyle_profile", "travel_profile", "coding_profile"])
    for (const text of ["I'm allergic to shellfish", "My son is allergic to peanuts"]) assertTold({ [domain]: { statements: [text] } }, FOOD_TASKS, text, true);
  for (const text of ["We keep a halal kitchen", "I take beta blockers", "I'm diabetic"]) assertTold({ lifestyle_profile: { statements: [text] } }, FOOD_TASKS, text, true);
});

test("what plainly is no food does not matter to food", () => {
  for (const value of ["dust", "wool", "bees", "hay fever", "ragweed", "penicillin", "nail polish"]) assertTold({ lifestyle_profile: { allergies: [value] } }, FOOD_TASKS, "allergic", false);
  for (const text of ["I'm allergic to dust", "bee stings could kill me", "I use a wheelchair"]) assertTold({ lifestyle_profile: { statements: [text] } }, FOOD_TASKS, text, false);
  assertTold({ food_profile: { allergies: ["wool"] } }, ["product_recommendation", "home_ideas"], "wool", true);
  assertTold({ food_profile: { allergies: ["peanuts"] } }, ["product_recommendation", "home_ideas"], "peanuts", false);
});

test("that there are no food allergies is never included beside one of another domain", () => {
  const facts = [{ allergies: ["cashews"] }, { allergies: ["dragonfruit"] }, { statements: ["I'm allergic to melon"] }, { statements: ["walnuts could kill me"] }, { statements: ["I carry an EpiPen"] }];
  for (const fact of facts) assertTold({ ...NONE, lifestyle_profile: fact }, [...FOOD_TASKS, undefined], "no known food allergies", false);
  assertTold({ ...NONE, travel_profile: { statements: ["I'm allergic to melon"] } }, ["restaurant_search"], "no known food allergies", false);
  for (const fact of [{ allergies: ["dust"] }, { statements: ["We keep a halal kitchen"] }]) assertTold({ ...NONE, lifestyle_profile: fact }, ["restaurant_search"], "no known food allergies", true);
  const [{ hints }] = ask({ ...NONE, lifestyle_profile: { allergies: ["cashews"] } }, ["restaurant_search"], { allowed: ["food_profile"] });
  assert.deepEqual(hints, ["User has no known food allergies."], "an app must not learn of a domain that it may not read");
});

test("a favorite that contains an allergen of another domain is left out, in every format", () => {
  const record = {
    food_profile: { favorite_foods: ["cashew chicken", "pizza", "melon salad", "ramen"], favorite_drinks: ["cashew milk"] },
    lifestyle_profile: { allergies: ["cashews", "dust"] }, travel_profile: { statements: ["I'm allergic to melon"] },
  };
  const [text] = hintsOf(record, ["restaurant_search"]);
  assert.ok(text.includes("User's favorite foods include pizza and ramen."), JSON.stringify(text));
  for (const format of ["text", "bullets", "json"]) for (const [hints] of [hintsOf(record, ["restaurant_search"], { format })]) assert.doesNotMatch(JSON.stringify(hints), /cashew chicken|cashew milk|melon salad/);
  const [one] = hintsOf({ food_profile: { favorite_foods: ["satay", "pizza"] }, coding_profile: { statements: ["I'm allergic to peanuts"] } }, ["restaurant_search"]);
  assert.ok(one.includes("User's favorite food is pizza."), JSON.stringify(one));
});

test("diets for religious and medical reasons are included where food matters in another domain", () => {
  const told = { dietary: ["halal", "strictly kosher", "Jain", "gluten-free", "diabetic", "renal", "kidney", "Hindu vegetarian"], dietary_restrictions: ["gluten", "pork", "halal"], alcohol: ["none"] };
  const notTold = { dietary: ["vegan", "keto", "none", "everything", "no allergies"], dietary_restrictions: ["mushrooms", "not allergic to nuts"], alcohol: ["regular"] };
  for (const [facts, isTold] of [[told, true], [notTold, false]])
    for (const [member, values] of Object.entries(facts))
      for (const value of values)
        hintsOf({ food_profile: { [member]: member === "dietary_restrictions" ? [value] : value } }, ["flight_search", "hotel_search", "trip_planning"]).forEach((hints) => assert.equal(hints.length > 0, isTold, `${member} ${value}`));
  for (const context of ["xyzzy", "playlist_creation"]) assert.deepEqual(hintsOf({ food_profile: { dietary: "halal", alcohol: "none" } }, [context]), [[]], context);
});
