// Random texts for the tokenizer: scripts, punctuation, and structures that splitting or merging could
// get wrong. The same seed gives the same texts.

// ---- random numbers ----

// mulberry32: small and deterministic.
export function dice(seed) {
  let state = seed >>> 0;
  const unit = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const below = (n) => Math.floor(unit() * n);
  return {
    below,
    between: (low, high) => low + below(high - low + 1),
    pick: (list) => list[below(list.length)],
    chance: (part) => unit() < part,
  };
}

// ---- material ----

const SCRIPTS = {
  latin: [[0x41, 0x5a], [0x61, 0x7a]],
  latinMore: [[0x41, 0x5a], [0x61, 0x7a], [0xaa, 0xaa], [0xb5, 0xb5], [0xba, 0xba], [0xc0, 0x24f]],
  latinRare: [[0x1e00, 0x1eff], [0x2c60, 0x2c7f], [0xa720, 0xa7ff], [0xfb00, 0xfb06], [0xff21, 0xff5a]],
  titleCase: [[0x1c4, 0x1cc], [0x1f1, 0x1f3], [0x1f88, 0x1faf]],
  modifiers: [[0x2b0, 0x2ff], [0x1d2c, 0x1d6a], [0x61, 0x7a]],
  phonetic: [[0x250, 0x2af]],
  greek: [[0x370, 0x3ff], [0x1f00, 0x1fff]],
  cyrillic: [[0x400, 0x52f]],
  armenian: [[0x531, 0x58a]],
  georgian: [[0x10a0, 0x10ff], [0x1c90, 0x1cbf]],
  hebrew: [[0x591, 0x5f4]],
  arabic: [[0x600, 0x6ff], [0x750, 0x77f], [0xfb50, 0xfbff]],
  syriac: [[0x700, 0x74f]],
  devanagari: [[0x900, 0x97f]],
  bengali: [[0x980, 0x9fe]],
  tamil: [[0xb82, 0xbfa]],
  telugu: [[0xc00, 0xc7f]],
  sinhala: [[0xd81, 0xdf4]],
  thai: [[0xe01, 0xe5b]],
  lao: [[0xe81, 0xedf]],
  tibetan: [[0xf00, 0xfda]],
  burmese: [[0x1000, 0x109f]],
  khmer: [[0x1780, 0x17f9]],
  ethiopic: [[0x1200, 0x137c]],
  cherokee: [[0x13a0, 0x13fd], [0xab70, 0xabbf]],
  mongolian: [[0x1800, 0x18aa]],
  hiragana: [[0x3041, 0x309f]],
  katakana: [[0x30a0, 0x30ff], [0xff66, 0xff9f]],
  han: [[0x4e00, 0x9fff]],
  hanRare: [[0x3400, 0x4dbf], [0x20000, 0x2a6df], [0xf900, 0xfaff]],
  hangul: [[0xac00, 0xd7a3]],
  jamo: [[0x1100, 0x11ff], [0x3131, 0x318e]],
  deseret: [[0x10400, 0x1044f]],
  gothic: [[0x10330, 0x1034a]],
  mathematical: [[0x1d400, 0x1d7ff]],
  marks: [[0x300, 0x36f], [0x1dc0, 0x1dff], [0x20d0, 0x20f0]],
  digits: [[0x30, 0x39]],
  digitsElsewhere: [[0x660, 0x669], [0x966, 0x96f], [0xe50, 0xe59], [0x2150, 0x2189], [0x2460, 0x249b], [0xb2, 0xb3], [0x1d7ce, 0x1d7ff], [0x3021, 0x3029]],
  signs: [[0x21, 0x2f], [0x3a, 0x40], [0x5b, 0x60], [0x7b, 0x7e]],
  signsMore: [[0xa1, 0xbf], [0x2010, 0x2027], [0x2030, 0x205e], [0x20a0, 0x20c0], [0x2190, 0x21ff], [0x2200, 0x22ff], [0x2500, 0x259f], [0x3001, 0x303f], [0xff01, 0xff0f]],
  symbols: [[0x2600, 0x27bf], [0x2b00, 0x2bff], [0x1f300, 0x1f64f], [0x1f680, 0x1f6ff], [0x1f900, 0x1f9ff]],
  controls: [[0, 0x1f], [0x7f, 0x9f], [0x200b, 0x200f], [0x202a, 0x202e], [0x2060, 0x206f], [0xfe00, 0xfe0f], [0xfff9, 0xfffd]],
};

const BLANKS = [" ", " ", " ", "  ", "   ", "\n", "\n", "\n\n", "\r\n", "\r", "\t", "\t\t", " \n", "\n ", "\n    ", " \t ", "\u00a0", "\u3000", "\u2003", "\u2028", "\u2029", "\u1680", "\u202f", "\u205f", "\v", "\f"];
const APOSTROPHES = ["'", "'", "'", "'", "\u2019", "`", "''"];
const ENDINGS = ["s", "t", "re", "ve", "m", "ll", "d", "S", "T", "RE", "Ve", "vE", "M", "Ll", "lL", "LL", "D", "r", "l", "v", "e", "sh", "tt", "x", "\u017fs", ""];
const FACES = ["👍", "👩", "👨", "🧑", "👧", "🤷", "🙋", "✋", "❤", "🏳", "☎", "😀", "🥑", "🇯", "🇵", "🇩", "🇪", "#", "1"];
const JOINS = ["\u200d", "\ufe0f", "\u20e3", "🏻", "🏽", "🏿", "\u200d♀\ufe0f", "\u200d💻", "\u200d❤\ufe0f\u200d"];
const WORDS = "User prefers allergic peanuts shellfish indie rock jazz Radiohead Björk Kendrick Lamar sunn AC DC aisle seats cilantro naïve café Ünïcödé straße ДжазРок Ελλάδα東京 vegetarian TypeScript kubectl getHTTPResponseCode XMLHttpRequest snake_case kebab-case iPhone McDonald O'Brien rock'n'roll".split(" ");
const CODE = ["if (x != NULL)", "return 0;", "{", "}", "=> {", "/* why */", "// note\n", "#include <stdio.h>", "self.__init__(", "a[i++]", "&&", "||", "::", "->", "</div>", "<p class=\"x\">", "SELECT * FROM t;", "0xDEADBEEF", "1e-10", "\\n", "\"\"\"", "```js\n", "```", "$((i+1))", "<|endoftext|>", "<|im_start|>"];
const MARKDOWN = ["# ", "## ", "- ", "* ", "1. ", "> ", "**bold**", "*it*", "`x`", "[a](b)", "---\n", "|---|", "~~~"];
const PLACES = ["https://", "http://", "www.", "example.org", "/a/b", "?q=1&r=%20", "#x", ".com", ":8080", "user@mail.example", "../", "C:\\dir\\", "~/x", "//"];

// The parts of texts. usable(point) decides which characters may occur.
export function material(usable, tokens) {
  const letters = {};
  for (const [name, ranges] of Object.entries(SCRIPTS)) {
    letters[name] = [];
    for (const [low, high] of ranges)
      for (let point = low; point <= high; point++) if (usable(point)) letters[name].push(String.fromCodePoint(point));
  }
  return { usable, tokens, letters, names: Object.keys(letters) };
}

// ---- parts ----

// The first `count` units, without splitting a character.
const cut = (text, length) => text.slice(0, length).replace(/[\ud800-\udbff]$/, "");
const repeat = (count, part) => Array.from({ length: count }, part).join("");
const word = (m, d, name = d.pick(m.names)) => repeat(d.between(1, 9), () => d.pick(m.letters[name]));
const latin = (m, d) => word(m, d, d.chance(0.8) ? "latin" : "latinMore");
const title = (text) => text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase();

const anyCharacter = (m, d) => {
  for (;;) {
    const point = d.below(d.chance(0.6) ? 0x10000 : 0x110000);
    if (m.usable(point)) return String.fromCodePoint(point);
  }
};

const PARTS = [
  (m, d) => word(m, d) + d.pick(["", " ", " "]),
  (m, d) => ` ${latin(m, d).toLowerCase()}`,
  (m, d) => ` ${title(latin(m, d))}`,
  (m, d) => ` ${d.pick(WORDS)}${d.pick(["", ",", ".", "!", " and", "; "])}`,
  (m, d) => latin(m, d) + d.pick(APOSTROPHES) + d.pick(ENDINGS) + d.pick(["", " ", "s", latin(m, d)]),
  (m, d) => word(m, d) + d.pick(APOSTROPHES) + d.pick(ENDINGS),
  (m, d) => repeat(d.between(2, 4), () => title(latin(m, d))), // camelCase
  (m, d) => latin(m, d).toUpperCase() + latin(m, d).toLowerCase(),
  (m, d) => repeat(d.between(1, 12), () => d.pick(m.letters.digits)) + d.pick(["", ".", ",", "%", "th", " "]),
  (m, d) => word(m, d, "digitsElsewhere") + d.pick(["", "7", "x"]),
  (m, d) => repeat(d.between(1, 6), () => d.pick(m.letters.signs)),
  (m, d) => d.pick(m.letters.signs).repeat(d.between(1, 20)) + d.pick(["", "\n", "\r\n", "/", "\n/\n", " "]),
  (m, d) => word(m, d, "signsMore"),
  (m, d) => repeat(d.between(1, 5), () => d.pick(BLANKS)),
  (m, d) => d.pick([" ", "\t", "\n"]).repeat(d.between(1, 30)),
  (m, d) => repeat(d.between(1, 4), () => d.pick(FACES) + (d.chance(0.6) ? d.pick(JOINS) : "")),
  (m, d) => repeat(d.between(1, 5), () => d.pick(m.letters.latinMore) + word(m, d, "marks").slice(0, d.between(0, 3))),
  (m, d) => d.pick(["", " ", "!"]) + d.pick(m.letters.marks) + latin(m, d), // a mark where a word begins
  (m, d) => d.pick(CODE) + d.pick(["", " ", "\n", "\n\t", "\n    "]),
  (m, d) => d.pick(["", "\n"]) + d.pick(MARKDOWN) + latin(m, d) + d.pick(["", "\n"]),
  (m, d) => repeat(d.between(1, 4), () => d.pick(PLACES)) + latin(m, d),
  (m, d) => JSON.stringify({ [latin(m, d)]: d.pick([d.below(1000), word(m, d), [latin(m, d), word(m, d)], null, true]) }),
  (m, d) => repeat(d.between(1, 4), () => anyCharacter(m, d)),
  (m, d) => repeat(d.between(1, 4), () => d.pick(m.tokens)), // what is a token, side by side
  (m, d) => d.pick(m.tokens).slice(d.between(0, 3)) + d.pick(m.tokens).slice(0, d.between(1, 6)),
  (m, d) => d.pick(m.tokens).toUpperCase(),
];

// A text of 1 to `most` characters. Most texts use only a few kinds of parts, like real ones.
export function makeText(m, d, most) {
  const kinds = d.chance(0.3) ? PARTS : Array.from({ length: d.between(1, 4) }, () => d.pick(PARTS));
  const wanted = d.between(1, most);
  let text = "";
  while (text.length < wanted) text += d.pick(kinds)(m, d);
  return cut(text, wanted);
}

// A long text: the parts of a few sentences in changing order.
export function makePage(m, d, wanted) {
  const parts = Array.from({ length: d.between(5, 30) }, () => d.pick(PARTS)(m, d));
  let text = "";
  while (text.length < wanted) text += d.pick(parts);
  return text;
}

// Roughly one piece of up to `most` characters: no spaces, one kind of characters.
export function makePiece(m, d, most) {
  const wanted = d.between(60, most);
  const name = d.pick(m.names);
  const small = Array.from({ length: d.between(1, 6) }, () => d.pick(m.letters[name]));
  const shapes = [
    () => d.pick(m.letters[name]),
    () => d.pick(small),
    () => d.pick(small).repeat(d.between(1, 60)),
    () => d.pick(m.letters.latin).toLowerCase(),
    () => d.pick(m.tokens).trim().toLowerCase(),
    () => d.pick(m.letters.signs),
    () => d.pick(m.letters.signs).repeat(d.between(1, 80)),
    () => d.pick([" ", " ", "\t", "\n"]).repeat(d.between(1, 150)),
  ];
  const shape = d.pick(shapes);
  let text = "";
  while (text.length < wanted) text += shape();
  return cut(text, wanted);
}
