// The kinds of elements on a page, for assertAccessible(): axe takes half a second per page, and most pages
// consist of elements that another page already had in the same window and color scheme.
//
// A kind contains everything about an element that a rule of axe looks at: its path of tags and classes, its
// attributes, whether it has a name, whether it is small, scrolls, or refers to an element that is missing. Rules about
// the whole document see pairs of neighboring headings and landmarks, repeated ids, language, and title.
//
// Few rules look at colors and sizes. What the others look at is a kind of its own, which is the same in every window and
// color scheme, unless an element is hidden in one of them.
//
// The two rules that take half of the time look at one element each. They examine only elements beside one of an
// unseen kind: everything inside its parent, because a style may depend on a sibling or an ancestor.

import fs from "node:fs";
import path from "node:path";

const TARGET_MIN = 24; // CSS pixels, WCAG 2.2 success criterion 2.5.8

// Runs in the page.
function collect(smallest) {
  const kinds = new Set();
  const is = (query) => Number(matchMedia(`(${query})`).matches);
  const view = `${innerWidth} ${devicePixelRatio} ${is("prefers-color-scheme: dark")}${is("forced-colors: active")}${is("prefers-reduced-motion")}`;
  // A hash of 53 bits: the texts of a page would be a hundred kilobytes. (cyrb53, in the public domain.)
  const hash = (text) => {
    let [a, b] = [0xdeadbeef, 0x41c6ce57];
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      a = Math.imul(a ^ code, 2654435761);
      b = Math.imul(b ^ code, 1597334677);
    }
    a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
    b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
    return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36);
  };
  const inView = (kind) => hash(`${view} ${kind}`);
  const addContent = (kind) => kinds.add(`content-${hash(kind)}`);
  const valued = new Set(["role", "type", "lang", "rel", "target", "scope", "tabindex", "autocomplete", "aria-current", "aria-live", "aria-hidden", "aria-expanded"]);
  const paths = new Map();
  const pathOf = (one) => {
    if (!paths.has(one)) paths.set(one, `${one.parentElement ? pathOf(one.parentElement) : ""} ${one.localName}${[...one.classList].sort().map((name) => `.${name}`).join("")}`);
    return paths.get(one);
  };
  const refers = (one) => ["for", "aria-labelledby", "aria-describedby", "aria-controls"].every((name) => (one.getAttribute(name) ?? "").split(/\s+/).every((id) => id === "" || document.getElementById(id)));
  const isNamed = (one) => Boolean(one.textContent.trim() || one.getAttribute("aria-label") || one.getAttribute("aria-labelledby") || one.title || one.alt || one.labels?.length);
  const isOutline = /^(h[1-6]|main|nav|header|footer|aside|table|form|section)$/;
  const ids = new Set();
  let before = "";
  for (const one of document.querySelectorAll("*")) {
    const attributes = [...one.attributes].map(({ name, value }) => (valued.has(name) ? `${name}=${value}` : name)).sort();
    const flags = [isNamed(one), refers(one), one.matches(":checked, :disabled")];
    addContent(`${pathOf(one)} ${attributes.join(" ")} ${[...flags, one.checkVisibility({ visibilityProperty: true })].map(Number).join("")}`);
    if (one.matches("a, button, input, select, textarea, summary, label")) {
      const { width, height } = one.getBoundingClientRect();
      flags.push(width < smallest, height < smallest, width === 0);
    }
    flags.push(one.scrollWidth > one.clientWidth + 1, one.scrollHeight > one.clientHeight + 1);
    one[Symbol.for("kind")] = inView(`${pathOf(one)} ${attributes.join(" ")} ${flags.map(Number).join("")}`); // for markUnseen()
    kinds.add(one[Symbol.for("kind")]);
    if (one.id && ids.has(one.id)) addContent(`twice ${one.id}`);
    ids.add(one.id);
    if (!isOutline.test(one.localName)) continue;
    const outline = `${one.localName} ${one.getAttribute("aria-label") ?? ""}`;
    addContent(`after ${before}: ${outline} ${Number(one.checkVisibility())}`);
    before = outline;
  }
  addContent(`title ${document.title.trim() !== ""}`);
  return [...kinds];
}

// Runs in the page, after collect(): marks the parents of elements of these kinds with an attribute.
export function markUnseen({ unseen, mark }) {
  const wanted = new Set(unseen);
  const found = [...document.querySelectorAll("*")].filter((one) => wanted.has(one[Symbol.for("kind")]));
  for (const one of found) (one.parentElement ?? one).setAttribute(mark, "");
}

// Test files of a run share a list in TEST_SCRATCH; a file that runs alone has its own.
const LIST = process.env.TEST_SCRATCH && path.join(process.env.TEST_SCRATCH, "kinds");
const seen = new Set();
let bytesRead = 0;

// Adds what other files have appended; a line that is not complete yet is read the next time.
function readList() {
  if (!LIST || !fs.existsSync(LIST)) return;
  const more = fs.readFileSync(LIST).subarray(bytesRead).toString();
  const lines = more.slice(0, more.lastIndexOf("\n") + 1);
  bytesRead += Buffer.byteLength(lines);
  for (const kind of lines.split("\n")) seen.add(kind);
}

// The kinds of this page that no page before had.
export async function unseenKinds(page) {
  const kinds = await page.evaluate(collect, TARGET_MIN);
  readList();
  return kinds.filter((kind) => !seen.has(kind));
}

// Those that rules about content look at, and not only rules about colors and sizes.
export const hasContent = (kinds) => kinds.some((kind) => kind.startsWith("content-"));

// After axe has found nothing wrong with them.
export function rememberKinds(kinds) {
  for (const kind of kinds) seen.add(kind);
  if (LIST) fs.appendFileSync(LIST, `${kinds.join("\n")}\n`);
}
