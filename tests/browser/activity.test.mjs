// The page of activity in a browser: desktop and phone, light and dark, with and without JavaScript.

import assert from "node:assert/strict";
import test from "node:test";
import { assertAccessible, assertFits, assertLight, makeOpener, complaints, inBothViews, inReverse, signIn, VIEWS } from "../kit/browser.mjs";
import { addApp, stage } from "../kit/oauth.mjs";
import { Client } from "../kit/preferences.mjs";
import { until } from "../kit/until.mjs";
import { PASSWORD } from "../kit/world.mjs";

const open = makeOpener();

// The user ada with two days of activity: reads, a change, a denial, and a new device.
async function scene(t, view) {
  const { w, ada, app } = await stage(t);
  const api = await Client.connect(ada, app, { scope: "preferences:read preferences:write agent_hints" });
  await api.write("food_profile", { allergies: ["peanuts"], cuisines: ["Thai", "Ethiopian"] });
  const other = await Client.connect(ada, await addApp(w, { name: "Trip Pal" }), { scope: "travel_profile" });
  for (let i = 0; i < 3; i++) await api.record("food_profile");
  w.deadlines.forward(11_000);
  await until("the first read is written", async () => (await ada.get("/account/activity", { "sec-fetch-site": "same-origin" })).text.includes("First time"));
  await Client.daysLater(1, api, other);
  for (let i = 0; i < 214; i++) await api.read("agent-hints?domains=food_profile");
  await other.get("preferences/food_profile");
  const page = await open(t, w, view);
  await page.goto("/signin?next=/account/activity");
  await signIn(page, { password: PASSWORD });
  await page.waitForURL("**/account/activity");
  return { w, app, other, page };
}

for (const view of VIEWS)
  test(`activity is shown, filtered, and downloaded: ${view.name}`, async (outer) => {
    const t = inReverse(outer);
    const { app, other, page } = await scene(t, view);
    const look = async (what) => {
      await page.shoot(what);
      await inBothViews(page, what, assertAccessible, assertFits, assertLight);
    };
    const text = () => page.innerText("main");
    assert.deepEqual(await page.locator("main h2").allInnerTexts(), ["Today", "Yesterday", "Keep a copy"]);
    assert.match(await text(), /Read hints about Food 214 times/);
    assert.match(await text(), /Trip Pal\s+Denied/);
    assert.match(await text(), /Concert Finder\s+First time/);
    assert.match(await text(), /Your account[^]*Signed in on a new device/);
    assert.equal(await page.locator(".site-nav [aria-current=page]").innerText(), "Activity");
    await look("activity");

    await page.selectOption("#app", { label: "Trip Pal" });
    await page.focus("#app");
    await page.keyboard.press("Tab"); // to the areas
    await page.keyboard.press("Tab"); // to the button
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/account/activity?app=${other.app.client_id}&area=`);
    assert.doesNotMatch(await text(), /214 times/);
    assert.equal(await page.inputValue("#app"), other.app.client_id);
    await look("activity-filtered");
    await page.selectOption("#area", { label: "Music" });
    await page.click(".filter button");
    await page.waitForSelector("text=Nothing matches");
    await page.click("text=Show all");
    await page.waitForURL("**/account/activity");

    const [file] = await Promise.all([page.waitForEvent("download"), page.click("text=Download activity")]);
    assert.match(file.suggestedFilename(), /^penchant-activity-ada-\d{4}-\d\d-\d\d\.json$/);

    await page.goto(`/account/apps/${app.client_id}`);
    assert.match(await text(), /Read hints about Food 214 times/);
    await look("activity-of-app");
    await page.click("text=See all activity of this app");
    await page.waitForURL(`**/account/activity?app=${app.client_id}`);
    assert.deepEqual(complaints(page), []);
  });

test("a user without apps sees the sign-in on a new device", async (outer) => {
  const t = inReverse(outer);
  const { w } = await stage(t, { clock: undefined });
  const page = await open(t, w, VIEWS[0]);
  await page.goto("/signin?next=/account/activity");
  await signIn(page, { password: PASSWORD });
  await page.waitForURL("**/account/activity");
  await page.waitForSelector("text=Signed in on a new device");
  await inBothViews(page, "activity-new", assertAccessible);
});
