// Scripts show buttons that do not work without them. Over a slow connection a script arrives after the page
// was painted, and then nothing may move under the user's finger.

import assert from "node:assert/strict";
import test from "node:test";
import { BOTH_VIEWS, makeOpener, inReverse } from "../kit/browser.mjs";
import { world } from "../kit/world.mjs";

const open = makeOpener();

// Where each paragraph, heading, field and code sample is.
const places = (page) =>
  page.$$eval("main :is(h2, p:not([role=status]), pre, input, label), footer", (all) => all.map((one) => `${one.tagName} ${one.getBoundingClientRect().y}`));

for (const view of BOTH_VIEWS)
  test(`no page moves when its scripts arrive late: ${view.name}`, async (test) => {
    const t = inReverse(test);
    const w = await world(t);
    const page = await open(t, w, view);
    let late;
    await page.route("**/*.js?*", async (route) => {
      await late;
      await route.continue();
    });
    for (const [where, button] of [["/developer/guide", "[data-copy]"], ["/connect", "[data-copy]"], ["/signin", "[data-password] button"], ["/signup", "[data-password] button"]]) {
      let arrive;
      late = new Promise((resolve) => (arrive = resolve));
      const loaded = page.goto(where);
      await page.waitForSelector("footer");
      await page.waitForFunction(() => [...document.querySelectorAll("link[rel=stylesheet]")].every(({ sheet }) => sheet));
      assert.equal(await page.isVisible(button), false, `${where} shows a button that cannot work yet`);
      const before = await places(page);
      arrive();
      await loaded;
      await page.waitForSelector(button);
      assert.deepEqual(await places(page), before, where);
    }
  });
