// A user allows hints and writing for certain domains. No later request reaches another domain unless
// the user is asked again.

import assert from "node:assert/strict";
import test from "node:test";
import { mainText, open, press } from "../kit/account.mjs";
import { formTo } from "../kit/html.mjs";
import { DOMAINS, stage } from "../kit/oauth.mjs";
import { Client, FOOD, MUSIC } from "../kit/preferences.mjs";

const WIDE = "agent_hints preferences:write";

const asks = async (person, app, scope) => formTo((await person.get(app.request({ scope }).path)).text, "/oauth/consent") !== undefined;

// The domains in which a token gets hints, and those in which it may write.
async function reached(api) {
  const open = { hints: [], writes: [] };
  for (const domain of DOMAINS) {
    if ((await api.get(`agent-hints?domains=${domain}`)).status === 200) open.hints.push(domain);
    if ((await api.send(domain, {})).status === 200) open.writes.push(domain);
  }
  return open;
}

test("a request without the domains that were allowed asks again", async (t) => {
  const { ada, app } = await stage(t);
  const api = await Client.connect(ada, app, { scope: `${MUSIC} ${WIDE}` });
  assert.deepEqual(await reached(api), { hints: [MUSIC], writes: [MUSIC] });
  for (const scope of [WIDE, "agent_hints", "preferences:write"]) assert.ok(await asks(ada, app, scope), scope);
  for (const scope of [`${MUSIC} ${WIDE}`, `${MUSIC} agent_hints`, MUSIC]) assert.ok(!(await asks(ada, app, scope)), scope);
  // Asked and answered, it is allowed; the first token does not change.
  const wide = await Client.connect(ada, app, { scope: WIDE });
  assert.deepEqual(await reached(wide), { hints: DOMAINS, writes: DOMAINS });
  assert.deepEqual(await reached(api), { hints: [MUSIC], writes: [MUSIC] });
  assert.ok(!(await asks(ada, app, WIDE)));
});

test("a domain that was unchecked or removed stays inaccessible until the user is asked", async (t) => {
  const { ada, app } = await stage(t);
  const scope = `${MUSIC} ${FOOD} ${WIDE}`;
  const api = await Client.connect(ada, app, { scope, ticks: [MUSIC, "agent_hints", "preferences:write"] });
  assert.deepEqual(await reached(api), { hints: [MUSIC], writes: [MUSIC] });
  for (const again of [scope, WIDE, `${FOOD} agent_hints`]) assert.ok(await asks(ada, app, again), again);

  await press(ada, `/account/apps/${app.client_id}`, `/account/apps/${app.client_id}/scopes`, { ticks: ["agent_hints", "preferences:write"] });
  assert.deepEqual(await reached(api), { hints: [], writes: [] });
  for (const again of [scope, WIDE, `${MUSIC} agent_hints`, "agent_hints"]) assert.ok(await asks(ada, app, again), again);
});

test("a domain that is removed leaves hints that were allowed for all domains", async (t) => {
  const { ada, app } = await stage(t);
  const wide = await Client.connect(ada, app, { scope: WIDE });
  await ada.connect(app, { scope: `${MUSIC} ${FOOD}` });
  await press(ada, `/account/apps/${app.client_id}`, `/account/apps/${app.client_id}/scopes`, { ticks: [FOOD, "agent_hints", "preferences:write"] });
  const rest = DOMAINS.filter((domain) => domain !== MUSIC);
  assert.deepEqual(await reached(wide), { hints: rest, writes: rest });
  assert.ok(await asks(ada, app, WIDE));
});

test("two consents do not combine into one that was never given", async (t) => {
  const { ada, app } = await stage(t);
  const hints = await Client.connect(ada, app, { scope: `${MUSIC} agent_hints` });
  const writes = await Client.connect(ada, app, { scope: `${FOOD} preferences:write` });
  for (const scope of [`${MUSIC} ${FOOD} ${WIDE}`, `${FOOD} agent_hints`, `${MUSIC} preferences:write`, WIDE]) assert.ok(await asks(ada, app, scope), scope);
  for (const scope of [`${MUSIC} agent_hints`, `${FOOD} preferences:write`, `${MUSIC} ${FOOD}`]) assert.ok(!(await asks(ada, app, scope)), scope);
  assert.deepEqual([await reached(hints), await reached(writes)], [{ hints: [MUSIC], writes: [] }, { hints: [], writes: [FOOD] }]);
});

test("the consent page and the account page name the areas for hints and for writing", async (t) => {
  const { ada, app } = await stage(t);
  const page = async () => mainText(await open(ada, `/account/apps/${app.client_id}`));
  const limited = await ada.asked(app, { scope: `${MUSIC} agent_hints` });
  assert.match(mainText(limited.page), /Only in the areas you check here\./);
  assert.doesNotMatch(mainText(limited.page), /In every area\./);
  await ada.connect(app, { scope: `${MUSIC} ${FOOD} agent_hints` });
  assert.match(await page(), /Areas: Food, Music\./);
  await press(ada, `/account/apps/${app.client_id}`, `/account/apps/${app.client_id}/scopes`, { ticks: ["agent_hints"] });
  assert.match(await page(), /No areas\./);
  const wide = await ada.asked(app, { scope: "preferences:write" });
  assert.match(mainText(wide.page), /In every area\./);
  await ada.connect(app, { scope: "preferences:write" });
  assert.match(await page(), /No areas\.[^]*In every area\.|In every area\.[^]*No areas\./);
});
