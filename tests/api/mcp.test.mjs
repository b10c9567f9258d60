// The MCP endpoint on the wire: the checks before a method runs, in their order, and both envelopes.

import assert from "node:assert/strict";
import test from "node:test";
import { assertCommon } from "../kit/expect.mjs";
import { assertAnswer, assertRpcError, envelope, LEGACY_VERSIONS, Mcp, MCP_SCOPE, META, modernHeaders, resultOf, VERSION } from "../kit/mcp.mjs";
import { connected } from "../kit/preferences.mjs";

const PING = { jsonrpc: "2.0", id: 1, method: "ping" };
const METADATA = (w) => `${w.origin}/.well-known/oauth-protected-resource/mcp`;

async function opened(t, options) {
  const { w, api, ...rest } = await connected(t, { scope: MCP_SCOPE, ...options });
  return { w, api, mcp: new Mcp(w, api.token), stranger: new Mcp(w), ...rest };
}

test("requests are checked in a fixed order before a method runs", async (t) => {
  const { w, mcp, stranger } = await opened(t);
  const dead = new Mcp(w, `pn_at_${"x".repeat(49)}`);

  await t.test("every method without a token gets the same challenge, and no method is tried first", async () => {
    for (const method of ["POST", "GET", "HEAD", "DELETE", "PUT"]) {
      const answer = await stranger.ask(method, method === "POST" ? { json: PING } : {});
      assert.equal(answer.status, 401, method);
      assertCommon(answer);
      assert.equal(answer.headers["www-authenticate"], `Bearer resource_metadata="${METADATA(w)}", scope="${MCP_SCOPE}"`);
      if (method === "HEAD") assert.equal(answer.text, "");
      else assertRpcError(answer, 401, 401, { id: null });
    }
    assert.equal((await stranger.ask("POST", { body: "no JSON", headers: { "content-type": "text/plain" } })).status, 401);
  });

  await t.test("a token that is not valid is named in the challenge", async () => {
    for (const method of ["POST", "GET"]) {
      const answer = await dead.ask(method, method === "POST" ? { json: PING } : {});
      assertRpcError(answer, 401, 401, { id: null });
      assert.equal(answer.headers["www-authenticate"], `Bearer error="invalid_token", resource_metadata="${METADATA(w)}", scope="${MCP_SCOPE}"`);
    }
  });

  await t.test("only POST is a method", async () => {
    for (const method of ["GET", "DELETE", "PUT", "PATCH"]) {
      const answer = await mcp.ask(method);
      assertRpcError(answer, 405, 405, { id: null });
      assert.equal(answer.headers.allow, "POST, OPTIONS");
    }
    const head = await mcp.ask("HEAD");
    assert.deepEqual([head.status, head.text, head.headers.allow], [405, "", "POST, OPTIONS"]);
  });

  await t.test("a foreign Host or Origin is rejected before any other check", async () => {
    for (const headers of [{ host: "evil.example" }, { host: `localhost.evil.example:${w.port}` }, { origin: "https://evil.example" }, { origin: "null" }, { origin: "http://localhost.evil.example" }])
      for (const one of [mcp, stranger])
        for (const method of ["POST", "GET", "OPTIONS"]) {
          const answer = await one.ask(method, { headers, ...(method === "POST" ? { json: PING } : {}) });
          assertRpcError(answer, 403, 403, { id: null });
          assert.equal(answer.headers["access-control-allow-origin"], undefined);
        }
    for (const host of [`localhost:${w.port}`, "127.0.0.1:1", "[::1]", "LOCALHOST"]) assert.equal((await mcp.post(PING, { host })).status, 200, host);
  });

  await t.test("pages of an allowed origin may call it", async () => {
    for (const origin of [w.origin, "http://localhost:6274", "https://127.0.0.1:6274", "http://[::1]:80"]) {
      const answer = await mcp.post(PING, { origin });
      assert.equal(answer.status, 200, origin);
      assert.equal(answer.headers["access-control-allow-origin"], origin);
      const preflight = await stranger.ask("OPTIONS", { headers: { origin, "access-control-request-method": "POST" } });
      assert.deepEqual([preflight.status, preflight.text], [204, ""]);
      assert.equal(preflight.headers["access-control-allow-origin"], origin);
      assert.equal(preflight.headers["access-control-allow-methods"], "POST");
      assert.match(preflight.headers["access-control-expose-headers"], /WWW-Authenticate/);
      assert.match(preflight.headers["access-control-expose-headers"], /Retry-After/);
      assert.equal((await stranger.ask("GET", { headers: { origin } })).headers["access-control-allow-origin"], origin);
    }
    assert.equal((await mcp.post(PING)).headers["access-control-allow-origin"], undefined);
  });

  await t.test("the address works with a slash at its end", async () => {
    assert.deepEqual(resultOf(await mcp.legacy("ping", undefined, { path: "/mcp/" })), {});
    assert.equal((await stranger.ask("GET", { path: "/mcp/" })).status, 401);
    assert.equal((await w.get("/mcp//")).status, 404);
  });

  await t.test("the body is JSON of at most 64 KiB without an encoding", async () => {
    assertRpcError(await mcp.ask("POST", { body: "a=b", headers: { "content-type": "application/x-www-form-urlencoded" } }), 415, 415, { id: null });
    assertRpcError(await mcp.post(PING, { "content-encoding": "gzip" }), 415, 415, { id: null });
    assert.equal((await mcp.post(PING, { "content-type": "application/json; charset=utf-8", accept: "text/html" })).status, 200);
    const padded = (size) => JSON.stringify(PING).padEnd(size);
    const json = { "content-type": "application/json" };
    assert.equal((await mcp.ask("POST", { body: padded(64 * 1024), headers: json })).status, 200);
    assertRpcError(await mcp.ask("POST", { body: padded(64 * 1024 + 1), headers: json }), 413, 413, { id: null });
  });

  await t.test("a body that is not JSON is a parse error", async () => {
    const headers = { "content-type": "application/json" };
    const deep = `{"jsonrpc":"2.0","id":1,"method":"ping","params":${"[".repeat(16)}${"]".repeat(16)}}`;
    for (const body of ["", "{", "{} {}", '{"jsonrpc":"2.0","jsonrpc":"2.0","id":1}', Buffer.from([0x22, 0xff, 0x22]), deep])
      assertRpcError(await mcp.ask("POST", { body, headers }), 400, -32700, { id: null });
  });

  await t.test("a message is one object of JSON-RPC 2.0", async () => {
    for (const json of [[PING], [], 1, "ping", null, {}, { ...PING, jsonrpc: "1.0" }, { ...PING, jsonrpc: 2 }, { id: 1, method: "ping" }])
      assertRpcError(await mcp.post(json), 400, -32600, { id: null });
  });

  await t.test("notifications and responses are accepted without a response", async () => {
    for (const json of [{ method: "notifications/initialized" }, { method: "no/such" }, {}, { id: 1, result: {} }, { id: "a", error: {} }]) {
      const answer = await mcp.post({ jsonrpc: "2.0", ...json }, { "mcp-protocol-version": VERSION });
      assert.deepEqual([answer.status, answer.text], [202, ""], JSON.stringify(json));
      assertCommon(answer);
    }
  });

  await t.test("an id is a short string or an integer that JavaScript represents, and is returned unchanged", async () => {
    for (const id of [0, 1, -1, 2 ** 53, -(2 ** 53), "", "a", "é\"\\", "x".repeat(256)]) assert.deepEqual(resultOf(await mcp.legacy("ping", undefined, { id }), id), {});
    for (const id of [null, 1.5, true, [], {}, "x".repeat(257)]) assertRpcError(await mcp.post({ ...PING, id }), 400, -32600, { id: null });
    const large = `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`;
    assertRpcError(await mcp.ask("POST", { body: large, headers: { "content-type": "application/json" } }), 400, -32600, { id: null });
    assertRpcError(await mcp.post({ jsonrpc: "2.0", id: 7 }), 400, -32600, { id: 7 });
    assertRpcError(await mcp.post({ ...PING, id: 7, method: 5 }), 400, -32600, { id: 7 });
  });
});

test("a message without the modern version is legacy, whatever else it has", async (t) => {
  const { mcp } = await opened(t);

  await t.test("version header, Mcp-Method, and progress tokens do not matter", async () => {
    for (const version of [...LEGACY_VERSIONS, undefined]) {
      const headers = version && { "mcp-protocol-version": version };
      assert.deepEqual(resultOf(await mcp.legacy("ping", undefined, { headers })), {});
      assert.deepEqual(resultOf(await mcp.legacy("ping", { _meta: { progressToken: 0 } }, { headers: { ...headers, "mcp-method": "tools/list" } })), {});
    }
  });

  await t.test("initialize responds with the requested version, or the newest legacy one", async () => {
    for (const version of LEGACY_VERSIONS) assert.equal(resultOf(await mcp.legacy("initialize", { protocolVersion: version, capabilities: {}, clientInfo: {} })).protocolVersion, version);
    for (const version of ["2099-01-01", VERSION, 5, undefined]) {
      const result = resultOf(await mcp.legacy("initialize", { protocolVersion: version, capabilities: {} }));
      assert.equal(result.protocolVersion, "2025-11-25");
      assert.deepEqual(result.capabilities, { tools: {}, resources: {}, prompts: {}, completions: {} });
      assert.deepEqual(Object.keys(result), ["protocolVersion", "capabilities", "serverInfo", "instructions"]);
      assert.equal(result.serverInfo.name, "penchant");
      assert.match(result.serverInfo.icons[0].src, /^http:\/\/127\.0\.0\.1:\d+\/assets\/icon\.svg$/);
    }
  });

  await t.test("an unknown method is an error with status 200: 404 would end the connection", async () => {
    for (const method of ["no/such", "server/discover", "logging/setLevel", "resources/subscribe"]) assertRpcError(await mcp.legacy(method), 200, -32601);
    assertRpcError(await mcp.legacy("tools/list", [1]), 200, -32602);
  });

  await t.test("results have nothing of the modern era", async () => {
    for (const method of ["tools/list", "prompts/list", "resources/list", "resources/templates/list"]) {
      const result = resultOf(await mcp.legacy(method));
      assert.equal(Object.keys(result).length, 1, method);
      assertRpcError(await mcp.legacy(method, { cursor: "x" }), 200, -32602);
    }
  });
});

test("a message with the modern version repeats itself in headers", async (t) => {
  const { mcp } = await opened(t);
  const call = { name: "get_hints", arguments: {} };

  await t.test("each result says what it is, and lists may be cached", async () => {
    const serverInfo = { name: "penchant", version: "0.1.0" };
    for (const [method, ttlMs, cacheScope] of [["tools/list", 300000, "public"], ["prompts/list", 300000, "public"], ["resources/templates/list", 300000, "public"], ["resources/list", 60000, "private"], ["server/discover", 300000, "public"]]) {
      const result = resultOf(await mcp.modern(method));
      assert.deepEqual([result.resultType, result.ttlMs, result.cacheScope], ["complete", ttlMs, cacheScope], method);
      if (method !== "server/discover") assert.deepEqual(result._meta, { [`${META}serverInfo`]: serverInfo });
    }
    const found = resultOf(await mcp.modern("server/discover"));
    assert.deepEqual(found.supportedVersions, [VERSION]);
    assert.deepEqual(found.capabilities, { tools: {}, resources: {}, prompts: {}, completions: {} });
    assert.equal(found._meta[`${META}serverInfo`].title, "Penchant");
    assert.ok(found.instructions.length > 100);
    const called = resultOf(await mcp.modern("tools/call", call));
    assert.deepEqual([called.resultType, called.ttlMs, called.cacheScope], ["complete", undefined, undefined]);
  });

  await t.test("both members of _meta are required", async () => {
    const post = (_meta, headers) => mcp.post({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta } }, headers ?? modernHeaders("tools/list"));
    assertRpcError(await post(undefined), 400, -32602, { message: /protocolVersion/ });
    assertRpcError(await post({ ...envelope(), [`${META}protocolVersion`]: 5 }), 400, -32602, { message: /protocolVersion/ });
    assertRpcError(await post({ [`${META}protocolVersion`]: VERSION }), 400, -32602, { message: /clientCapabilities/ });
    assertRpcError(await post({ ...envelope(), [`${META}clientCapabilities`]: [] }), 400, -32602, { message: /clientCapabilities/ });
    assertRpcError(await post(undefined, { "mcp-protocol-version": "2099-01-01" }), 400, -32602);
    assertRpcError(await mcp.post({ jsonrpc: "2.0", id: 1, method: "tools/list" }, modernHeaders("tools/list")), 400, -32602);
  });

  await t.test("headers must equal the body, and names may be encoded", async () => {
    for (const headers of [{ "mcp-method": "tools/list" }, { "mcp-method": undefined }, { "mcp-protocol-version": undefined }, { "mcp-protocol-version": "2025-11-25" }, { "mcp-name": undefined }, { "mcp-name": "remember" }, { "mcp-name": "GET_HINTS" }, { "mcp-name": "=?base64?Z2V0X2hpbnRz" }, { "mcp-name": "=?base64?Z2V0X2hpbnR=?=" }, { "mcp-name": "=?base64?/w==?=" }, { "mcp-method": "TOOLS/CALL" }]) {
      const sent = { ...modernHeaders("tools/call", call), ...headers };
      for (const [name, value] of Object.entries(sent)) if (value === undefined) delete sent[name];
      assertRpcError(await mcp.post({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { ...call, _meta: envelope() } }, sent), 400, -32020);
    }
    for (const headers of [{ "mcp-name": "=?base64?Z2V0X2hpbnRz?=" }, { "mcp-name": " get_hints\t" }, { "mcp-method": " tools/call " }]) resultOf(await mcp.modern("tools/call", call, { headers }));
    assertRpcError(await mcp.modern("resources/read", { uri: "penchant://hints" }, { headers: { "mcp-name": "penchant://hints/x" } }), 400, -32020);
    assertRpcError(await mcp.modern("prompts/get", { name: "tidy" }, { headers: { "mcp-name": "interview" } }), 400, -32020);
  });

  await t.test("another version is rejected with those that are supported", async () => {
    for (const version of ["2099-01-01", "2025-11-25"]) {
      const headers = { ...modernHeaders("tools/list"), "mcp-protocol-version": version };
      const answer = await mcp.post({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: { ...envelope(), [`${META}protocolVersion`]: version } } }, headers);
      assertRpcError(answer, 400, -32022);
      assert.deepEqual(answer.data.error.data, { supported: [VERSION], requested: version });
    }
  });

  await t.test("an unknown method is 404, and so are those of the legacy era", async () => {
    for (const method of ["no/such", "initialize", "ping", "logging/setLevel", "resources/subscribe"]) assertRpcError(await mcp.modern(method), 404, -32601);
  });
});

test("the rate of a token limits it before anything else is read", async (t) => {
  const { mcp } = await opened(t, { settings: { "rate-api": 2 } });
  const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(() => mcp.ask("POST", { body: "no JSON", headers: { "content-type": "application/json" } })));
  const limited = answers.filter(({ status }) => status === 429);
  assert.ok(limited.length >= 2, answers.map(({ status }) => status).join());
  for (const answer of limited) {
    assertAnswer(answer, null);
    assert.equal(answer.data.error.code, 429);
    assert.match(answer.headers["retry-after"], /^[1-9]\d*$/);
  }
});
