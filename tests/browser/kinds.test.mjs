// axe examines a page only if it has a kind of element that no page before had (kit/kinds.mjs).

import assert from "node:assert/strict";
import test from "node:test";
import { assertAccessible, assertFits, BOTH_VIEWS, makeOpener, inBothViews, PHONE } from "../kit/browser.mjs";
import { unseenKinds } from "../kit/kinds.mjs";

const open = makeOpener();
const nowhere = { origin: "http://127.0.0.1" };
const unique = `run-${process.pid}`; // soak runs this file twice, with the same list of kinds

const page = ({ title = "Title", lang = "en", head = "<h1>One</h1><h2>Two</h2><h3>Three</h3><h4>Four</h4>", body = "" } = {}) =>
  `<!doctype html><html lang="${lang}" class="${unique}"><title>${title}</title><style>.plain { width: 90px; height: 40px }</style><main>${head}<p><button class="plain">Go on</button></p><p><label>Name <input name="name"></label></p>${body}</main></html>`;

test("a page with the same kinds of elements is not examined again, in the same view", async (t) => {
  const tab = await open(t, nowhere);
  await tab.setContent(page());
  assert.notDeepEqual(await unseenKinds(tab), []);
  await assertAccessible(tab, "the first");
  await tab.setContent(page({ title: "Other", head: "<h1>Uno</h1><h2>Due</h2><h3>Tre</h3><h3>Quattro</h3><h4>Cinque</h4>" }));
  await assertAccessible(tab, "two headings of the same level");
  await tab.setContent(page({ title: "Third", head: "<h1>I</h1><h2>II</h2><h3>III</h3><h4>IV</h4>", body: "<p><button class=plain>Go back</button></p>" }));
  assert.deepEqual(await unseenKinds(tab), []);
  for (const view of [PHONE, { colorScheme: "dark" }]) {
    const other = await open(t, nowhere, view);
    await other.setContent(page());
    assert.notDeepEqual(await unseenKinds(other), [], JSON.stringify(view));
  }
});

test("an element with a mistake is a kind of its own, and axe finds the mistake", async (t) => {
  const tab = await open(t, nowhere);
  await tab.setContent(page());
  await assertAccessible(tab, "without mistakes");
  const wrong = {
    "button-name": page({ body: '<p><button class="plain"></button></p>' }),
    "heading-order": page({ head: "<h1>One</h1><h2>Two</h2><h4>Four</h4>" }),
    "html-has-lang": page({ lang: "" }),
    "document-title": page({ title: "" }),
    label: page({ body: '<p><input name="name"></p>' }),
    "image-alt": page({ body: '<p><img src="data:,"></p>' }),
    "color-contrast": page({ body: '<p><button class="plain" style="color: #ddd">Go on</button></p>' }),
    "target-size": page({ body: '<p style="line-height: 1"><button style="all: unset; font-size: 9px">a</button><br><button style="all: unset; font-size: 9px">b</button></p>' }),
    "landmark-one-main": page().replaceAll("main>", "div>"),
  };
  for (const [rule, text] of Object.entries(wrong)) {
    await tab.setContent(text);
    await assert.rejects(assertAccessible(tab, "page"), new RegExp(`page: ${rule}:`), rule);
    await assert.rejects(assertAccessible(tab, "page"), new RegExp(`page: ${rule}:`), `${rule}, the second time`);
  }
});

test("contrast is examined beside an element of an unseen kind, too", async (t) => {
  const tab = await open(t, nowhere);
  const style = "<style>p.pale { color: #000; background: #fff } [data-pale] + p.pale, [data-pale] ~ div p.pale { color: #ddd }</style>";
  const styled = (body) => page({ body: `${style}<section><hr><p class="pale">Text</p><div><p class="pale">Text</p></div></section>`.replace("<hr>", body) });
  await tab.setContent(styled("<hr>"));
  await assertAccessible(tab, "without mistakes");
  await tab.setContent(styled("<hr data-pale>"));
  await assert.rejects(assertAccessible(tab, "page"), /page: color-contrast:.*Text.*Text/);
});

test("one page is examined in both views: what is wrong in one of them only is found", async (t) => {
  const tab = await open(t, nowhere, { ...BOTH_VIEWS[0], reducedMotion: "reduce", both: true });
  const styled = (css, body = "") => page({ head: "<h1>One</h1>", body: `<style>${css}</style><p class="late">Text</p>${body}` });
  await tab.setContent(styled(""));
  await inBothViews(tab, "without mistakes", assertAccessible, assertFits);
  const { width } = PHONE.viewport;
  assert.deepEqual(tab.viewportSize(), PHONE.viewport);
  const wrong = [
    [styled("@media (prefers-color-scheme: dark) { .late { color: #ddd } }"), /color-contrast/],
    [styled(`@media (max-width: ${width}px) { .late { width: 900px } }`), /wide/],
    [styled(`.only { display: none } @media (max-width: ${width}px) { .only { display: block } }`, '<p class="only"><button class="plain"></button></p>'), /button-name/],
  ];
  for (const [text, message] of wrong) {
    // From the desktop: it is right there. A mistake leaves the page in the view that has it.
    await tab.setContent(styled(""));
    await inBothViews(tab, "without mistakes", assertAccessible, assertFits);
    assert.deepEqual(tab.viewportSize(), BOTH_VIEWS[0].viewport);
    await tab.setContent(text);
    await assert.rejects(inBothViews(tab, "page", assertAccessible, assertFits), message);
    assert.deepEqual(tab.viewportSize(), PHONE.viewport);
  }
});
