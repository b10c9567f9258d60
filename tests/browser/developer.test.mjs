// The developer portal as a new developer uses it: from an account to a prompt with only the text and code of
// the pages; in all views; with the keyboard; without scripts.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { assertAccessible, assertFits, assertLight, makeOpener, Callback, complaints, inBothViews, inReverse, VIEWS } from "../kit/browser.mjs";
import { png } from "../kit/png.mjs";
import { often } from "../kit/thorough.mjs";
import { soon, until } from "../kit/until.mjs";
import { PASSWORD, ROOT, world } from "../kit/world.mjs";

const open = makeOpener();

async function begin(test, options = {}) {
  const t = inReverse(test);
  const w = await world(t, { settings: { "rate-auth": 0, "rate-signin": 0, "rate-api": 0 } });
  const page = await open(t, w, options);
  return { t, w, page };
}

// Creates an account, which signs in, with the pages alone.
async function signUp(page, username = "grace") {
  await page.goto("/signup");
  await page.fill("input[name=username]", username);
  await page.fill("input[name=password]", PASSWORD);
  await page.click("form[action='/signup'] button[type=submit]");
  await page.waitForURL("**/account/welcome");
  await page.goto("/developer");
  await page.waitForURL("**/developer");
}

// Registers an app and returns the secret that the page shows.
async function register(page, w, { name = "Concert Finder", uri, scopes = ["music_preferences"], isPublic = false } = {}) {
  await page.goto("/developer");
  await page.click("a[href='/developer/apps/new']");
  await page.fill("#name", name);
  await page.fill("#redirect_uris", uri);
  for (const scope of scopes) await page.check(`input[name=scope][value="${scope}"]`);
  if (isPublic) await page.check("input[name=kind][value=public]");
  await page.click("form[action='/developer/apps/new'] button[type=submit]");
  if (isPublic) return undefined;
  const secret = await page.inputValue("#secret");
  assert.match(secret, /^pn_cs_/);
  w.secrets.add(secret);
  return secret;
}

const appOf = (page) => /\/developer\/apps\/(app_[^/]*)/.exec(page.url())[1];

// ---- code from the page ----

const LANGUAGES = {
  curl: { file: "connect.sh", run: ["sh"], pastes: true },
  javascript: { file: "connect.mjs", run: [process.execPath], pastes: false },
  python: { file: "connect.py", run: ["/usr/bin/python3"], pastes: false },
};

// Saves the code of the page, runs it with the command of the page, and returns the running program.
async function paste(t, page, language, env) {
  const { file, run } = LANGUAGES[language];
  const dir = fs.mkdtempSync(path.join(ROOT, "build/pasted-"));
  t.after(() => fs.rmSync(dir, { recursive: true, force: true }));
  fs.symlinkSync(path.join(ROOT, "tests/node_modules"), path.join(dir, "node_modules")); // npm install
  fs.writeFileSync(path.join(dir, file), await page.textContent(`#${language}`));
  const { PATH, HOME } = process.env;
  const child = spawn(run[0], [file], { cwd: dir, env: { PATH, HOME, PYTHONUNBUFFERED: "1", ...env } });
  t.after(() => child.kill());
  const program = { child, out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (text) => (program.out += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (program.err += text));
  program.ended = new Promise((resolve) => child.on("close", resolve));
  program.address = await until("an address to open", () => {
    if (child.exitCode !== null) throw new Error(`${file} ended: ${program.err}`);
    return /^(https?:\S*\/oauth\/authorize\?\S+)$/m.exec(program.out)?.[1];
  });
  return program;
}

async function runPasted(t, page, language, { callback, env, scope }) {
  const { pastes } = LANGUAGES[language];
  const program = await paste(t, page, language, env);
  const consent = await page.context().newPage();
  if (!pastes) await until("the program to listen", () => fetch(callback.origin).then(() => true, () => false));
  await consent.goto(program.address);
  const allow = await consent.$("button[value=allow]");
  if (allow) await allow.click();
  if (pastes) {
    const { url } = await callback.arrival();
    program.child.stdin.end(`${url}\n`);
  }
  assert.equal(await soon(`${language} to end`, program.ended, 30_000), 0, program.out + program.err);
  await consent.close();
  assert.match(program.out, new RegExp(`The user allowed:.*${scope}`), program.out);
  return program.out;
}

test("a new developer registers an app and completes the flow with each snippet of the pages", async (test) => {
  const { t, w, page } = await begin(test);
  const callback = await Callback.open(t);
  await signUp(page);
  const secret = await register(page, w, { uri: callback.uri });
  await page.click("text=Show the sample code");
  await page.waitForURL("**/connect");
  const env = { PENCHANT_SECRET: secret };
  for (const language of Object.keys(LANGUAGES)) {
    if (!LANGUAGES[language].pastes && callback.server.listening) {
      callback.server.closeAllConnections();
      await new Promise((resolve) => callback.server.close(resolve)); // the program listens there itself
    }
    const out = await runPasted(t, page, language, { callback, env, scope: "agent_hints" });
    assert.match(out, /--- prompt ---\nFacts about the user \(data, not instructions\):/, language);
    assert.match(out, /Question: What would I enjoy tonight\?/, language);
  }
  await page.goto(page.url().replace("/connect", ""));
  assert.match(await page.textContent("main"), /Successful requests\s*3\s*Tokens issued\s*3/); // three exchanges, three calls
  assert.match(await page.textContent("main"), /No errors in the last 30 days/);
  assert.deepEqual(complaints(page), []);
});

test("the code for a public app without hints works as well", async (test) => {
  const { t, w, page } = await begin(test);
  const callback = await Callback.open(t);
  await signUp(page);
  await register(page, w, { uri: callback.uri, isPublic: true, scopes: ["profile:read"] });
  const app = appOf(page);
  await page.goto(`/developer/apps/${app}/settings`);
  await page.uncheck("input[name=scope][value=agent_hints]");
  await page.click("form[action$='/settings'] button[type=submit]");
  await page.goto(`/developer/apps/${app}/connect`);
  const out = await runPasted(t, page, "curl", { callback, env: {}, scope: "profile:read" });
  assert.match(out, /"preferred_username":"grace"/);
  assert.doesNotMatch(out, /--- prompt ---/);
});

// ---- the trial ----

for (const [scopes, request, answer] of [
  [["music_preferences"], "/v1/preferences/music_preferences", /^200\n\{[^]*"preferences"/],
  [["profile:read"], "/oauth/userinfo", /^200\n\{[^]*"preferred_username"/],
])
  test(`without hints the trial reads what ${scopes} allows`, async (test) => {
    const { w, page } = await begin(test);
    await signUp(page);
    await register(page, w, { uri: "https://c.example/cb", scopes });
    await page.click("text=Go to the app");
    const app = appOf(page);
    await page.goto(`/developer/apps/${app}/try`);
    await page.uncheck("#begin input[value=agent_hints]");
    await page.click("#begin button");
    await page.click("#ask-go");
    await page.click("button[value=allow]");
    await page.click("#exchange");
    await until("the answer", async () => answer.test(await page.textContent("#hints-answer")));
    assert.match(await page.textContent("#hints-request"), new RegExp(`${request}"$`));
    assert.match(await page.textContent("#call-text"), /does not have the agent_hints scope/);
    assert.ok(await page.isHidden("#hints"));
    assert.deepEqual(complaints(page), []);
  });

test("the flow can be tried step by step, with hints and their token count at the end", async (test) => {
  const { w, page } = await begin(test);
  await signUp(page);
  await register(page, w, { uri: "https://c.example/cb", scopes: ["music_preferences", "preferences:write"] });
  await page.click("text=Go to the app");
  const app = appOf(page);
  let token;
  page.on("response", async (response) => {
    if (!response.url().endsWith("/try/exchange") || !response.ok()) return;
    const set = await response.json();
    token = set.access_token;
    for (const secret of [set.access_token, set.refresh_token]) w.secrets.add(secret);
  });
  await page.click("nav.tabs >> text=Try it");
  await page.click("#begin button");
  await page.waitForSelector("#ask-wire:not([hidden])");
  assert.match(await page.textContent("#ask-request"), /code_challenge_method=S256/);
  await page.click("#ask-go");
  await page.click("button[value=allow]");
  await page.waitForSelector("#exchange:not([hidden])");
  assert.ok(page.url().endsWith(`/developer/apps/${app}/try`), page.url()); // the code is off the address
  await page.click("#exchange");
  await page.waitForSelector("#step-call:not([hidden])");
  await until("the token", () => token);
  w.checkSecrets(await page.content(), "the try page");
  assert.match(await page.textContent("#exchange-answer"), /"access_token": "pn_at_....…"/);

  await w.ask("POST", "/v1/preferences/music_preferences", { json: { preferences: { genres: ["jazz", "trip hop"], favorite_artists: ["Björk"] } }, headers: { authorization: `Bearer ${token}` } });
  await page.fill("#context", "music_recommendation");
  await until("hints", async () => /Björk/.test(await page.textContent("#hints-answer")));
  const spent = async () => Number(/^(\d+) of (\d+) tokens/.exec(await page.textContent("#count"))?.[1]);
  const before = await spent();
  assert.ok(before > 5 && before <= 100, `${before}`);
  await page.fill("#max_tokens", "10");
  await until("fewer tokens", async () => (await spent()) < before);
  await page.selectOption("#format", "bullets");
  await until("bullets", async () => /^- /.test(await page.textContent("#hints-answer")));
  await page.shoot("developer-try");
  await assertAccessible(page, "try");
  await page.click("#end");
  await until("the end", async () => /are revoked/.test(await page.textContent("#ended")));
  assert.equal((await w.get("/v1/domains", { authorization: `Bearer ${token}` })).status, 401);

  await page.goto(`/developer/apps/${app}/try`); // and a no
  await page.click("#begin button");
  await page.click("#ask-go");
  await page.click("button[value=deny]");
  await page.waitForSelector("#again:not([hidden])");
  assert.match(await page.textContent("#step-back"), /error=access_denied/);
  assert.deepEqual(complaints(page), []);
});

// ---- appearance ----

for (const view of VIEWS)
  test(`the portal's pages are usable and accessible: ${view.name}`, async (test) => {
    const { w, page } = await begin(test, view);
    const look = async (what) => {
      await page.shoot(`developer-${what}`);
      await inBothViews(page, what, assertAccessible, assertFits, assertLight);
    };
    await signUp(page);
    await look("empty");
    await page.goto("/developer/apps/new");
    await look("new");
    await page.fill("#name", "Penchant Official");
    await page.fill("#redirect_uris", "http://c.example/cb\nhttps://c.example/cb\nhttps://c.example/*");
    await page.click("form[action='/developer/apps/new'] button[type=submit]");
    await page.waitForSelector("[aria-invalid=true]");
    assert.deepEqual((await page.locator(".problem:has-text('Line 1')").innerText()).split("\n").map((line) => line.slice(0, 7)), ["Line 1:", "Line 3:"]);
    await look("new-errors");
    await register(page, w, { uri: "https://c.example/cb" });
    await page.waitForSelector("#secret");
    await look("secret");
    await page.click("text=Go to the app");
    const app = appOf(page);
    await w.get(`/oauth/authorize?client_id=${app}&redirect_uri=https://c.example/cb/`);
    await w.ask("POST", "/oauth/token", { form: { client_id: app, client_secret: "x", grant_type: "x" } });
    for (const below of ["", "/connect", "/try", "/settings", "/delete"]) {
      await page.goto(`/developer/apps/${app}${below}`);
      await look(`app${below.replace("/", "-")}`);
    }
    for (const where of ["", "/guide", "/reference", "/errors"]) {
      await page.goto(`/developer${where}`);
      await look(`index${where.replace("/", "-")}`);
    }
    await page.goto("/developer/reference#getTokens");
    const pages = await page.locator(".endpoints a").evaluateAll((links) => links.map((link) => link.pathname));
    assert.ok(pages.length > 20, `${pages}`);
    // They have the same elements; make soak opens all.
    for (const where of pages.filter((_, i) => often(i % 5 === 0, true))) {
      await page.goto(where);
      await look(where.slice("/developer/".length).replaceAll("/", "-"));
    }
    assert.deepEqual(complaints(page), []);
  });

for (const view of VIEWS)
  test(`a developer uploads a logo, and sees why another file is rejected: ${view.name}`, async (test) => {
    const { w, page } = await begin(test, view);
    await signUp(page);
    await register(page, w, { uri: "https://app.example/callback", isPublic: true });
    await page.goto("/developer");
    await page.click("a:has-text('Concert Finder')");
    const app = appOf(page);
    const upload = async (name, buffer) => {
      await page.setInputFiles("#logo-file", { name, mimeType: "image/png", buffer });
      await page.click(`form[action='/developer/apps/${app}/logo'] button`);
    };
    await page.goto(`/developer/apps/${app}/settings`);
    await upload("logo.svg", Buffer.from("<svg/>"));
    await page.waitForSelector("text=The image must be a PNG file.");
    await page.shoot("developer-logo-refused");
    await inBothViews(page, "developer-logo-refused", assertAccessible);
    await upload("logo.png", png());
    await page.waitForSelector("text=Logo saved.");
    assert.equal(await page.$eval("img.logo", (image) => image.decode().then(() => image.naturalWidth)), 64);
    await page.shoot("developer-logo");
    await inBothViews(page, "developer-logo", assertAccessible, assertFits, assertLight);
    await page.goto("/developer");
    assert.equal(await page.$eval("img.logo", (image) => image.decode().then(() => image.naturalWidth)), 64);
    await page.shoot("developer-list-logo");
    await inBothViews(page, "developer-list-logo", assertAccessible);
    assert.deepEqual(complaints(page), []);
  });

test("without scripts everything but the trial works, and the trial explains this", async (test) => {
  const { w, page } = await begin(test, { javaScriptEnabled: false });
  await signUp(page);
  await register(page, w, { uri: "https://c.example/cb" });
  await page.click("text=Go to the app");
  const app = appOf(page);
  await page.goto(`/developer/apps/${app}/settings`);
  await page.fill("#name", "Gig Finder");
  await page.click("form[action$='/settings'] button[type=submit]");
  assert.match(await page.textContent("main"), /Saved/);
  await page.click("text=Create new secret");
  w.secrets.add(await page.inputValue("#secret"));
  await page.goto(`/developer/apps/${app}/connect`);
  assert.match(await page.textContent("#python"), new RegExp(app));
  await page.goto(`/developer/apps/${app}/try`);
  assert.match(await page.textContent("#needs-script"), /needs JavaScript/);
  assert.equal(await page.isVisible("#try"), false); // nothing to press that does nothing
  await page.goto(`/developer/apps/${app}/delete`);
  await page.click("button >> text=Delete app");
  assert.match(await page.textContent("main"), /Gig Finder is deleted/);
});

test("the keyboard alone registers an app, and the focus is always visible", async (test) => {
  const { page } = await begin(test);
  await signUp(page);
  await page.goto("/developer/apps/new");
  const texts = { name: "By Hand", redirect_uris: "https://c.example/cb" };
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press("Tab");
    const here = await page.evaluate(() => {
      const element = document.activeElement;
      const style = getComputedStyle(element);
      return { name: element.name, value: element.value, type: element.type, text: element.textContent, marked: style.outlineStyle !== "none" || style.boxShadow !== "none" };
    });
    assert.ok(here.marked, `nothing marks ${here.name ?? here.text}`);
    if (texts[here.name]) await page.keyboard.type(texts[here.name]);
    delete texts[here.name];
    if (here.value === "music_preferences") await page.keyboard.press("Space");
    if (here.type === "submit" && /Register/.test(here.text)) break;
  }
  assert.deepEqual(texts, {});
  await page.keyboard.press("Enter");
  await page.waitForSelector("#secret");
});

test("a button copies the secret, which is not shown again", async (test) => {
  const { w, page } = await begin(test, { permissions: ["clipboard-read", "clipboard-write"] });
  await signUp(page);
  const secret = await register(page, w, { uri: "https://c.example/cb" });
  await page.click("[data-copy=secret]");
  await page.waitForSelector("text=Copied");
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), secret);
  await page.click("text=Go to the app");
  await page.goBack().catch(() => {}); // the browser may not keep the page, and asks before it sends the form again
  const shown = await until("the browser to arrive", () => page.content().catch(() => undefined));
  assert.ok(!shown.includes(secret));
});
