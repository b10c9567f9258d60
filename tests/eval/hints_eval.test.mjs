// Measures hints on generated users: how often a relevant preference is included, how much of the budget is used, and what
// tasks about something else reveal. Run with EVAL_SHARE=10 for more users, with SHOW_MISSES=1
// to see what was not included, and with WRITE=1 to update docs/HINTS.md.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { askAll } from "../oracle/hints_ask.mjs";
import { concerned, hintsOfPerson, readDefinitions } from "../oracle/hints_model.mjs";
import { Reader } from "../oracle/hints_parse.mjs";
import { dice } from "../oracle/hints_people.mjs";
import { ROOT } from "../kit/runner.mjs";
import * as heldOut from "./held_out.mjs";
import * as texts from "./texts.mjs";

const SHARE = Number(process.env.EVAL_SHARE ?? 1);
const SIZES = [20, 40, 60];
const FORMATS = ["text", "bullets", "json"];
const BUDGET = 100;

// docs/HINTS.md has the results.
const LEAST_TOLD = 0.97;
const ENOUGH = 150; // users of one size and kind; with fewer, chance decides about the last few

// How many of `count` users may miss the preference: with few users, as many as are likely (99 %) if 97 % are told.
function mostMisses(count) {
  const expected = (1 - LEAST_TOLD) * count;
  return Math.floor(count >= ENOUGH ? expected : expected + 2.33 * Math.sqrt(expected * LEAST_TOLD));
}
const LEAST_FILL = 0.85; // where facts are omitted
const MOST_FALSE_ROUTES = 0.0075;
const DOCUMENT = path.join(ROOT, "docs/HINTS.md");

const definitions = readDefinitions(path.join(ROOT, "domains"));
const d = dice(2026);

// ---- users ----

const NAMES = `Avalon Birch Cedar Delta Ember Fjord Garnet Harbor Iris Juniper Krona Lumen Meadow Nimbus Onyx Prairie Quartz Ridge Sable Tundra`.split(" ");

function valueFor(member) {
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

function makePerson(size, planted, statements = texts.OTHER_STATEMENTS) {
  const taken = new Set(planted ? [`${planted.domain}.${planted.member}`] : []);
  const facts = [];
  for (let tries = 0; facts.length < size && tries < 10 * size; tries++) {
    const fact = otherFact(facts.length, taken, statements);
    if (fact && !(planted && fact.member === planted.member && fact.domain === planted.domain && fact.member !== "statements")) facts.push(fact);
  }
  if (planted) facts.splice(d.below(facts.length + 1), 0, planted);
  return facts.map((fact, i) => ({ ...fact, user: true, status: "active", sources: 1, at: 1_700_000_000 + i, sequence: i + 1 }));
}

// ---- planted preferences ----

// Typed: every member that is decisive in a context, by the context's name.
const DECISIVE = [...definitions.values()].flatMap((domain) =>
  domain.contexts.flatMap(({ name }) =>
    domain.members
      .filter((member) => member.included && !member.tellsEach && !member.sensitive && member.safety !== "critical" && (member.contexts[name] ?? 0) >= 0.9)
      .map((member) => ({ domain: domain.name, member, context: name })),
  ),
);

function planTyped(size) {
  const { domain, member, context } = d.pick(DECISIVE);
  return { context, atoms: makePerson(size, { domain, member: member.name, value: valueFor(member) }), domain, member: member.name };
}

function planStatement(size, from) {
  const [domain, context, value] = d.pick(from.PLANTED_STATEMENTS);
  return { context, atoms: makePerson(size, { domain, member: "statements", value }, from.OTHER_STATEMENTS), domain, member: "statements", value };
}

// ---- answers ----

// As stored: one atom for equal values of a member.
function storedAtoms(atoms, stored) {
  const all = atoms.flatMap((atom, n) => stored[n].map((kept) => ({ ...atom, value: kept.value, key: kept.key })));
  const firsts = new Map();
  for (const atom of all) if (!firsts.has(`${atom.domain} ${atom.member} ${atom.key}`)) firsts.set(`${atom.domain} ${atom.member} ${atom.key}`, atom);
  return [...firsts.values()];
}

function read(person, query, answer, matches) {
  const concern = concerned(definitions, person.hints, query, matches);
  const included = person.reader[query.format](answer.hints, concern.available);
  assert.notEqual(typeof included, "string", included);
  return included;
}

function isPlantedTold({ domain, member, value }, included) {
  return included.some(({ hint }) => hint.domain.name === domain && hint.member.name === member && (value === undefined || hint.values[0].kept === value));
}

const isPrecise = ({ hint }, matches) => {
  const context = new Map(matches).get(hint.domain.name);
  return hint.tier === 0 || hint.domain.always || hint.member.tellsEach || context === null || (hint.member.contexts[context] ?? hint.member.contexts["*"] ?? 0.5) >= 0.5;
};

// Asks for each plan in every format, and measures.
function measure(plans) {
  const queries = (context) => [{ label: context }, { stored: true }, ...FORMATS.map((format) => ({ context, format, max_tokens: BUDGET }))];
  const answers = askAll(plans.map(({ atoms, context }) => ({ atoms, queries: queries(context) })));
  const found = FORMATS.map(() => ({ told: 0, fills: [], hints: 0, precise: 0 }));
  plans.forEach((plan, i) => {
    const [matches, stored, ...all] = answers[i];
    const person = { hints: hintsOfPerson(definitions, storedAtoms(plan.atoms, stored)) };
    person.reader = new Reader(person.hints);
    all.forEach((answer, f) => {
      const included = read(person, { context: plan.context, format: FORMATS[f] }, answer, matches);
      found[f].told += isPlantedTold(plan, included);
      if (answer.omitted > 0) found[f].fills.push(answer.token_count / BUDGET);
      found[f].hints += included.length;
      found[f].precise += included.filter((one) => isPrecise(one, matches)).length;
      if (process.env.SHOW_MISSES && !isPlantedTold(plan, included)) console.log(FORMATS[f], plan.context, plan.member, plan.value ?? "", JSON.stringify(answer.hints));
    });
  });
  return found;
}

const percent = (part) => `${(100 * part).toFixed(1)} %`;
const mean = (list) => list.reduce((sum, one) => sum + one, 0) / Math.max(1, list.length);
const rows = [];
const fills = FORMATS.map(() => []); // by format

const KINDS = [
  ["typed", planTyped],
  ["statement", (size) => planStatement(size, texts)],
  ["statement, held out", (size) => planStatement(size, heldOut)],
];

for (const [kind, plan] of KINDS)
  test(`a relevant preference is told within ${BUDGET} tokens: ${kind}`, () => {
    const all = FORMATS.map(() => ({ told: 0, of: 0 }));
    for (const size of SIZES) {
      const plans = Array.from({ length: Math.round(60 * SHARE) }, () => plan(size));
      const found = measure(plans);
      rows.push([kind, size, ...found.map(({ told }) => percent(told / plans.length)), found.some((one) => one.fills.length > 0) ? percent(mean(found.flatMap((one) => one.fills))) : "all facts included", percent(mean(found.map(({ precise, hints }) => precise / Math.max(1, hints))))]);
      found.forEach((one, f) => fills[f].push(...one.fills));
      if (process.env.SHOW_MISSES) console.log(rows.at(-1).join(" | "));
      found.forEach(({ told }, f) => {
        all[f].told += told;
        all[f].of += plans.length;
        assert.ok(plans.length - told <= mostMisses(plans.length), `${FORMATS[f]}, ${size} other facts: ${told} of ${plans.length}`);
      });
    }
    for (const [f, { told, of }] of all.entries()) assert.ok(told / of >= LEAST_TOLD, `${FORMATS[f]}: ${told} of ${of}`);
  });

// With few facts, what is omitted is usually a single long one.
test("the budget is used where facts are omitted", () => {
  assert.ok(fills.flat().length > 30 * SHARE);
  for (const [f, format] of FORMATS.entries()) assert.ok(mean(fills[f]) >= LEAST_FILL, `${format}: ${percent(mean(fills[f]))}`);
});

// Users with more facts, so that some are omitted at every budget.
const BUDGETS = [50, 100, 200, 500];
const FILL_SIZES = [40, 60, 120, 240];
const MOST_LOW_FILLS = 0.03; // of the answers may use less than LEAST_FILL: the next fact is about safety, or nothing left fits
rows.fills = [];

test("the budget is used at every size", () => {
  const contexts = [undefined, ...texts.PLANTED_STATEMENTS.map(([, context]) => context)];
  const people = Array.from({ length: Math.round(80 * SHARE) }, (_, i) => {
    const asked = [undefined, d.pick(contexts), d.pick(contexts)];
    const queries = asked.flatMap((context) => FORMATS.flatMap((format) => BUDGETS.map((max_tokens) => ({ context, format, max_tokens }))));
    return { atoms: makePerson(FILL_SIZES[i % FILL_SIZES.length]), queries };
  });
  const used = new Map(FORMATS.flatMap((format) => BUDGETS.map((budget) => [`${format} ${budget}`, []])));
  askAll(people).forEach((answers, i) =>
    answers.forEach(({ omitted, token_count }, q) => {
      const { format, max_tokens } = people[i].queries[q];
      if (omitted > 0) used.get(`${format} ${max_tokens}`).push(token_count / max_tokens);
    }),
  );
  for (const format of FORMATS)
    rows.fills.push([`\`${format}\``, ...BUDGETS.map((budget) => {
      const all = used.get(`${format} ${budget}`).sort((a, b) => a - b);
      const low = all.filter((share) => share < LEAST_FILL).length / all.length;
      assert.ok(all.length >= 20 * SHARE && mean(all) >= LEAST_FILL && low <= MOST_LOW_FILLS, `${format} ${budget}: ${percent(mean(all))}, ${percent(low)} of ${all.length}`);
      return `${percent(mean(all))}, ${percent(low)}`;
    })]);
});

const labels = texts.NEGATIVES.map((label) => ({ label }));
const routed = askAll([{ atoms: [], queries: labels }])[0];

test("tasks about something else match no domain", () => {
  const wrong = texts.NEGATIVES.filter((_, i) => routed[i].length > 0 && routed[i] !== "unrelated");
  rows.falseRoutes = { wrong: wrong.length, of: texts.NEGATIVES.length };
  assert.ok(texts.NEGATIVES.length >= 1000);
  assert.ok(wrong.length / texts.NEGATIVES.length < MOST_FALSE_ROUTES, `${wrong.length}: ${wrong.slice(0, 40).join("; ")}`);
});

// A third of the facts come from apps. Tasks about something else do not even reveal allergies.
test("tasks that match nothing reveal only allergies and the like", () => {
  const tasks = texts.NEGATIVES.map((context, i) => ({ context, unrelated: routed[i] === "unrelated", matched: routed[i].length > 0 })).filter(({ unrelated, matched }) => unrelated || !matched);
  const people = Array.from({ length: Math.round(20 * SHARE) }, () => {
    const atoms = makePerson(40).map((atom, i) => ({ ...atom, user: i % 3 > 0 }));
    const asked = Array.from({ length: 20 }, (_, i) => ({ ...d.pick(tasks), format: FORMATS[i % FORMATS.length] }));
    return { atoms, asked, queries: [{ stored: true }, ...asked.map(({ context, format }) => ({ context, format, max_tokens: 500 }))] };
  });
  const asked = new Map();
  let leaks = 0;
  askAll(people.map(({ atoms, queries }) => ({ atoms, queries }))).forEach(([stored, ...answers], i) => {
    const hints = hintsOfPerson(definitions, storedAtoms(people[i].atoms, stored));
    const reader = new Reader(hints);
    answers.forEach((answer, q) => {
      const { format, unrelated } = people[i].asked[q];
      const allowed = hints.filter(({ tier, sensitive, domain }) => domain.always || (!unrelated && tier === 0 && !sensitive));
      asked.set(`${format} ${unrelated}`, (asked.get(`${format} ${unrelated}`) ?? 0) + 1);
      const leaked = typeof reader[format](answer.hints, allowed) === "string";
      if (leaked && process.env.SHOW_MISSES) console.log(format, people[i].asked[q].context, JSON.stringify(answer.hints), reader[format](answer.hints, allowed));
      leaks += leaked;
    });
  });
  rows.leaks = leaks;
  assert.equal(asked.size, 2 * FORMATS.length); // every format, with tasks of both kinds
  assert.equal(leaks, 0);
});

// ---- the published table ----

test("the measurements are published", { skip: process.env.WRITE !== "1" }, () => {
  const table = [
    "| Preference | Other facts | `text` | `bullets` | `json` | Budget used | Precision |", "|---|---|---|---|---|---|---|",
    ...rows.map((row) => `| ${row.join(" | ")} |`), "",
    "| Budget used | 50 tokens | 100 | 200 | 500 |", "|---|---|---|---|---|",
    ...rows.fills.map((row) => `| ${row.join(" | ")} |`), "",
    `False routes: ${rows.falseRoutes.wrong} of ${rows.falseRoutes.of} tasks. Leaks on unmatched tasks: ${rows.leaks}.`,
  ].join("\n");
  const text = fs.readFileSync(DOCUMENT, "utf8");
  const [before, rest] = text.split("<!-- measured by tests/eval -->\n");
  const after = rest.slice(rest.indexOf("<!-- measured until here -->"));
  fs.writeFileSync(DOCUMENT, `${before}<!-- measured by tests/eval -->\n${table}\n${after}`);
});
