// Chromium, and a small server that plays the app's redirect URI.

import assert from "node:assert/strict";
import fs from "node:fs";
import http from "node:http";
import { createRequire } from "node:module";
import path from "node:path";
import { after, before } from "node:test";
import { chromium } from "playwright-core";
import { hasContent, markUnseen, rememberKinds, unseenKinds } from "./kinds.mjs";
import { until } from "./until.mjs";
import { ROOT } from "./world.mjs";

// The headless shell needs half the CPU time of the whole browser.
const CHROMIUM = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"].find((file) => fs.existsSync(file));

// Few processes and threads: with two cores, more of them only add CPU time. A page runs its scripts once, which does not
// pay for V8's optimizing compilers.
const ARGS = [
  ..."--no-sandbox --disable-gpu --disable-dev-shm-usage --disable-background-networking --disable-component-update --disable-sync --no-first-run".split(" "),
  ..."--in-process-gpu --renderer-process-limit=1 --no-zygote".split(" "),
  "--js-flags=--single-threaded --no-opt --no-maglev",
];

export const DESK = { viewport: { width: 1280, height: 800 } };
export const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };

const ALL_VIEWS = [
  { name: "desk-light", ...DESK, colorScheme: "light" },
  { name: "phone-dark", ...PHONE, colorScheme: "dark" },
  { name: "desk-dark", ...DESK, colorScheme: "dark" },
  { name: "phone-light", ...PHONE, colorScheme: "light" },
];

// Both sizes and both color schemes.
export const BOTH_VIEWS = ALL_VIEWS.slice(0, 2);

// Tests of pages run once for each of these. In `make check` one page takes both views in turn (inBothViews), without
// transitions, so that its colors change at once. EVERY_VIEW=1 (as in soak) opens the pages in each of the four views.
export const VIEWS = process.env.EVERY_VIEW ? ALL_VIEWS : [{ name: "desk-light and phone-dark", ...BOTH_VIEWS[0], reducedMotion: "reduce", both: true }];

// SCREENSHOTS=1 (as in soak) saves the pages that tests open in build/screenshots.
const SHOTS = process.env.SCREENSHOTS && path.join(ROOT, "build/screenshots");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

// One browser for all files that run in this process. kit/files.mjs closes it, or the only file itself.
let browser;
let closing = false;
const close = async () => {
  closing = true; // hooks of a whole file may still run, and close their contexts
  await (await browser)?.close();
};
globalThis.closeAtEnd?.push(close);

function launch() {
  if (SHOTS) fs.mkdirSync(SHOTS, { recursive: true });
  return chromium.launch({
    executablePath: CHROMIUM,
    timeout: 120_000, // the machine may be busy
    args: ARGS,
  });
}

// Returns a function that opens a page in a new profile and records everything that the browser reports as an error.
export function makeOpener() {
  before(() => (browser ??= launch()));
  if (!globalThis.closeAtEnd) after(close);
  return async (t, w, { name = "desk", both = false, ...options } = {}) => {
    const context = await (await (browser ??= launch())).newContext({ baseURL: w.origin, ...DESK, ...options });
    t.after(() => context.close().catch((error) => assert.ok(closing, error)));
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    page.complaints = [];
    if (both) page.views = [...BOTH_VIEWS]; // the first is the one that it has now
    page.on("console", (message) => ["error", "warning"].includes(message.type()) && page.complaints.push(message.text()));
    page.on("pageerror", (error) => page.complaints.push(error.message));
    page.shoot = async (what) => SHOTS && page.screenshot({ path: path.join(SHOTS, `${what}-${page.views?.[0].name ?? name}.png`), fullPage: true });
    return page;
  };
}

// A test whose resources are released in reverse order: the browser closes before the service stops, which
// would otherwise wait for open connections.
export function inReverse(t) {
  const ends = [];
  t.after(async () => {
    let fault;
    for (const end of ends.reverse()) await Promise.resolve().then(end).catch((error) => (fault ??= error));
    if (fault) throw fault;
  });
  return { after: (end) => ends.push(end) };
}

// The browser reports a rejected form as an error; that is expected.
export const complaints = (page) => page.complaints.filter((text) => !/status of 4\d\d|favicon/.test(text));

// axe itself, which @axe-core/playwright depends on: calling it directly takes a fourth less CPU time per page.
const resolveFrom = (file, name) => createRequire(file).resolve(name);
const AXE = fs.readFileSync(resolveFrom(resolveFrom(import.meta.url, "@axe-core/playwright"), "axe-core/axe.min.js"), "utf8");

// The rules that examine only marked elements and what is inside them.
const RULES_OF_ONE_ELEMENT = ["color-contrast", "target-size"];
const MARK = "data-unseen";

// The rules that look at colors and sizes, which depend on the view.
const RULES_OF_VIEW = [...RULES_OF_ONE_ELEMENT, "link-in-text-block", "scrollable-region-focusable"];

// Runs in the page. Our pages have no frames (assertPage checks the policy), and no rule of ours needs style sheets
// to be loaded again (preload).
const findViolations = async ({ only, limited, mark }) => {
  window.axe.configure({ rules: limited.map((id) => ({ id, selector: `[${mark}], [${mark}] *` })) });
  const { violations } = await window.axe.run(document, { runOnly: only, resultTypes: ["violations"], iframes: false, preload: false });
  for (const one of document.querySelectorAll(`[${mark}]`)) one.removeAttribute(mark);
  return violations.map(({ id, help, nodes }) => ({ id, help, html: nodes.map((node) => node.html) }));
};

// A page that has only kinds of elements that axe has examined on another page (kinds.mjs) is not examined again,
// except with EVERY_VIEW=1, which also examines every element by every rule.
export async function assertAccessible(page, what) {
  const unseen = await unseenKinds(page);
  if (unseen.length === 0 && !process.env.EVERY_VIEW) return;
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  await page.evaluate(markUnseen, { unseen, mark: MARK });
  const limited = process.env.EVERY_VIEW ? [] : RULES_OF_ONE_ELEMENT;
  const only = hasContent(unseen) || process.env.EVERY_VIEW ? { type: "tag", values: RULES } : { type: "rule", values: RULES_OF_VIEW };
  const violations = await page.evaluate(findViolations, { only, limited, mark: MARK });
  assert.deepEqual(violations.map(({ id, help, html }) => `${what}: ${id}: ${help}: ${html.join(" ")}`), []);
  rememberKinds(unseen);
}

// Checks a page in both views. The page keeps the second one, so that of the pages of a test every other one is loaded and
// used on a phone. Layout shift and weight come from loading it, and are checked once.
export async function inBothViews(page, what, ...checks) {
  for (const check of checks) await check(page, what);
  if (!page.views) return;
  const { name, viewport, colorScheme } = page.views.reverse()[0];
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme });
  for (const check of checks) if (check !== assertLight) await check(page, `${what} (then ${name})`);
}

export async function assertFits(page, what) {
  const [wide, window] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  assert.ok(wide <= window, `${what} is ${wide} wide in a window of ${window}`);
}

// Controls must not overlap.
export async function assertApart(page, what) {
  const met = await page.$$eval("main :is(input:not([type=hidden]), select, textarea, button)", (all) => {
    const boxes = all.map((one) => [one.name, one.getBoundingClientRect()]).filter(([, box]) => box.width > 0);
    const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    return boxes.flatMap(([a, box], i) => boxes.slice(i + 1).filter(([, other]) => meet(box, other)).map(([b]) => `${a} and ${b}`));
  });
  assert.deepEqual(met, [], what);
}

// The uncompressed size of a page with its assets, and its layout shift while loading.
const weigh = (page) => page.evaluate(async () => {
  let shift = 0;
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => (shift += entry.hadRecentInput ? 0 : entry.value))).observe({ type: "layout-shift", buffered: true });
  await new Promise((resolve) => setTimeout(resolve, 50));
  const parts = performance.getEntriesByType("resource").reduce((sum, one) => sum + one.decodedBodySize, 0);
  return { shift, weight: new Blob([document.documentElement.outerHTML]).size + parts };
});

export const WEIGHT_MAX = 60_000;

const SHIFT_MAX = 0.01;
const LOADS_MAX = 3;

// A slow browser may paint half a row before the rest arrives. A layout shift caused by the page itself
// happens every time, so only a repeated one counts.
export async function assertLight(page, what) {
  let { shift, weight } = await weigh(page);
  for (let loads = 1; shift >= SHIFT_MAX && loads < LOADS_MAX; loads++) {
    await page.reload();
    ({ shift, weight } = await weigh(page));
  }
  if (process.env.WEIGHTS) console.log(`${weight} ${what}`);
  assert.ok(shift < SHIFT_MAX, `${what} jumps, however often it is loaded: ${shift}`);
  assert.ok(process.env.WEIGHTS || weight < WEIGHT_MAX, `${what} weighs ${weight} bytes`);
}

// Opens the input of a member on a domain's page.
export async function openInput(page, member) {
  await page.click(`#${member} > .chips > a.add`);
  await page.waitForSelector(`#${member} > form`);
}

// The values of chips, without the name of the app that added them.
export const chipValues = (page, chips) => page.$$eval(chips, (all) => all.map((one) => one.firstChild.textContent.trim()));

export async function signIn(page, { username = "ada", password }) {
  await page.fill("input[name=username]", username);
  await page.fill("input[name=password]", password);
  await page.click("form[action='/signin'] button[type=submit]");
}

// The app's redirect URI: a local server that records the URLs it is called with.
export class Callback {
  static async open(t) {
    const callback = new Callback();
    callback.arrivals = [];
    callback.server = http.createServer((request, response) => {
      if (request.url.startsWith("/cb")) callback.arrivals.push({ url: `${callback.origin}${request.url}`, headers: request.headers });
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.end("<!doctype html><html lang=en><title>The app</title><h1>Back at the app</h1>");
    });
    await new Promise((resolve) => callback.server.listen(0, "127.0.0.1", resolve));
    t.after(() => {
      callback.server.closeAllConnections();
      callback.server.close();
    });
    callback.origin = `http://127.0.0.1:${callback.server.address().port}`;
    callback.uri = `${callback.origin}/cb`;
    return callback;
  }

  // The parameters of the next redirect to the app.
  async arrival(n = 1) {
    await until("the browser to come back to the app", () => this.arrivals.length >= n);
    const { url, headers } = this.arrivals[n - 1];
    return { url, headers, params: Object.fromEntries(new URL(url).searchParams) };
  }
}
