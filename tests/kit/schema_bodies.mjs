// Request bodies generated from the JSON Schema of a domain: valid ones, and the same with exactly one
// violation, for every keyword at every position of the schema. Also computes the expected record after
// valid writes.

// Letters of several scripts with simple case folding; some take four bytes and two UTF-16 units.
const ALPHABETS = ["abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLM", "0123456789", "äöüéñåø", "αβγδεζη", "бгджзик", "音楽食旅行", "कखगघ", "🎵🎸🥁🍜"].map((letters) => [...letters]);
const WORD_MAX = 9;

// A text of exactly that many characters: words separated by single spaces.
export function text(random, length) {
  const letters = random.of(ALPHABETS);
  let out = "";
  for (let i = 0, word = 0; i < length; i++) {
    const blank = word > 0 && i + 1 < length && (word === WORD_MAX || random.below(6) === 0);
    out += blank ? " " : random.of(letters);
    word = blank ? 0 : word + 1;
  }
  return out;
}

const isArray = (schema) => schema.type === "array";
const isObject = (schema) => schema.type === "object";
const list = (length, make) => Array.from({ length }, (_, i) => make(i));

// ---- valid ----

const number = (random, { minimum, maximum }) => {
  const least = Math.max(minimum, -1e6);
  const most = Math.min(maximum, 1e6);
  return random.of([minimum, maximum, least + Math.floor((most - least) / 3), Math.round((least + ((most - least) * random.below(1000)) / 1000) * 100) / 100]);
};

export function value(random, schema) {
  if (schema.enum) return random.of(schema.enum);
  if (schema.type === "string") return text(random, random.of([schema.minLength, schema.maxLength, 1 + random.below(Math.min(schema.maxLength, 30))]));
  if (schema.type === "number") return number(random, schema);
  if (schema.type === "boolean") return random.below(2) === 0;
  if (isArray(schema)) return distinct(list(random.below(4), () => value(random, schema.items)));
  const names = Object.keys(schema.properties);
  const chosen = names.filter(() => random.below(2) === 0);
  return Object.fromEntries((chosen.length >= (schema.minProperties ?? 0) ? chosen : names).map((name) => [name, value(random, schema.properties[name])]));
}

// Some members of the schema, each with a value, always including `must`.
export function body(random, schema, must) {
  const names = Object.keys(schema.properties).filter((name) => name === must || random.below(5) === 0);
  return Object.fromEntries(names.map((name) => [name, value(random, schema.properties[name])]));
}

// ---- one violation ----

const OF_TYPE = { string: "plain words", number: 7, boolean: true, array: ["plain words"], object: { plain: "words" }, null: null };

const otherTypes = ({ type }) =>
  Object.entries(OF_TYPE)
    .filter(([name]) => name !== type)
    .map(([name, instead]) => [`${name} for ${type}`, () => instead]);

const KEYWORDS = {
  type: (schema) => otherTypes(schema),
  enum: () => [["enum", (random) => `${text(random, 20)} none`]],
  minLength: () => [["minLength", () => ""]],
  maxLength: ({ maxLength }) => [["maxLength", (random) => text(random, maxLength + 1)]],
  minimum: ({ minimum }) => [["minimum", () => minimum - Math.max(1, Math.abs(minimum) / 1e6)]],
  maximum: ({ maximum }) => [["maximum", () => maximum + Math.max(1, Math.abs(maximum) / 1e6)]],
  maxItems: (schema) => [["maxItems", (random) => list(schema.maxItems + 1, (i) => (schema.items.enum ? random.of(schema.items.enum) : `item ${i}`))]],
  minProperties: () => [["minProperties", () => ({})]],
  additionalProperties: (schema) => [["additionalProperties", (random) => ({ ...value(random, schema), no_such_thing: "plain words" })]],
  items: ({ items }) => breaks(items).map(([why, make]) => [`an item: ${why}`, (random) => mixedIn(random, items, make(random))]),
  properties: ({ properties }) =>
    Object.entries(properties).flatMap(([name, of]) => breaks(of).map(([why, make]) => [`${name}: ${why}`, (random) => ({ [name]: make(random) })])),
};
const SILENT = ["$schema", "$comment", "title", "description", "$id"];

// The invalid item among valid ones.
function mixedIn(random, items, broken) {
  const good = distinct(list(random.below(3), () => value(random, items)));
  good.splice(random.below(good.length + 1), 0, broken);
  return good;
}

// Ways to violate this schema: [why, random => value]. An unknown keyword is an error, so that a new one
// is not forgotten.
function breaks(schema) {
  return Object.keys(schema)
    .filter((keyword) => !SILENT.includes(keyword))
    .flatMap((keyword) => {
      if (!KEYWORDS[keyword]) throw new Error(`no test breaks the keyword ${keyword}`);
      return KEYWORDS[keyword](schema);
    });
}

// For a record: [why, member, random => body], where the body is valid except for that member.
export function brokenBodies(schema) {
  const members = Object.entries(schema.properties).flatMap(([member, of]) =>
    breaks(of).map(([why, make]) => [`${member}: ${why}`, member, (random) => shuffled(random, { ...body(random, schema), [member]: make(random) })]),
  );
  const unknown = ["an unknown member", "no_such_member", (random) => shuffled(random, { ...body(random, schema), no_such_member: ["plain words"] })];
  const whole = otherTypes(schema).map(([why, make]) => [`the whole: ${why}`, "preferences", make]);
  return [...members, unknown, ...whole];
}

function shuffled(random, object) {
  const entries = Object.entries(object);
  for (let i = entries.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [entries[i], entries[j]] = [entries[j], entries[i]];
  }
  return Object.fromEntries(entries);
}

// ---- expected records ----

const fold = (given) => (typeof given === "string" ? given.toLowerCase() : JSON.stringify(given, (_, one) => (typeof one === "string" ? one.toLowerCase() : one), 0));
const keyOf = (given) => fold(given !== null && typeof given === "object" ? Object.fromEntries(Object.entries(given).sort()) : given);

// The first of each.
const distinct = (items) => {
  const seen = new Map();
  for (const item of items) if (!seen.has(keyOf(item))) seen.set(keyOf(item), item);
  return [...seen.values()];
};

// The record after accepted bodies, by the simplest possible merge.
export class MergedRecord {
  preferences = {};

  write(given) {
    for (const [member, sent] of Object.entries(given)) {
      const before = this.preferences[member];
      if (Array.isArray(sent)) {
        if (before || sent.length > 0) this.preferences[member] = distinct([...(before ?? []), ...sent]);
      } else if (before === undefined || keyOf(before) !== keyOf(sent)) this.preferences[member] = sent;
    }
  }

  get size() {
    return Object.values(this.preferences).reduce((sum, one) => sum + (Array.isArray(one) ? one.length : 1), 0);
  }
}
