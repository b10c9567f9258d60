// The preferences by keyboard and for screen readers: where the focus stays, how many stops there are, and
// what things are called.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { assertAccessible, makeOpener, complaints, inBothViews, inReverse, openInput, signIn, VIEWS } from "../kit/browser.mjs";
import { DOMAINS, stage } from "../kit/oauth.mjs";
import { Client } from "../kit/preferences.mjs";
import { PASSWORD, ROOT } from "../kit/world.mjs";

const open = makeOpener();

const FOOD = "food_profile";
const MUSIC = "music_preferences";
const DEMO = JSON.parse(fs.readFileSync(path.join(ROOT, "demo/ada.json"), "utf8")).writes;

async function scene(outer, view = {}) {
  const t = inReverse(outer);
  const { w, ada, app } = await stage(t);
  const api = await Client.connect(ada, app, { scope: "preferences:read preferences:write", term: "30d" });
  const page = await open(t, w, view);
  await page.goto("/signin?next=/account");
  await signIn(page, { password: PASSWORD });
  await page.waitForURL("**/account");
  return { w, ada, api, page };
}

const focused = (page) => page.evaluate(() => (document.activeElement.ariaLabel ?? document.activeElement.textContent).trim().replace(/\s+/g, " "));
const message = (page, text) => page.waitForSelector(`.flash >> text=${text}`);

// Presses Tab until the focus leaves the page, and returns the name of each stop.
async function stops(page) {
  await page.evaluate(() => { document.activeElement.blur(); window.scrollTo(0, 0); });
  const names = [];
  for (; names.length < 300;) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(() => document.activeElement === document.body)) return names;
    if (names.length > 0 && (await page.evaluate(() => document.activeElement.matches(".skip")))) return names;
    names.push(await focused(page));
  }
  return names;
}

test("the Food page of the demo has few stops, and each of its links and buttons a name of its own", async (t) => {
  const { page, api } = await scene(t);
  for (const { domain, preferences } of DEMO) if (domain === FOOD) await api.write(FOOD, preferences);
  await page.goto(`/account/domains/${FOOD}`);
  const names = await stops(page);
  t.diagnostic(`${names.length} stops`);
  assert.ok(names.length > 40 && names.length < 71, `${names.length}: ${names.join(" | ")}`);
  for (const label of ["Add Allergies", "Change Diet", "Add In your own words"]) assert.ok(names.includes(label), `${label} in ${names.join(" | ")}`);
  for (const member of ["cuisines", "spice_tolerance", "favorite_foods"]) {
    await page.goto(`/account/domains/${FOOD}?edit=${member}`);
    const buttons = await page.$$eval("main button", (all) => all.map((one) => one.ariaLabel ?? one.textContent));
    assert.deepEqual(buttons.filter((name, i) => buttons.indexOf(name) !== i), []);
    await inBothViews(page, member, assertAccessible);
  }
});

test("three options chosen in a row by keyboard are exactly those three", async (t) => {
  const { page, api } = await scene(t);
  await page.goto(`/account/domains/${FOOD}`);
  await page.focus("#cuisines a.add");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#cuisines input[name=value]:focus");
  await page.keyboard.press("Tab"); // to "Add"
  const chosen = [];
  for (let i = 0; i < 3; i++) {
    await page.keyboard.press("Tab");
    const option = await page.evaluate(() => document.activeElement.value);
    const name = await focused(page);
    await page.keyboard.press(i === 1 ? "Space" : "Enter");
    await message(page, `Added: ${option}`);
    await page.waitForSelector("#cuisines .offers button[aria-pressed=true]:focus");
    assert.equal(await focused(page), name, "the focus stays on the option");
    chosen.push(option);
  }
  assert.equal(new Set(chosen).size, 3);
  assert.deepEqual((await api.record(FOOD)).cuisines, chosen);
  await page.keyboard.press("Enter"); // and takes the last choice back
  await message(page, `Deleted: ${chosen[2]}`);
  await page.waitForSelector("#cuisines .offers button[name=add]:focus");
  assert.deepEqual((await api.record(FOOD)).cuisines, chosen.slice(0, 2));
  assert.equal(new URL(page.url()).search, "?edit=cuisines");
  assert.deepEqual(complaints(page), []);
});

test("one of several choices keeps the focus", async (t) => {
  const { page, api } = await scene(t);
  await page.goto(`/account/domains/${FOOD}`);
  await page.focus("#spice_tolerance a.add");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#spice_tolerance .segment:focus");
  for (const press of ["Tab", "Tab"]) {
    await page.keyboard.press(press);
    const choice = await page.evaluate(() => document.activeElement.value);
    await page.keyboard.press("Enter");
    await page.waitForSelector(`#spice_tolerance .segment[value="${choice}"][aria-pressed=true]:focus`);
    assert.equal((await api.record(FOOD)).spice_tolerance, choice);
    assert.equal(await page.locator("#spice_tolerance [aria-pressed=true]").count(), 1);
  }
  await page.focus("#spice_tolerance > a.add");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#spice_tolerance > .chips > a.add:focus");
  assert.equal(await page.locator("#spice_tolerance form").count(), 0);
});

test("Enter in a field leaves the focus in the emptied field", async (t) => {
  const { page, api } = await scene(t);
  await page.goto(`/account/domains/${MUSIC}?edit=favorite_artists`);
  await page.focus("#favorite_artists input[name=value]");
  for (const artist of ["Björk", "Sade", "Nina Simone"]) {
    await page.keyboard.type(artist);
    await page.keyboard.press("Enter");
    await message(page, `Added: ${artist}`);
    await page.waitForSelector("#favorite_artists input[name=value]:focus");
    assert.equal(await page.inputValue("#favorite_artists input[name=value]"), "");
  }
  assert.deepEqual((await api.record(MUSIC)).favorite_artists, ["Björk", "Sade", "Nina Simone"]);
});

test("the Delete key deletes the fact under the focus, and no other key does", async (t) => {
  const { page, api } = await scene(t);
  await api.write(MUSIC, { genres: ["jazz", "fado", "ambient"] });
  await page.goto(`/account/domains/${MUSIC}`);
  await page.focus("#genres .pairs li:nth-child(2) a");
  await page.keyboard.press("x");
  await page.keyboard.press("Delete");
  await message(page, "Deleted: fado");
  assert.deepEqual((await api.record(MUSIC)).genres, ["jazz", "ambient"]);
  assert.ok(await page.evaluate(() => document.querySelector("#genres").contains(document.activeElement)));
});

for (const view of VIEWS)
  test(`areas are summaries, and the search says when nothing matches; ${view.name}`, async (t) => {
    const { page, api } = await scene(t, view);
    for (const { domain, preferences } of DEMO) await api.write(domain, preferences).catch(() => {});
    await page.goto("/account");
    const results = (text) => page.waitForFunction((wanted) => document.querySelector("header [role=status]").textContent === wanted, text);
    assert.equal(await page.locator(".domains .chip").count(), 0);
    assert.match(await page.innerText(".domain:has(#food_profile)"), /\d+ facts Allergies: peanuts\. Diet: veg\w+\./);
    await page.shoot("account-summaries");
    await inBothViews(page, "summaries", assertAccessible);
    await page.focus("#q");
    await page.keyboard.type("peanut");
    await results("1 fact found");
    assert.match(await page.innerText(".domains .chip:visible"), /^peanuts/);
    assert.equal(await page.locator(".none:visible").count(), 0);
    await page.keyboard.type("no such thing");
    await results("No results.");
    assert.equal(await page.textContent(".none:visible"), "No results.");
    const { y, height } = await page.locator(".none:visible").boundingBox();
    assert.ok(y >= 0 && y + height <= page.viewportSize().height, `it is at ${y}, out of the window`);
    assert.equal(await page.locator(".domain:visible").count(), 0);
    assert.ok(await page.evaluate(() => document.activeElement.matches("#q")));
    await page.shoot("account-no-results");
    await inBothViews(page, "no results", assertAccessible);
    await page.fill("#q", "");
    await page.waitForSelector(".domain:visible");
    assert.equal(await page.locator(".domain:visible").count(), DOMAINS.length);
    assert.equal(new URL(page.url()).search, "");
    assert.deepEqual(complaints(page), []);
  });

for (const view of VIEWS)
  for (const javaScriptEnabled of [true, false])
    test(`likely mistakes are pointed out and corrected with one press; ${view.name}, ${javaScriptEnabled ? "with" : "without"} JavaScript`, async (t) => {
      const { page, api } = await scene(t, { ...view, javaScriptEnabled });
      await api.write(FOOD, { allergies: ["peanuts"] });
      await page.goto(`/account/domains/${FOOD}`);
      for (const [member, typed] of [["favorite_foods", "peanuts"], ["cuisines", "Ethopian"]]) {
        await openInput(page, member);
        await page.fill(`#${member} input[name=value]`, typed);
        await page.press(`#${member} input[name=value]`, "Enter");
        await message(page, `Added: ${typed}`);
      }
      assert.match(await page.innerText("#favorite_foods .noticed"), /You also listed peanuts under Allergies/);
      assert.match(await page.innerText("#cuisines .noticed"), /Did you mean Ethiopian instead of Ethopian\?/);
      await page.shoot("domain-noticed");
      if (javaScriptEnabled) await inBothViews(page, "likely mistakes", assertAccessible);
      await page.click("#cuisines .noticed button");
      await message(page, "Changed to: Ethiopian");
      await page.click("#favorite_foods .noticed button");
      await message(page, "Deleted: peanuts");
      assert.equal(await page.locator(".noticed").count(), 0);
      assert.deepEqual(await api.record(FOOD), { allergies: ["peanuts"], cuisines: ["Ethiopian"] });
      assert.deepEqual(complaints(page), []);
    });
