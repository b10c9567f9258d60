// A second implementation of the selection of facts: which are visible, in which order, and which a
// query concerns.

import fs from "node:fs";
import path from "node:path";

const DAY = 86_400;
const ONE = 65_536;
const EACH_MAX = 64; // sentences of their own that one member can have, unless it is critical
const LEAST_SCORE = Math.floor(0.35 * ONE);
const LEAST_CONTEXT = 0.15;

// ---- definitions ----

const listed = (value) => (value === undefined ? [] : Array.isArray(value) ? value : [value]);

function readMember(given, vocabularies, index) {
  const { hint = {}, ...member } = given;
  return {
    safety: "none", contexts: {}, half_life_days: 0, max_length: 80, ...member,
    index, hint,
    opposes: listed(member.opposes),
    vocabulary: member.vocabulary === undefined ? undefined : vocabularies.get(member.vocabulary),
    included: hint.text !== undefined || hint.values !== undefined,
    tellsEach: member.type === "array" && (hint.text ?? "").includes("{value}"),
  };
}

// `byText` finds an entry by any of its spellings.
function readVocabulary({ open = false, values }) {
  const byText = new Map();
  for (const entry of values)
    for (const text of [entry.value, entry.label, ...(entry.aliases ?? [])]) if (text !== undefined) byText.set(fold(text), entry);
  return { open, values, byText };
}

function readDefinition(file) {
  const given = JSON.parse(fs.readFileSync(file, "utf8"));
  const vocabularies = new Map(Object.entries(given.vocabularies ?? {}).map(([name, one]) => [name, readVocabulary(one)]));
  return {
    ...given,
    name: given.domain,
    heading: given.heading ?? given.title,
    contexts: given.contexts ?? [],
    safety_contexts: given.safety_contexts ?? [],
    members: given.members.map((member, index) => readMember(member, vocabularies, index)),
  };
}

// By name, in the order of names.
export function readDefinitions(...folders) {
  const files = folders.flatMap((folder) => fs.readdirSync(folder).filter((name) => /^\w+\.json$/.test(name)).map((name) => path.join(folder, name)));
  const all = files.map(readDefinition).sort((a, b) => (a.name < b.name ? -1 : 1));
  return new Map(all.map((domain) => [domain.name, domain]));
}

// ---- values ----

const folded = (text) => text.normalize("NFC").toUpperCase().toLowerCase().replaceAll("ς", "σ").normalize("NFC");

// How values are compared: letter case and "-", "_", and spaces between words are ignored.
export function fold(text) {
  const [, before, middle, after] = /^([-_ ]*)(.*?)([-_ ]*)$/su.exec(folded(text).trim());
  return before + middle.replace(/[-_ ]+/g, " ") + after;
}

export function keyOf(member, value) {
  if (typeof value === "string") {
    const entry = member.vocabulary?.byText.get(fold(value));
    return fold(entry?.value ?? value);
  }
  if (typeof value !== "object") return JSON.stringify(value);
  return JSON.stringify(Object.keys(member.properties).filter((name) => name in value).map((name) => [name, typeof value[name] === "string" ? fold(value[name]) : value[name]]));
}

// As stored: a closed vocabulary's own spelling, an object in the definition's order.
function keptValue(member, value) {
  if (typeof value === "string" && member.vocabulary && !member.vocabulary.open) return member.vocabulary.byText.get(fold(value)).value;
  if (typeof value !== "object") return value;
  return Object.fromEntries(Object.keys(member.properties).filter((name) => name in value).map((name) => [name, value[name]]));
}

const yesOrNo = (value) => (value === true ? "yes" : value === false ? "no" : value);

// The words before and after the value of a property; `free`: the value is text of the user.
function pairOf({ pairs }, name, value) {
  const phrase = pairs?.[name];
  if (typeof phrase === "object") return { before: phrase[value], text: "", after: "", free: false };
  const [before, after] = phrase === undefined ? [`${name.replaceAll("_", " ")} `, ""] : phrase.split("{value}");
  return { before, text: `${yesOrNo(value)}`, after, free: typeof value === "string" };
}

// The value as written in a sentence: a text, or the pairs of an object. Vocabularies can define labels.
function shownValue(member, kept) {
  if (typeof kept === "object") return Object.entries(kept).map(([name, value]) => pairOf(member.hint, name, value));
  if (typeof kept !== "string") return `${yesOrNo(kept)}`;
  return member.vocabulary?.byText.get(fold(kept))?.label ?? kept;
}

// ---- selection and order of facts ----

const FADING = Array.from({ length: 64 }, (_, i) => Math.round(ONE * 2 ** (-i / 64)));

function recency(member, days) {
  if (member.half_life_days === 0 || member.safety === "critical") return ONE;
  const steps = Math.floor((days * 64) / member.half_life_days);
  const left = steps / 64 < 31 ? FADING[steps % 64] >> Math.floor(steps / 64) : 0;
  const floor = Math.round(0.3 * ONE);
  return floor + Math.floor(((ONE - floor) * left) / ONE);
}

// 1 for the user's own facts, otherwise 1 - 0.2^n for n apps that agree, at most 0.99.
function scoreOf(member, atom, newest) {
  const percent = atom.user ? 100 : Math.min(99, Math.round(100 * (1 - 0.2 ** atom.sources)));
  const days = Math.floor(newest / DAY) - Math.floor(atom.at / DAY);
  return Math.floor((Math.floor((percent * ONE) / 100) * recency(member, Math.max(0, days))) / ONE);
}

const SAFETY = ["none", "constraint", "critical"];

// The loser of two facts with the same key in opposing members.
function loserOf(a, b) {
  const safer = SAFETY.indexOf(a.member.safety) - SAFETY.indexOf(b.member.safety);
  if (safer !== 0) return safer > 0 ? b : a;
  if (a.member.safety === "critical") return undefined;
  if (a.user !== b.user) return a.user ? b : a;
  const days = Math.floor(a.at / DAY) - Math.floor(b.at / DAY);
  if (days !== 0) return days > 0 ? b : a;
  const [aAgainst, bAgainst] = [a.member.opposes.includes(b.member.name), b.member.opposes.includes(a.member.name)];
  if (aAgainst !== bAgainst) return aAgainst ? b : a;
  const [aAvoids, bAvoids] = [a, b].map((fact) => fact.member.polarity === "avoid");
  if (aAvoids !== bAvoids) return aAvoids ? b : a;
  return a.member.index < b.member.index ? b : a;
}

export const opposed = (a, b) => a.opposes.includes(b.name) || b.opposes.includes(a.name);

function losers(facts) {
  const byKey = new Map();
  for (const fact of facts) byKey.set(fact.key, [...(byKey.get(fact.key) ?? []), fact]);
  const lost = new Set();
  for (const same of byKey.values())
    for (const [i, a] of same.entries()) for (const b of same.slice(i + 1)) if (opposed(a.member, b.member)) lost.add(loserOf(a, b));
  return lost;
}

const compareBytes = (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b));

// The user's own list keeps the user's order.
function compareFacts(a, b) {
  if (a.user !== b.user) return a.user ? -1 : 1;
  if (a.user && a.member.type === "array") return a.sequence - b.sequence;
  return b.score - a.score || b.at - a.at || compareBytes(JSON.stringify(a.kept), JSON.stringify(b.kept));
}

function toldFacts(domain, atoms) {
  const active = atoms.filter((atom) => atom.domain === domain.name && atom.status === "active");
  const newest = Math.max(0, ...active.map((atom) => atom.at));
  const facts = active.flatMap((atom) => {
    const member = domain.members.find(({ name }) => name === atom.member);
    const kept = keptValue(member, atom.value);
    return member.included ? [{ ...atom, member, kept, key: keyOf(member, atom.value), score: scoreOf(member, atom, newest) }] : [];
  });
  const lost = losers(facts);
  return facts.filter((fact) => !lost.has(fact) && (fact.user || fact.score >= LEAST_SCORE));
}

// ---- hints ----

const TIERS = { critical: 0, constraint: 1, none: 2 };

// A hint: a member and its values, best first; one value for members with one sentence per value.
function makeHint(domain, member, facts, id) {
  const values = facts.map(({ kept, key }) => ({ kept, key, shown: shownValue(member, kept) }));
  const sentence = values.length === 1 ? member.hint.values?.[`${values[0].kept}`] : undefined;
  if (sentence === undefined && member.hint.text === undefined) return [];
  return [{ domain, member, id, values, total: values.length, beyond: 0, tier: TIERS[member.safety], sentence }];
}

function hintsOf(domain, atoms) {
  const facts = toldFacts(domain, atoms);
  return domain.members.flatMap((member) => {
    const own = facts.filter((fact) => fact.member === member).sort(compareFacts);
    const name = `${domain.name}.${member.name}`;
    if (own.length === 0) return [];
    if (member.tellsEach) {
      const made = own.slice(0, member.safety === "critical" ? Infinity : EACH_MAX).flatMap((fact) => makeHint(domain, member, [fact], `${name}#${fact.key}`));
      made.at(-1).beyond = own.length - made.length;
      return made;
    }
    return makeHint(domain, member, member.type === "array" ? own : own.slice(0, 1), name);
  });
}

export const hintsOfPerson = (definitions, atoms) => [...definitions.values()].flatMap((domain) => hintsOf(domain, atoms));

// ---- queries ----

const weightIn = (member, context) => member.contexts[context] ?? member.contexts["*"] ?? 0.5;

const isSafetyContext = (definitions, domain, [other, context]) =>
  definitions
    .get(other)
    .contexts.filter(({ name }) => context === null || name === context)
    .some(({ name, aliases }) => [name, ...(aliases ?? [])].some((one) => domain.safety_contexts.includes(one)));

// The facts that a query concerns; `choices` are the domains and contexts that its label matches.
export function concerned(definitions, hints, query, choices) {
  const allowed = [...definitions.keys()].filter((name) => (query.allowed ?? [name]).includes(name) && (query.domains ?? [name]).includes(name));
  const known = choices.length > 0 && (query.domains === undefined || choices.some(([name]) => allowed.includes(name)));
  const isGated = known && query.domains === undefined;
  const choiceOf = new Map(choices);
  const passes = ({ domain, member, tier }) => {
    if (!allowed.includes(domain.name) || (member.sensitive && query.sensitive === false)) return false;
    if (!isGated) return true;
    const chosen = choiceOf.has(domain.name);
    if (tier === 0) return chosen || choices.some((choice) => isSafetyContext(definitions, domain, choice));
    return chosen && weightIn(member, choiceOf.get(domain.name)) >= LEAST_CONTEXT;
  };
  const available = hints.filter(passes);
  const domains = allowed.filter((name) => !isGated || choiceOf.has(name) || available.some((hint) => hint.domain.name === name));
  const [first] = known ? choices : [];
  return { available, domains, known, matched: first ? (first[1] ?? first[0]) : null };
}
