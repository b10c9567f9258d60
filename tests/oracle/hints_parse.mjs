// Parses hints with the patterns of the definition: which values of which member a sentence, a
// bullet, or an object contains. Text that cannot be parsed violates the definition.

// ---- one value ----

const withoutQuotes = (text) => text.replace(/["“”„‟＂]/gu, "'") + (text.endsWith("\\") ? " " : "");
const startsPlainly = (text) => /^([A-Za-z\u0080-\u{10ffff}]|-?\d+(?!\d|[.)]( |$)))/u.test(text);

const MARKS = "\\`*_[<~"; // which mean something anywhere in Markdown
const SOMETIMES = "&:.";

// The text after a value; in Markdown, after a value with all special characters escaped.
function afterValue(text, at, value, markdown) {
  if (!markdown) return text.startsWith(value, at) ? at + value.length : undefined;
  for (const sign of value) {
    const isEscaped = text[at] === "\\" && (MARKS.includes(sign) || (SOMETIMES.includes(sign) && text.startsWith(sign, at + 1)));
    if (MARKS.includes(sign) && !isEscaped) return undefined;
    at += isEscaped ? 1 : 0;
    if (!text.startsWith(sign, at)) return undefined;
    at += sign.length;
  }
  return at;
}

// `quoted`: it is in quotation marks.
function readValue(text, at, value, { markdown, spot }) {
  const inside = withoutQuotes(value);
  const start = spot === "in quotes" ? at : at + 1;
  if (spot === "in quotes" || text[at] === '"') {
    const end = afterValue(text, start, inside, markdown);
    if (end !== undefined && (spot === "in quotes" || text[end] === '"')) return { end: end + start - at, quoted: true, isMarked: spot === "inside", value };
  }
  if (spot === "in quotes" || (spot === "front" && !startsPlainly(value))) return undefined;
  const end = afterValue(text, at, value, markdown);
  return end === undefined ? undefined : { end, quoted: false, value };
}

// A quoted value is as it is stored, without an article. Some names of places need one: "the Azores".
function readShown(text, at, { shown, kept }, options) {
  const read = readValue(text, at, shown, options) ?? (/^\p{Lu}/u.test(shown) ? readValue(text, at, `the ${shown}`, options) : undefined);
  if (read || shown === kept || typeof kept !== "string") return read;
  const stored = readValue(text, at, kept, options);
  return stored?.quoted ? stored : undefined;
}

// "world music" before " music": a repeated word is omitted.
function withoutSaid(value, words) {
  const [, word] = /^ ([\w\u0080-\u{10ffff}]+)/u.exec(words) ?? [];
  const [last] = /[A-Za-z0-9\u0080-\u{10ffff}]*$/u.exec(value);
  const said = last.toLowerCase().replace(new RegExp(`^(${word?.toLowerCase()})s$`, "u"), "$1");
  return word !== undefined && said === word.toLowerCase() ? words.slice(word.length + 1) : words;
}

// "king bed, high floor, and non-smoking", or without phrases "bed king, floor high".
function readPairs(text, at, pairs, { markdown, phrased }) {
  const values = [];
  for (const [i, pair] of pairs.entries()) {
    const last = phrased && i === pairs.length - 1;
    const before = (i === 0 ? "" : phrased && pairs.length === 2 ? " and " : last ? ", and " : ", ") + pair.before;
    if (!text.startsWith(before, at)) return undefined;
    const read = readValue(text, at + before.length, pair.text, { markdown, spot: "inside" });
    if (!read || (read.quoted && !pair.free)) return undefined;
    const after = read.quoted ? pair.after : withoutSaid(pair.text, pair.after);
    if (!text.startsWith(after, read.end)) return undefined;
    if (pair.free) values.push({ ...read, isPair: true });
    at = read.end + after.length;
  }
  return { at, values, items: 1, more: 0 };
}

// ---- lists ----

function readSeparator(text, at) {
  const [sign] = /^(; |, | )/.exec(text.slice(at, at + 2)) ?? [];
  return sign;
}

// Separators must fit the number of items.
function isWellSeparated(separators, { values, more, lasts }) {
  const parts = values.length + (more > 0 ? 1 : 0);
  const links = values.some(({ value }) => value.includes(" and "));
  const sign = values.some(({ value }) => value.includes(",")) ? "; " : parts > 2 || links ? ", " : " ";
  const allowed = more === 0 ? lasts : ["and "];
  return separators.every((one, i) => one.sign === sign && (i === parts - 2 ? allowed : [""]).includes(one.word));
}

// The values of a list in their order; `isEnd` decides whether the text may end at a position.
function readList(text, at, hint, place, isEnd) {
  const { conjunction, loose } = hint.member.hint;
  const includes = loose !== undefined && / includes? /.test(loose) && !loose.includes(" not ");
  const lasts = conjunction !== "or" ? ["and "] : includes ? ["or ", "and "] : ["or "]; // "places to avoid include hostels and campsites"
  const [values, separators] = [[], []];
  let more = 0;
  for (let sign = "", word = ""; ; ) {
    const read = readShown(text, at, hint.values[values.length], { ...place, spot: values.length === 0 ? place.spot : "inside" });
    if (!read) return undefined;
    values.push(read);
    at = read.end;
    const left = hint.total - values.length;
    if (left === 0) break;
    sign = readSeparator(text, at);
    if (sign === undefined) return undefined;
    const rest = `${sign}and ${left} more`;
    if (text.startsWith(rest, at) && isEnd(at + rest.length)) {
      more = left;
      at += rest.length;
      separators.push({ sign, word: "and " });
      break;
    }
    at += sign.length;
    word = left === 1 ? lasts.find((one) => text.startsWith(one, at)) : "";
    if (word === undefined || !text.startsWith(word, at)) return undefined;
    at += word.length;
    separators.push({ sign, word });
  }
  return more !== 1 && isWellSeparated(separators, { values, more, lasts }) ? { at, values, items: values.length, more } : undefined;
}

// ---- patterns ----

function readPlace(text, at, place, hint, options, isEnd) {
  if (place === "{a}") {
    const [article] = /^an?(?= )/.exec(text.slice(at, at + 3)) ?? [];
    return article && { at: at + article.length, values: [], items: 1, more: 0 };
  }
  if (place === "{list}") return readList(text, at, hint, options, isEnd);
  const { shown } = hint.values[0];
  if (place === "{pairs}") return readPairs(text, at, shown, { ...options, phrased: hint.member.hint.pairs !== undefined });
  const read = readShown(text, at, hint.values[0], options);
  return read && { at: read.end, values: [read], items: 1, more: 0 };
}

// Words of the pattern, except one that a single value already ends with.
function readWords(text, at, words, { total, values }, before) {
  const said = before.startsWith("{") && total === 1 && typeof values[0].shown === "string" ? withoutSaid(values[0].shown, words) : words;
  const found = [said, words].find((one) => text.startsWith(one, at));
  return found === undefined ? undefined : { at: at + found.length, values: [], items: 1, more: 0 };
}

function readPattern(text, pattern, hint, { markdown }, isEnd) {
  let result = { at: 0, values: [], items: 1, more: 0 };
  let before = "";
  for (const part of pattern.split(/(\{\w+\})/).filter(Boolean)) {
    const spot = before === "" ? "front" : before.endsWith('"') ? "in quotes" : "inside";
    const next = part.startsWith("{")
      ? readPlace(text, result.at, part, hint, { markdown, spot }, isEnd)
      : readWords(text, result.at, part, hint, before);
    if (!next) return undefined;
    result = { at: next.at, values: [...result.values, ...next.values], items: Math.max(result.items, next.items), more: result.more + next.more };
    before = part;
  }
  return result;
}

const isOfOne = ({ total, values }) => (Array.isArray(values[0].shown) ? values[0].shown.length === 1 : total === 1);

// The pattern, and the loose one for values that do not have its form; sentences.tsv tests the choice.
function patternsOf(hint) {
  const { text, text_one, loose, described } = hint.member.hint;
  return [hint.sentence ?? (isOfOne(hint) ? (text_one ?? text) : text), ...(hint.sentence === undefined && isOfOne(hint) && text_one ? [text] : []), ...(hint.sentence === undefined ? [loose, described].filter(Boolean) : [])];
}

const emphasisOf = (hint) => (isOfOne(hint) ? (hint.member.hint.emphasis_one ?? hint.member.hint.emphasis) : hint.member.hint.emphasis);

// The endings of a sentence after its pattern: a value may already end with the period.
function endOf(text, at, hint, mayBeStrong) {
  const rest = text.slice(at);
  const emphasis = emphasisOf(hint);
  if (rest === "." || (rest === "" && text.endsWith("."))) return { strong: false };
  return mayBeStrong && emphasis !== undefined && rest === `; ${emphasis}.` ? { strong: true } : undefined;
}

// "According to Grocer, the user is …": the text, the apps, and the rest; undefined: it names no apps.
function splitApps(text, { according }, markdown) {
  const front = "According to ";
  const end = according !== undefined && text.startsWith(front) ? afterValue(text, front.length, according, markdown) : undefined;
  return end === undefined ? undefined : /^(.*?[,:] )(.*)$/su.exec(text.slice(end))?.with(1, according);
}

// A fact of apps names them if it must, or if a value is quoted, shown or not.
function isAttributedRightly({ according, isAttributed, total }, { values, items }, namesApps) {
  if (according === undefined) return !namesApps;
  const isQuoted = values.some(({ isMarked }) => isMarked);
  return namesApps ? isAttributed || isQuoted || items < total : !isAttributed && !isQuoted;
}

export function readSentence(text, hint, { markdown = false } = {}) {
  const [, apps, rest] = splitApps(text, hint, markdown) ?? [];
  const read = readOwnSentence(apps === undefined ? text : rest.replace(/^the user(?=[ '])/, "User"), hint, { markdown });
  return read && isAttributedRightly(hint, read, apps !== undefined) ? read : undefined;
}

function readOwnSentence(text, hint, { markdown }) {
  const isEnd = (at) => endOf(text, at, hint, !markdown) !== undefined;
  for (const pattern of patternsOf(hint)) {
    const read = readPattern(text, pattern.slice(0, -1), hint, { markdown }, isEnd);
    const end = read && endOf(text, read.at, hint, !markdown && hint.sentence === undefined);
    if (end) return { hint, items: read.items, values: read.values, ...end };
  }
  return undefined;
}

export function readBullet(line, hint) {
  const text = line.slice(2);
  const { short } = hint.member.hint;
  if (!line.startsWith("- ")) return undefined;
  const hasOwn = hint.sentence !== undefined && ["array", "string"].includes(hint.member.type);
  if (short === undefined || hasOwn) return readSentence(text, hint, { markdown: true });
  const [, apps = "", own] = splitApps(text, hint, true) ?? [text, "", text];
  const pattern = apps === "" ? short : short.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
  const read = readPattern(own, pattern, hint, { markdown: true }, (at) => at === own.length);
  if (read && !isAttributedRightly(hint, read, apps !== "")) return undefined;
  return read && read.at === own.length ? { hint, items: read.items, values: read.values, strong: false } : undefined;
}

// ---- answers ----

// Cached meanings of a line for a user: the same lines recur for every budget.
export class Reader {
  constructor(hints) {
    this.hints = hints;
    this.known = new Map();
  }

  meanings(line, kind, read) {
    const key = `${kind} ${line}`;
    if (!this.known.has(key)) this.known.set(key, this.hints.flatMap((hint) => read(line, hint) ?? []));
    return this.known.get(key);
  }

  // The first meaning that the query concerns and that has not been used yet.
  one(line, kind, read, isFine) {
    return this.meanings(line, kind, read).find(({ hint }) => isFine(hint));
  }

  // Each returns the included hints, { hint, items, values, strong }, or a text with the problem.
  lines(lines, kind, read, available) {
    const left = new Set(available);
    const included = [];
    for (const line of lines) {
      const found = this.one(line, kind, read, (hint) => left.has(hint));
      if (!found) return `cannot be read back: ${line}`;
      left.delete(found.hint);
      included.push(found);
    }
    return included;
  }

  text(hints, available) {
    return this.lines(hints, "text", readSentence, available);
  }

  bullets(string, available) {
    if (string === "") return [];
    const lines = string.split("\n");
    if (!lines[0].startsWith("**")) return this.bulletsOfOne(lines, available);
    const groups = [];
    for (const line of lines) {
      if (line.startsWith("**")) groups.push({ heading: line, lines: [] });
      else groups.at(-1).lines.push(line);
    }
    if (groups.length < 2 || new Set(groups.map(({ heading }) => heading)).size < groups.length) return "headings are for several domains, each once";
    const included = groups.map(({ heading, lines: own }) =>
      own.length === 0 ? `nothing below ${heading}` : this.lines(own, "bullet", readBullet, available.filter(({ domain }) => `**${domain.heading}**` === heading)),
    );
    return included.find((one) => typeof one === "string") ?? included.flat();
  }

  bulletsOfOne(lines, available) {
    const tries = [...new Set(available.map(({ domain }) => domain))].map((domain) =>
      this.lines(lines, "bullet", readBullet, available.filter((hint) => hint.domain === domain)),
    );
    return tries.find((one) => typeof one !== "string") ?? tries[0] ?? "bullets where there is nothing to tell";
  }

  json(object, available) {
    const included = [];
    for (const [name, members] of Object.entries(object)) {
      const own = available.filter(({ domain }) => domain.name === name);
      if (own.length === 0) return `${name} has nothing to tell`;
      const summary = this.summary(members.summary, own);
      const keyed = typeof summary === "string" ? summary : readMembers(members, own);
      if (typeof keyed === "string") return keyed;
      included.push(...summary, ...keyed);
    }
    return included;
  }

  // Sentences with a blank between them: found by trying, since values may hold full stops.
  summary(text, own) {
    if (typeof text !== "string" || text === "") return "there is no summary";
    const key = `summary ${own.map(({ id }) => id)} ${text}`;
    if (!this.known.has(key)) this.known.set(key, cutSummary(text, own) ?? `the summary cannot be read back: ${text}`);
    return this.known.get(key);
  }
}

function cutSummary(text, own) {
  if (text === "") return [];
  for (let at = text.indexOf("."); at >= 0; at = text.indexOf(".", at + 1)) {
    if (at + 1 < text.length && text[at + 1] !== " ") continue;
    const sentence = text.slice(0, at + 1);
    for (const hint of own) {
      const read = readSentence(sentence, hint);
      const rest = read && cutSummary(text.slice(at + 2), own.filter((other) => other !== hint));
      if (rest) return [{ ...read, isSummary: true }, ...rest];
    }
  }
  return undefined;
}

// ---- members of a domain's object ----

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

function readArray(values, member, own) {
  if (!Array.isArray(values) || values.length === 0) return `${member.name} is no list`;
  if (member.tellsEach) {
    const included = values.map((value) => own.find((hint) => hint.member === member && hint.values[0].kept === value));
    return included.includes(undefined) || new Set(included).size < included.length ? `${member.name} holds what is not there` : included.map((hint) => ({ hint, items: 1, values: [] }));
  }
  // The list and each value with a sentence of its own ("alone") are hints, the most important first; none is split.
  const unread = new Set(own.filter((hint) => hint.member === member && !hint.isNone));
  const included = [];
  for (let left = values; left.length > 0; left = left.slice(included.at(-1).items)) {
    const hint = [...unread].find((one) => one.values[0].kept === left[0]);
    if (!hint) return `${member.name} is not in order, or holds what is not there`;
    let count = 1;
    while (count < Math.min(hint.total, left.length) && hint.values[count].kept === left[count]) count++;
    if (member.safety === "critical" && count < hint.total) return `${member.name} is critical and not whole`;
    unread.delete(hint);
    included.push({ hint, items: count, values: [] });
  }
  return included;
}

function readMembers(object, own) {
  const { members } = own[0].domain;
  const [first, ...keys] = Object.keys(object);
  const keyed = keys.map((key) => members.find((member) => member.key === key));
  if (first !== "summary" || keyed.includes(undefined)) return `keys ${first}, ${keys}`;
  if (keyed.some((member, i) => i > 0 && member.index <= keyed[i - 1].index)) return "members are not in the order of the definition";
  const included = keyed.map((member, i) => {
    const value = object[keys[i]];
    if (member.type === "array") return readArray(value, member, own);
    const hint = own.find((one) => one.member === member);
    return hint && same(value, hint.values[0].kept) ? [{ hint, items: 1, values: [] }] : `${member.name} is not what is there`;
  });
  return included.find((one) => typeof one === "string") ?? included.flat();
}
