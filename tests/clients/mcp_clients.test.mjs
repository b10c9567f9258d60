// MCP clients of npm against /mcp: each lists the tools and calls all of them, in the era that it speaks.

import assert from "node:assert/strict";
import path from "node:path";
import test from "node:test";
import { Mcp, MCP_SCOPE } from "../kit/mcp.mjs";
import { NODE, program } from "../kit/mcp_proxy.mjs";
import { connected, FOOD } from "../kit/preferences.mjs";
import { Program, run } from "../kit/process.mjs";
import { until } from "../kit/until.mjs";
import { ROOT } from "../kit/world.mjs";

const DRIVER = path.join(ROOT, "tests/clients/mcp_client.mjs");
const TOOLS = ["get_hints", "get_preferences", "remember", "forget"];
const PEANUTS = /allergic to peanuts/;

async function stage(t) {
  const { w, api } = await connected(t, { scope: MCP_SCOPE, clock: null });
  await api.write(FOOD, { allergies: ["peanuts"] });
  return { w, api, url: `${w.origin}/mcp` };
}

const env = { PATH: process.env.PATH, HOME: "/nonexistent" };

test("libraries call every tool", async (t) => {
  const { api, url } = await stage(t);
  for (const kind of ["sdk1", "sdk2", "sdk2_auto", "sdk2_pinned", "ai", "agents", "langchain"])
    await t.test(kind, async () => {
      const { status, out, err } = await run(NODE, [DRIVER, kind, url, api.token], { env, within: 60_000 });
      assert.equal(status, 0, out + err);
      const seen = JSON.parse(out.trim().split("\n").at(-1));
      assert.deepEqual(seen.tools, TOOLS);
      assert.match(seen.get_hints.hints[0], PEANUTS);
      assert.equal(seen.get_preferences.facts[0].value, "peanuts");
      assert.equal(seen.remember.results[0].status, "stored");
      assert.equal(seen.forget.status, "forgotten");
      if (seen.hints !== undefined) {
        assert.match(seen.hints, PEANUTS);
        assert.deepEqual(seen.prompts, ["about_me", "interview", "tidy", "bring_over"]);
      }
    });
});

test("MCP Inspector finds nothing to complain about, in both eras", async (t) => {
  const { w, api, url } = await stage(t);
  const inspect = (...args) => program("mcp-inspector", ["--cli", url, "--transport", "http", "--header", `Authorization: Bearer ${api.token}`, ...args], { env: { ...env, HOME: w.dir } });
  for (const era of ["legacy", "modern"]) {
    const listed = await inspect("--method", "tools/list", "--strict", "--protocol-era", era);
    assert.equal(listed.status, 0, listed.out + listed.err);
    assert.deepEqual(JSON.parse(listed.out).tools.map(({ name }) => name), TOOLS, listed.out);
    const called = await inspect("--method", "tools/call", "--tool-name", "get_hints", "--tool-arg", "task=restaurant_search", "--protocol-era", era);
    assert.equal(called.status, 0, called.out + called.err);
    assert.match(called.out, PEANUTS);
  }
});

test("mcp-remote passes the requests of an old host on", async (t) => {
  const { w, api, url } = await stage(t);
  const bridge = new Program(NODE, [path.join(ROOT, "tests/clients/node_modules/.bin/mcp-remote"), url, "--allow-http", "--transport", "http-only", "--header", `Authorization: Bearer ${api.token}`], { env: { ...env, HOME: w.dir, MCP_REMOTE_CONFIG_DIR: w.dir }, stdio: ["pipe", "pipe", "pipe"] });
  t.after(() => bridge.signal("SIGKILL"));
  const send = (message) => bridge.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const answer = (id) => until(`answer ${id} of mcp-remote: ${bridge.err}`, () => bridge.out.split("\n").filter(Boolean).map((line) => JSON.parse(line)).find((one) => one.id === id), 30_000);
  send({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "host", version: "1" } } });
  assert.equal((await answer(1)).result.protocolVersion, "2025-06-18");
  send({ method: "notifications/initialized" });
  send({ id: 2, method: "tools/call", params: { name: "get_hints", arguments: {} } });
  assert.match((await answer(2)).result.structuredContent.hints[0], PEANUTS);
});

test("a client loses access at the next call after its tokens are revoked", async (t) => {
  const { w, app, api } = await connected(t, { scope: MCP_SCOPE, clock: null });
  const mcp = new Mcp(w, api.token);
  await mcp.tool("get_hints", {});
  assert.equal((await app.revoke(api.refresh_token)).status, 200);
  const answer = await mcp.legacy("tools/call", { name: "get_hints" });
  assert.equal(answer.status, 401);
  assert.match(answer.headers["www-authenticate"], /^Bearer error="invalid_token", resource_metadata=/);
});
