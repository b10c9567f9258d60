// Sign-in and consent in a browser: with and without JavaScript, desktop and phone, light and dark, with the
// keyboard alone.

import assert from "node:assert/strict";
import test from "node:test";
import { assertAccessible, assertFits, makeOpener, Callback, complaints, inBothViews, inReverse, PHONE, signIn, VIEWS } from "../kit/browser.mjs";
import { addApp, MINUTE, NOW, stage, words } from "../kit/oauth.mjs";
import { PASSWORD } from "../kit/world.mjs";

const open = makeOpener();
const SCOPE = "music_preferences food_profile agent_hints profile:read";
const WRONG = "wrong kettle sings at dusk";

async function setting(test, view, { scope = SCOPE, ...params } = {}) {
  const t = inReverse(test);
  const callback = await Callback.open(t);
  const { w, app } = await stage(t, { signedIn: false, app: { redirect_uri: "http://127.0.0.1/cb", scope, ...params } });
  app.redirect_uri = callback.uri;
  const page = await open(t, w, view);
  return { w, app, callback, page };
}

async function tokens({ app, callback }, request, n = 1) {
  const { params, headers } = await callback.arrival(n);
  assert.equal(params.state, request.state);
  assert.equal(params.iss, app.issuer);
  assert.equal(headers.referer, undefined, "the address of our page was sent to the app");
  const answer = await app.exchange({ ...request, code: params.code });
  assert.equal(answer.status, 200, answer.text);
  return answer.data;
}

for (const view of VIEWS)
  test(`sign in with a wrong password first, then decide; every page is accessible and fits: ${view.name}`, async (t) => {
    const all = await setting(t, view);
    const { w, app, page } = all;
    const look = async (what) => {
      await page.shoot(what);
      await inBothViews(page, what, assertAccessible, assertFits);
    };
    const request = app.request();
    await page.goto(request.path);
    assert.match(page.url(), /\/signin\?next=/);
    await look("signin");
    await signIn(page, { password: WRONG });
    await page.waitForSelector("[role=alert]");
    assert.equal(await page.inputValue("input[name=username]"), "ada");
    assert.equal(await page.inputValue("input[name=password]"), "");
    await look("signin-wrong");
    await signIn(page, { password: PASSWORD });
    await page.waitForSelector("button[value=allow]");
    assert.match(await page.textContent("h1"), /Concert Finder/);
    assert.equal(await page.locator("input[name=scope]:checked").count(), 4);
    await look("consent");
    await page.uncheck("input[name=scope][value=food_profile]");
    await page.selectOption("select[name=term]", "30d");
    await page.click("button[value=allow]");
    const set = await tokens(all, request);
    assert.deepEqual(words(set.scope), ["agent_hints", "music_preferences", "profile:read"]);

    await page.goto(app.request({ client_id: "app_AAAAAAAAAAAAAAAAAAAAAA" }).path);
    await look("authorize-unknown-app");
    await page.goto("/oauth/consent?request=req_AAAAAAAAAAAAAAAAAAAAAA");
    await look("consent-expired");
    await page.goto("/");
    await look("start-signed-in");
    assert.deepEqual(complaints(page), []);
    assert.ok(w.service.alive);
  });

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with JavaScript" : "without JavaScript";

  test(`allow, return to the app, and the next request does not ask; ${how}`, async (t) => {
    const all = await setting(t, { javaScriptEnabled });
    const { app, callback, page } = all;
    const first = app.request();
    await page.goto(first.path);
    await signIn(page, { password: PASSWORD });
    await page.click("button[value=allow]");
    assert.deepEqual(words((await tokens(all, first)).scope), words(SCOPE));
    const second = app.request();
    await page.goto(second.path);
    assert.equal(new URL(page.url()).origin, callback.origin);
    await tokens(all, second, 2);
    assert.deepEqual(complaints(page), []);
  });

  test(`deny, and the app gets access_denied; ${how}`, async (t) => {
    const { app, callback, page } = await setting(t, { javaScriptEnabled });
    const request = app.request();
    await page.goto(request.path);
    await signIn(page, { password: PASSWORD });
    await page.click("button[value=deny]");
    const { params } = await callback.arrival();
    assert.deepEqual([params.error, params.state, params.code], ["access_denied", request.state, undefined]);
  });

  test(`selecting nothing is a denial; ${how}`, async (t) => {
    const { app, callback, page } = await setting(t, { javaScriptEnabled });
    await page.goto(app.request().path);
    await signIn(page, { password: PASSWORD });
    for (const box of await page.locator("input[name=scope]").all()) await box.uncheck();
    await page.click("button[value=allow]");
    assert.equal((await callback.arrival()).params.error, "access_denied");
  });

  test(`an expired consent page explains this, and starting again works; ${how}`, async (t) => {
    const all = await setting(t, { javaScriptEnabled });
    const { w, app, callback, page } = all;
    const request = app.request();
    await page.goto(request.path);
    await signIn(page, { password: PASSWORD });
    await page.waitForSelector("button[value=allow]");
    w.clock.stop(NOW + 11 * MINUTE);
    await page.click("button[value=allow]");
    await page.waitForSelector("text=expired");
    assert.equal(callback.arrivals.length, 0);
    if (javaScriptEnabled) await assertAccessible(page, "an expired consent");
    await page.goto(request.path);
    await page.click("button[value=allow]");
    await tokens(all, request);
  });

  test(`prompt=login asks a signed-in user for the password; ${how}`, async (t) => {
    const all = await setting(t, { javaScriptEnabled });
    const { app, page } = all;
    const first = app.request();
    await page.goto(first.path);
    await signIn(page, { password: PASSWORD });
    await page.click("button[value=allow]");
    await tokens(all, first);
    const second = app.request({ prompt: "login" });
    await page.goto(second.path);
    await signIn(page, { password: WRONG });
    await page.waitForSelector("[role=alert]");
    await signIn(page, { password: PASSWORD });
    await tokens(all, second, 2);
    assert.deepEqual(complaints(page), []);
  });
}

test("the keyboard alone signs in, deselects a scope, chooses a duration, and allows", async (t) => {
  const all = await setting(t);
  const { app, page } = all;
  const request = app.request();
  await page.goto(request.path);
  const press = page.keyboard;
  // Presses Tab until an element has the focus; the focus must always be visible.
  const reach = async (selector) => {
    for (let i = 0; i < 40; i++) {
      await press.press("Tab");
      const { there, marked } = await page.evaluate((wanted) => {
        const at = document.activeElement;
        const style = getComputedStyle(at);
        return { there: at.matches(wanted), marked: style.outlineStyle !== "none" || style.boxShadow !== "none" };
      }, selector);
      assert.ok(marked, `nothing marks a stop before ${selector}`);
      if (there) return;
    }
    assert.fail(`${selector} cannot be reached`);
  };
  await reach("input[name=username]");
  await press.type("ada");
  await reach("input[name=password]");
  await press.type(PASSWORD);
  await press.press("Enter");
  await page.waitForSelector("button[value=allow]");
  await reach("input[name=scope][value=food_profile]");
  await press.press("Space");
  await reach("select[name=term]");
  await press.press("ArrowDown");
  await reach("button[value=allow]");
  await press.press("Enter");
  const set = await tokens(all, request);
  assert.deepEqual(words(set.scope), ["agent_hints", "music_preferences", "profile:read"]);
});

for (const view of VIEWS)
  test(`"All preferences" ticks and locks the areas below it: ${view.name}`, async (t) => {
    const all = await setting(t, view, { scope: "preferences:read music_preferences food_profile" });
    const { app, page } = all;
    const request = app.request();
    await page.goto(request.path);
    await signIn(page, { password: PASSWORD });
    await page.waitForSelector("button[value=allow]");
    const whole = page.locator("input[value='preferences:read']");
    const food = page.locator("input[value=food_profile]");
    const state = () => food.evaluate((box) => [box.checked, box.ariaDisabled]);
    assert.deepEqual(await state(), [true, "true"]);
    await food.click({ force: true });
    assert.deepEqual(await state(), [true, "true"], "a locked area was unticked");
    await food.focus();
    await page.keyboard.press("Space");
    assert.deepEqual(await state(), [true, "true"], "the keyboard unticked a locked area");
    await inBothViews(page, "locked areas", assertAccessible);
    await page.shoot("consent-locked");
    await whole.uncheck();
    assert.deepEqual(await state(), [true, null]);
    await food.uncheck();
    await whole.check();
    assert.deepEqual(await state(), [true, "true"], "ticking all did not tick the area");
    await whole.uncheck();
    await food.uncheck();
    await page.click("button[value=allow]");
    assert.deepEqual(words((await tokens(all, request)).scope), ["music_preferences"]);
  });

for (const view of VIEWS)
  test(`the page of an app locks the areas as well, and lists what the app can see and change apart: ${view.name}`, async (t) => {
    const all = await setting(t, view, { scope: "preferences:read preferences:write music_preferences food_profile" });
    const { app, page } = all;
    const request = app.request();
    await page.goto(request.path);
    await signIn(page, { password: PASSWORD });
    await page.click("button[value=allow]");
    await tokens(all, request);
    await page.goto(`${app.issuer}/account/apps/${app.client_id}`);
    assert.deepEqual(await page.locator("form[action$='/scopes'] legend").allInnerTexts(), ["Can see", "Can change"]);
    assert.equal(await page.locator("input[name=scope]").first().inputValue(), "preferences:read");
    const food = page.locator("input[value=food_profile]");
    await food.click({ force: true });
    assert.deepEqual(await food.evaluate((box) => [box.checked, box.ariaDisabled]), [true, "true"], "unticking an area changes nothing while the app sees all");
    await inBothViews(page, "app page with locked areas", assertAccessible, assertFits);
    await page.uncheck("input[value='preferences:read']");
    await food.uncheck();
    await page.click("form[action$='/scopes'] button");
    await page.waitForSelector(".flash");
    assert.deepEqual(await page.locator("input[name=scope]").evaluateAll((boxes) => boxes.map((box) => box.value)), ["music_preferences", "preferences:write"]);
  });

test("tapping the label of a scope selects its checkbox", async (t) => {
  const { app, callback, page } = await setting(t, { name: "phone", ...PHONE });
  await page.goto(app.request().path);
  await signIn(page, { password: PASSWORD });
  await page.waitForSelector("button[value=allow]");
  const row = page.locator("label", { has: page.locator("input[value=music_preferences]") });
  await row.tap();
  assert.equal(await page.isChecked("input[value=music_preferences]"), false);
  const { height } = await row.boundingBox();
  assert.ok(height >= 24, `a target of ${height} pixels`);
  await page.locator("button[value=deny]").tap();
  await callback.arrival();
});

test("going back after allowing and allowing again does no harm", async (t) => {
  const all = await setting(t);
  const { app, callback, page } = all;
  const request = app.request();
  await page.goto(request.path);
  await signIn(page, { password: PASSWORD });
  await page.click("button[value=allow]");
  const set = await tokens(all, request);
  await page.goBack();
  const button = page.locator("button[value=allow]");
  if ((await button.count()) > 0) {
    await button.click();
    await page.waitForLoadState();
  }
  const late = callback.arrivals.slice(1).map(({ url }) => new URL(url).searchParams.get("code"));
  for (const code of late) assert.ok(code === null || code.startsWith("pn_ac_"));
  assert.deepEqual(await app.worth(set.access_token), words(SCOPE));
});

test("consent pages of two apps in two tabs are independent", async (t) => {
  const all = await setting(t);
  const { w, app, callback, page } = all;
  const other = await addApp(w, { name: "Other App", redirect_uri: "http://127.0.0.1/cb", scope: SCOPE });
  other.redirect_uri = callback.uri;
  const one = app.request({ scope: "music_preferences" });
  await page.goto(one.path);
  await signIn(page, { password: PASSWORD });
  await page.waitForSelector("button[value=allow]");
  const tab = await page.context().newPage();
  const two = other.request({ scope: "profile:read" });
  await tab.goto(two.path);
  assert.match(await tab.textContent("h1"), /Other App/);
  await page.click("button[value=allow]");
  await callback.arrival(1);
  await tab.click("button[value=allow]");
  await callback.arrival(2);
  assert.deepEqual(words((await tokens(all, one, 1)).scope), ["music_preferences"]);
  assert.deepEqual(words((await tokens({ app: other, callback }, two, 2)).scope), ["profile:read"]);
});

test("a hostile app name is escaped, a long one fits, and a public app is marked as such", async (t) => {
  const all = await setting(t, { name: "phone-hostile", ...PHONE }, { name: "<img src=x onerror=alert(1)> & Söhne mit langem Namen", isPublic: true });
  const { app, page } = all;
  page.on("dialog", () => assert.fail("a script ran"));
  await page.goto(app.request().path);
  await signIn(page, { password: PASSWORD });
  await page.waitForSelector("button[value=allow]");
  assert.ok((await page.textContent("h1")).includes("<img src=x onerror=alert(1)>"));
  assert.equal(await page.locator("img[src=x]").count(), 0);
  await assertFits(page, "a long name");
  await assertAccessible(page, "a public app's consent");
  assert.match(await page.textContent("main"), /We can't verify this app's identity/);
  await page.shoot("consent-public");
});

test("pages cannot be framed and run no foreign scripts", async (t) => {
  const { w, app, callback, page } = await setting(t);
  await page.goto(app.request().path);
  await signIn(page, { password: PASSWORD });
  await page.waitForSelector("button[value=allow]");
  const evil = await page.context().newPage();
  await evil.goto(callback.origin);
  const framed = await evil.evaluate(async (source) => {
    const frame = document.createElement("iframe");
    frame.src = source;
    const loaded = new Promise((resolve) => frame.addEventListener("load", resolve));
    document.body.append(frame);
    await loaded;
    try {
      return frame.contentDocument !== null; // another origin: null, refused or not
    } catch {
      return false;
    }
  }, `${w.origin}${app.request().path}`);
  assert.equal(framed, false);
  assert.equal(await evil.frames()[1]?.locator("button[value=allow]").count().catch(() => 0), 0, "the consent page is in a frame");
});

test("a password manager recognizes the fields of the sign-in page", async (t) => {
  const { page } = await setting(t);
  await page.goto("/signin");
  assert.equal(await page.getAttribute("input[name=username]", "autocomplete"), "username");
  assert.equal(await page.getAttribute("input[name=password]", "autocomplete"), "current-password");
  assert.equal(await page.getAttribute("input[name=password]", "type"), "password");
});

test("every page has a sign-out button, after which the user must sign in again", async (t) => {
  const { app, page } = await setting(t);
  await page.goto("/signin");
  await signIn(page, { password: PASSWORD });
  await page.waitForSelector("form[action='/signout'] button");
  await page.click("form[action='/signout'] button");
  await page.waitForLoadState();
  assert.equal(await page.locator("form[action='/signout']").count(), 0);
  await page.goto(app.request().path);
  assert.match(page.url(), /\/signin/);
});

test("at 400 % zoom nothing is cut off", async (t) => {
  const { app, page } = await setting(t, { name: "zoom", viewport: { width: 320, height: 256 } });
  await page.goto(app.request().path);
  await assertFits(page, "sign-in");
  await signIn(page, { password: PASSWORD });
  await page.waitForSelector("button[value=allow]");
  await assertFits(page, "consent");
  await page.goto(app.request({ redirect_uri: "https://evil.example/" }).path);
  await assertFits(page, "an error");
});

test("with text at 150 % both buttons are in the window", async (t) => {
  const { app, page } = await setting(t, { name: "large-text", ...PHONE });
  await page.goto(app.request().path);
  await signIn(page, { password: PASSWORD });
  await page.waitForSelector("button[value=allow]");
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("html { font-size: 150% }");
    document.adoptedStyleSheets = [sheet];
  });
  await assertFits(page, "consent in large text");
});
