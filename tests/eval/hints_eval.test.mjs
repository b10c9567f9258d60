// Measures hints on generated users: how often a relevant preference is included, how much of the budget is used, and what
// tasks about something else reveal. Run with EVAL_SHARE=10 for more users, with SHOW_MISSES=1
// to see what was not included, and with WRITE=1 to update docs/HINTS.md.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { askAll } from "../oracle/hints_ask.mjs";
import { ROOT } from "../kit/runner.mjs";
import { often } from "../kit/thorough.mjs";
import * as heldOut from "./held_out.mjs";
import { LABELS, judge } from "./labels.mjs";
import { d, definitions, factsOf, makePerson, SEEDS, toldOf, useSeed, valueFor } from "./people.mjs";
import * as texts from "./texts.mjs";

const SHARE = Number(process.env.EVAL_SHARE ?? 1);
const SIZES = [20, 40, 60];
const FORMATS = ["text", "bullets", "json"];
const BUDGET = 100;

// docs/HINTS.md has the results.
const LEAST_TOLD = 0.97;
const LEAST_UNSEEN = 0.93; // of preferences that no rule was written for
const ENOUGH = 150; // users of one size and kind; with fewer, chance decides about the last few

// How many of `count` users may miss the preference: with few users, as many as are likely (99 %) if `least` are told.
function mostMisses(count, least, enough) {
  const expected = (1 - least) * count;
  return Math.floor(count >= enough ? expected : expected + 2.33 * Math.sqrt(expected * least));
}
const LEAST_FILL = 0.85; // where facts are omitted
const MOST_FALSE_ROUTES = 0.01;
const MOST_MISSED_ROUTES = 0.08;
const DOCUMENT = path.join(ROOT, "docs/HINTS.md");
const MOST_MISSED_SAFETY = 0.06; // of statements about safety
const MOST_FALSE_SAFETY = 0.09; // of others
const TASKS = path.join(ROOT, "data/tasks");
const STATEMENTS = path.join(ROOT, "data/statements");

// ---- planted preferences ----

// Typed: members that matter to a task according to labels.mjs. Critical ones are always told first, and sensitive ones
// only to some apps.
const matched = askAll([{ atoms: [], queries: LABELS.map(([label]) => ({ label })) }])[0];
const LABELED = LABELS.flatMap(([task, domain, matter], i) => {
  const { members } = definitions.get(domain);
  const context = new Map(matched[i]).get(domain);
  return matter.split(" ").map((name) => {
    const member = members.find((one) => one.name === name);
    return { context: task, domain, member, weight: member.contexts[context] ?? member.contexts["*"] ?? 0.5 };
  });
}).filter(({ member }) => !member.sensitive && member.safety !== "critical");
const DECISIVE = LABELED.filter(({ weight }) => weight >= 0.9);
const OTHERS = LABELED.filter(({ weight }) => weight < 0.9);

function planTyped(size, from) {
  const { domain, member, context } = d.pick(from);
  return { context, atoms: makePerson(size, { domain, member: member.name, value: valueFor(member) }), domain, member: member.name };
}

function planStatement(size, from) {
  const [domain, context, value] = d.pick(from.PLANTED_STATEMENTS);
  return { context, atoms: makePerson(size, { domain, member: "statements", value }, from.OTHER_STATEMENTS), domain, member: "statements", value };
}

// Of tasks that match the domain, or any domain where the preference is about how to answer.
const UNSEEN = texts.UNSEEN.map(([kind, task, domain, member, text]) => {
  const { type } = definitions.get(domain).members.find(({ name }) => name === member);
  return { kind, task, domain, member, value: ["array", "string", "enum"].includes(type) ? text : JSON.parse(text) };
});
const unseenMatches = askAll([{ atoms: [], queries: UNSEEN.map(({ task }) => ({ label: task })) }])[0];
const isMatched = ({ domain }, i) => definitions.get(domain).always || (unseenMatches[i] !== "unrelated" && unseenMatches[i].some(([name]) => name === domain));

function planUnseen(size, wanted) {
  const { task, domain, member, value } = d.pick(UNSEEN.filter((one, i) => one.kind === wanted && isMatched(one, i)));
  return { context: task, atoms: makePerson(size, { domain, member, value }), domain, member, value: wanted === "s" ? value : undefined };
}

// ---- answers ----

// `stored` are the values that the planted one is stored as: without the period at its end.
function isPlantedTold({ domain, member, value }, included, stored) {
  return included.some(({ hint }) => hint.domain.name === domain && hint.member.name === member && (value === undefined || stored.includes(hint.values[0].kept)));
}

const storedAs = ({ atoms, domain, member, value }, stored) => stored[Math.max(0, atoms.findIndex((atom) => atom.domain === domain && atom.member === member && atom.value === value))].map((one) => one.value);

// Asks for each plan in every format, and measures.
function measure(plans) {
  const queries = (context) => [{ label: context }, { stored: true }, ...FORMATS.map((format) => ({ context, format, max_tokens: BUDGET }))];
  const answers = askAll(plans.map(({ atoms, context }) => ({ atoms, queries: queries(context) })));
  const found = FORMATS.map(() => ({ told: 0, fills: [] }));
  plans.forEach((plan, i) => {
    const [matches, stored, ...all] = answers[i];
    const person = factsOf(plan.atoms, stored);
    all.forEach((answer, f) => {
      const included = toldOf(person, { context: plan.context, format: FORMATS[f] }, answer, matches);
      const told = isPlantedTold(plan, included, storedAs(plan, stored));
      found[f].told += told;
      if (answer.omitted > 0) found[f].fills.push(answer.token_count / BUDGET);
      if (process.env.SHOW_MISSES && !told) console.log(FORMATS[f], plan.context, plan.member, plan.value ?? "", JSON.stringify(answer.hints));
    });
  });
  return found;
}

const percent = (part) => `${(100 * part).toFixed(1)} %`;
const mean = (list) => list.reduce((sum, one) => sum + one, 0) / Math.max(1, list.length);
const rows = [];
const fills = FORMATS.map(() => []); // by format

const KINDS = [
  ["typed, decisive", (size) => planTyped(size, DECISIVE)],
  ["typed, other", (size) => planTyped(size, OTHERS)],
  ["statement", (size) => planStatement(size, texts)],
  ["statement, held out", (size) => planStatement(size, heldOut)],
  ["typed, unseen", (size) => planUnseen(size, "t"), LEAST_UNSEEN],
  ["statement, unseen", (size) => planUnseen(size, "s"), LEAST_UNSEEN],
];

for (const [kind, plan, least = LEAST_TOLD] of KINDS)
  test(`a relevant preference is included within ${BUDGET} tokens: ${kind}`, () => {
    const all = FORMATS.map(() => ({ told: 0, of: 0 }));
    for (const size of SIZES) {
      const plans = SEEDS.flatMap((seed, i) => {
        useSeed(seed + 1000 * KINDS.findIndex(([name]) => name === kind) + size);
        return Array.from({ length: Math.round((i === 0 ? often(40, 60) : 30) * SHARE) }, () => plan(size));
      });
      const found = measure(plans);
      rows.push([kind, size, ...found.map(({ told }) => percent(told / plans.length)), found.some((one) => one.fills.length > 0) ? percent(mean(found.flatMap((one) => one.fills))) : "all facts included"]);
      found.forEach((one, f) => fills[f].push(...one.fills));
      if (process.env.SHOW_MISSES) console.log(rows.at(-1).join(" | "));
      found.forEach(({ told }, f) => {
        all[f].told += told;
        all[f].of += plans.length;
        assert.ok(plans.length - told <= mostMisses(plans.length, least, ENOUGH), `${FORMATS[f]}, ${size} other facts: ${told} of ${plans.length}`);
      });
    }
    for (const [f, { told, of }] of all.entries()) assert.ok(of - told <= mostMisses(of, least, SIZES.length * ENOUGH), `${FORMATS[f]}: ${told} of ${of}`);
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

// ---- precision ----

const PRECISION_BUDGETS = [100, 500];
const PRECISION_SIZES = [40, 120];
const LEAST_PRECISION = { 100: 0.97, 500: 0.96 };
const MANY_FACTS = 2000; // with fewer, chance decides about the last few
rows.precision = [];

// Of the facts that labels.mjs judges, the share that matters to the task.
test("included facts matter to the task", () => {
  const queries = (context) => [{ label: context }, { stored: true }, ...PRECISION_BUDGETS.flatMap((max_tokens) => FORMATS.map((format) => ({ context, format, max_tokens })))];
  const plans = LABELS.flatMap((label) => PRECISION_SIZES.flatMap((size) => Array.from({ length: Math.max(1, Math.round(SHARE)) }, () => ({ label, atoms: makePerson(size), queries: queries(label[0]) }))));
  const counts = new Map(); // "500 text" → { right, wrong, open }
  askAll(plans.map(({ atoms, queries }) => ({ atoms, queries }))).forEach(([matches, stored, ...answers], i) => {
    const person = factsOf(plans[i].atoms, stored);
    answers.forEach((answer, q) => {
      const query = plans[i].queries[q + 2];
      const name = `${query.max_tokens} ${query.format}`;
      if (!counts.has(name)) counts.set(name, { right: 0, wrong: 0, open: 0 });
      for (const { hint } of toldOf(person, query, answer, matches)) {
        const verdict = judge(plans[i].label, hint);
        if (verdict) counts.get(name)[verdict]++;
        if (verdict === "wrong" && process.env.SHOW_MISSES) console.log("does not matter:", name, plans[i].label[0], hint.domain.name, hint.member.name, JSON.stringify(matches));
      }
    });
  });
  for (const format of FORMATS)
    rows.precision.push([`\`${format}\``, ...PRECISION_BUDGETS.flatMap((budget) => {
      const { right, wrong, open } = counts.get(`${budget} ${format}`);
      if (process.env.SHOW_MISSES) console.log(format, budget, right, wrong, open);
      assert.ok(right > 50 && wrong <= mostMisses(right + wrong, LEAST_PRECISION[budget], MANY_FACTS), `${format} ${budget}: ${wrong} of ${right + wrong} do not matter`);
      return [percent(right / (right + wrong)), percent(open / (right + wrong + open))];
    })]);
});

const MOST_UNSEEN_WRONG = 0.14;

test("facts that clearly do not matter are left out: unseen", () => {
  // How the user wants to be answered is always included.
  const cases = UNSEEN.flatMap((one, i) => (one.kind === "n" && !definitions.get(one.domain).always ? [{ ...one, matches: unseenMatches[i], atoms: makePerson(20, one) }] : []));
  const queries = ({ task }) => [{ stored: true }, ...FORMATS.map((format) => ({ context: task, format, max_tokens: 500 }))];
  const wrong = new Set();
  askAll(cases.map((one) => ({ atoms: one.atoms, queries: queries(one) }))).forEach(([stored, ...answers], i) => {
    const one = { ...cases[i], value: cases[i].member === "statements" ? cases[i].value : undefined };
    const person = factsOf(one.atoms, stored);
    answers.forEach((answer, f) => isPlantedTold(one, toldOf(person, { context: one.task, format: FORMATS[f] }, answer, one.matches), storedAs(one, stored)) && wrong.add(`${one.task}: ${one.member}`));
  });
  rows.unseenWrong = { wrong: wrong.size, of: cases.length };
  assert.ok(wrong.size / cases.length <= MOST_UNSEEN_WRONG, [...wrong].join("; "));
});

// ---- tasks about something else ----

const labels = texts.NEGATIVES.map((label) => ({ label }));
const routed = askAll([{ atoms: [], queries: labels }])[0];

test("tasks about something else match no domain", () => {
  const wrong = texts.NEGATIVES.filter((_, i) => routed[i].length > 0 && routed[i] !== "unrelated");
  rows.falseRoutes = { wrong: wrong.length, of: texts.NEGATIVES.length };
  assert.ok(texts.NEGATIVES.length >= 2900);
  if (process.env.SHOW_MISSES) for (const task of wrong) console.log("about something else:", task);
  assert.ok(wrong.length / texts.NEGATIVES.length < MOST_FALSE_ROUTES, `${wrong.length}: ${wrong.slice(0, 40).join("; ")}`);
});

test("tasks about a domain match it", () => {
  const learned = learnedFrom(TASKS);
  assert.deepEqual([...texts.NEGATIVES, ...texts.POSITIVES.map(([, task]) => task)].filter((task) => learned.has(folded(task))), []);
  const matched = askAll([{ atoms: [], queries: texts.POSITIVES.map(([, label]) => ({ label })) }])[0];
  const missed = texts.POSITIVES.filter(([domain], i) => matched[i] === "unrelated" || !matched[i].some(([name]) => name === domain));
  if (process.env.SHOW_MISSES) for (const [domain, task] of missed) console.log(`about ${domain}:`, task);
  rows.missedRoutes = { missed: missed.length, of: texts.POSITIVES.length };
  assert.ok(texts.POSITIVES.length >= 590);
  assert.ok(missed.length / texts.POSITIVES.length <= MOST_MISSED_ROUTES, `${missed.length}: ${missed.map(([, task]) => task).join("; ")}`);
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
    const { hints, reader } = factsOf(people[i].atoms, stored);
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

// ---- statements about safety ----

// As the classifiers read a text: without case and punctuation.
const folded = (text) => text.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase().replace(/[^\p{L}\p{M}\p{N}]+/gu, " ").trim();
const learnedFrom = (folder) => new Set(fs.readdirSync(folder, { recursive: true }).filter((file) => file.endsWith(".txt")).flatMap((file) => fs.readFileSync(path.join(folder, file), "utf8").split("\n").map((line) => folded(line.split("\t")[0]))));

// With a budget for nothing, safety is complete only if there is none.
test("statements about safety are recognized, and others are not", () => {
  const learned = learnedFrom(STATEMENTS);
  assert.deepEqual(texts.SAFETY.filter(([, , value]) => learned.has(folded(value))), []);
  const answers = askAll(texts.SAFETY.map(([, domain, value]) => ({ atoms: [{ domain, member: "statements", value, user: true, at: 1_700_000_000, sequence: 1 }], queries: [{ domains: [domain], max_tokens: 1 }] })));
  const [missed, wrong] = ["yes", "no"].map((kind) => texts.SAFETY.filter(([is], i) => is === kind && answers[i][0].safety_complete === (kind === "yes")));
  const [dangers, others] = ["yes", "no"].map((kind) => texts.SAFETY.filter(([is]) => is === kind).length);
  if (process.env.SHOW_MISSES) for (const [is, , value] of [...missed, ...wrong]) console.log(is === "yes" ? "about safety:" : "not about safety:", value);
  rows.safety = { missed: missed.length, dangers, wrong: wrong.length, others };
  assert.ok(dangers >= 200 && others >= 150);
  assert.ok(missed.length / dangers <= MOST_MISSED_SAFETY, `${missed.length} missed`);
  assert.ok(wrong.length / others <= MOST_FALSE_SAFETY, `${wrong.length} taken for safety`);
});

// ---- the published table ----

test("the measurements are published", { skip: process.env.WRITE !== "1" }, () => {
  const table = [
    "| Preference | Other facts | `text` | `bullets` | `json` | Budget used |", "|---|---|---|---|---|---|",
    ...rows.map((row) => `| ${row.join(" | ")} |`), "",
    "| Budget used | 50 tokens | 100 | 200 | 500 |", "|---|---|---|---|---|",
    ...rows.fills.map((row) => `| ${row.join(" | ")} |`), "",
    "| Precision | 100 tokens | arguable | 500 tokens | arguable |", "|---|---|---|---|---|",
    ...rows.precision.map((row) => `| ${row.join(" | ")} |`), "",
    `False routes: ${rows.falseRoutes.wrong} of ${rows.falseRoutes.of} tasks. Tasks that match no domain, or another: ${rows.missedRoutes.missed} of ${rows.missedRoutes.of}. Leaks on unmatched tasks: ${rows.leaks}. Unseen facts that do not matter and are included: ${rows.unseenWrong.wrong} of ${rows.unseenWrong.of}.`, "",
    `Statements about safety that are missed: ${rows.safety.missed} of ${rows.safety.dangers}. Others that are taken for one: ${rows.safety.wrong} of ${rows.safety.others}.`,
  ].join("\n");
  const text = fs.readFileSync(DOCUMENT, "utf8");
  const [before, rest] = text.split("<!-- measured by tests/eval -->\n");
  const after = rest.slice(rest.indexOf("<!-- measured until here -->"));
  fs.writeFileSync(DOCUMENT, `${before}<!-- measured by tests/eval -->\n${table}\n${after}`);
});
