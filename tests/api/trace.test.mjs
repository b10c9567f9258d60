// W3C Trace Context on every route, and log lines: of requests, of MCP calls, and of what happens in them.

import assert from "node:assert/strict";
import test from "node:test";
import { state } from "../kit/account.mjs";
import { Mcp, MCP_SCOPE } from "../kit/mcp.mjs";
import { ask } from "../kit/http.mjs";
import { connected, FOOD } from "../kit/preferences.mjs";
import { until } from "../kit/until.mjs";
import { world } from "../kit/world.mjs";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SENT = `00-${TRACE}-00f067aa0ba902b7-01`;
const parent = { traceparent: SENT };

const assertTraced = ({ headers, status }, why) => assert.equal(headers.traceparent, `00-${TRACE}-${headers["x-request-id"]}-01`, `${why}: ${status}`);

test("every route continues the trace with its request id", async (t) => {
  const w = await world(t, { settings: { "metrics-listen": "127.0.0.1:0" } });
  const { data } = await w.penchant(["help", "routes", "--json"]);
  const operators = await w.service.metricsOrigin();
  assert.ok(data.length > 50);
  for (const { method, path, caller, body } of data) {
    const url = path.replace(/\{[^}]+\}/g, "nothing-here");
    const sent = method === "POST" ? (body === "json" ? { json: {} } : { form: {} }) : {};
    const answer = caller === "operator" ? await ask(operators, method, url, { headers: parent }) : await w.ask(method, url, { ...sent, headers: parent });
    assertTraced(answer, `${method} ${url}`);
  }
  for (const [method, url] of [["GET", "/nothing"], ["PUT", "/signup"], ["OPTIONS", "/v1/agent-hints"], ["HEAD", "/"], ["GET", "/assets/style.css"]]) assertTraced(await w.ask(method, url, { headers: parent }), `${method} ${url.slice(0, 20)}`);
});

test("the log line has the trace id, and a cached response its own span", async (t) => {
  const { w, api } = await connected(t, { scope: "agent_hints" });
  const headers = { ...parent, authorization: `Bearer ${api.token}` };
  const [first, second] = [await w.ask("GET", "/v1/agent-hints", { headers }), await w.ask("GET", "/v1/agent-hints", { headers })];
  for (const answer of [first, second]) {
    assert.equal(answer.status, 200);
    assertTraced(answer, "hints");
    const line = await w.service.logged("the request", ({ id, event }) => event === "request" && id === answer.headers["x-request-id"]);
    assert.equal(line.trace, TRACE);
  }
  assert.notEqual(first.headers.traceparent, second.headers.traceparent);
  const same = await w.ask("GET", "/v1/agent-hints", { headers: { ...headers, "if-none-match": first.headers.etag } });
  assert.equal(same.status, 304);
  assertTraced(same, "304");
});

test("an invalid traceparent is ignored, and so are two", async (t) => {
  const w = await world(t);
  const wrong = ["00-0-0-00", `ff-${SENT.slice(3)}`, `${SENT}-more`, SENT.toUpperCase(), `00-${"0".repeat(32)}-00f067aa0ba902b7-01`, `00-${TRACE}-${"0".repeat(16)}-01`, "x".repeat(500)];
  for (const traceparent of wrong) {
    const answer = await w.ask("GET", "/healthz", { headers: { traceparent } });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.traceparent, undefined, traceparent);
    const line = await w.service.logged("the request", ({ id }) => id === answer.headers["x-request-id"]);
    assert.equal(line.trace, undefined);
  }
  const twice = await w.raw(`GET /healthz HTTP/1.1\r\nHost: h\r\ntraceparent: ${SENT}\r\ntraceparent: ${SENT}\r\nConnection: close\r\n\r\n`);
  assert.equal(twice.status, 200);
  assert.equal(twice.headers.traceparent, undefined);
  const later = await w.ask("GET", "/healthz", { headers: { traceparent: `cc-${SENT.slice(3)}-what-the-future-will-be-like` } });
  assertTraced(later, "a later version");
});

// ---- MCP ----

test("each MCP call is one line with tool, era, app, user, status, and duration, and none of its content", async (t) => {
  const { w, ada, api, app } = await connected(t, { scope: MCP_SCOPE, settings: { "log-level": "debug" } });
  await state(ada, FOOD, "allergies", "peanuts");
  const mcp = new Mcp(w, api.token);
  const logged = async (answer) => w.service.logged("the call", ({ id, event }) => event === "request" && id === answer.headers["x-request-id"]);
  for (const era of ["legacy", "modern"]) {
    const answer = await mcp[era]("tools/call", { name: "get_hints", arguments: { task: "secret supper" } });
    const line = await logged(answer);
    assert.deepEqual([line.era, line.rpc, line.tool, line.app, line.status, line.failed], [era, "tools/call", "get_hints", app.client_id, 200, undefined]);
    assert.match(line.user, /^usr_/);
    assert.equal(typeof line.us, "number");
    const failed = await logged(await mcp[era]("tools/call", { name: "remember", arguments: { domain: FOOD, member: "hidden_member", values: ["secret broth"] } }));
    assert.deepEqual([failed.tool, failed.failed, failed.status], ["remember", 1, 200]);
    const list = await logged(await mcp[era]("tools/list"));
    assert.deepEqual([list.rpc, list.tool], ["tools/list", undefined]);
    const unknown = await logged(await mcp[era]("made/up_method"));
    assert.deepEqual([unknown.rpc, unknown.failed], ["other", 1]);
    const tool = await logged(await mcp[era]("tools/call", { name: "made_up_tool" }));
    assert.deepEqual([tool.rpc, tool.tool, tool.failed], ["tools/call", undefined, 1]);
  }
  // The trace of a message, if there is none in a header; an invalid one is ignored.
  const inMessage = (traceparent, headers) => mcp.modern("tools/list", { _meta: { traceparent } }, { headers });
  assert.equal((await logged(await inMessage(SENT))).trace, TRACE);
  assert.equal((await logged(await inMessage(`00-${"a".repeat(32)}-00f067aa0ba902b7-01`, parent))).trace, TRACE);
  assert.equal((await logged(await inMessage("secret trace"))).trace, undefined);
  assert.equal((await logged(await inMessage(7))).trace, undefined);
  assert.doesNotMatch(w.service.err, /secret|peanuts|hidden_member|made.up/);
  const plain = await logged(await mcp.ask("GET"));
  assert.deepEqual([plain.status, plain.rpc, plain.era], [405, undefined, undefined]);
});

test("calls are counted by tool, era, and result", async (t) => {
  const { w, api } = await connected(t, { scope: MCP_SCOPE, settings: { "metrics-listen": "127.0.0.1:0" } });
  const mcp = new Mcp(w, api.token);
  for (let i = 0; i < 3; i++) await mcp.tool("get_hints", {}, "legacy");
  await mcp.tool("get_hints", {}, "modern");
  await mcp.toolError("get_preferences", { domain: "nothing" }, "modern");
  await mcp.modern("made/up");
  await mcp.legacy("initialize", { protocolVersion: "2025-06-18" });
  const calls = (era, tool, result) => `penchant_mcp_tool_call_duration_seconds_count{era="${era}",tool="${tool}",result="${result}"}`;
  const requests = (era, method) => `penchant_mcp_requests_total{era="${era}",method="${method}"}`;
  const metrics = await until("the calls", async () => {
    const now = await w.metrics();
    return now[requests("legacy", "initialize")] === 1 && now;
  });
  assert.equal(metrics[calls("legacy", "get_hints", "ok")], 3);
  assert.equal(metrics[calls("modern", "get_hints", "ok")], 1);
  assert.equal(metrics[calls("modern", "get_preferences", "error")], 1);
  assert.equal(metrics[calls("legacy", "get_hints", "error")], undefined);
  assert.equal(metrics[requests("legacy", "tools/call")], 3);
  assert.equal(metrics[requests("modern", "tools/call")], 2);
  assert.equal(metrics[requests("modern", "other")], 1);
  assert.equal(Object.keys(metrics).filter((name) => /made|nothing/.test(name)).length, 0);
});
