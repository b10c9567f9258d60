// The pages of a user with very many facts and apps: each page stays small and stable, and everything can be
// found and changed, with and without JavaScript.

import assert from "node:assert/strict";
import test from "node:test";
import { assertAccessible, assertFits, assertLight, makeOpener, chipValues, complaints, inBothViews, inReverse, openInput, signIn, VIEWS } from "../kit/browser.mjs";
import { allAtoms, long, manyApps, manyFacts, manyHeld, manySessions, manyWrong, numbers, order, writeMany } from "../kit/crowd.mjs";
import { addApp, DOMAINS, EVERYTHING, stage } from "../kit/oauth.mjs";
import { Client, FOOD, MUSIC } from "../kit/preferences.mjs";
import { often } from "../kit/thorough.mjs";
import { PASSWORD } from "../kit/world.mjs";

const open = makeOpener();

async function scene(outer) {
  const t = inReverse(outer);
  const { w, ada, app } = await stage(t);
  return { t, w, ada, app, api: await Client.connect(ada, app, { scope: EVERYTHING }) };
}

async function enter(t, w, view = {}) {
  const page = await open(t, w, view);
  await page.goto("/signin?next=/account");
  await signIn(page, { password: PASSWORD });
  await page.waitForURL("**/account");
  return page;
}

const shown = chipValues;

// The items of this page and all following pages.
async function onAllPages(page, part) {
  const found = [];
  for (let step = 1; ; step++) {
    found.push(...(await shown(page, part)));
    const next = page.locator(".pages a[rel=next]");
    if ((await next.count()) === 0) return { found, steps: step };
    await next.click();
    await page.waitForURL(new RegExp(`[?&]page=${step + 1}\\b`));
  }
}

test("pages are small, fit the window, and have no layout shift, however much data there is", async (outer) => {
  const { t, w, ada, app, api } = await scene(outer);
  await manyFacts(api);
  await manyHeld(api, 60);
  await manyWrong(api, 60);
  const apps = await manyApps(w, ada, 40);
  await manySessions(ada, 50);
  const uri = `https://app.example/${"r&".repeat(200)}`;
  const far = await addApp(w, { owner: "ada", name: "Far away", redirect_uris: Array.from({ length: 10 }, (_, i) => uri + i) });
  for (let i = 0; i < 60; i++) await w.get(far.request({ redirect_uri: `${uri}${i}/elsewhere`, code_challenge_method: i % 2 ? "plain" : "S256" }).path);
  const [{ atom_id: common }] = (await allAtoms(api, "domain=travel_profile")).filter(({ value }) => value === "Icelandic");
  const [{ atom_id: longest }] = (await allAtoms(api, `domain=${FOOD}&status=all`)).filter(({ value }) => value.length === 200);
  const ofApp = `/account/apps/${app.client_id}`;
  const ofFar = `/developer/apps/${far.client_id}`;
  const ofFood = `/account/domains/${FOOD}`;
  // Pages whose length depends on the amount of data.
  const growing = [
    "/account", "/account?q=e", "/account/waiting", "/account/facts", ofFood, `${ofFood}?show=favorite_foods`, `/account/facts/${common}`, `/account/facts/${longest}`,
    "/account/apps", ofApp, `${ofApp}/facts`, "/developer", ofFar, app.request({ scope: EVERYTHING, prompt: "consent" }).path,
  ];
  // Further pages of lists, which have the elements of the first, and pages that other tests open with few data.
  const others = [
    "/account?q=e&page=7", "/account?budget=500", "/account?q=nothing+like+it", "/account/waiting?page=2", "/account/facts?page=3",
    ...DOMAINS.filter((domain) => domain !== FOOD).map((domain) => `/account/domains/${domain}`),
    ...["statements", "cuisines", "allergies"].map((member) => `${ofFood}?show=${member}`), `${ofFood}?show=favorite_foods&page=3`,
    `/account/facts/${common}?page=2`, "/account/apps?page=2", `${ofApp}?page=9`, `/account/apps/${apps[0].client_id}`, `${ofApp}/facts?page=3`,
    "/account/security", "/account/data", "/account/data/import", "/developer?page=2", "/developer/apps/new",
    ...["?page=2", "/connect", "/try", "/settings", "/delete"].map((tab) => `${ofFar}${tab}`), "/",
  ];
  const opened = [...growing, ...often([], others)];
  for (const view of VIEWS) {
    const page = await enter(t, w, view);
    for (const where of opened) {
      const answer = await page.goto(where);
      const what = where.replace(/atm_[\w-]+|app_[\w-]+/, "…").slice(0, 60);
      assert.equal(answer.status(), 200, what);
      await page.shoot(`many-${what.replaceAll(/\W+/g, "-")}`);
      await assertAccessible(page, what); // in one view: the elements are those of shorter pages
      await inBothViews(page, what, assertLight, assertFits);
      assert.doesNotMatch(await page.innerText("main"), /\b\d{4,} (facts|tokens|requests)|of \d{4,}$/m, what);
    }
    assert.deepEqual(complaints(page), []);
  }
});

test("a layout shift counts only if it happens on every load", async () => {
  const loaded = (...shifts) => ({ evaluate: async () => ({ shift: shifts.shift(), weight: 1 }), reload: async () => {}, shifts });
  await assertLight(loaded(0), "still");
  await assertLight(loaded(0.011, 0), "painted by halves once");
  await assertLight(loaded(0.011, 0.02, 0.009), "… and twice");
  const page = loaded(0.011, 0.011, 0.011, 0);
  await assert.rejects(assertLight(page, "the page"), /the page jumps/);
  assert.deepEqual(page.shifts, [0], "it was loaded three times");
});

// In make check with JavaScript; other tests use these pages without it, with few data.
for (const javaScriptEnabled of often([true], [true, false])) {
  const how = javaScriptEnabled ? "with JavaScript" : "without JavaScript";
  const message = (page, text) => page.waitForSelector(`.flash >> text=${text}`);

  // Performs an action, without leaving the page if there is a script.
  const act = async (page, acting) => {
    const address = new URL(page.url());
    if (javaScriptEnabled) await page.evaluate(() => { window.stayed = true; });
    await acting();
    if (javaScriptEnabled) assert.ok(await page.evaluate(() => window.stayed), "the page was left");
    const { pathname, search } = new URL(page.url());
    assert.equal(pathname + search, address.pathname + address.search, "it leads elsewhere");
  };

  test(`every fact of a member is on one of its pages and can be deleted and restored there; ${how}`, async (outer) => {
    const { t, w, api } = await scene(outer);
    const values = [...numbers(230), ...Array.from({ length: 20 }, (_, i) => long(`Long ${i}`))];
    await writeMany(api, FOOD, "favorite_foods", values);
    await api.write(FOOD, { cuisines: ["Thai"] });
    const page = await enter(t, w, { javaScriptEnabled });
    const chips = "#favorite_foods .pairs li a";
    await page.goto(`/account/domains/${FOOD}`);
    const newest = await shown(page, "#favorite_foods .pairs li:not(.more) a");
    assert.ok(newest.length > 0 && newest.length < 250);
    const start = (value) => value.slice(0, 8); // long ones are cut
    assert.deepEqual(newest.map(start), values.slice(-newest.length).map(start), "the newest are shown, in the order of the record");
    await page.click("#favorite_foods .more a");
    await page.waitForURL(`**/account/domains/${FOOD}?show=favorite_foods`);
    const first = await shown(page, chips);
    assert.ok(first.length > 40 && first.length < 250, `${first.length}`);
    assert.match(await page.textContent(".pages p"), new RegExp(`1 to ${first.length} of 250`));
    const { found, steps } = await onAllPages(page, chips);
    assert.deepEqual(found, values);
    assert.ok(steps >= 3);

    await page.goto(`/account/domains/${FOOD}?show=favorite_foods&page=2`);
    const before = await shown(page, chips);
    const [gone] = before;
    await act(page, async () => {
      await page.click("#favorite_foods .pairs button");
      await message(page, `Deleted: ${gone}`);
    });
    assert.ok(!(await api.record(FOOD)).favorite_foods.includes(gone));
    assert.equal((await shown(page, chips))[0], before[1]);
    await act(page, async () => {
      await page.click(".flash button");
      await message(page, "Undone.");
    });
    assert.deepEqual(await shown(page, chips), before);
    assert.deepEqual((await api.record(FOOD)).favorite_foods, values);

    await act(page, async () => {
      await page.fill("#favorite_foods input[name=value]", "x".repeat(90));
      await page.click("#favorite_foods .inline button");
      await page.waitForSelector("#favorite_foods .problem >> text=at most 80 characters");
    });

    // After visiting the fact's own page, the browser returns to the same page of the list.
    await page.goto(`/account/domains/${FOOD}?show=favorite_foods&page=2`);
    await page.click(chips);
    await page.waitForURL("**/account/facts/**");
    assert.equal(await page.textContent("h1"), gone);
    assert.match(await page.getAttribute("a.back", "href"), /show=favorite_foods&page=2$/);
    await page.click("form[action$='/suppress'] button");
    await page.waitForURL(`**/account/domains/${FOOD}?show=favorite_foods&page=2`);
    await act(page, async () => {
      await page.click(".flash button");
      await message(page, "Undone.");
    });
    assert.deepEqual(await shown(page, chips), before);
    assert.deepEqual(complaints(page), []);
  });

  test(`after the last page is emptied, the page before it is shown; ${how}`, async (outer) => {
    const { t, w, api } = await scene(outer);
    await writeMany(api, FOOD, "favorite_foods", numbers(101));
    const page = await enter(t, w, { javaScriptEnabled });
    await page.goto(`/account/domains/${FOOD}?show=favorite_foods&page=99`);
    const last = await shown(page, "#favorite_foods .pairs li a");
    for (const value of last) {
      await page.click(`#favorite_foods .pairs button[aria-label$="${value}"]`);
      await message(page, `Deleted: ${value}`);
    }
    const now = await shown(page, "#favorite_foods .pairs li a");
    assert.ok(now.length > 10 && !now.some((value) => last.includes(value)));
    assert.equal((await api.record(FOOD)).favorite_foods.length, 101 - last.length);
  });

  test(`all held facts and all facts marked as wrong can be reviewed, page by page; ${how}`, async (outer) => {
    const { t, w, api } = await scene(outer);
    await manyHeld(api, 40);
    await manyWrong(api, 40);
    const page = await enter(t, w, { javaScriptEnabled });
    assert.equal(await page.locator(".pending").count(), 4);
    await page.click("text=Review all 40");
    await page.waitForURL("**/account/waiting**");
    const { found, steps } = await onAllPages(page, ".pending q");
    assert.deepEqual(new Set(found), new Set(Array.from({ length: 40 }, (_, i) => order(i))));
    assert.ok(found.length === 40 && steps > 1);

    await page.goto("/account/waiting?page=2");
    const [first] = await shown(page, ".pending q");
    for (const [what, text, status] of [["accept", "Accepted", "active"], ["reject", "Rejected", "suppressed"]]) {
      await act(page, async () => {
        await page.click(`.pending form[action$='/${what}'] button`);
        await message(page, text);
      });
      assert.equal((await allAtoms(api, "status=all")).find(({ value }) => value === first).status, status);
      await act(page, async () => {
        await page.click(".flash button");
        await message(page, "Undone.");
      });
      assert.equal((await shown(page, ".pending q"))[0], first);
    }

    await page.goto("/account/facts?page=2");
    const [wrong] = await shown(page, ".wrong .row-title");
    await act(page, async () => {
      await page.click(".wrong form button");
      await message(page, "Restored");
    });
    assert.ok((await api.record("coding_profile")).databases.includes(wrong));
    assert.deepEqual(complaints(page), []);
  });

  test(`a search finds everything, on several pages if needed; ${how}`, async (outer) => {
    const { t, w, api } = await scene(outer);
    await writeMany(api, MUSIC, "favorite_artists", numbers(150));
    await writeMany(api, FOOD, "favorite_foods", numbers(150, 1000));
    await api.write(FOOD, { cuisines: ["Thai"] });
    const page = await enter(t, w, { javaScriptEnabled });
    await page.fill("#q", "of MANY");
    await page.press("#q", "Enter");
    await page.waitForURL("**/account?q=**");
    assert.match(await page.textContent("main"), /300 facts found/);
    const { found, steps } = await onAllPages(page, ".domains .chip");
    assert.deepEqual(new Set(found), new Set([...numbers(150), ...numbers(150, 1000)]));
    assert.ok(found.length === 300 && steps > 1);
    await page.goto("/account?q=number+1149");
    assert.deepEqual(await shown(page, ".domains .chip"), ["Number 1149 of many"]);
  });
}

test("typing into the search finds facts that no page shows, and keeps the cursor", async (outer) => {
  const { t, w, api } = await scene(outer);
  await writeMany(api, FOOD, "favorite_foods", numbers(100));
  const page = await enter(t, w);
  await page.focus("#q");
  await page.keyboard.type("number 99");
  await page.waitForSelector(".domains .chip >> text=Number 99 of many");
  assert.deepEqual(await shown(page, ".domains .chip"), ["Number 99 of many"]);
  await page.keyboard.type("x");
  await page.waitForSelector(".none:visible");
  assert.equal(await page.inputValue("#q"), "number 99x");
  assert.equal(new URL(page.url()).searchParams.get("q"), "number 99x");
});

test("typed text stays when a chip beside it is deleted", async (outer) => {
  const { t, w, api } = await scene(outer);
  await api.write(FOOD, { cuisines: ["Thai", "Peruvian"] });
  const page = await enter(t, w);
  await page.goto(`/account/domains/${FOOD}`);
  await openInput(page, "cuisines");
  await page.fill("#cuisines input[name=value]", "Geor");
  await page.click("#cuisines .pairs button");
  await page.waitForSelector(".flash >> text=Deleted");
  assert.equal(await page.inputValue("#cuisines input[name=value]"), "Geor");
  await page.press("#cuisines input[name=value]", "Enter"); // adds, and does not press another button
  await page.waitForSelector(".flash >> text=Added: Geor");
  assert.deepEqual((await api.record(FOOD)).cuisines, ["Peruvian", "Geor"]);
});

test("every app and every source of a fact is on one of the pages", async (outer) => {
  const { t, w, ada } = await scene(outer);
  const apps = await manyApps(w, ada, 30);
  const names = new Set(apps.map(({ name }) => name));
  const page = await enter(t, w, { javaScriptEnabled: false });
  const all = async (where, part) => {
    await page.goto(where);
    const { found, steps } = await onAllPages(page, part);
    assert.ok(steps > 1, where);
    assert.equal(found.length, new Set(found).size, where);
    return found.map((name) => name.trim()).filter((name) => names.has(name)).length;
  };
  assert.equal(await all("/account/apps", ".app h2 a"), 30);
  assert.equal(await all("/developer", ".row-title a"), 30);
  await page.goto("/account/domains/travel_profile");
  await page.click("#languages .pairs a");
  await page.waitForURL("**/account/facts/**");
  assert.match(await page.textContent("main"), /19 more apps/); // 31 with the one of the scene
  assert.equal(await all(page.url(), ".rows .row-title"), 30);
});
