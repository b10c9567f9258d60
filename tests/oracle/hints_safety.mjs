// A second implementation of the rules for allergies that were stated in another member or another domain.

import { fold, namedIn, opposed } from "./hints_model.mjs";

export const listsDangers = ({ safety, polarity, vocabulary }) => safety === "critical" && polarity === "avoid" && Boolean(vocabulary?.open);
export const gravestOf = (domain) => domain.members.find(listsDangers);

// ---- in another member ----

// "Allergic to nuts" or "celiac", as random people write it.
const ALLERGIC = /\ballergic to (?!nothing\b)\w/;
const CELIAC = /^(celiac|coeliac)s?( disease)?$/;

// Where a fact belongs: what the user says about an allergy belongs to the member for allergies.
function placeOf(domain, { member, kept, key, user }) {
  if (typeof kept !== "string" || !member.vocabulary?.open || member.tellsEach || !["array", "string"].includes(member.type)) return undefined;
  const gravest = gravestOf(domain);
  const intolerances = domain.members.find((one) => listsDangers(one) && /intoleran/.test(one.hint.values?.none ?? ""));
  if (gravest && member !== gravest && user && ALLERGIC.test(kept.toLowerCase())) return { member: gravest, kept, key };
  if (intolerances && member.safety !== "critical" && CELIAC.test(fold(kept)) && (member.vocabulary === gravest.vocabulary || member.safety === "constraint"))
    return { member: intolerances, kept: "gluten", key: "gluten" };
  return undefined;
}

// Of equal facts, the user's is kept, the first one, or of apps the latest.
const isBetter = (a, b) => (a.user !== b.user ? a.user : a.user ? a.sequence < b.sequence : a.at > b.at);

export function placed(domain, facts) {
  const list = facts.filter((fact) => !placeOf(domain, fact));
  for (const fact of facts.filter((one) => !list.includes(one))) {
    const moved = { ...fact, ...placeOf(domain, fact) };
    const isSame = (other) => other.member === moved.member && other.key === moved.key;
    const at = list.findIndex(isSame);
    if (at < 0) list.push(moved);
    else if (isBetter(moved, list[at])) list[at] = moved;
  }
  return list;
}

// ---- that there is none ----

const excludesOf = ({ member, key }) => member.vocabulary?.byText.get(key)?.excludes ?? [];
const isOfList = ({ type }) => type === "array" || type === "string";
const saysNone = (fact) => fact.member.safety !== "none" && isOfList(fact.member) && fact.member.vocabulary !== undefined && fact.member.hint.values?.[fact.key] !== undefined && excludesOf(fact).length === 0;
const isAboutEating = (domain, { vocabulary }) => vocabulary !== undefined && (vocabulary === gravestOf(domain)?.vocabulary || vocabulary.values.some(({ excludes }) => excludes?.length > 0));

// A diet of "none" is compatible with allergies, "eats everything" is not.
const isNoDiet = ({ member, key }) => member.type === "string" && key === "none";
const ALLERGY = /\ballerg(y|ic|ies)\b|\banaphyla|\bepipen\b|\bhives\b/i;

function contradicts(domain, none, other) {
  const { member } = none;
  const isAllergy = other.concern && ALLERGY.test(other.kept);
  if (other.concern) {
    if (member.sensitive) return other.concern !== "food";
    if (member === gravestOf(domain)) return other.concern === "food" && isAllergy;
    if (listsDangers(member)) return false;
    return isAboutEating(domain, member) && !(isNoDiet(none) && isAllergy);
  }
  if (member.safety === "critical" || other.member === member || other.member.safety === "none" || !isOfList(other.member) || saysNone(other)) return false;
  return isAboutEating(domain, member) && isAboutEating(domain, other.member) && !(isNoDiet(none) && listsDangers(other.member));
}

export const withoutNone = (domain, facts) => facts.filter((fact) => !saysNone(fact) || !facts.some((other) => contradicts(domain, fact, other)));

// ---- what an allergy implies ----

// No gluten-free diet beside celiac disease, and no dislike of walnuts beside an allergy to nuts.
function isImplied(fact, danger) {
  const entry = fact.member.vocabulary?.byText.get(fact.key);
  if (!entry || !listsDangers(danger.member) || (fact.user && !danger.user)) return false;
  const excluded = (entry.excludes ?? []).map(fold);
  if (fact.member.polarity !== "avoid") return fact.member.safety !== "none" && excluded.length === 1 && excluded[0] === danger.key && fold(entry.value).startsWith(danger.key);
  return fact.member.safety === "none" && fact.member.vocabulary === danger.member.vocabulary && (entry.contains ?? []).map(fold).includes(danger.key);
}

export const withoutImplied = (facts) => facts.filter((fact) => !facts.some((danger) => isImplied(fact, danger)));

// ---- in another domain ----

const knowsContents = (domain) => Boolean(gravestOf(domain)?.vocabulary.values.some(({ contains }) => contains?.length > 0));
const names = (domain, text) => (gravestOf(domain) ? namedIn(gravestOf(domain).vocabulary, text) : []);
const FILLERS = /^(an?|the|and|or|my|is|are|in|to|of|with|very|severe|all|any|no)$/;
const isOwn = ({ vocabulary }, text) => vocabulary.byText.has(fold(text)) || (namedIn(vocabulary, text).length > 0 && fold(text).split(/[^\p{L}\p{N}']+/u).every((word) => FILLERS.test(word) || namedIn(vocabulary, word).length > 0));

function isOpen(domain, { member, kept, key, concern }) {
  if (listsDangers(member)) return key !== "none" && !isOwn(member, kept);
  if (!concern) return false;
  if (knowsContents(domain)) return concern === "food" && ALLERGY.test(kept) && names(domain, kept).length === 0;
  if (concern !== "food") return concern === "private";
  return !gravestOf(domain) || !isOwn(gravestOf(domain), kept.replace(/\b(i'm|i am|user is) allergic to\b/i, ""));
}

// Diets for religious and medical reasons, which are critical as statements.
const DIET = /\b(dairy ?free|diabet\w*|gluten ?free|no gluten|halaal|halal|hindu|buddhist|jain|kosher|lactose ?free|fodmaps?|low (salt|sodium|protein|purine)|renal|pregnan\w+|gluten|lactose|celiacs?|coeliacs?)\b/;
const AVOIDED = /^(alcohol|beef|gluten|lactose|pork)$|^(no )?(pork|beef|alcohol)\b|\b(pork|beef|alcohol)$/;

function isCarried(domain, { member, kept, key }) {
  if (member.safety !== "constraint" || !gravestOf(domain) || (member.contexts["*"] ?? 0.5) < 0.5) return false;
  if (member.type === "enum") return key === "none" && member.vocabulary.byText.get("none").excludes.includes("alcohol");
  if (member.hint.values?.[key] !== undefined) return false;
  const texts = [fold(kept), key];
  return texts.some((text) => DIET.test(text) || (member.polarity === "avoid" && AVOIDED.test(text)));
}

export const elsewhereOf = (domain, tier, facts) => ({
  open: tier === 0 && facts.some((fact) => isOpen(domain, fact)),
  carried: tier > 0 && facts.some((fact) => isCarried(domain, fact)),
});

const textsOf = ({ values }) => values.map(({ shown }) => shown);
const isPrivate = ({ member, sensitive }) => member.tellsEach && sensitive;

export function concernsOther(definitions, hint, other) {
  if (hint.domain === other) return false;
  if (isPrivate(hint)) return knowsContents(other);
  return textsOf(hint).some((text) => names(other, text).length > 0 || (knowsContents(other) && [...definitions.values()].every((one) => names(one, text).length === 0)));
}

const isNone = ({ domain, member, isNone: none }, isAllergy) => none && listsDangers(member) && (member === gravestOf(domain) || !isAllergy);

// Leaves out what the open hints of other domains contradict; `remade` makes a hint with fewer values.
export function resolved(definitions, hints, remade) {
  let left = hints;
  for (const hint of hints.filter(({ open }) => open))
    for (const other of [...definitions.values()].filter((one) => one !== hint.domain && gravestOf(one))) {
      const isTyped = !hint.member.tellsEach;
      const isAllergy = isTyped || ALLERGY.test(textsOf(hint)[0]);
      const isDanger = isAllergy && concernsOther(definitions, hint, other);
      const keys = isAllergy ? textsOf(hint).flatMap((text) => names(other, text).map(({ value }) => fold(value))) : [];
      const isHarmful = ({ shown }) => typeof shown === "string" && namedIn(gravestOf(other).vocabulary, shown).some((entry) => [entry.value, ...(entry.contains ?? [])].some((one) => keys.includes(fold(one))));
      left = left.flatMap((one) => {
        if (one.domain !== other) return [one];
        if (isDanger && isNone(one, isAllergy)) return [];
        if (keys.length === 0 || !gravestOf(other).opposes.includes(one.member.name) || !one.values.some(isHarmful)) return [one];
        const values = one.values.filter((value) => !isHarmful(value));
        return values.length === 0 ? [] : [remade(one, values)];
      });
    }
  return left;
}
