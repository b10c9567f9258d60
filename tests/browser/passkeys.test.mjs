// Passkeys in Chromium with its virtual authenticator: add, sign in, confirm, sign up, remove.

import assert from "node:assert/strict";
import test from "node:test";
import { assertAccessible, assertFits, makeOpener, complaints, inBothViews, inReverse, VIEWS } from "../kit/browser.mjs";
import { freePort } from "../kit/pg.mjs";
import { PASSWORD, world } from "../kit/world.mjs";

const openAny = makeOpener();

// Browsers offer passkeys on localhost, not on 127.0.0.1.
async function begin(outer, view) {
  const t = inReverse(outer);
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const w = await world(t, { settings: { listen: `127.0.0.1:${port}`, "auth-url": origin, "base-url": origin } });
  const page = await openAny(t, { origin }, view);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable", { enableUI: false });
  const device = async (more) =>
    (await cdp.send("WebAuthn.addVirtualAuthenticator", {
      options: { protocol: "ctap2", ctap2Version: "ctap2_1", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true, ...more },
    })).authenticatorId;
  const look = async (what) => {
    await page.shoot(what);
    await inBothViews(page, what, assertAccessible, assertFits);
  };
  return { w, page, cdp, device, look };
}

async function signUp(w, page) {
  await w.signUp({ username: "ada" });
  await page.goto("/signin");
  await page.fill("#username", "ada");
  await page.fill("#password", PASSWORD);
  await page.click("form[action='/signin'] button[type=submit]");
  await page.waitForURL("**/account");
}

const signOut = async (page) => {
  await page.click("form[action='/signout'] button");
  await page.waitForURL((url) => url.pathname === "/");
};

for (const view of VIEWS)
  test(`a passkey is added, signs in, confirms, and is removed: ${view.name}`, async (t) => {
    const { w, page, cdp, device, look } = await begin(t, view);
    w.clock.stop();
    await signUp(w, page);
    await page.goto("/account/security");
    await look("passkeys-none");
    // Without a device the page says so, and nothing is sent.
    const id = await device({ isUserVerified: false });
    await page.click("[data-passkey=add]");
    await page.waitForSelector("#passkeys [role=status]:not(:empty)");
    await look("passkeys-canceled");
    await cdp.send("WebAuthn.setUserVerified", { authenticatorId: id, isUserVerified: true });
    await page.fill("#passkey-name", "Test device");
    await page.click("[data-passkey=add]");
    await page.waitForSelector("#passkeys .row");
    assert.match(await page.textContent("#passkeys .row-title"), /Test device/);
    await look("passkeys-one");
    const { credentials } = await cdp.send("WebAuthn.getCredentials", { authenticatorId: id });
    assert.deepEqual(credentials.map(({ rpId, isResidentCredential }) => [rpId, isResidentCredential]), [["localhost", true]]);
    // The same device again is excluded.
    await page.click("[data-passkey=add]");
    await page.waitForSelector("#passkeys [role=status]:not(:empty)");
    // Signs in with the button, or before it is pressed, in the username field.
    await signOut(page);
    await page.goto("/signin?next=%2Faccount%2Fdata");
    await page.click("[data-passkey=sign_in]", { noWaitAfter: true, timeout: 3000 }).catch(() => {});
    await page.waitForURL("**/account/data");
    // Five minutes later the page asks again.
    w.clock.forward(300);
    await page.goto("/account/data");
    await page.click("a[href^='/account/confirm']");
    await page.waitForURL("**/account/confirm**");
    await look("confirm");
    await page.click("[data-passkey=confirm]");
    await page.waitForSelector("form[action='/account/data/delete']");
    await page.goto("/account/security");
    await page.click("form[action$='/remove'].row-actions button");
    await page.waitForSelector(".flash");
    assert.equal(await page.locator("#passkeys .row").count(), 0);
    assert.deepEqual(complaints(page), []);
  });

test("an account is created with a passkey alone, and signs in by conditional mediation", async (t) => {
  const { page, device } = await begin(t);
  await page.goto("/signup");
  await device();
  await page.click("[data-passkey=sign_up]");
  assert.match(page.url(), /\/signup$/, "the username is missing");
  await page.fill("#username", "grace");
  await page.click("[data-passkey=sign_up]");
  await page.waitForURL((url) => !url.pathname.startsWith("/signup"));
  await page.goto("/account/security");
  assert.match(await page.textContent("#change"), /no password/);
  await signOut(page);
  await page.goto("/signin");
  await page.waitForURL("**/account");
  assert.deepEqual(complaints(page), []);
});

test("without JavaScript the pages show no passkey buttons and work as before", async (t) => {
  const { w, page } = await begin(t, { javaScriptEnabled: false });
  await signUp(w, page);
  for (const where of ["/account/security", "/signin", "/signup"]) {
    await page.goto(where);
    for (const button of await page.locator("[data-passkey]").all()) assert.equal(await button.isVisible(), false, where);
  }
});
