// Imports: pasted memories and the files of Spotify, Netflix, and Goodreads, from the file chooser to the stored facts, on desk and phone,
// with a mouse and with the keyboard alone, and each file that is refused.

import assert from "node:assert/strict";
import test from "node:test";
import { assertAccessible, assertApart, assertFits, assertLight, makeOpener, complaints, inBothViews, inReverse, signIn, VIEWS } from "../kit/browser.mjs";
import { stage } from "../kit/oauth.mjs";
import { Client } from "../kit/preferences.mjs";
import { PASSWORD } from "../kit/world.mjs";

const open = makeOpener();
const IMPORT = "/account/data/import";
const MUSIC = "music_preferences";
const MEDIA = "media_profile";
const FOOD = "food_profile";

async function scene(test, view) {
  const t = inReverse(test);
  const { w, ada, app } = await stage(t);
  const api = await Client.connect(ada, app, { scope: "preferences:read" });
  const page = await open(t, w, view);
  await page.goto(`/signin?next=${IMPORT}`);
  await signIn(page, { password: PASSWORD });
  await page.waitForURL(`**${IMPORT}`);
  const look = async (what) => {
    await page.shoot(`import-${what}`);
    if (view.javaScriptEnabled === false) return; // the checks are scripts
    await inBothViews(page, what, assertAccessible, assertFits, assertApart, assertLight);
  };
  const stored = async () => {
    const { preferences } = await api.read("preferences");
    return Object.fromEntries(Object.entries(preferences).filter(([, record]) => Object.keys(record).length > 0));
  };
  return { page, look, stored };
}

const send = (page) => page.click(`form[action='${IMPORT}'] button[type=submit]`);
const choose = (page, name, text) => page.setInputFiles("#file", { name, mimeType: "application/octet-stream", buffer: Buffer.from(text) });
const offered = (page) => page.$$eval("input[name=take]", (all) => all.map((one) => one.closest("label").querySelector(".fact-value").textContent));
const untick = (page, value) => page.locator("label.tick", { hasText: value }).locator("input").uncheck();
const take = async (page, imported) => {
  await page.click(`form[action='${IMPORT}/confirm'] button[type=submit]`);
  await page.waitForSelector(`.flash >> text=Facts imported: ${imported}`);
};

// The reason is where the user is looking, not at the other end of the page.
const assertInView = async (page, element) => {
  const { y, height } = await page.locator(element).boundingBox();
  assert.ok(y >= 0 && y + height <= page.viewportSize().height, `${element} is at ${y}, outside of the window`);
};

const MEMORIES = "- User is allergic to peanuts.\n- Likes jazz and techno\n- Is planning a trip to Lisbon\n";

const SPOTIFY = JSON.stringify({
  tracks: [], albums: [{ artist: "Radiohead", album: "Kid A", uri: "u" }], shows: [], episodes: [], bannedTracks: [],
  artists: [{ name: "Björk", uri: "u" }, { name: "Low", uri: "u" }], bannedArtists: [], other: [],
});

const watched = (profile, title, times) => `${profile},2026-01-01 20:00:00,00:40:00,,"${title}",,TV,00:40:00,00:40:00,DE (Germany)\r\n`.repeat(times);
const NETFLIX = "Profile Name,Start Time,Duration,Attributes,Title,Supplemental Video Type,Device Type,Bookmark,Latest Bookmark,Country\r\n"
  + Array.from({ length: 6 }, (_, n) => watched("Ada", `Dark: Season 1: Part ${n}`, 1)).join("");
const HOUSEHOLD = NETFLIX + watched("Kids", "Peppa Pig: Season 1: a", 9);

const book = (title, author, stars) => `1,"${title}",${author},"x, y",,"=""0439023483""","=""9780439""",${stars},4.1,P,read,""\n`;
const GOODREADS = "Book Id,Title,Author,Author l-f,Additional Authors,ISBN,ISBN13,My Rating,Average Rating,Publisher,Exclusive Shelf,My Review\n"
  + book("Dune (Dune, #1)", "Frank Herbert", 5) + book("Emma", "Jane Austen", 4) + book("Meh", "Someone", 2);

for (const view of [...VIEWS, { name: "desk-plain", javaScriptEnabled: false }]) {
  test(`memories and each service's file are previewed, and what stays checked is stored: ${view.name}`, async (t) => {
    const { page, look, stored } = await scene(t, view);
    await look("page");
    await page.fill("#text", MEMORIES);
    await send(page);
    await page.waitForSelector("table.counts");
    await look("memories");
    assert.deepEqual((await offered(page)).sort(), ["I am planning a trip to Lisbon", "jazz", "peanuts", "techno"]);
    assert.deepEqual(await stored(), {}, "the preview stored something");
    await page.click("text=Cancel");
    await page.waitForURL(`**${IMPORT}`);
    assert.deepEqual(await stored(), {}, "Cancel stored something");

    await page.fill("#text", MEMORIES);
    await send(page);
    await untick(page, "techno");
    await untick(page, "Lisbon");
    await take(page, 2);
    assert.deepEqual(await stored(), { [FOOD]: { allergies: ["peanuts"] }, [MUSIC]: { genres: ["jazz"] } });

    await page.goto(IMPORT);
    await choose(page, "YourLibrary.json", SPOTIFY);
    await send(page);
    await page.waitForSelector("table.counts");
    assert.deepEqual(await offered(page), ["Björk", "Low", "Kid A by Radiohead"]);
    await look("spotify");
    await untick(page, "Low");
    await take(page, 2);
    assert.deepEqual((await stored())[MUSIC], { favorite_artists: ["Björk"], favorite_albums: ["Kid A by Radiohead"], genres: ["jazz"] });

    await page.goto(IMPORT);
    await choose(page, "ViewingActivity.csv", HOUSEHOLD);
    await send(page);
    await page.waitForSelector("text=several profiles: Ada, Kids");
    await look("netflix-profiles");
    await choose(page, "ViewingActivity.csv", HOUSEHOLD);
    await page.fill("#profile", "Ada");
    await send(page);
    await page.waitForSelector("table.counts");
    assert.deepEqual(await offered(page), ["Dark"]);
    await look("netflix");
    await take(page, 1);

    await page.goto(IMPORT);
    await choose(page, "goodreads_library_export.csv", GOODREADS);
    await send(page);
    await page.waitForSelector("table.counts");
    assert.deepEqual(await offered(page), ["Dune", "Emma"]);
    await look("goodreads");
    await take(page, 2);
    const media = (await stored())[MEDIA];
    assert.deepEqual([media.favorite_books, Object.values(media).flat().includes("Dark")], [["Dune", "Emma"], true]);

    // Again: everything is known.
    await page.goto(IMPORT);
    await choose(page, "goodreads_library_export.csv", GOODREADS);
    await send(page);
    await page.waitForSelector("text=There is nothing new in this file.");
    assert.deepEqual(await offered(page), []);
    assert.deepEqual(complaints(page), []);
  });

  test(`an unknown kind of file is rejected with instructions, and nothing is stored: ${view.name}`, async (t) => {
    const { page, look, stored } = await scene(t, view);
    const wrong = [
      ["my_spotify_data.zip", "PK\x03\x04\x14\x00", /Unpack it and choose one file from it: for Spotify YourLibrary\.json/],
      ["Userdata.json", JSON.stringify({ username: "ada" }), /not one of the files listed below\. For Spotify, choose YourLibrary\.json/],
      ["ViewingActivity.csv", "Title,Date\r\n", /it is empty/],
      ["goodreads_library_export.csv", GOODREADS.split("\n")[0] + "\n" + book("Meh", "Someone", 2), /nothing to import/],
      ["StreamingHistory_music_0.json", '[{"endTime":"x","artistName":"A","trackName":"b","msPlayed":90000},', /ends too early/],
    ];
    for (const [name, text, problem] of wrong) {
      await choose(page, name, text);
      await send(page);
      await page.waitForSelector("#file[aria-invalid=true]");
      assert.match(await page.textContent("#file-problem"), problem, name);
      assert.match(await page.title(), /^Error: /);
      await assertInView(page, "#file-problem");
      if (view.javaScriptEnabled !== false) assert.equal(await page.evaluate(() => document.activeElement.id), "file");
    }
    await look("refused");
    await page.fill("#text", Array.from({ length: 101 }, (_, n) => `I like ${n}`).join("\n"));
    await send(page);
    await page.waitForSelector("text=more than 100 lines");
    assert.equal(await page.getAttribute("#text", "aria-invalid"), "true");
    await assertInView(page, "#text-problem");
    assert.match(await page.inputValue("#text"), /I like 100$/, "what was pasted is lost");
    assert.deepEqual(await stored(), {});
    assert.deepEqual(complaints(page), []);
  });
}

test("the keyboard alone pastes memories, leaves one out, and imports the others", async (t) => {
  const { page, stored } = await scene(t, {});
  const tabTo = async (wanted) => {
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press("Tab");
      if (await page.evaluate(wanted)) return;
    }
    assert.fail(`${wanted} cannot be reached`);
  };
  await tabTo(() => document.activeElement.id === "text");
  await page.keyboard.insertText("Likes jazz and techno");
  await tabTo(() => document.activeElement.matches("form.import button[type=submit]"));
  await page.keyboard.press("Enter");
  await page.waitForSelector("table.counts");
  await tabTo(() => document.activeElement.name === "take" && /techno/.test(document.activeElement.closest("label").textContent));
  await page.keyboard.press("Space");
  await tabTo(() => document.activeElement.matches("form[action$='/confirm'] button"));
  await page.keyboard.press("Enter");
  await page.waitForSelector(".flash >> text=Facts imported: 1");
  assert.deepEqual(await stored(), { [MUSIC]: { genres: ["jazz"] } });
});
