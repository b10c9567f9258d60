// An assistant that registered itself, in a browser: consent, /connect, and what waits for confirmation.

import assert from "node:assert/strict";
import test from "node:test";
import { state } from "../kit/account.mjs";
import { assistant, register } from "../kit/assistant.mjs";
import { assertAccessible, assertFits, assertLight, makeOpener, Callback, complaints, inBothViews, inReverse, signIn, VIEWS } from "../kit/browser.mjs";
import { documentClient, documentHost } from "../kit/document_host.mjs";
import { Mcp } from "../kit/mcp.mjs";
import { MINUTE, stage } from "../kit/oauth.mjs";
import { Client, FOOD, MUSIC } from "../kit/preferences.mjs";
import { png } from "../kit/png.mjs";
import { PASSWORD } from "../kit/world.mjs";

const open = makeOpener();

for (const view of VIEWS)
  test(`allow an assistant some areas, watch it connect, and decide on what it proposes: ${view.name}`, async (test) => {
    const t = inReverse(test);
    const host = await documentHost(t);
    const { w, ada, app } = await assistant(t, { settings: host.settings });
    await state(ada, FOOD, "allergies", "peanuts");
    await state(ada, MUSIC, "genres", "jazz");
    const page = await open(t, w, view);
    const look = async (what) => {
      await page.shoot(what);
      await inBothViews(page, what, assertAccessible, assertFits, assertLight);
    };
    await page.goto("/signin?next=/connect");
    await signIn(page, { password: PASSWORD });
    await page.waitForSelector("text=None yet");
    assert.equal(await page.inputValue("#address"), `${w.origin}/mcp`);

    // In another tab, the user decides. The preview follows the areas.
    const request = app.request();
    const tab = await page.context().newPage();
    await tab.goto(w.origin + request.path);
    await tab.waitForSelector("button[value=deny]");
    assert.match(await tab.textContent("[data-hints]"), /peanuts/);
    await tab.check("input[name=areas][value=some]");
    await tab.check(`input[name=area][value=${MUSIC}]`);
    // Each choice loads the preview again.
    await tab.waitForFunction(() => {
      const text = document.querySelector("[data-hints]").textContent;
      return text.includes("jazz") && !text.includes("peanuts");
    });
    await tab.close();
    await page.goto(request.path);
    await look("consent-assistant");

    // A client whose host vouches for it, and whose document changes after the user allowed it.
    host.on("/logo.png", (_, response) => response.writeHead(200, { "content-type": "image/png" }).end(png()));
    const logo_uri = host.url("/logo.png");
    const published = documentClient(w, host.publish("/client.json", { logo_uri }));
    await ada.connect(published);
    host.publish("/client.json", { client_name: "Claude at work", logo_uri });
    w.clock.forward(5 * MINUTE);
    await page.goto(published.request().path);
    assert.match(await page.textContent("main"), /We know this app by its address: app\.localhost/);
    assert.match(await page.textContent(".notice"), /has changed since you allowed it/);
    assert.equal(await page.$eval("img.logo", (image) => image.complete && image.naturalWidth), 64);
    await look("consent-document");
    await page.goto("/account/apps");
    assert.equal(await page.$eval("img.logo", (image) => image.decode().then(() => image.naturalWidth)), 64);
    await look("account-apps-logo");
    const api = await Client.connect(ada, app);
    await page.goto("/connect");
    await page.waitForSelector("#assistants >> text=Claude Code");
    await look("connect-connected");

    const { atom_id } = await api.atom("peanuts");
    assert.equal((await api.suppressing(atom_id)).status, 202);
    await api.write(MUSIC, { genres: ["soul"] });
    await page.goto(`/account/waiting#${atom_id}`);
    await look("account-waiting-assistant");
    assert.equal(await page.locator(`#${atom_id}`).count(), 1);
    await page.click(`#${atom_id} form[action$='/reject'] button`);
    await page.waitForSelector("text=Kept: peanuts");
    assert.deepEqual(await api.record(FOOD), { allergies: ["peanuts"] });
    await page.click(".pending form[action$='/accept'] button");
    await page.waitForSelector("text=Accepted: soul");
    assert.deepEqual(await api.record(MUSIC), { genres: ["jazz", "soul"] });
    assert.deepEqual(complaints(page), []);
  });

test("the list of /connect changes by itself when an assistant connects or is disconnected", async (test) => {
  const t = inReverse(test);
  const { w, ada, app } = await assistant(t);
  const page = await open(t, w, {});
  await page.goto("/signin?next=/connect");
  await signIn(page, { password: PASSWORD });
  await page.waitForSelector("text=None yet");
  await ada.connect(app);
  await page.waitForSelector("#assistants >> text=Claude Code");
  await page.click("#assistants form button");
  await page.waitForSelector("text=Claude Code is disconnected");
  await page.goto("/connect");
  await page.waitForSelector("text=None yet");
  assert.deepEqual(complaints(page), []);
});

const CLIENTS = {
  "a client that registered itself": (w, host, callback) => register(w, { redirect_uri: callback.uri }),
  "a client with a document": (w, host, callback) => documentClient(w, host.publish("/client.json", { redirect_uris: ["http://127.0.0.1/cb"] }), callback.uri),
};

for (const [who, make] of Object.entries(CLIENTS))
  for (const javaScriptEnabled of [true, false])
    test(`${who} sees sensitive facts only if their box is checked, ${javaScriptEnabled ? "with" : "without"} JavaScript`, async (test) => {
      const t = inReverse(test);
      const SECRET = /low-sodium/i;
      const host = await documentHost(t);
      const callback = await Callback.open(t);
      const { w, ada } = await stage(t, { settings: host.settings });
      await state(ada, FOOD, "allergies", "peanuts");
      await state(ada, FOOD, "medical_diets", "low-sodium");
      const app = await make(w, host, callback);
      const page = await open(t, w, { javaScriptEnabled });
      await page.goto("/signin");
      await signIn(page, { password: PASSWORD });
      await page.waitForURL(/account/);

      // What reaches a model after the user has decided on this page.
      const seen = async (n) => {
        const request = app.request();
        await page.goto(request.path);
        const box = page.locator("input[name=sensitive]");
        assert.equal(await box.count(), 1);
        assert.equal(await box.isChecked(), false);
        assert.doesNotMatch(await page.textContent("[data-hints]"), SECRET);
        if (n === 2) await box.check();
        if (n === 2 && javaScriptEnabled) await page.waitForSelector("[data-hints] >> text=low-sodium");
        await page.click("button[value=allow]");
        const { params } = await callback.arrival(n);
        const answer = await app.exchange({ ...request, code: params.code });
        assert.equal(answer.status, 200, answer.text);
        const mcp = new Mcp(w, answer.data.access_token);
        const read = async (uri) => (await mcp.legacy("resources/read", { uri })).text;
        const all = [
          JSON.stringify(await mcp.tool("get_hints", { task: "find a restaurant", max_tokens: 2000 })),
          JSON.stringify(await mcp.tool("get_preferences", { domain: FOOD })),
          await read("penchant://hints"), await read("penchant://hints/find%20a%20restaurant"), await read(`penchant://preferences/${FOOD}`),
        ];
        for (const one of all) assert.match(one, /peanuts/);
        return all;
      };
      for (const one of await seen(1)) assert.doesNotMatch(one, SECRET);
      for (const one of await seen(2)) assert.match(one, SECRET);
      assert.deepEqual(complaints(page), []);
    });
