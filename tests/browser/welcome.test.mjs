// The first run: questions after sign-up that end on the hints, and help with passwords.

import assert from "node:assert/strict";
import test from "node:test";
import { assertAccessible, assertFits, assertLight, makeOpener, complaints, inBothViews, inReverse, VIEWS } from "../kit/browser.mjs";
import { PASSWORD, world } from "../kit/world.mjs";

const openAny = makeOpener();

async function begin(outer, view) {
  const t = inReverse(outer);
  const w = await world(t);
  const page = await openAny(t, w, view);
  const look = async (what) => {
    await page.shoot(what);
    await inBothViews(page, what, assertAccessible, assertFits);
  };
  await page.goto("/signup");
  return { w, page, look };
}

async function signUp(page) {
  await page.fill("#username", "ada");
  await page.fill("#password", PASSWORD);
  await page.click("form[action='/signup'] button[type=submit]");
  await page.waitForURL("**/account/welcome");
}

for (const view of [...VIEWS, { name: "no-script", javaScriptEnabled: false }])
  test(`a few taps after sign-up lead to the hints that an assistant would get: ${view.name}`, async (t) => {
    const { page, look } = await begin(t, view);
    await signUp(page);
    if (view.javaScriptEnabled !== false) await look("welcome");
    const steps = Number(/of (\d+)/.exec(await page.textContent("main"))[1]);
    assert.ok(steps >= 5 && steps <= 8, `${steps} questions`);
    for (let step = 1; step <= steps; step++) {
      assert.match(await page.textContent("main"), new RegExp(`Question ${step} of ${steps}`));
      if (step === 1) await page.check("input[value=peanuts]");
      if (step === 2) await page.check("input[type=radio] >> nth=0");
      if (step % 2) await page.click("main form button");
      else if (step === 2) await page.click("main form button");
      else await page.click("a[href*='step=']");
      await page.waitForURL(`**/account/welcome?step=${step + 1}`);
    }
    assert.match(await page.textContent("h1"), /This is what an assistant would know now/);
    assert.match(await page.textContent(".quote"), /peanuts/);
    if (view.javaScriptEnabled !== false) await look("welcome-done");
    await page.click("main a.button");
    await page.waitForURL("**/account");
    // The overview leads with the hints, and offers them as text for an assistant that is not connected.
    const sentences = await page.$$eval("#agent .quote p", (all) => all.map((one) => one.textContent));
    assert.ok(sentences.some((one) => /peanuts/.test(one)));
    assert.ok(await page.$eval("#agent", (one) => one.compareDocumentPosition(document.querySelector(".domains")) === Node.DOCUMENT_POSITION_FOLLOWING));
    await page.click(".copy-hints > summary");
    const [first, ...lines] = (await page.inputValue("#instructions")).trim().split("\n");
    assert.equal(first, "About me (the user). Use what helps with a request, and ignore the rest.");
    assert.deepEqual(lines, sentences.map((one) => `- ${one}`));
    assert.equal(await page.isVisible("[data-copy=instructions]"), view.javaScriptEnabled !== false);
    if (view.javaScriptEnabled === false) return;
    await look("copy-hints");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.click("[data-copy=instructions]");
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await page.inputValue("#instructions"));
    assert.match(await page.textContent("main"), /peanuts/);
    assert.deepEqual(complaints(page), []);
  });

test("a password can be shown, a new one is advised on, and it is sent as a password", async (t) => {
  const { w, page, look } = await begin(t);
  await assertLight(page, "signup");
  const said = () => page.textContent("[data-password] [role=status]");
  await page.fill("#password", "abc");
  assert.match(await said(), /Characters still needed: 7/);
  await page.fill("#password", "aaaaaaaaaaaaaaaa");
  assert.match(await said(), /more different characters/);
  await page.fill("#password", PASSWORD);
  assert.match(await said(), /Good length/);
  await page.click("[data-password] button");
  assert.equal(await page.getAttribute("#password", "type"), "text");
  await look("password-shown");
  await page.click("[data-password] button");
  assert.equal(await page.getAttribute("#password", "type"), "password");
  await page.click("[data-password] button");
  await signUp(page);
  assert.deepEqual(await w.usernames(), ["ada"]);
  await page.goto("/account/security");
  await page.click("[data-password] button");
  assert.equal(await page.getAttribute("#new_password", "type"), "text");
  assert.deepEqual(complaints(page), []);
});
