// What apps did with a user's data: what is counted, who sees it, and that nothing can be removed unnoticed.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { mainText, open, press, SAME_SITE } from "../kit/account.mjs";
import { Mcp, resultOf } from "../kit/mcp.mjs";
import { addApp, addPerson, assertTokens, DAY, HOUR, NOW, Person, stage } from "../kit/oauth.mjs";
import { Client, connected, FOOD, MUSIC } from "../kit/preferences.mjs";
import { run } from "../kit/process.mjs";
import { until } from "../kit/until.mjs";
import { onPostgres, ROOT } from "../kit/world.mjs";

const EVERYTHING = "preferences:read preferences:write agent_hints profile:read";
const FACTS = { dietary: "vegan", cuisines: ["thai", "greek"] };

const download = async (person, where = "/account/activity/download") => {
  const answer = await person.get(where, SAME_SITE);
  assert.equal(answer.status, 200, answer.text);
  assert.match(answer.headers["content-type"], /^application\/json/);
  assert.match(answer.headers["content-disposition"], /^attachment; filename="penchant-.*\.json"$/);
  return JSON.parse(answer.text);
};

// Every stored record, as "app action subject times facts" with + for a first read and - for a denial.
const brief = ({ app, action, refused, subject, times, facts, first }) => `${app || "-"} ${refused ? "-" : ""}${action} ${subject || "-"} ${times} ${facts}${first ? " +" : ""}`;
const stored = async (person) => (await download(person)).days.flatMap((day) => day.records).map(brief).sort();

// Counts are written every ten seconds.
const written = async (w, person, wanted) => {
  w.deadlines.forward(11_000);
  let found;
  await until(`${wanted.join(", ")}`, async () => {
    found = await stored(person);
    return wanted.every((line) => found.includes(line));
  }).catch(() => assert.deepEqual(found, wanted));
  return found;
};

const rounds = (w) => w.service.log.filter(({ event }) => event === "housekeeping_done").length;
async function runHousekeeping(w, seconds = 61) {
  const before = rounds(w);
  w.deadlines.forward(seconds * 1000);
  await until("a round of housekeeping", () => rounds(w) > before);
}

test("every read, change, and denial is recorded with its domain and number of facts", async (t) => {
  const { w, ada, api } = await connected(t, { scope: EVERYTHING });
  await api.write(FOOD, FACTS);
  await api.write(MUSIC, { genres: ["jazz"] });
  for (let i = 0; i < 3; i++) await api.record(FOOD); // twice from the cache
  assert.equal((await api.get(`preferences/${FOOD}`, { "if-none-match": (await api.get(`preferences/${FOOD}`)).headers.etag })).status, 304);
  await api.read("preferences");
  await api.atoms("domain=food_profile&limit=2");
  await api.read(`domains/${MUSIC}/stats`);
  await api.read("domains"); // about no user
  for (let i = 0; i < 2; i++) await api.read("agent-hints?domains=food_profile&max_tokens=500");
  await api.read("agent-hints?context=smalltalk&domains=travel_profile");
  assert.equal((await api.get("preferences/export")).status, 200);
  assert.equal((await w.get("/oauth/userinfo", { authorization: `Bearer ${api.token}` })).status, 200);
  await api.suppress("jazz");
  assert.equal((await api.get("preferences/nonsense")).status, 404); // not recorded

  const reader = await Client.connect(ada, await addApp(w, { name: "Trip Pal" }), { scope: "travel_profile" });
  assert.equal((await reader.get(`preferences/${FOOD}`)).status, 403);
  assert.equal((await reader.get("agent-hints")).status, 403);
  assert.equal((await reader.send(FOOD, FACTS)).status, 403);
  await reader.record("travel_profile");

  const found = await written(w, ada, ["Concert Finder read food_profile 8 23 +"]);
  assert.deepEqual(found, [
    "Concert Finder connect - 1 0",
    "Concert Finder export food_profile 1 3",
    "Concert Finder export music_preferences 1 1",
    "Concert Finder hints - 1 0",
    "Concert Finder hints food_profile 2 6",
    "Concert Finder profile - 1 0",
    "Concert Finder read food_profile 8 23 +",
    "Concert Finder read music_preferences 3 2 +",
    "Concert Finder suppress music_preferences 1 1",
    "Concert Finder write food_profile 1 3",
    "Concert Finder write music_preferences 1 1",
    "Trip Pal -hints - 1 0",
    "Trip Pal -read food_profile 1 0",
    "Trip Pal -write food_profile 1 0",
    "Trip Pal connect - 1 0",
    "Trip Pal read travel_profile 1 0 +",
  ]);
});

test("the writes of an app add up in one record per day and domain", async (t) => {
  const { ada, api } = await connected(t, { scope: EVERYTHING });
  await api.write(FOOD, FACTS);
  await api.write(FOOD, { cuisines: ["lao"] });
  await api.write(MUSIC, { genres: ["jazz"] });
  await api.write(FOOD, FACTS); // changes nothing, and is recorded
  const found = (await stored(ada)).filter((line) => / write /.test(line));
  assert.deepEqual(found, ["Concert Finder write food_profile 3 4", "Concert Finder write music_preferences 1 1"]);
});

test("tools and resources of assistants are recorded, also when the user has not allowed them", async (t) => {
  const { w, ada, api } = await connected(t, { scope: "preferences:read preferences:write agent_hints" });
  const mcp = new Mcp(w, api.token);
  await api.write(FOOD, FACTS);
  for (let i = 0; i < 2; i++) resultOf(await mcp.legacy("tools/call", { name: "get_hints", arguments: { domains: [FOOD], max_tokens: 500 } }));
  resultOf(await mcp.legacy("tools/call", { name: "get_preferences", arguments: { domain: FOOD } }));
  resultOf(await mcp.legacy("tools/call", { name: "get_preferences", arguments: { domain: "nonsense" } })); // an error, not a read
  resultOf(await mcp.legacy("resources/read", { uri: `penchant://preferences/${FOOD}` }));
  resultOf(await mcp.legacy("resources/read", { uri: "penchant://hints" }));
  resultOf(await mcp.legacy("tools/call", { name: "remember", arguments: { domain: MUSIC, member: "genres", values: ["jazz"] } }));
  await press(ada, `/account/apps/${api.app.client_id}`, `/account/apps/${api.app.client_id}/scopes`, { ticks: ["preferences:read", "agent_hints"] });
  resultOf(await mcp.legacy("tools/call", { name: "remember", arguments: { domain: MUSIC, member: "genres", values: ["ska"] } }));
  // Threads count separately, so that either the hints or the preferences are the first read.
  w.deadlines.forward(11_000);
  let found;
  await until("all records", async () => ((found = await stored(ada)), found.some((line) => line.startsWith("Concert Finder hints food_profile 3 9")) && found.some((line) => line.startsWith("Concert Finder read food_profile 2 6"))));
  assert.equal(found.filter((line) => line.endsWith(" +")).length, 1);
  assert.deepEqual(found.map((line) => line.replace(" +", "")), [
    "Concert Finder -write - 1 0",
    "Concert Finder change - 1 0",
    "Concert Finder connect - 1 0",
    "Concert Finder hints food_profile 3 9",
    "Concert Finder read food_profile 2 6",
    "Concert Finder write food_profile 1 3",
    "Concert Finder write music_preferences 1 1",
  ]);
});

test("the page groups calls, marks first reads, changes, and denials, and filters", async (t) => {
  const { w, ada, app, api } = await connected(t, { scope: EVERYTHING });
  await api.write(FOOD, FACTS);
  const other = await Client.connect(ada, await addApp(w, { name: "Trip Pal" }), { scope: "travel_profile" });
  for (let i = 0; i < 214; i++) await api.record(FOOD);
  assert.equal((await other.get(`preferences/${FOOD}`)).status, 403);
  w.clock.forward(120);
  const now = mainText(await open(ada, "/account/activity")); // before anything was written
  assert.match(now, /Concert Finder Read Food 214 times . 642 facts . last 2 minutes ago/);
  assert.match(now, /Concert Finder Change Added or changed facts in Food . 3 facts/);
  assert.match(now, /Trip Pal Denied Tried to read Food/);
  assert.match(now, /Trip Pal You connected this app/);
  await written(w, ada, ["Concert Finder read food_profile 214 642 +"]);
  assert.match(mainText(await open(ada, "/account/activity")), /Concert Finder First time Read Food 214 times/);

  const one = mainText(await open(ada, `/account/activity?app=${other.app.client_id}`));
  assert.match(one, /Trip Pal Denied/);
  assert.doesNotMatch(one, /214 times/);
  const area = mainText(await open(ada, `/account/activity?area=${FOOD}`));
  assert.match(area, /214 times[^]*Tried to read Food|Tried to read Food[^]*214 times/);
  assert.doesNotMatch(area, /You connected/);
  assert.match(mainText(await open(ada, "/account/activity?app=nothing&area=nothing")), /Nothing matches/);

  const page = mainText(await open(ada, `/account/apps/${app.client_id}`));
  assert.match(page, /Read Food 214 times/);
  assert.doesNotMatch(page, /Trip Pal/);
  w.clock.forward(DAY);
  assert.match(mainText(await open(ada, "/account/activity")), /Yesterday/);
});

test("users see only their own activity, also of an app that they disconnected, and deletion removes it", async (t) => {
  const { w, ada, app, api } = await connected(t, { scope: EVERYTHING });
  const grace = await addPerson(w, "grace");
  await api.record(FOOD);
  await written(w, ada, ["Concert Finder read food_profile 1 0 +"]);
  assert.deepEqual(await stored(grace), []);
  assert.match(mainText(await open(grace, `/account/activity?app=${app.client_id}`)), /Nothing yet/);
  assert.equal((await w.get("/account/activity/download")).status, 303); // signed out

  await api.record(FOOD);
  await press(ada, `/account/apps/${app.client_id}`, `/account/apps/${app.client_id}/disconnect`);
  const kept = await written(w, ada, ["Concert Finder read food_profile 2 0 +"]);
  assert.deepEqual(kept, ["Concert Finder connect - 1 0", "Concert Finder disconnect - 1 0", "Concert Finder read food_profile 2 0 +"]);

  const gone = await Client.connect(grace, app, { scope: EVERYTHING });
  await gone.record(FOOD);
  await press(grace, "/account/confirm", "/account/confirm", { typed: { password: grace.password } });
  await press(grace, "/account/data", "/account/data/delete", { ticks: ["yes"] });
  w.deadlines.forward(11_000);
  await api.get("domains");
  await w.stop();
  assert.equal(await w.sql("SELECT COUNT(DISTINCT user_id) FROM activity"), "1");
  assert.equal(await w.sql("SELECT COUNT(DISTINCT user_id) FROM activity_day"), "1");
  assert.equal(await w.sql("SELECT COUNT(DISTINCT user_id) FROM activity_first"), "1");
});

test("sign-ins on new devices and reused refresh tokens are shown to the user", async (t) => {
  const { w, ada, app } = await stage(t);
  const first = await ada.connect(app);
  assertTokens(await app.refresh(first.refresh_token));
  w.clock.forward(61);
  assert.equal((await app.refresh(first.refresh_token)).status, 400);
  await new Person(w, ada).signIn(); // another browser
  assert.match(mainText(await open(ada, "/account/activity")), /Concert Finder Check this An old key of this app was used twice/);
  assert.match(mainText(await open(ada, "/account/activity")), /Your account Signed in on a new device: /);
});

test("the end of a permission is recorded once, on its day, and a renewed one ends again", async (t) => {
  const { w, ada, app } = await stage(t, { settings: { "log-level": "debug" } });
  await ada.connect(app, { term: "30d" });
  await addApp(w, { name: "Trip Pal" }).then((other) => ada.connect(other, { term: "revoked" }));
  w.clock.forward(30 * DAY + HOUR);
  await ada.signIn();
  await runHousekeeping(w); // notices the jump of the clock, and believes it an hour later
  await runHousekeeping(w, 2 * HOUR);
  const expired = async () => (await download(ada)).days.flatMap((day) => day.records.filter(({ action }) => action === "expire").map((record) => ({ ...record, day: day.day })));
  await until("the expiry", async () => (await expired()).length === 1);
  await runHousekeeping(w);
  const [record, ...more] = await expired();
  assert.deepEqual(more, []);
  assert.deepEqual([record.app, record.times, record.facts, record.refused], ["Concert Finder", 1, 0, false]);
  assert.equal(Date.parse(record.first_at) / 1000, NOW + 30 * DAY);
  assert.match(mainText(await open(ada, "/account/activity")), /Concert Finder Your permission for this app expired/);
  await ada.connect(app, { term: "30d" });
  w.clock.forward(31 * DAY);
  await ada.signIn();
  await runHousekeeping(w);
  await runHousekeeping(w, 2 * HOUR);
  await until("the second expiry", async () => (await expired()).length === 2);
  await w.assertSound();
});

test("the table has every record, and no text in it is a formula", async (t) => {
  const { w, ada } = await stage(t);
  const evil = await addApp(w, { name: '=HYPERLINK("https://evil.example","x")' });
  const api = await Client.connect(ada, evil, { scope: EVERYTHING });
  await api.write(FOOD, FACTS);
  await api.record(FOOD);
  await written(w, ada, [`${evil.name ?? '=HYPERLINK("https://evil.example","x")'} read food_profile 1 3 +`]);
  const answer = await ada.get("/account/activity/table", SAME_SITE);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers["content-type"], "text/csv; charset=utf-8");
  assert.equal(answer.headers["x-content-type-options"], "nosniff");
  assert.match(answer.headers["content-disposition"], /^attachment; filename="penchant-activity-ada-\d{4}-\d\d-\d\d\.csv"$/);
  const [head, ...lines] = answer.text.trimEnd().split("\r\n");
  assert.equal(head, "day,app_id,app,action,refused,subject,times,facts,first_at,last_at,first");
  assert.equal(lines.length, (await stored(ada)).length);
  const read = lines.find((line) => line.includes('"read"'));
  assert.match(read, /^"\d{4}-\d\d-\d\d","app_[\w-]{22}","'=HYPERLINK\(""https:\/\/evil\.example"",""x""\)","read",false,"food_profile",1,3,"[\d-]{10}T[\d:]{8}Z","[\d-]{10}T[\d:]{8}Z",true$/);
  assert.equal((await w.get("/account/activity/table")).status, 303); // signed out
});

// ---- the chain ----

// Three closed days and today, for ada.
async function chained(t) {
  const made = await connected(t, { scope: EVERYTHING, settings: { "log-level": "debug" } });
  const { w, ada, api } = made;
  await api.write(FOOD, FACTS);
  for (let day = 0; day < 3; day++) {
    await api.record(FOOD);
    await written(w, ada, [`Concert Finder read food_profile 1 3${day === 0 ? " +" : ""}`]);
    await api.read("agent-hints?domains=food_profile"); // after it: threads count apart, so either could be the first
    await Client.daysLater(1, api);
  }
  await api.record(FOOD);
  await runHousekeeping(w, 2 * HOUR); // the stopped clock is a jump, which housekeeping believes after an hour
  await until("three closed days and an open one", async () => (await download(ada)).days.map(({ closed }) => closed).join() === "true,true,true,false");
  await written(w, ada, []);
  return made;
}

const verify = async (w, document) => {
  const file = path.join(w.dir, "export.json");
  fs.writeFileSync(file, JSON.stringify(document));
  const { status, out, err } = await run("node", [path.join(ROOT, "docs/verify-activity.mjs"), file]);
  return { status, said: out + err };
};

test("each day is closed with a hash, and removing, editing, or reordering a record is found", async (t) => {
  const { w, ada } = await chained(t);
  const whole = await download(ada);
  assert.deepEqual(whole.days.map(({ closed }) => closed), [true, true, true, false]);
  assert.equal(whole.hash, whole.days[2].hash);
  assert.deepEqual(whole.days.slice(0, 3).map(({ previous }) => previous), ["", whole.days[0].hash, whole.days[1].hash]);

  await t.test("by the verifier of the documentation, in either file", async () => {
    const both = await download(ada, "/account/data/export");
    assert.equal(both.format, "penchant-export");
    assert.deepEqual(both.activity, whole);
    for (const document of [both, whole]) assert.match((await verify(w, document)).said, /^intact: \d+ records, 3 of 4 days closed/);
    const edits = {
      "a removed record": (days) => days[1].records.shift(),
      "an edited count": (days) => (days[0].records[0].times += 1),
      "an edited time": (days) => (days[2].records[0].last_at = days[2].records[0].first_at.replace(/\d\dZ$/, "59Z")),
      "a denial that is hidden": (days) => (days[0].records[0].refused = true),
      "two records in another order": (days) => days[0].records.reverse(),
      "two days in another order": (days) => days.reverse(),
      "a day in another place": (days) => days.splice(0, 2, days[1], days[0]),
      "a removed day": (days) => days.splice(1, 1),
      "the removed first day": (days) => days.shift(),
      "the removed last closed day": (days) => days.splice(2, 1),
      "a record moved to another day": (days) => days[1].records.push(days[0].records.pop()),
      "an added record": (days) => days[1].records.push(days[0].records[0]),
      "a closed day opened": (days) => Object.assign(days[1], { closed: false }),
    };
    for (const [what, edit] of Object.entries(edits)) {
      const copy = structuredClone(whole);
      edit(copy.days);
      assert.equal((await verify(w, copy)).status, 1, what);
    }
  });

  await t.test("by penchant check, beside the service", async () => {
    await w.assertSound();
    await w.stop();
    const first = Math.floor(NOW / DAY);
    const there = `usr_${"a".repeat(22)}`;
    const id = await w.sql("SELECT DISTINCT user_id FROM activity_chain");
    const moved = (table, where) => [`UPDATE ${table} SET user_id = '${there}' WHERE ${where}`, `UPDATE ${table} SET user_id = '${id}' WHERE user_id = '${there}'`];
    const damages = {
      "a removed record": [moved("activity", `day = ${first} AND action = 'write'`)],
      "an edited count": [[`UPDATE activity SET times = times + 1 WHERE day = ${first} AND action = 'read'`, `UPDATE activity SET times = times - 1 WHERE day = ${first} AND action = 'read'`]],
      "an edited name": [[`UPDATE activity SET app_name = 'Other' WHERE day = ${first}`, `UPDATE activity SET app_name = 'Concert Finder' WHERE day = ${first}`]],
      "a record of another day": [[`UPDATE activity SET day = ${first + 1} WHERE day = ${first} AND action = 'write'`, `UPDATE activity SET day = ${first} WHERE action = 'write'`]],
      "a record of no day": [[`UPDATE activity SET day = 7 WHERE action = 'write'`, `UPDATE activity SET day = ${first} WHERE action = 'write'`]],
      "a removed day": [moved("activity", `day = ${first + 1}`), moved("activity_day", `day = ${first + 1}`)],
      "the removed last day": [moved("activity", `day = ${first + 2}`), moved("activity_day", `day = ${first + 2}`)],
      "the removed first day": [moved("activity", `day = ${first}`), moved("activity_day", `day = ${first}`)],
      "a removed end of the chain": [moved("activity_chain", "hash <> ''")],
      "an edited hash": [[`UPDATE activity_day SET hash = 'x' || hash WHERE day = ${first}`, `UPDATE activity_day SET hash = SUBSTR(hash, 2) WHERE day = ${first}`]],
    };
    for (const [what, steps] of Object.entries(damages)) {
      for (const [damage] of steps) await w.sql(damage);
      const { status, err } = await w.command("check");
      assert.deepEqual([status, /^activity of usr_[\w-]+: the day \d{4}-\d\d-\d\d [^]*the store is damaged; restore a backup/.test(err)], [1, true], `${what}: ${err}`);
      for (const [, undo] of steps) await w.sql(undo);
      await w.assertSound();
    }
    await w.start();
  });
});

test("days older than 90 days are deleted, and the rest of the chain still verifies", async (t) => {
  const { w, ada } = await chained(t);
  const before = await download(ada);
  w.clock.forward(89 * DAY); // the first days are now older than 90 days
  await press(ada, "/signin", "/signin", { typed: { username: "ada", password: ada.password } });
  await runHousekeeping(w); // notices the jump of the clock, and believes it an hour later
  await runHousekeeping(w, 2 * HOUR);
  await until("deleted days", async () => (await download(ada)).days.length < 4);
  const after = await download(ada);
  assert.equal(after.deleted_through, before.days.at(-1 - after.days.filter((d) => before.days.some((b) => b.day === d.day)).length)?.day);
  assert.equal(after.deleted_hash, before.days.find((day) => day.day === after.deleted_through).hash);
  assert.match((await verify(w, after)).said, /^intact/);
  await w.assertSound();
});

onPostgres("a write on a day that was closed meanwhile counts on the next one", async (t) => {
  const { w, api } = await connected(t, { scope: EVERYTHING });
  await api.write(FOOD, FACTS); // opens the day
  await w.sql("UPDATE activity_day SET closed = 1");
  await api.write(MUSIC, { genres: ["jazz"] });
  const days = await w.sql("SELECT string_agg(subject || ' ' || (day - (SELECT MIN(day) FROM activity_day)), ', ' ORDER BY day) FROM activity WHERE action = 'write'");
  assert.equal(days.trim(), `${FOOD} 0, ${MUSIC} 1`);
});
