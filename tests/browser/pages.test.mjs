// The pages as people meet them: with and without JavaScript, on a desk and on a phone, by day and by
// night, with a keyboard. Screenshots are left in build/screenshots.

import AxeBuilder from "@axe-core/playwright";
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test, { after, before } from "node:test";
import { chromium } from "playwright-core";
import { PASSWORD, ROOT, world } from "../kit/world.mjs";

const SHOTS = path.join(ROOT, "build/screenshots");
const DESK = { viewport: { width: 1280, height: 800 } };
const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };
const VIEWS = [
  { name: "desk-light", ...DESK, colorScheme: "light" },
  { name: "desk-dark", ...DESK, colorScheme: "dark" },
  { name: "phone-light", ...PHONE, colorScheme: "light" },
  { name: "phone-dark", ...PHONE, colorScheme: "dark" },
];

let browser;
before(async () => {
  fs.mkdirSync(SHOTS, { recursive: true });
  browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"],
  });
});
after(() => browser?.close());

// A page in which anything the browser complains about is a failure of the test.
async function open(t, w, view = { name: "desk-light", ...DESK }) {
  const { name, ...options } = view;
  const context = await browser.newContext({ baseURL: w.origin, ...options });
  t.after(() => context.close());
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  page.complaints = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && page.complaints.push(message.text()));
  page.on("pageerror", (error) => page.complaints.push(error.message));
  page.on("requestfailed", (request) => page.complaints.push(`${request.url()}: ${request.failure()?.errorText}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(w.origin)) page.complaints.push(`asked elsewhere: ${request.url()}`);
  });
  page.shoot = (what) => page.screenshot({ path: path.join(SHOTS, `${what}-${name}.png`), fullPage: true });
  return page;
}

// A refused form is an answer the browser reports as an error of its own; that is no complaint.
const complaints = (page) => page.complaints.filter((text) => !/status of 4\d\d|favicon/.test(text));

async function assertAccessible(page, what) {
  const { violations } = await new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]).analyze();
  assert.deepEqual(violations.map((one) => `${what}: ${one.id}: ${one.help}: ${one.nodes.map((node) => node.html).join(" ")}`), []);
}

async function assertFits(page, what) {
  const [wide, window] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  assert.ok(wide <= window, `${what} is ${wide} wide in a window of ${window}`);
}

async function fill(page, fields) {
  for (const [name, value] of Object.entries(fields)) await page.fill(`input[name=${name}]`, value);
}

for (const view of VIEWS)
  test(`start page, sign-up, its errors and its end are usable and accessible: ${view.name}`, async (t) => {
    const w = await world(t);
    const page = await open(t, w, view);
    const look = async (what) => {
      await page.shoot(what);
      await assertAccessible(page, what);
      await assertFits(page, what);
    };
    await page.goto("/");
    await look("start");
    await page.click('a[href="/signup"]');
    await page.waitForURL("**/signup");
    await look("signup");
    await fill(page, { username: "x", email: "ada@example.org", password: PASSWORD });
    await page.$eval("form", (form) => form.setAttribute("novalidate", "")); // what a browser would catch itself
    await page.click("form button");
    await page.waitForSelector('[aria-invalid="true"]');
    await look("signup-errors");
    assert.equal(await page.inputValue("input[name=email]"), "ada@example.org");
    assert.equal(await page.inputValue("input[name=password]"), "");
    const described = await page.getAttribute("input[name=username]", "aria-describedby");
    const said = await page.$$eval(described.split(/\s+/).map((id) => `#${id}`).join(","), (all) => all.map((one) => one.textContent).join(" "));
    assert.match(said, /3/);
    await fill(page, { username: "ada", password: PASSWORD });
    await page.click("form button");
    await page.waitForURL("**/signup/done");
    await look("signup-done");
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
  await page.click("form button");
  await page.waitForURL("**/signup/done");
  await page.shoot("signup-done");
  assert.deepEqual((await w.users()).map((user) => [user.username, user.name]), [["grace", "Grace Hopper"]]);
});

test("with the keyboard alone one gets from the start page to an account", async (t) => {
  const w = await world(t);
  const page = await open(t, w);
  await page.goto("/");
  // Every stop of the tab key is visible: something marks where one is.
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
  await page.waitForURL("**/signup/done");
  assert.deepEqual(await w.usernames(), ["keyboard"]);
});

test("going back after signing up, or sending the form twice, makes no second account", async (t) => {
  const w = await world(t);
  const page = await open(t, w);
  await page.goto("/signup");
  await fill(page, { username: "ada", password: PASSWORD });
  await page.click("form button");
  await page.waitForURL("**/signup/done");
  await page.reload(); // a GET: nothing is sent again
  await page.goBack();
  await fill(page, { username: "ada", password: PASSWORD });
  await page.click("form button");
  await page.waitForSelector('[aria-invalid="true"]');
  assert.deepEqual(await w.usernames(), ["ada"]);
});

test("at 400 % zoom and with large text nothing is cut off", async (t) => {
  const w = await world(t);
  const page = await open(t, w, { name: "zoom", viewport: { width: 320, height: 256 } });
  for (const where of ["/", "/signup", "/signup/done", "/nothing"]) {
    await page.goto(where);
    await assertFits(page, where);
  }
});

test("a password manager knows the fields", async (t) => {
  const w = await world(t);
  const page = await open(t, w);
  await page.goto("/signup");
  assert.equal(await page.getAttribute("input[name=password]", "type"), "password");
  assert.equal(await page.getAttribute("input[name=password]", "autocomplete"), "new-password");
  assert.equal(await page.getAttribute("input[name=username]", "autocomplete"), "username");
  assert.equal(await page.getAttribute("input[name=email]", "autocomplete"), "email");
  // A phone shows the keyboard for addresses.
  const email = await page.$eval("input[name=email]", (input) => [input.type, input.inputMode]);
  assert.ok(email.includes("email"), email.join(" "));
});
