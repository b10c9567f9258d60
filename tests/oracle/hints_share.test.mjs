// How the user wants to be answered has a small share of the budget: one long statement about it does not displace what
// matters to the task.

import assert from "node:assert/strict";
import test from "node:test";
import { askAll } from "./hints_ask.mjs";

const LONG = "Explain everything slowly with many examples from daily life, avoid jargon, define each abbreviation when it first appears, and finish with a short list of the next steps I should take";

const atom = ([domain, member, value], sequence) => ({ domain, member, value, user: true, sources: 1, at: 1_700_000_000, sequence });
const FOOD = [["cuisines", "Thai"], ["dietary", "vegan"], ["favorite_foods", "ramen"], ["disliked_foods", "okra"], ["spice_tolerance", "hot"], ["statements", "I never eat after nine"]].map(([member, value]) => ["food_profile", member, value]);
const TALK = [["communication_profile", "statements", LONG], ["communication_profile", "tones", "friendly"]];

const hintsOf = (facts, query) => askAll([{ atoms: facts.map(atom), queries: [query] }])[0][0].hints;

for (const talk of [TALK, TALK.slice(0, 1)])
  test(`a long statement about answers comes after what matters to the task, with ${talk.length - 1} shorter facts`, () => {
    for (const max_tokens of [50, 60, 80, 100]) {
      const query = { context: "restaurant_search", max_tokens };
      const alone = hintsOf(FOOD, { ...query, max_tokens: max_tokens - 10 }); // a tone takes at most ten tokens
      const all = hintsOf([...FOOD, ...talk], query);
      for (const hint of alone) assert.ok(all.includes(hint), `${max_tokens}: ${hint} is missing in ${JSON.stringify(all)}`);
      if (talk === TALK) assert.equal(all[0], "User prefers answers that are friendly.");
    }
    assert.ok(hintsOf([...FOOD, ...talk], { context: "restaurant_search", max_tokens: 300 }).some((hint) => hint.includes(LONG)), "with enough room it is included");
  });
