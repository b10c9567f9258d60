// Start page and sign-up in a browser: with and without JavaScript, desktop and phone, light and dark, with the
// keyboard alone.

import assert from "node:assert/strict";
import test from "node:test";
import { assertAccessible, assertFits, makeOpener, complaints, DESK, inBothViews, VIEWS } from "../kit/browser.mjs";
import { userCommand } from "../kit/oauth.mjs";
import { PASSWORD, world } from "../kit/world.mjs";

const NEW = "seven quiet lanterns by the harbor";

const openAny = makeOpener();

// A page that also reports failed requests and requests to other origins.
async function open(t, w, view = VIEWS[0]) {
  const page = await openAny(t, w, view);
  page.on("requestfailed", (request) => page.complaints.push(`${request.url()}: ${request.failure()?.errorText}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(w.origin)) page.complaints.push(`asked elsewhere: ${request.url()}`);
  });
  return page;
}

async function fill(page, fields) {
  for (const [name, value] of Object.entries(fields)) await page.fill(`input[name=${name}]`, value);
}

for (const view of VIEWS)
  test(`start page, sign-up, its errors, and the ways back into an account are usable and accessible: ${view.name}`, async (t) => {
    const w = await world(t);
    const page = await open(t, w, view);
    const look = async (what) => {
      await page.shoot(what);
      await inBothViews(page, what, assertAccessible, assertFits);
    };
    await page.goto("/");
    await look("start");
    await page.click('a[href="/signup"]');
    await page.waitForURL("**/signup");
    await look("signup");
    await fill(page, { username: "x", email: "ada@example.org", password: PASSWORD });
    await page.$eval("form", (form) => form.setAttribute("novalidate", "")); // what a browser would catch itself
    await page.click("form button[type=submit]");
    await page.waitForSelector('[aria-invalid="true"]');
    await look("signup-errors");
    assert.equal(await page.inputValue("input[name=email]"), "ada@example.org");
    assert.equal(await page.inputValue("input[name=password]"), "");
    const described = await page.getAttribute("input[name=username]", "aria-describedby");
    const said = await page.$$eval(described.split(/\s+/).map((id) => `#${id}`).join(","), (all) => all.map((one) => one.textContent).join(" "));
    assert.match(said, /3/);
    await fill(page, { username: "ada", password: PASSWORD });
    await page.click("form button[type=submit]");
    await page.waitForURL("**/account/welcome");
    await look("signed-up");
    await page.goto("/account/security");
    await page.click("form[action$='/codes'] button");
    await page.waitForSelector(".codes");
    await look("codes");
    const code = await page.textContent(".codes code");
    w.secrets.add(code);
    await page.goto("/forgot");
    await look("forgot");
    await page.click("a[href='/recover']");
    await look("recover");
    await fill(page, { username: "ada", code, new_password: NEW });
    await page.click("form[action='/recover'] button[type=submit]");
    await page.waitForURL("**/signin");
    await look("recovered");
    const { link } = await userCommand(w, "recover", "ada");
    w.secrets.add(new URL(link).searchParams.get("token"));
    const { pathname, search } = new URL(link);
    await page.goto(pathname + search);
    await look("reset");
    await fill(page, { new_password: PASSWORD });
    await page.click("form[action='/reset'] button[type=submit]");
    await page.waitForURL("**/signin");
    await page.goto(pathname + search);
    await look("reset-expired");
    await page.goto("/nothing/here");
    await look("not-found");
    assert.equal(await page.title(), `${await page.textContent("h1")} · Penchant`); // a tab's name says what it is, too
    assert.deepEqual(complaints(page), []);
    assert.deepEqual(await w.usernames(), ["ada"]);
  });

test("without JavaScript everything works the same", async (t) => {
  const w = await world(t);
  const page = await open(t, w, { name: "no-script", ...DESK, javaScriptEnabled: false });
  await page.goto("/");
  await page.click('a[href="/signup"]');
  await fill(page, { username: "grace", email: "", name: "Grace Hopper", password: PASSWORD });
  await page.click("form button[type=submit]");
  await page.waitForURL("**/account/welcome");
  assert.deepEqual((await w.users()).map((user) => [user.username, user.name]), [["grace", "Grace Hopper"]]);
});

test("the keyboard alone leads from the start page to an account", async (t) => {
  const w = await world(t);
  const page = await open(t, w);
  await page.goto("/");
  // The focus must always be visible.
  for (let i = 0; i < 20; i++) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(() => {
      const style = getComputedStyle(document.activeElement);
      return { href: document.activeElement.getAttribute("href"), marked: style.outlineStyle !== "none" || style.boxShadow !== "none" };
    });
    assert.ok(at.marked, `nothing marks ${at.href}`);
    if (at.href === "/signup") break;
  }
  await page.keyboard.press("Enter");
  await page.waitForURL("**/signup");
  const texts = { username: "keyboard", password: PASSWORD };
  for (let i = 0; i < 30 && Object.keys(texts).length > 0; i++) {
    await page.keyboard.press("Tab");
    const name = await page.evaluate(() => document.activeElement.name ?? "");
    if (texts[name]) await page.keyboard.type(texts[name]);
    delete texts[name];
  }
  assert.deepEqual(texts, {}, "a field cannot be reached");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/account/welcome");
  assert.deepEqual(await w.usernames(), ["keyboard"]);
});

test("going back after signing up, or sending the form twice, creates no second account", async (t) => {
  const w = await world(t);
  const page = await open(t, w);
  await page.goto("/signup");
  await fill(page, { username: "ada", password: PASSWORD });
  await page.click("form[action='/signup'] button[type=submit]");
  await page.waitForURL("**/account/welcome");
  await page.reload(); // a GET: nothing is sent again
  await page.goBack();
  await fill(page, { username: "ada", password: PASSWORD });
  await page.click("form[action='/signup'] button[type=submit]");
  await page.waitForSelector('[aria-invalid="true"]');
  assert.deepEqual(await w.usernames(), ["ada"]);
});

test("at 400 % zoom and with large text nothing is cut off", async (t) => {
  const w = await world(t);
  const page = await open(t, w, { name: "zoom", viewport: { width: 320, height: 256 } });
  for (const where of ["/", "/signup", "/signin", "/nothing"]) {
    await page.goto(where);
    await assertFits(page, where);
  }
});

test("a password manager recognizes the fields", async (t) => {
  const w = await world(t);
  const page = await open(t, w);
  await page.goto("/signup");
  assert.equal(await page.getAttribute("input[name=password]", "type"), "password");
  assert.equal(await page.getAttribute("input[name=password]", "autocomplete"), "new-password");
  assert.equal(await page.getAttribute("input[name=username]", "autocomplete"), "username");
  assert.equal(await page.getAttribute("input[name=email]", "autocomplete"), "email");
  // Phones show the keyboard for email addresses.
  const email = await page.$eval("input[name=email]", (input) => [input.type, input.inputMode]);
  assert.ok(email.includes("email"), email.join(" "));
});
