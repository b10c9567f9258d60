// Properties P1 to P14 of hints, which concern a single answer. Each function returns a description of
// the violation, or nothing.

import { opposed } from "./hints_model.mjs";

// ---- values inside sentences ----

const END = "[!?…‼‽⁇⁈⁉。．！？｡؟۔।॥։።។။]";
const CLOSING = `[)\\]}'"’”»」』]*`;
const ENDS_A_SENTENCE = new RegExp(`${END}${CLOSING}(\\s|$|[\\u2e80-\\u{10ffff}])`, "u");
const FULL_STOPS = new RegExp(`(\\S*?)\\.(${CLOSING})\\s(.*)$`, "u");
const FOR_MODELS = /:\/\/|<\|[^|]*\|>|\[\/?inst\]|^(system|assistant|user)\s*:|ignore (all |any )?previous instructions|<\/?[a-z]+>|\]\(/i;
const OURS = /\buser('s|\s(is|was|has|must|wants|says|likes|prefers))(\s|$)/i;
const MOST_WORDS = 10;

// One or two words that do not start with a lowercase letter, and initials.
function isRestOfName(text) {
  const parts = text.split(" ");
  return parts.every((part) => /^[^a-z]/u.test(part)) && parts.filter((part) => !/^.\.$/u.test(part)).length <= 2;
}

// "J. Cole", "St. Vincent", "Vol. 2", "Washington D.C. area".
function isAbbreviation(word, after) {
  if (/^(vs|feat|ft)$/i.test(word)) return true;
  if (/^(Dr|Mr|Mrs|Ms|Ste?|Sgt|Capt|Lt|Col|Gen|Prof|Rev|Mt|Ft|Jr|Sr)$/i.test(word)) return !/^[a-z]/.test(after);
  if (/^(Nos?|Vol|Op|Pt|Ch|Nr)$/i.test(word)) return /^[\dIV]/.test(after);
  if (/^(.\.)+.$/u.test(word)) return /^[a-z]/.test(after) || isRestOfName(after);
  return /^.$/u.test(word) && isRestOfName(after);
}

function hasFullStopInside(text) {
  for (let rest = text, found; (found = FULL_STOPS.exec(rest)); rest = found[3]) {
    const word = rest.slice(0, found.index + found[1].length).split(" ").at(-1);
    if (found[2] !== "" || !isAbbreviation(word, found[3])) return true;
  }
  return /^\S+( \S+)* [a-z]{5,}\.$/.test(text); // "Buy it today."
}

// Whether an unquoted text can only be a name: it ends no sentence, starts no hint, leaves no quotation open, does not
// end like a shortened list, and does not look like text for a model.
export function isOnlyAName(text, isPair = false) {
  if (ENDS_A_SENTENCE.test(text) || hasFullStopInside(text)) return false;
  if (/[:;：；](\s|$)|[`\\]| [–—] /u.test(text) || FOR_MODELS.test(text) || OURS.test(text)) return false;
  if ([...text].filter((sign) => sign === '"').length % 2 === 1 || text.split(" ").length > MOST_WORDS) return false;
  return !/(^|\s)\d+ more$/i.test(text) && !(isPair && text.includes(","));
}

// ---- one answer ----

export const joined = (format, hints) => (format === "text" ? hints.join("\n") : format === "bullets" ? hints : JSON.stringify(hints));

// The number of values of each hint, by its id.
export function factsOf(included) {
  const facts = new Map();
  for (const { hint, items } of included) facts.set(hint.id, Math.max(items, facts.get(hint.id) ?? 0));
  return facts;
}

const domainsIn = (included) => new Set(included.map(({ hint }) => hint.domain));

// `seen`: { query, answer, concern, included, facts, tokens }
export const PROMISES = {
  "P1 the budget is not exceeded": ({ query, tokens }) => tokens > query.max_tokens && `${tokens} tokens`,

  "P3 critical facts come before all others": ({ concern, included, facts }) => {
    if (included.every(({ hint }) => hint.tier === 0)) return undefined;
    const missing = concern.available.find((hint) => hint.tier === 0 && (facts.get(hint.id) ?? 0) < hint.total);
    return missing && `${missing.id} is not whole`;
  },

  "P3 safety_complete is true if no critical fact is omitted": ({ concern, facts, answer }) => {
    const whole = concern.available.every((hint) => hint.tier > 0 || facts.get(hint.id) === hint.total);
    return (whole && !concern.withheld) !== answer.safety_complete && `it says ${answer.safety_complete}`;
  },

  // In bullets, a further domain also needs a heading: a line of a domain that has one can fit where both do not.
  "P8 every domain has one hint before any has two": ({ query, concern, included, facts }) => {
    if (concern.known) return undefined;
    const others = concern.available.filter(({ tier }) => tier > 0);
    const domains = domainsIn(others.map((hint) => ({ hint })));
    const byDomain = [...domains].map((domain) => [...facts.keys()].filter((id) => others.some((hint) => hint.id === id && hint.domain === domain)).length);
    const spread = Math.max(0, ...byDomain) > 1 && domainsIn(included).size < domainsIn(concern.available.map((hint) => ({ hint }))).size;
    const critical = concern.available.length - others.length;
    const all = domainsIn(concern.available.map((hint) => ({ hint })));
    const late = facts.size >= all.size + critical && domainsIn(included).size < all.size;
    return (spread || late) && `${facts.size} hints of ${domainsIn(included).size} domains`;
  },

  "P11 nothing is both liked and avoided": ({ included }) => {
    const values = new Map();
    for (const { hint, items } of included)
      for (const { key } of hint.values.slice(0, items)) {
        const other = (values.get(`${hint.domain.name} ${key}`) ?? []).find((member) => opposed(member, hint.member));
        if (other && !(other.safety === "critical" && hint.tier === 0)) return `${key} in ${hint.id} and ${other.name}`;
        values.set(`${hint.domain.name} ${key}`, [...(values.get(`${hint.domain.name} ${key}`) ?? []), hint.member]);
      }
    return undefined;
  },

  "P12 each sentence is one line, each bullet a bullet": ({ query, answer: { hints } }) => {
    const control = /[\p{Cc}\p{Cs}\p{Co}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
    if (query.format === "text") return hints.find((line) => !line.endsWith(".") || control.test(line));
    if (query.format === "json") return control.test(JSON.stringify(hints)) && "a control character";
    const alive = /(?<!\\)(&(amp|lt|gt|quot|nbsp|#\w+);|:\/\/|www\.)/i; // an entity or a link, to a browser
    return hints === "" ? undefined : hints.split("\n").find((line) => !/^(- |\*\*.+\*\*$)/.test(line) || control.test(line) || alive.test(line));
  },

  "P12 values other than names are quoted": ({ included }) => {
    for (const { values } of included) {
      const wrong = values.find(({ value, quoted, isPair }) => !quoted && !isOnlyAName(value, isPair));
      if (wrong) return wrong.value;
    }
    return undefined;
  },

  "P14 token_count equals the tokens of the answer": ({ answer, tokens }) => answer.token_count !== tokens && `${answer.token_count} instead of ${tokens}`,

  "omitted counts the facts that are not included": ({ concern, facts, answer }) => {
    const omitted = concern.available.reduce((sum, hint) => sum + hint.total - (facts.get(hint.id) ?? 0), 0);
    return answer.omitted !== omitted && `${answer.omitted} instead of ${omitted}`;
  },

  "P9 the answer lists the considered domains": ({ query, concern, answer }) => {
    const { hints, origins, token_count, omitted, safety_complete, ...rest } = answer;
    const expected = {
      format: query.format, domains: concern.domains, context: query.context ?? null, max_tokens: query.max_tokens, tokenizer: "o200k_base",
      context_matched: concern.matched, hints_available: concern.available.length, content_role: "data",
    };
    const wrong = Object.keys({ ...expected, ...rest }).find((key) => JSON.stringify(rest[key]) !== JSON.stringify(expected[key]));
    return wrong && `${wrong}: ${JSON.stringify(rest[wrong])} instead of ${JSON.stringify(expected[wrong])}`;
  },
};
