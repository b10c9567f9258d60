// The kinds of elements on a page, for assertAccessible(): axe takes half a second per page, and most pages
// consist of elements that another page already had in the same window and color scheme.
//
// A kind contains everything about an element that a rule of axe looks at: its path of tags and classes, its
// attributes, whether it has a name, whether it is small, scrolls, or refers to an element that is missing. Rules about
// the whole document see pairs of neighboring headings and landmarks, repeated ids, language, and title.
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
  const inView = (kind) => `${view} ${kind.replaceAll("\n", " ")}`;
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
    if (one.matches("a, button, input, select, textarea, summary, label")) {
      const { width, height } = one.getBoundingClientRect();
      flags.push(width < smallest, height < smallest, width === 0);
    }
    flags.push(one.scrollWidth > one.clientWidth + 1, one.scrollHeight > one.clientHeight + 1);
    one[Symbol.for("kind")] = inView(`${pathOf(one)} ${attributes.join(" ")} ${flags.map(Number).join("")}`); // for markUnseen()
    kinds.add(one[Symbol.for("kind")]);
    if (one.id && ids.has(one.id)) kinds.add(inView(`twice ${one.id}`));
    ids.add(one.id);
    if (!isOutline.test(one.localName)) continue;
    const outline = `${one.localName} ${one.getAttribute("aria-label") ?? ""}`;
    kinds.add(inView(`after ${before}: ${outline}`));
    before = outline;
  }
  kinds.add(inView(`title ${document.title.trim() !== ""}`));
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

// The kinds of this page that no page before had.
export async function unseenKinds(page) {
  const kinds = await page.evaluate(collect, TARGET_MIN);
  if (LIST && fs.existsSync(LIST)) for (const kind of fs.readFileSync(LIST, "utf8").split("\n")) seen.add(kind);
  return kinds.filter((kind) => !seen.has(kind));
}

// After axe has found nothing wrong with them.
export function rememberKinds(kinds) {
  for (const kind of kinds) seen.add(kind);
  if (LIST) fs.appendFileSync(LIST, `${kinds.join("\n")}\n`);
}
