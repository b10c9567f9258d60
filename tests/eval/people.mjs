// Generated users for the measurements, and reading what an answer tells about them.

import assert from "node:assert/strict";
import path from "node:path";
import { concerned, hintsOfPerson, readDefinitions } from "../oracle/hints_model.mjs";
import { Reader } from "../oracle/hints_parse.mjs";
import { dice } from "../oracle/hints_people.mjs";
import { ROOT } from "../kit/runner.mjs";
import { often } from "../kit/thorough.mjs";
import * as texts from "./texts.mjs";

export const definitions = readDefinitions(path.join(ROOT, "domains"));
export const SEEDS = process.env.EVAL_SEEDS?.split(",").map(Number) ?? often([2026], [2026, 7]);
export let d = dice(SEEDS[0]);

// The same seed gives the same users.
export function useSeed(seed) {
  d = dice(seed);
}

const NAMES = `Avalon Birch Cedar Delta Ember Fjord Garnet Harbor Iris Juniper Krona Lumen Meadow Nimbus Onyx Prairie Quartz Ridge Sable Tundra`.split(" ");

export function valueFor(member) {
  if (member.type === "bool") return d.chance(0.5);
  if (member.type === "number") return d.between(member.minimum ?? 0, Math.min(member.maximum ?? 9, (member.minimum ?? 0) + 4));
  if (member.type === "object") return Object.fromEntries(Object.entries(member.properties).map(([name, type]) => [name, type === "string" ? d.pick(NAMES) : type === "number" ? 2 : true]));
  if (member.max_length < 10) return d.pick(NAMES).slice(0, member.max_length).toUpperCase(); // a code, such as an airport's
  return member.vocabulary ? d.pick(member.vocabulary.values).value : `${d.pick(NAMES)} ${d.pick(NAMES)}`;
}

const places = [...definitions.values()].flatMap((domain) => domain.members.filter(({ included, tellsEach }) => included && !tellsEach).map((member) => ({ domain, member })));

// A fifth of the facts are statements.
function otherFact(number, taken, statements) {
  if (number % 5 === 4) {
    const [domain, value] = d.pick(statements);
    return { domain, member: "statements", value };
  }
  const { domain, member } = d.pick(places);
  if (member.type !== "array" && taken.has(`${domain.name}.${member.name}`)) return undefined;
  taken.add(`${domain.name}.${member.name}`);
  return { domain: domain.name, member: member.name, value: valueFor(member) };
}

export function makePerson(size, planted, statements = texts.OTHER_STATEMENTS) {
  const taken = new Set(planted ? [`${planted.domain}.${planted.member}`] : []);
  const facts = [];
  for (let tries = 0; facts.length < size && tries < 10 * size; tries++) {
    const fact = otherFact(facts.length, taken, statements);
    if (fact && !(planted && fact.member === planted.member && fact.domain === planted.domain && fact.member !== "statements")) facts.push(fact);
  }
  if (planted) facts.splice(d.below(facts.length + 1), 0, planted);
  return facts.map((fact, i) => ({ ...fact, user: true, status: "active", sources: 1, at: 1_700_000_000 + i, sequence: i + 1 }));
}

// As stored: one atom for equal values of a member.
function storedAtoms(atoms, stored) {
  const all = atoms.flatMap((atom, n) => stored[n].map((kept) => ({ ...atom, value: kept.value, key: kept.key, concern: kept.concern })));
  const firsts = new Map();
  for (const atom of all) if (!firsts.has(`${atom.domain} ${atom.member} ${atom.key}`)) firsts.set(`${atom.domain} ${atom.member} ${atom.key}`, atom);
  return [...firsts.values()];
}

// The hints of a user, and a reader of answers about them. `stored` is the answer to { stored: true }.
export function factsOf(atoms, stored) {
  const hints = hintsOfPerson(definitions, storedAtoms(atoms, stored));
  return { hints, reader: new Reader(hints) };
}

// The hints that an answer includes; `matches` is the answer to { label: context }.
export function toldOf(person, query, answer, matches) {
  const concern = concerned(definitions, person.hints, query, matches);
  const included = person.reader[query.format](answer.hints, concern.available);
  assert.notEqual(typeof included, "string", included);
  return included;
}
