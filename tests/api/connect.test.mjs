// /connect: the address for assistants, and the assistants that the user has connected.

import assert from "node:assert/strict";
import test from "node:test";
import { mainText, open, press } from "../kit/account.mjs";
import { assistant } from "../kit/assistant.mjs";
import { unescape } from "../kit/html.mjs";
import { Mcp } from "../kit/mcp.mjs";
import { stage } from "../kit/oauth.mjs";

test("anyone sees the address, and users get links that carry it", async (t) => {
  const { w, ada } = await stage(t);
  const page = await w.get("/connect", { accept: "text/html" });
  assert.equal(page.status, 200);
  const text = unescape(page.text);
  assert.ok(text.includes(`claude mcp add --transport http penchant ${w.origin}/mcp`));
  const link = async (where, start) => {
    assert.ok(text.includes(`href="${where}"`));
    const { status, headers } = await ada.get(where);
    assert.equal(status, 303);
    assert.ok(headers.location.startsWith(start), headers.location);
    return headers.location.slice(start.length);
  };
  const cursor = await link("/connect/cursor", "cursor://anysphere.cursor-deeplink/mcp/install?name=penchant&config=");
  assert.deepEqual(JSON.parse(Buffer.from(cursor, "base64").toString()), { url: `${w.origin}/mcp` });
  const vscode = await link("/connect/vscode", "vscode:mcp/install?");
  assert.deepEqual(JSON.parse(decodeURIComponent(vscode)), { name: "penchant", type: "http", url: `${w.origin}/mcp` });
  assert.doesNotMatch(text, /Connected assistants/);
});

test("a connected assistant is listed with its tool calls; apps of the portal are not", async (t) => {
  const { w, ada, app } = await assistant(t);
  assert.match(mainText(await open(ada, "/connect")), /Connected assistants None yet/);
  const { access_token } = await ada.connect(app);
  assert.match(mainText(await open(ada, "/connect")), /Claude Code Connected just now/);
  assert.doesNotMatch(mainText(await open(ada, "/connect")), /Last 24 hours/);
  const mcp = new Mcp(w, access_token);
  for (let i = 0; i < 3; i++) await mcp.tool("get_hints", {});
  await mcp.tool("remember", { domain: "music_preferences", member: "genres", values: ["jazz"] });
  assert.match(mainText(await open(ada, "/connect")), /Last used just now · \d requests? today Last 24 hours: hints \(3\), remember \(1\)/);
  await press(ada, "/connect", `/account/apps/${app.client_id}/disconnect`);
  assert.match(mainText(await open(ada, "/connect")), /None yet/);
  assert.equal((await mcp.legacy("tools/list")).status, 401);
});

test("without MCP the page does not exist and is not linked", async (t) => {
  const { w, ada, app } = await stage(t, { settings: { mcp: "off" } });
  await ada.connect(app);
  assert.equal((await w.get("/connect", { accept: "text/html" })).status, 404);
  assert.doesNotMatch((await open(ada, "/account/apps")).text, /href="\/connect"/);
});
