// Printed account pages contain all facts, black on white, without controls.

import assert from "node:assert/strict";
import path from "node:path";
import test from "node:test";
import { makeOpener, inReverse, signIn } from "../kit/browser.mjs";
import { EVERYTHING, stage } from "../kit/oauth.mjs";
import { Client, FOOD, MUSIC } from "../kit/preferences.mjs";
import { PASSWORD, ROOT } from "../kit/world.mjs";

const open = makeOpener();
const CODING = "coding_profile";

const RECORDS = {
  [MUSIC]: { favorite_artists: ["Björk", "Nina Simone"], genres: ["jazz"], audio_quality: "lossless" },
  [FOOD]: { allergies: ["peanuts"], cuisines: ["Thai", "Ethiopian"], dietary: "pescatarian", household_size: 3, spice_tolerance: "hot" },
  [CODING]: { languages: ["C"], indentation: { style: "tabs", width: 8 }, line_length: 97 },
};

// Every visible text with its color and the nearest background; input fields count by their values.
const seen = (page) => page.evaluate(() => {
  const opaque = (color) => !/^rgba\(.*, 0\)$|^transparent$/.test(color);
  const ground = (one) => (one === null ? "rgb(255, 255, 255)" : opaque(getComputedStyle(one).backgroundColor) ? getComputedStyle(one).backgroundColor : ground(one.parentElement));
  const visible = (one) => one.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }) && one.getClientRects().length > 0 && !one.closest(".away");
  const found = [];
  const note = (one, text) => visible(one) && found.push({ text: text.trim().replaceAll(/\s+/g, " "), color: getComputedStyle(one).color, ground: ground(one), tag: one.tagName, pressed: one.getAttribute("aria-pressed") });
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const { data, parentElement } = walk.currentNode;
    if (data.trim() !== "" && !parentElement.closest("option, script, datalist")) note(parentElement, data);
  }
  for (const box of document.querySelectorAll("input:not([type=hidden]), select, textarea")) note(box, box.selectedOptions?.[0]?.text ?? box.value);
  return found;
});

const light = (color) => Math.min(...color.match(/\d+/g).slice(0, 3).map(Number));
const dark = (color) => Math.max(...color.match(/\d+/g).slice(0, 3).map(Number));

async function scene(outer, colorScheme) {
  const t = inReverse(outer);
  const { w, ada, app } = await stage(t);
  const api = await Client.connect(ada, app, { scope: EVERYTHING });
  for (const [domain, record] of Object.entries(RECORDS)) await api.write(domain, record);
  await api.write(MUSIC, { genres: ["polka"] });
  const { atoms } = await api.read("preferences/atoms?limit=100");
  const id = (value) => atoms.find((atom) => atom.value === value).atom_id;
  await api.suppressing(id("polka"));
  const page = await open(t, w, { name: `print-${colorScheme}`, colorScheme });
  await page.goto("/signin?next=/account");
  await signIn(page, { password: PASSWORD });
  await page.waitForURL("**/account");
  await page.emulateMedia({ media: "print", colorScheme });
  return { page, id };
}

const said = (record) => Object.values(record).flatMap((value) => (Array.isArray(value) ? value : typeof value === "object" ? Object.values(value) : [value])).map(String);

for (const colorScheme of ["light", "dark"])
  test(`all facts are printed, black on white, without controls: ${colorScheme}`, async (outer) => {
    const { page, id } = await scene(outer, colorScheme);
    const printed = async (where, what) => {
      await page.goto(where);
      await page.shoot(`print-${what}`);
      const parts = await seen(page);
      assert.ok(parts.length > 3, where);
      for (const { text, color, ground } of parts) {
        assert.ok(dark(color) <= 0x33, `${where}: ${text} is ${color}`);
        assert.equal(light(ground), 255, `${where}: ${text} stands on ${ground}`);
      }
      assert.deepEqual(parts.filter(({ tag, pressed, text }) => (tag === "BUTTON" && pressed !== "true") || text === ""), [], where);
      assert.equal(await page.locator("nav:visible, button:not([aria-pressed=true]):visible, .legend:visible, .flash:visible, .bottom:visible, .skip:visible").count(), 0, where);
      return parts.map(({ text }) => text);
    };
    const all = await printed("/account", "account");
    for (const value of ["Björk", "Nina Simone", "jazz", "peanuts", "Thai", "Ethiopian", "pescatarian"]) assert.ok(all.join(" ").includes(value), value);
    assert.ok(all.includes("polka"), "what is marked as wrong is known, too");
    for (const [domain, record] of Object.entries(RECORDS)) {
      const texts = await printed(`/account/domains/${domain}`, domain);
      for (const value of said(record)) assert.ok(texts.join(" ").includes(value), `${domain}: ${value} in ${texts.join(" | ")}`);
    }
    const food = await printed(`/account/domains/${FOOD}`, "food");
    for (const absent of ["Intolerances", "milk", "mild", "Add", "Save", "Clear"]) assert.ok(!food.includes(absent), absent);
    const fact = await printed(`/account/facts/${id("Björk")}`, "fact");
    assert.ok(fact.includes("Björk") && fact.some((text) => /Concert Finder/.test(text)));
    assert.ok(!fact.some((text) => /Delete|not true/i.test(text)), fact.join(" | "));
    await printed("/account/facts", "wrong");
    await printed("/account/apps", "apps");
    await page.goto("/account");
    await page.pdf({ format: "A4", path: process.env.SCREENSHOTS && path.join(ROOT, `build/screenshots/print-${colorScheme}.pdf`) });
  });
