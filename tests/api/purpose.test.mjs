// The purpose of clients without an app in the portal: sent when they register, or in their metadata document.

import assert from "node:assert/strict";
import test from "node:test";
import { state } from "../kit/account.mjs";
import { documentClient, documentHost } from "../kit/document_host.mjs";
import { textOf } from "../kit/html.mjs";
import { App, assertStop, MINUTE, stage } from "../kit/oauth.mjs";
import { Client, FOOD, MUSIC } from "../kit/preferences.mjs";

const SCOPE = "agent_hints preferences:read";
const LOOP = "http://127.0.0.1/callback";
const NONE = { token_endpoint_auth_method: "none" };
const FACTS = ["User's favorite cuisine is Thai.", "User's preferred genre is jazz."];
const SENTENCE = /^penchant_purpose must be one line of at most 100 bytes that names a task, such as restaurant_search\.$/;

// Wrong bodies do not fit the description.
const post = (w, body) => w.ask("POST", "/oauth/register", { body: JSON.stringify({ client_name: "Menus", redirect_uris: [LOOP], ...NONE, ...body }), headers: { "content-type": "application/json" } });

const stored = (w, id) => w.sql(`SELECT COALESCE(purpose, '-') FROM app WHERE app_id = '${id}'`).then((rows) => rows.trim());

async function fed(t, settings) {
  const { w, ada } = await stage(t, { settings });
  await state(ada, FOOD, "cuisines", "Thai");
  await state(ada, MUSIC, "genres", "jazz");
  return { w, ada };
}

async function hintsOf(api, params = {}) {
  const { hints, context, context_matched } = await api.read(`agent-hints?${new URLSearchParams(params)}`);
  return [hints.toSorted(), context, context_matched];
}

async function assertPurposeCounts(api) {
  assert.deepEqual(await hintsOf(api), [[FACTS[0]], null, "restaurant_search"]);
  assert.deepEqual(await hintsOf(api, { context: "make a playlist" }), [[FACTS[1]], "make a playlist", "playlist_creation"], "a context wins");
}

test("a client that registers with a purpose gets hints for it, unless a request says otherwise", async (t) => {
  const { w, ada } = await fed(t);
  for (const more of [NONE, { token_endpoint_auth_method: "client_secret_basic" }]) {
    const answer = await post(w, { penchant_purpose: "  restaurant_search ", ...more });
    assert.deepEqual([answer.status, answer.data.penchant_purpose], [201, "restaurant_search"], answer.text);
    const { client_id, client_secret } = answer.data;
    if (client_secret) w.secrets.add(client_secret);
    assert.equal(await stored(w, client_id), "restaurant_search");
    await assertPurposeCounts(await Client.connect(ada, new App(w, { client_id, client_secret, name: "Menus", redirect_uri: LOOP, scope: SCOPE }), { scope: SCOPE }));
  }
});

test("without a purpose nothing is added to the response, and the hints are from all domains", async (t) => {
  const { w, ada } = await fed(t);
  for (const penchant_purpose of [undefined, null, "", "  "]) {
    const answer = await post(w, { penchant_purpose });
    assert.deepEqual([answer.status, "penchant_purpose" in answer.data], [201, false], answer.text);
    assert.equal(await stored(w, answer.data.client_id), "-");
  }
  const { client_id } = (await post(w, { purpose: "restaurant_search" })).data;
  assert.equal(await stored(w, client_id), "-", "a member with that name may mean something else");
  const api = await Client.connect(ada, new App(w, { client_id, name: "Menus", redirect_uri: LOOP, scope: SCOPE }), { scope: SCOPE });
  assert.deepEqual(await hintsOf(api), [FACTS, null, null]);
});

test("a registration with the same metadata and another purpose is another client", async (t) => {
  const { w } = await stage(t);
  const id = async (penchant_purpose) => (await post(w, { penchant_purpose })).data.client_id;
  const ids = [await id("restaurant_search"), await id("payroll"), await id(undefined)];
  assert.equal(new Set(ids).size, 3);
  assert.equal(await id("restaurant_search"), ids[0], "and with the same one it is the same client");
  for (const [i, wanted] of ["restaurant_search", "payroll", "-"].entries()) assert.equal(await stored(w, ids[i]), wanted, "the first one keeps its purpose");
});

test("an invalid purpose is rejected when the client registers", async (t) => {
  const { w } = await stage(t);
  for (const penchant_purpose of ["x".repeat(101), "a\nb", "a\u0000b", "a\u007fb", "a\u202eb"]) {
    const answer = await post(w, { penchant_purpose });
    assert.deepEqual([answer.status, answer.data.error], [400, "invalid_client_metadata"], answer.text);
    assert.match(answer.data.error_description, SENTENCE, JSON.stringify(penchant_purpose));
  }
  for (const penchant_purpose of [7, ["restaurant_search"], {}, true, "x".repeat(1025)]) {
    const answer = await post(w, { penchant_purpose });
    assert.deepEqual([answer.status, answer.data.error], [400, "invalid_client_metadata"], answer.text);
    assert.match(answer.data.error_description, /^penchant_purpose must be a string of at most 1024 bytes\.$/);
  }
  assert.equal((await w.sql("SELECT COUNT(*) FROM app WHERE kind = 'registered'")).trim(), "0");
});

test("the purpose of a metadata document is read at each fetch", async (t) => {
  const host = await documentHost(t);
  const { w, ada } = await fed(t, host.settings);
  const publish = (penchant_purpose) => host.publish("/client.json", { penchant_purpose });
  const app = documentClient(w, publish("restaurant_search"), undefined, { scope: SCOPE });
  const api = await Client.connect(ada, app, { scope: SCOPE });
  await assertPurposeCounts(api);

  const fetchAgain = () => w.clock.forward(5 * MINUTE);
  publish("make a playlist");
  fetchAgain();
  await ada.asked(app, { scope: `${SCOPE} preferences:write` });
  assert.deepEqual(await hintsOf(api), [[FACTS[1]], null, "playlist_creation"], "at once, although the response was cached");
  publish(undefined);
  fetchAgain();
  await ada.asked(app, { scope: `${SCOPE} preferences:write` });
  assert.deepEqual(await hintsOf(api), [FACTS, null, null]);

  publish("x".repeat(101));
  fetchAgain();
  const page = textOf(assertStop(await ada.get(app.request({ scope: `${SCOPE} preferences:write` }).path)).text);
  assert.match(page, /penchant_purpose must be one line of at most 100 bytes that names a task, such as restaurant_search\./);
  assert.deepEqual(await hintsOf(api), [FACTS, null, null], "the connection stays as it was");
});
