// Texts for hints_eval.test.mjs: what people say about themselves, and tasks that no preference concerns.

import fs from "node:fs";
import path from "node:path";
import { ROOT } from "../kit/runner.mjs";

// [domain, the task as an agent sends it, the user's statement]
export const PLANTED_STATEMENTS = [
  ["food_profile", "find a restaurant for tonight", "I only like restaurants where we can talk without shouting"],
  ["food_profile", "book a table for dinner", "Dinner before seven is too early for us"],
  ["food_profile", "suggest a recipe with chicken", "Chicken has to be cooked all the way through for me"],
  ["food_profile", "pasta recipe ideas", "I make my own pasta on Sundays"],
  ["food_profile", "order pizza delivery", "Pizza without pineapple, please"],
  ["food_profile", "plan meals for the week", "We cook meals twice a week and eat leftovers in between"],
  ["food_profile", "grocery shopping list", "I shop for groceries at the farmers market"],
  ["food_profile", "restaurant_search", "A restaurant needs outdoor seating for my dog"],
  ["travel_profile", "book a flight to Berlin", "I never take a flight before eight in the morning"],
  ["travel_profile", "find a hotel in Rome", "Hotel rooms must have windows that open"],
  ["travel_profile", "plan a trip to Japan", "On trips I want one free day in three"],
  ["travel_profile", "search trains to Vienna", "Trains with a dining car are worth a detour"],
  ["travel_profile", "rent a car in Spain", "I can only drive a car with an automatic gearbox"],
  ["travel_profile", "flight_search", "A connecting flight needs at least two hours in between"],
  ["travel_profile", "hotel_search", "No hotel above the tenth floor, I am afraid of heights"],
  ["travel_profile", "museums and things to do in Paris", "I love small museums more than the famous ones"],
  ["music_preferences", "make a playlist for running", "For running I want a steady beat"],
  ["music_preferences", "recommend some jazz", "Jazz with vocals is not for me"],
  ["music_preferences", "find concerts this month", "Standing concerts are hard on my knees"],
  ["music_preferences", "playlist_creation", "A playlist should not repeat an artist"],
  ["music_preferences", "music_recommendation", "I listen to music from countries I have visited"],
  ["coding_profile", "write a python script", "Python code should run without extra packages"],
  ["coding_profile", "review my code", "Code reviews should start with what is good"],
  ["coding_profile", "write unit tests", "I want tests that read like sentences"],
  ["coding_profile", "debug this error", "Show me how to debug it rather than the fix"],
  ["coding_profile", "code_generation", "Generated code must compile without warnings"],
];

// [domain, statement], without words of the tasks above
export const OTHER_STATEMENTS = [
  ["food_profile", "I salt everything twice"],
  ["food_profile", "Leftovers are the best breakfast"],
  ["food_profile", "My grandmother taught me to bake"],
  ["food_profile", "Coffee comes first"],
  ["food_profile", "I eat slowly and like it that way"],
  ["food_profile", "Soup belongs to winter"],
  ["travel_profile", "I pack light"],
  ["travel_profile", "Mountains over beaches"],
  ["travel_profile", "I get seasick on ferries"],
  ["travel_profile", "Sunsets are worth waiting for"],
  ["travel_profile", "I send postcards to my nieces"],
  ["music_preferences", "Vinyl sounds warmer"],
  ["music_preferences", "Lyrics matter more than melody"],
  ["music_preferences", "I sing in a choir"],
  ["music_preferences", "Silence helps me think"],
  ["coding_profile", "I started with BASIC on a home computer"],
  ["coding_profile", "Names are half the work"],
  ["coding_profile", "I think best on paper"],
  ["coding_profile", "Small commits, often"],
];

const lines = (file) => fs.readFileSync(path.join(ROOT, "tests/eval", file), "utf8").split("\n").filter((line) => line !== "" && !line.startsWith("#"));

// Tasks that the classifier has not learned from, about something else and about a domain: [domain, task].
export const NEGATIVES = lines("negatives.txt");
export const POSITIVES = lines("positives.txt").map((line) => line.split(/: (.*)/s).slice(0, 2));

// [kind, task, domain, member, value as text]
export const UNSEEN = lines("unseen.txt").map((line) => line.split("|"));

// Whether they are about safety, in which domain, and the text: the classifier has not learned from these statements either.
export const SAFETY = lines("statements.tsv").map((line) => line.split("\t"));
