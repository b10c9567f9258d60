// Writing: what is added, what was there already, what two apps say together, what is refused.

import assert from "node:assert/strict";
import test from "node:test";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { assertError } from "../kit/expect.mjs";
import { addPerson, HOUR, NOW } from "../kit/oauth.mjs";
import { assertDetails, Client, connected, counts, FOOD, MUSIC, secondApp } from "../kit/preferences.mjs";

const iso = (seconds) => new Date(seconds * 1000).toISOString().replace(".000Z", "Z");

test("new values are added, existing ones are unchanged, and the response shows the new record", async (t) => {
  const { api } = await connected(t);
  assert.deepEqual(await api.read(`preferences/${MUSIC}`), { domain: MUSIC, preferences: {}, updated_at: null });
  assert.deepEqual(await api.write(MUSIC, { favorite_artists: ["Björk", "Radiohead"], genres: ["trip hop"] }), {
    domain: MUSIC,
    preferences: { favorite_artists: ["Björk", "Radiohead"], genres: ["trip hop"] },
    updated_at: iso(NOW),
    ...counts({ added: 3 }),
  });
  assert.deepEqual(await api.merge(MUSIC, { genres: ["trip hop", "jazz"] }), counts({ added: 1, unchanged: 1 }));
  assert.deepEqual(await api.merge(MUSIC, {}), counts());
  assert.deepEqual(await api.merge(MUSIC, { genres: [] }), counts());
  assert.deepEqual(await api.record(MUSIC), { favorite_artists: ["Björk", "Radiohead"], genres: ["trip hop", "jazz"] });
});

test("another known name of a value is stored as the value that the schema describes", async (t) => {
  const { api } = await connected(t);
  const { schema: { properties } } = await api.read("domains/travel_profile/schema");
  assert.deepEqual([properties.home_airport.maxLength, properties.cabin_class.enum[0]], [3, "economy"]);
  assert.match(properties.home_airport.description, /A city is stored as the code of its main airport\./);
  const { preferences } = await api.write("travel_profile", { home_airport: "Berlin", cabin_class: "coach" });
  assert.deepEqual(preferences, { home_airport: "BER", cabin_class: "economy" });
});

// The first spelling is shown; each of the others is the same value.
const SAME = [
  [MUSIC, "genres", ["trip hop", "Trip-Hop", "TRIP  HOP", " trip\u00a0hop ", "trip_hop"]],
  [MUSIC, "genres", ["hiphop", "Hip-Hop", "HIP HOP"]],
  [MUSIC, "favorite_artists", ["Björk", "Bjo\u0308rk", "BJÖRK", "björk "]],
  [MUSIC, "favorite_artists", ["Straße", "STRASSE"]],
  [MUSIC, "favorite_artists", ["Σωκράτης", "ΣΩΚΡΆΤΗΣ"]],
  [FOOD, "allergies", ["peanuts", "Peanut", "groundnut"]],
  [FOOD, "dietary", ["veggie", "Vegetarian", "VEGETARIAN"]],
  [FOOD, "household_size", [4, 4.0]],
  [FOOD, "nutrition_goals", [{ protein_grams: 90, calories: 2000 }, { calories: 2000, protein_grams: 90 }]],
  ["travel_profile", "avoid_red_eye", [true, true]],
];
// These look alike and are not the same.
const OTHER = [
  ["favorite_artists", ["Mo", "Mø", "M.o"]],
  ["favorite_artists", ["C", "C++", "C#"]],
  ["favorite_songs", ["Hurt", "Hurt!"]],
];

test("spellings that are the same value are one fact, shown as first written", async (t) => {
  const { api } = await connected(t);
  const total = {};
  for (const [domain, member, [first, ...others]] of SAME) {
    const single = !Array.isArray((await api.write(domain, { [member]: wrap(member, first) })).preferences[member]);
    for (const other of others)
      assert.deepEqual(await api.merge(domain, { [member]: single ? other : [other] }), counts({ unchanged: 1 }), `${first} and ${other}`);
    const shown = (await api.record(domain))[member];
    assert.deepEqual(single ? shown : shown.at(-1), single ? reordered(first) : first);
    total[domain] = (total[domain] ?? 0) + 1;
  }
  for (const [member, values] of OTHER) assert.deepEqual(await api.merge(MUSIC, { [member]: values }), counts({ added: values.length }), `${values}`);
  assert.equal((await api.read(`preferences/atoms?domain=${FOOD}`)).total, total[FOOD]);
});

const MANY = ["genres", "favorite_artists", "allergies"];
const wrap = (member, value) => (MANY.includes(member) ? [value] : value);
// An object's properties are in the order of the definition.
const reordered = (value) => (value.protein_grams ? { calories: 2000, protein_grams: 90 } : value);

test("the same value twice in one body is written once", async (t) => {
  const { api } = await connected(t);
  assert.deepEqual(await api.merge(MUSIC, { genres: ["soul", "SOUL", "jazz", " soul "] }), counts({ added: 2, unchanged: 2 }));
  assert.deepEqual(await api.record(MUSIC), { genres: ["soul", "jazz"] });
});

test("a new value of a single-valued member replaces the old one of any source", async (t) => {
  const { w, ada, api } = await connected(t);
  const other = await secondApp(w, ada);
  assert.deepEqual(await api.merge(FOOD, { dietary: "vegetarian" }), counts({ added: 1 }));
  const before = await api.atom("vegetarian");
  assert.deepEqual(await api.merge(FOOD, { dietary: "vegan" }), counts({ updated: 1 }));
  assert.deepEqual(await api.record(FOOD), { dietary: "vegan" });
  const [after, ...rest] = await api.atoms("status=all");
  assert.deepEqual([after.value, rest], ["vegan", []]);
  assert.notEqual(after.atom_id, before.atom_id);
  assertError(await api.suppressing(before.atom_id), 404);
  assert.deepEqual(await other.merge(FOOD, { dietary: "halal", cooking_skill: "beginner" }), counts({ updated: 1, added: 1 }));
  assert.deepEqual(await api.record(FOOD), { dietary: "halal", cooking_skill: "beginner" });
  const atom = await api.atom("halal");
  assert.deepEqual([atom.source, atom.source_count, atom.confidence], ["other", 1, 0.8]);
});

test("a repeat on the same day changes nothing, on a later day only the time", async (t) => {
  const { w, api } = await connected(t);
  await api.write(MUSIC, { genres: ["jazz", "soul"] });
  const first = await api.read("preferences/atoms");
  const tag = (await api.get(`preferences/${MUSIC}`)).headers.etag;
  w.clock.forward(HOUR / 2);
  assert.deepEqual(await api.merge(MUSIC, { genres: ["Jazz"] }), counts({ unchanged: 1 }));
  assert.deepEqual(await api.read("preferences/atoms"), first);
  assert.equal((await api.get(`preferences/${MUSIC}`)).headers.etag, tag);
  // NOW is 08:00: sixteen hours on it is another day.
  w.clock.stop(NOW + 16 * HOUR - 1);
  await api.renew();
  assert.deepEqual(await api.merge(MUSIC, { genres: ["jazz"] }), counts({ unchanged: 1 }));
  w.clock.stop(NOW + 16 * HOUR);
  assert.deepEqual(await api.merge(MUSIC, { genres: ["JAZZ"] }), counts({ updated: 1 }));
  const [soul, jazz] = await api.atoms();
  assert.deepEqual(soul, first.atoms[0]);
  assert.deepEqual(jazz, { ...first.atoms[1], updated_at: iso(NOW + 16 * HOUR) });
  assert.equal((await api.read(`preferences/${MUSIC}`)).updated_at, iso(NOW + 16 * HOUR));
  assert.deepEqual(await api.record(MUSIC), { genres: ["jazz", "soul"] });
});

test("apps that write the same value are sources of one fact with higher confidence", async (t) => {
  const { w, ada, api } = await connected(t);
  await api.write(MUSIC, { genres: ["jazz", "soul"] });
  const others = [];
  for (const [i, confidence] of [[1, 0.96], [2, 0.99], [3, 0.99]]) {
    const other = await secondApp(w, ada, { name: `Player ${i}` });
    others.push(other);
    assert.deepEqual(pick(await other.atom("jazz")), { source: "other", source_count: i, confidence: [0.8, 0.96, 0.99][i - 1], status: "active" });
    assert.deepEqual(await other.merge(MUSIC, { genres: ["JAZZ"] }), counts({ updated: 1 }));
    assert.deepEqual(await other.merge(MUSIC, { genres: ["jazz"] }), counts({ unchanged: 1 }));
    for (const reader of [api, other])
      assert.deepEqual(pick(await reader.atom("jazz")), { source: "self", source_count: i + 1, confidence, status: "active" });
  }
  assert.deepEqual(pick(await others[0].atom("soul")), { source: "other", source_count: 1, confidence: 0.8, status: "active" });
  assert.equal((await api.read(`domains/${MUSIC}/stats`)).sources, 4);
  assert.deepEqual(await api.record(MUSIC), { genres: ["jazz", "soul"] });
});

const pick = ({ source, source_count, confidence, status }) => ({ source, source_count, confidence, status });

test("items of a record stand as first written, atoms newest first, page by page", async (t) => {
  const { api } = await connected(t);
  const artists = ["Zola", "Ärzte", "abba", "Åsa", "Cher", "10cc", "ZZ Top", "Élan", "eels"];
  for (let i = 0; i < artists.length; i += 3) await api.write(MUSIC, { favorite_artists: artists.slice(i, i + 3) });
  await api.write(FOOD, { cuisines: ["Thai"] });
  assert.deepEqual((await api.record(MUSIC)).favorite_artists, artists);
  const newest = ["Thai", ...[...artists].reverse()];
  const all = await api.read("preferences/atoms");
  assert.deepEqual([all.total, all.limit, all.offset], [10, 20, 0]);
  assert.deepEqual(all.atoms.map((atom) => atom.value), newest);
  for (const [limit, offset] of [[1, 0], [3, 2], [4, 8], [100, 9], [5, 10], [5, 1000]]) {
    const page = await api.read(`preferences/atoms?limit=${limit}&offset=${offset}`);
    assert.deepEqual([page.total, page.limit, page.offset], [10, limit, offset]);
    assert.deepEqual(page.atoms, all.atoms.slice(offset, offset + limit));
  }
  const music = await api.read(`preferences/atoms?domain=${MUSIC}&limit=2`);
  assert.deepEqual([music.total, music.atoms.map((atom) => atom.value)], [9, ["eels", "Élan"]]);
  for (const atom of all.atoms) {
    assert.match(atom.atom_id, /^atm_[A-Za-z0-9_-]{16,}$/);
    assert.deepEqual(Object.keys(atom), ["atom_id", "domain", "member", "value", "confidence", "source", "source_count", "status", "created_at", "updated_at"]);
  }
  assert.equal(new Set(all.atoms.map((atom) => atom.atom_id)).size, 10);
  assert.deepEqual(await api.read("preferences/atoms?domain=&limit=&offset=&status="), all);
  for (const query of ["limit=0", "limit=101", "limit=x", "limit=1.5", "limit=-1", "offset=-1", "offset=x", "status=gone", "status=Active", "domain=nosuch", "limit=1&limit=2"])
    assertError(await api.get(`preferences/atoms?${query}`), 400);
});

const item = (at, problem) => [`preferences.${at}`, problem];
const WRONG = [
  ["an unknown member", MUSIC, { nope: ["x"] }, [item("nope", /member/)]],
  ["a text for an array", MUSIC, { genres: "jazz" }, [item("genres", /array/)]],
  ["an object for an array", MUSIC, { genres: { 0: "jazz" } }, [item("genres", /array/)]],
  ["null for an array", MUSIC, { genres: null }, [item("genres", /array/)]],
  ["items that are no texts", MUSIC, { genres: ["jazz", 1, null, true, ["x"], {}] }, [1, 2, 3, 4, 5].map((i) => item(`genres[${i}]`, /string|text/))],
  ["an array for one value", FOOD, { dietary: ["vegan"] }, [item("dietary", /string|text/)]],
  ["a word outside the vocabulary", FOOD, { cooking_skill: "wizard" }, [item("cooking_skill", /beginner/)]],
  ["a number that is too big", FOOD, { household_size: 51 }, [item("household_size", /1 to 50/)]],
  ["a number that is too small", FOOD, { household_size: 0 }, [item("household_size", /1 to 50/)]],
  ["a number as a text", FOOD, { household_size: "4" }, [item("household_size", /number/)]],
  ["a property that there is not", FOOD, { nutrition_goals: { iron: 1 } }, [item("nutrition_goals", /property/)]],
  ["an object without properties", FOOD, { nutrition_goals: {} }, [item("nutrition_goals", /property/)]],
  ["a truth as a number", "travel_profile", { avoid_red_eye: 1 }, [item("avoid_red_eye", /true or false/)]],
  ["an empty text", MUSIC, { genres: ["jazz", ""] }, [item("genres[1]", /.+/)]],
  ["nothing but blanks", MUSIC, { genres: [" \u00a0 "] }, [item("genres[0]", /.+/)]],
  ["201 characters", MUSIC, { statements: ["ä".repeat(201)] }, [item("statements[0]", /200/)]],
  ["four letters for an airport", "travel_profile", { home_airport: "LHRX" }, [item("home_airport", /a code of at most 3 characters, such as ACC, or a known name for one, such as Accra/)]],
  ["101 items", MUSIC, { favorite_artists: Array.from({ length: 101 }, (_, i) => `Artist ${i}`) }, [item("favorite_artists", /100/)]],
  ["a line end", MUSIC, { favorite_artists: ["a\nb"] }, [item("favorite_artists[0]", /U\+000A/i)]],
  ["a NUL", MUSIC, { favorite_artists: ["a\u0000b"] }, [item("favorite_artists[0]", /U\+0000/i)]],
  ["a zero-width space", MUSIC, { favorite_artists: ["a\u200bb"] }, [item("favorite_artists[0]", /U\+200B/i)]],
  ["a right-to-left override", MUSIC, { favorite_artists: ["a\u202eb"] }, [item("favorite_artists[0]", /U\+202E/i)]],
  ["a tag character", MUSIC, { favorite_artists: ["a\u{e0041}b"] }, [item("favorite_artists[0]", /U\+E0041/i)]],
  ["a private-use character", MUSIC, { favorite_artists: ["a\ue000b"] }, [item("favorite_artists[0]", /U\+E000/i)]],
  ["a non-character", MUSIC, { favorite_artists: ["a\uffffb"] }, [item("favorite_artists[0]", /U\+FFFF/i)]],
  ["several at once", FOOD, { nope: 1, allergies: ["fish", 7], dietary: 3 }, [item("nope", /member/), item("allergies[1]", /string|text/), item("dietary", /string|text/)]],
];

test("an invalid body is rejected as a whole, with the position of each problem", async (t) => {
  const { api } = await connected(t);
  const good = { [MUSIC]: { moods: ["calm"] }, [FOOD]: { cuisines: ["Thai"] }, travel_profile: { airlines: ["Finnair"] } };
  for (const [why, domain, preferences, details] of WRONG) {
    const answer = await api.send(domain, { ...good[domain], ...preferences });
    assert.equal(answer.status, 400, `${why}: ${answer.text}`);
    assertDetails(answer, details);
  }
  assert.equal((await api.read("preferences/atoms?status=all")).total, 0);
  assert.deepEqual(await api.merge(MUSIC, { statements: ["ä".repeat(200)], favorite_artists: Array.from({ length: 100 }, (_, i) => `Artist ${i}`) }), counts({ added: 100, held: 1 }));
});

test("a compressed body is 415 and changes nothing", async (t) => {
  const { api } = await connected(t);
  const text = '{"preferences":{"genres":["jazz"]}}';
  const post = (body, encoding) => api.ask("POST", `preferences/${MUSIC}`, { body, headers: { "content-type": "application/json", "content-encoding": encoding } });
  for (const [body, encoding] of [[gzipSync(text), "gzip"], [deflateSync(text), "deflate"], [brotliCompressSync(text), "br"], [text, "gzip"], [text, "identity, gzip"], [text, "nonsense"]]) {
    const answer = await post(body, encoding);
    assertError(answer, 415, "unsupported_media_type");
    assert.equal(answer.data.error_description, "Content-Encoding is not supported. Send the body uncompressed.");
    assert.equal(answer.headers["accept-encoding"], "identity");
  }
  assert.deepEqual(await api.record(MUSIC), {});
  assert.equal((await post(text, "identity")).status, 200);
  assert.deepEqual(await api.record(MUSIC), { genres: ["jazz"] });
});

test("a body of the wrong type is rejected before any other check", async (t) => {
  const { api } = await connected(t);
  const post = (body, type = "application/json") => api.ask("POST", `preferences/${MUSIC}`, { body, headers: { "content-type": type } });
  for (const body of ["", "{", "[]", "1", "null", '"x"', "{}", '{"preferences":[]}', '{"preferences":null}', '{"preferences":{"genres":["a"]}}x', '{"preferences":{"genres":["a",]}}', "{'preferences':{}}", '{"preferences":{"genres":["\\ud800"]}}', '{"preferences":{"genres":["a"],"genres":["b"]}}', '{"preferences":{"genres":[NaN]}}'])
    assertError(await post(body), 400);
  assertError(await post(Buffer.from('{"preferences":{"genres":["\xff"]}}', "latin1")), 400);
  const nested = (depth) => `{"preferences":{"genres":${"[".repeat(depth)}${"]".repeat(depth)}}}`;
  for (const depth of [2, 6, 7, 8, 30000]) assertError(await post(nested(depth)), 400);
  const padded = (size) => `{"preferences":{"genres":["jazz"]}}`.padEnd(size, " ");
  assertError(await post(padded(65537)), 413);
  assert.equal((await post('{"preferences":{}}', "text/plain")).status, 415);
  assert.deepEqual(await api.record(MUSIC), {});
  assert.equal((await post(padded(65536))).status, 200);
  assert.equal((await post('{"preferences":{}}', "application/json; charset=utf-8")).status, 200);
});

test("a domain holds 2,000 facts; a write beyond that fails as a whole", async (t) => {
  const { api, ada, w } = await connected(t);
  const other = await secondApp(w, ada);
  const names = (from, count) => Array.from({ length: count }, (_, i) => `Song ${from + i}`);
  for (let from = 0; from < 1990; from += 100) await api.write(MUSIC, { favorite_songs: names(from, Math.min(100, 1990 - from)) });
  assertDetails(await api.send(MUSIC, { favorite_songs: names(1985, 16) }), [["preferences", /2,000/]]);
  assert.equal((await api.read(`domains/${MUSIC}/stats`)).atom_count, 1990);
  assert.deepEqual(await other.merge(MUSIC, { favorite_songs: names(1990, 9), discovery: "balanced" }), counts({ added: 10 }));
  for (const client of [api, other]) assertDetails(await client.send(MUSIC, { genres: ["jazz"] }), [["preferences", /2,000/]]);
  assert.deepEqual(await api.merge(MUSIC, { favorite_songs: ["SONG 7"] }), counts({ unchanged: 1 }));
  assert.deepEqual(await api.merge(FOOD, { cuisines: ["Thai"] }), counts({ added: 1 }));
  const record = await api.record(MUSIC);
  assert.deepEqual(record.favorite_songs, names(0, 1999));
  const last = await api.read(`preferences/atoms?domain=${MUSIC}&limit=100&offset=1950`);
  assert.deepEqual([last.total, last.atoms.length, last.atoms.at(-1).value], [2000, 50, "Song 0"]);
  const pages = [];
  for (let offset = 0; offset < 2000; offset += 100) pages.push(...(await api.atoms(`domain=${MUSIC}&limit=100&offset=${offset}`)));
  assert.equal(new Set(pages.map(({ atom_id }) => atom_id)).size, 2000, "pages that add up");
  const songs = pages.filter(({ member }) => member === "favorite_songs").map(({ value }) => value);
  assert.deepEqual(songs.reverse(), record.favorite_songs);
  assert.deepEqual(await api.atoms(`domain=${MUSIC}&limit=100&offset=2000`), []);
  assert.deepEqual((await api.read(`domains/${MUSIC}/stats`)).members, { favorite_songs: 1999, discovery: 1 });
  await api.suppressing(pages[5].atom_id);
  assertDetails(await api.send(MUSIC, { genres: ["jazz"] }), [["preferences", /limit of 2,000 facts in this domain, including suppressed ones; the user must delete/]]);
});

test("writes for one user do not affect another", async (t) => {
  const { w, api, app } = await connected(t);
  const eve = await addPerson(w, "eve");
  const hers = await Client.connect(eve, app);
  await api.write(MUSIC, { genres: ["jazz"] });
  const { atom_id } = await api.atom("jazz");
  assert.deepEqual(await hers.read("preferences/atoms?status=all"), { atoms: [], total: 0, limit: 20, offset: 0 });
  assertError(await hers.suppressing(atom_id), 404);
  assert.deepEqual(await hers.merge(MUSIC, { genres: ["jazz"] }), counts({ added: 1 }));
  assert.equal((await hers.atom("jazz")).source_count, 1);
  assert.notEqual((await hers.atom("jazz")).atom_id, atom_id);
  assert.deepEqual(await api.record(MUSIC), { genres: ["jazz"] });
});
