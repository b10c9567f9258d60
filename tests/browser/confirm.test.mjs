// Actions that destroy something ask first, and Cancel leaves everything as it is; and a homepage's domain is verified from the portal,
// with a real HTTPS server on the other side.

import assert from "node:assert/strict";
import test from "node:test";
import { assertAccessible, assertFits, assertLight, makeOpener, complaints, inBothViews, inReverse, signIn, VIEWS } from "../kit/browser.mjs";
import { documentHost, HOST } from "../kit/document_host.mjs";
import { addApp, stage } from "../kit/oauth.mjs";
import { Client } from "../kit/preferences.mjs";
import { PASSWORD } from "../kit/world.mjs";

const open = makeOpener();
const MUSIC = "music_preferences";
const PROOF = "/.well-known/penchant-domain";
const ALL_VIEWS = [...VIEWS, { name: "desk-plain", javaScriptEnabled: false }];

async function scene(t, view, settings = {}) {
  const { w, ada, app } = await stage(t, { settings });
  const page = await open(t, w, view);
  await page.goto("/signin?next=/account");
  await signIn(page, { password: PASSWORD });
  await page.waitForURL("**/account");
  const look = async (what) => {
    await page.shoot(`confirm-${what}`);
    if (view.javaScriptEnabled === false) return; // the checks are scripts
    await inBothViews(page, what, assertAccessible, assertFits, assertLight);
  };
  return { w, ada, app, page, look };
}

for (const view of ALL_VIEWS)
  test(`"Delete everything only this app added" asks first: ${view.name}`, async (test) => {
    const t = inReverse(test);
    const { w, ada, app, page, look } = await scene(t, view);
    const scope = "preferences:read preferences:write";
    const api = await Client.connect(ada, app, { scope });
    await api.write(MUSIC, { genres: ["jazz", "polka"], favorite_artists: ["Björk"] });
    const other = await Client.connect(ada, await addApp(w, { name: "Dinner Planner" }), { scope });
    await other.write(MUSIC, { genres: ["jazz"] });
    const facts = { genres: ["jazz", "polka"], favorite_artists: ["Björk"] };
    const where = `/account/apps/${app.client_id}`;
    await page.goto(where);
    const send = page.locator("form[action$='/forget'] button");
    assert.equal(await send.isVisible(), false, "one click is enough");
    await page.click("summary:has-text('Delete everything only this app added')");
    assert.match(await page.textContent("form[action$='/forget']"), /Facts that you or another app also added stay\..*You can't undo this\./);
    await look("forget");
    assert.deepEqual(await api.record(MUSIC), facts, "asking deleted something");
    await page.click("form[action$='/forget'] >> text=Cancel");
    await page.waitForSelector("form[action$='/forget'] details:not([open])");
    assert.equal(await send.isVisible(), false);
    assert.deepEqual(await api.record(MUSIC), facts, "Cancel deleted something");
    await page.click("summary:has-text('Delete everything only this app added')");
    await send.click();
    await page.waitForSelector(".flash >> text=2");
    assert.deepEqual(await api.record(MUSIC), { genres: ["jazz"] });
    assert.deepEqual(complaints(page), []);
  });

for (const view of ALL_VIEWS)
  test(`"Disable" asks first, and the app can be enabled again: ${view.name}`, async (test) => {
    const t = inReverse(test);
    const { w, ada, app, page, look } = await scene(t, view);
    const api = await Client.connect(ada, app, { scope: "preferences:read" });
    const state = async () => [(await w.command("app", "list", "--json")).data.apps.find(({ client_id }) => client_id === app.client_id).status, (await api.get("preferences")).status];
    const where = `/developer/apps/${app.client_id}/settings`;
    await page.goto(where);
    const send = page.locator("button[name=status][value=disabled]");
    assert.equal(await send.isVisible(), false, "one click is enough");
    await page.click("form[action$='/status'] summary");
    assert.match(await page.textContent("form[action$='/status']"), /Every user's tokens stop working now\. Enabling the app again doesn't restore them\./);
    await look("disable");
    assert.deepEqual(await state(), ["active", 200], "asking disabled it");
    await page.click("form[action$='/status'] >> text=Cancel");
    await page.waitForSelector("form[action$='/status'] details:not([open])");
    assert.deepEqual(await state(), ["active", 200], "Cancel disabled it");
    await page.click("form[action$='/status'] summary");
    await send.click();
    await page.waitForSelector("button[name=status][value=active]");
    assert.deepEqual(await state(), ["disabled", 401]);
    await look("disabled");
    await page.click("button[name=status][value=active]");
    await page.waitForSelector("form[action$='/status'] details:not([open])");
    assert.deepEqual(await state(), ["active", 401], "the tokens stay revoked");
    assert.deepEqual(complaints(page), []);
  });

test("the keyboard alone opens the question, cancels it, and answers it", async (test) => {
  const t = inReverse(test);
  const { w, app, page } = await scene(t, {});
  await page.goto(`/developer/apps/${app.client_id}/settings`);
  const status = async () => (await w.command("app", "list", "--json")).data.apps[0].status;
  await page.focus("form[action$='/status'] summary");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Disable now");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Cancel");
  await page.keyboard.press("Enter");
  await page.waitForSelector("form[action$='/status'] details:not([open])");
  assert.equal(await status(), "active");
  await page.focus("form[action$='/status'] summary");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.waitForSelector("button[name=status][value=active]");
  assert.equal(await status(), "disabled");
});

for (const view of ALL_VIEWS)
  test(`the domain of a homepage is verified from the portal, shown to users, and lost with the homepage: ${view.name}`, async (test) => {
    const t = inReverse(test);
    const host = await documentHost(t);
    const { app, page, look } = await scene(t, view, host.settings);
    const where = `/developer/apps/${app.client_id}/settings`;
    const save = async (homepage) => {
      await page.goto(where);
      await page.fill("#homepage", homepage);
      await page.click(`form[action='${where}'] button[type=submit]`);
      await page.waitForSelector(".flash");
    };
    const check = () => page.click("form[action$='/verify'] button");
    await page.goto(where);
    assert.equal(await page.locator("form[action$='/verify']").count(), 0, "there is nothing to check without a homepage");
    await look("domain-first");
    await save(`https://${HOST}:${host.port}/`);
    assert.match(await page.textContent("main"), new RegExp(`https://${HOST}:${host.port}${PROOF}`));

    await check(); // the host has no such file
    await page.waitForSelector("#domain-problem:not(:empty)");
    assert.match(await page.textContent("#domain-problem"), /its status is not 200/);
    await look("domain-refused");
    host.on(PROOF, (_, response) => response.writeHead(200, { "content-type": "text/plain" }).end("app_AAAAAAAAAAAAAAAAAAAAAA\n"));
    await check();
    await page.waitForFunction(() => /does not have the client ID/.test(document.querySelector("#domain-problem").textContent));
    await page.goto(app.request({ scope: "music_preferences" }).path);
    assert.equal(await page.locator(".verified").count(), 0);

    host.on(PROOF, (_, response) => response.writeHead(200, { "content-type": "text/plain" }).end(`${app.client_id}\n`));
    await page.goto(where);
    await check();
    await page.waitForSelector(".flash >> text=Domain verified.");
    await look("domain-verified");
    assert.equal(host.asked(PROOF), 3);
    await page.goto(app.request({ scope: "music_preferences" }).path);
    assert.equal(await page.textContent(".verified"), `${HOST} Verified`);
    await look("domain-consent");

    await save(`https://${HOST}:${host.port}/other`);
    await page.goto(app.request({ scope: "music_preferences" }).path);
    assert.equal(await page.locator(".verified").count(), 0);
    assert.equal(host.asked(PROOF), 3, "only the developer makes the service fetch it");
    assert.deepEqual(complaints(page), []);
  });
