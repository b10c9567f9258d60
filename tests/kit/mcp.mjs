// The MCP endpoint as an assistant uses it. An Mcp has a token; `legacy` and `modern` send one request in
// the envelope of their era, `post` sends anything.

import assert from "node:assert/strict";
import { assertCommon } from "./expect.mjs";

export const VERSION = "2026-07-28";
export const LEGACY_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
export const META = "io.modelcontextprotocol/";
export const MCP_SCOPE = "preferences:read preferences:write agent_hints";

const NAMED_BY = { "tools/call": "name", "prompts/get": "name", "resources/read": "uri" };

export const envelope = (capabilities = {}) => ({ [`${META}protocolVersion`]: VERSION, [`${META}clientCapabilities`]: capabilities });

export function modernHeaders(method, params = {}) {
  const name = params[NAMED_BY[method]];
  return { "mcp-protocol-version": VERSION, "mcp-method": method, ...(name === undefined ? {} : { "mcp-name": name }) };
}

export class Mcp {
  constructor(w, token) {
    Object.assign(this, { w, token });
  }

  ask(method, { headers, path = "/mcp", ...rest } = {}) {
    const authorization = this.token === undefined ? {} : { authorization: `Bearer ${this.token}` };
    return this.w.ask(method, path, { ...rest, headers: { ...authorization, ...headers } });
  }

  post(json, headers, more) {
    return this.ask("POST", { json, headers, ...more });
  }

  legacy(method, params, { id = 1, headers, ...more } = {}) {
    return this.post({ jsonrpc: "2.0", id, method, ...(params && { params }) }, headers, more);
  }

  modern(method, params = {}, { id = 1, headers, capabilities, ...more } = {}) {
    const sent = { ...params, _meta: { ...envelope(capabilities), ...params._meta } };
    return this.post({ jsonrpc: "2.0", id, method, params: sent }, { ...modernHeaders(method, params), ...headers }, more);
  }

  in(era) {
    return (...args) => this[era](...args);
  }

  // The result of a tool; fails if it is an error.
  async tool(name, args, era = "legacy", more) {
    const result = resultOf(await this[era]("tools/call", { name, ...(args && { arguments: args }) }, more));
    assert.equal(result.isError, undefined, JSON.stringify(result));
    assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
    assert.equal(result.content.length, 1);
    return result.structuredContent;
  }

  // The sentence of a tool that fails.
  async toolError(name, args, era = "legacy") {
    const result = resultOf(await this[era]("tools/call", { name, arguments: args }));
    assert.equal(result.isError, true, JSON.stringify(result));
    assert.equal(result.structuredContent, undefined);
    return result.content[0].text;
  }
}

export function resultOf(answer, id = 1) {
  assert.equal(answer.status, 200, answer.text);
  assertAnswer(answer, id);
  assert.equal(answer.data.error, undefined, answer.text);
  return answer.data.result;
}

export function assertAnswer(answer, id = 1) {
  assertCommon(answer);
  assert.equal(answer.headers["content-type"], "application/json");
  assert.equal(answer.headers["cache-control"], "no-store");
  assert.equal(answer.headers.vary, "Authorization, Origin");
  assert.equal(answer.headers["mcp-session-id"], undefined);
  assert.equal(answer.data.jsonrpc, "2.0");
  assert.deepEqual(answer.data.id, id);
}

export function assertRpcError(answer, status, code, { id = 1, message = /./ } = {}) {
  assert.equal(answer.status, status, answer.text);
  assertAnswer(answer, id);
  assert.equal(answer.data.result, undefined);
  assert.equal(answer.data.error.code, code, answer.text);
  assert.match(answer.data.error.message, message);
}
