// Sensitive facts: an app sees them only if the user ticked their box, in every route.

import assert from "node:assert/strict";
import test from "node:test";
import { mainText, open, SAME_SITE, state } from "../kit/account.mjs";
import { assertError } from "../kit/expect.mjs";
import { formTo } from "../kit/html.mjs";
import { Mcp } from "../kit/mcp.mjs";
import { addApp } from "../kit/oauth.mjs";
import { Client, connected, FOOD } from "../kit/preferences.mjs";

const TRAVEL = "travel_profile";
const SCOPE = `preferences:write agent_hints ${FOOD} ${TRAVEL}`;
const SECRET = /low-sodium|wheelchair|warfarin|hindu/i;

// ada states sensitive facts through a trusted app; `api` belongs to one that she does not share them with.
async function scene(t, { sensitive = false, scope = SCOPE } = {}) {
  const { w, ada, api: all } = await connected(t, { scope: SCOPE });
  const app = await addApp(w, { owner: "ada", name: "Reader" });
  await all.write(FOOD, { allergies: ["peanuts"], medical_diets: ["low-sodium"], cuisines: ["Thai"] });
  for (const statement of ["I take warfarin", "Hindu, so no beef", "I love soup"]) await state(ada, FOOD, "statements", statement); // those of apps wait
  await all.write(TRAVEL, { accessibility_needs: ["wheelchair"], seat_preference: "aisle" });
  const api = await Client.connect(ada, app, { scope, sensitive });
  return { w, ada, app, all, api };
}

const READS = [
  "preferences", `preferences/${FOOD}`, `preferences/${TRAVEL}`, "preferences/atoms?limit=100&status=all", `preferences/atoms?domain=${FOOD}&limit=1`,
  "domains", `domains/${FOOD}/stats`, `domains/${TRAVEL}/stats`,
  ...["text", "json", "bullets"].flatMap((format) => ["", "&context=restaurant_search", "&context=hotel_search"].map((more) => `agent-hints?max_tokens=2000&format=${format}${more}`)),
];

test("the box is not checked, and without it no route shows or counts sensitive facts", async (t) => {
  const { w, ada, app, all, api } = await scene(t);
  const { page } = await ada.asked(app, { scope: SCOPE, prompt: "consent" });
  const form = formTo(page.text, "/oauth/consent");
  assert.deepEqual(form.choices("sensitive"), [`sensitive:${FOOD}`, `sensitive:${TRAVEL}`]);
  assert.deepEqual(form.ticked("sensitive"), []);
  assert.match(mainText(page), /Also share: Sensitive Medical diet/);
  for (const where of READS) {
    for (const time of ["first", "second"]) {
      const [seen, whole] = [await api.get(where), await all.get(where)];
      assert.equal(seen.status, 200, where);
      assert.doesNotMatch(seen.text, SECRET, `${where}, ${time}`);
      if (/preferences/.test(where) && !/limit=1$/.test(where)) assert.match(whole.text, SECRET, where);
      if (seen.headers.etag) assert.notEqual(seen.headers.etag, whole.headers.etag, where);
    }
  }
  // Facts that are not sensitive are complete.
  assert.deepEqual((await api.record(FOOD)).allergies, ["peanuts"]);
  assert.deepEqual((await api.record(FOOD)).statements, ["I love soup"]);
  assert.deepEqual(await api.record(TRAVEL), { seat_preference: "aisle" });
  assert.equal((await api.read(`domains/${FOOD}/stats`)).atom_count, 3);
  assert.equal((await all.read(`domains/${FOOD}/stats`)).atom_count, 6);
  assert.equal((await api.read("preferences/atoms")).total, 4);
  // A critical fact that is missing is not kept secret, only what it is.
  assert.equal((await api.read("agent-hints?max_tokens=2000&context=restaurant_search")).safety_complete, false);
  assert.equal((await all.read("agent-hints?max_tokens=2000&context=restaurant_search")).safety_complete, true);

  assert.doesNotMatch((await api.get("agent-hints?max_tokens=2000&context=zorp%20blick")).text, SECRET);

  const mcp = new Mcp(w, api.token);
  for (const domain of [FOOD, TRAVEL]) assert.doesNotMatch(JSON.stringify(await mcp.tool("get_preferences", { domain })), SECRET);
  assert.doesNotMatch(JSON.stringify(await mcp.tool("get_hints", { task: "find a restaurant" })), SECRET);
  assert.doesNotMatch((await mcp.legacy("resources/read", { uri: `penchant://preferences/${FOOD}` })).text, SECRET);
});

test("a sensitive value that an app writes without access waits, and the app can neither remove nor find it", async (t) => {
  const { w, ada, all, api } = await scene(t);
  const written = await api.write(FOOD, { medical_diets: ["low-sodium", "renal"] });
  assert.equal(written.held, 2);
  assert.equal(written.preferences.medical_diets, undefined);
  assert.deepEqual((await all.record(FOOD)).medical_diets, ["low-sodium"]);
  assert.match((await ada.get("/account/waiting", SAME_SITE)).text, /renal/);
  const { atom_id } = await all.atom("low-sodium");
  assertError(await api.suppressing(atom_id), 404);
  assert.match(await new Mcp(w, api.token).toolError("forget", { fact_id: atom_id }), /There is no such fact/);
});

test("checking the box shares them; the app's page revokes this at once; a new request shows the box again", async (t) => {
  const { ada, app, api } = await scene(t, { sensitive: true });
  assert.deepEqual((await api.record(FOOD)).medical_diets, ["low-sodium"]);
  assert.match((await api.get("agent-hints?max_tokens=2000&context=hotel_search")).text, /wheelchair/);
  const where = `/account/apps/${app.client_id}`;
  const page = await open(ada, where);
  const form = formTo(page.text, `${where}/scopes`);
  assert.deepEqual(form.ticked("sensitive"), [`sensitive:${FOOD}`, `sensitive:${TRAVEL}`]);
  const keep = form.ticked("scope");
  const narrowed = await ada.post(`${where}/scopes`, form.filled({ ticks: [...keep, `sensitive:${TRAVEL}`] }));
  assert.equal(narrowed.status, 303);
  assert.equal((await api.record(FOOD)).medical_diets, undefined);
  assert.deepEqual((await api.record(TRAVEL)).accessibility_needs, ["wheelchair"]);
  const renewed = formTo((await ada.asked(app, { scope: SCOPE, prompt: "consent" })).page.text, "/oauth/consent");
  assert.deepEqual(renewed.ticked("sensitive"), [`sensitive:${TRAVEL}`], "as the user left it");
  await api.renew();
  assert.equal((await api.record(FOOD)).medical_diets, undefined);
  // A form cannot add what consent did not: the boxes only narrow.
  const again = formTo((await open(ada, where)).text, `${where}/scopes`);
  await ada.post(`${where}/scopes`, [...again.filled(), ["sensitive", `sensitive:${FOOD}`]]);
  assert.equal((await api.record(FOOD)).medical_diets, undefined);
});

test("one box covers all areas if the app asks for all preferences", async (t) => {
  const { ada, app, api } = await scene(t, { scope: "preferences:read agent_hints" });
  const form = formTo((await ada.asked(app, { scope: "preferences:read agent_hints", prompt: "consent" })).page.text, "/oauth/consent");
  assert.deepEqual(form.choices("sensitive"), ["sensitive:preferences:read"]);
  for (const where of ["preferences", "preferences/export"]) {
    const answer = await api.get(where);
    assert.equal(answer.status, 200, where);
    assert.match(answer.text, /peanuts/, where);
    assert.doesNotMatch(answer.text, SECRET, where);
  }
  const shared = await Client.connect(ada, app, { scope: "preferences:read agent_hints", prompt: "consent", ticks: ["preferences:read", "agent_hints", "sensitive:preferences:read"] });
  assert.match((await shared.get("preferences")).text, /wheelchair/);
  // Hints alone come without sensitive facts, and without a box.
  const hints = formTo((await ada.asked(app, { scope: "agent_hints", prompt: "consent" })).page.text, "/oauth/consent");
  assert.deepEqual(hints.choices("sensitive"), []);
});
