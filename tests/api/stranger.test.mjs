// Calls every route of the route tables without a session or token. A new route is covered from the start:
// each must respond as its declared caller requires.

import assert from "node:assert/strict";
import test from "node:test";
import { assertCommon, assertError, assertPage } from "../kit/expect.mjs";
import { ask } from "../kit/http.mjs";
import { world } from "../kit/world.mjs";

const BROWSER = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

// Every route on the public listener, with something in the place of {…}.
async function routes(w) {
  const { status, data } = await w.penchant(["help", "routes", "--json"]);
  assert.equal(status, 0);
  assert.ok(Array.isArray(data) && data.length >= 7, JSON.stringify(data));
  for (const route of data) {
    assert.match(route.method, /^[A-Z]+$/);
    assert.match(route.path, /^\//);
    assert.ok(route.caller, `${route.method} ${route.path} has no caller`);
    route.url = route.path.replace(/\{[^}]+\}/g, "nothing-here");
  }
  return data;
}

const isPublic = (route) => route.caller === "anyone";
const isOperators = (route) => route.caller === "operator";

test("only public routes accept requests without credentials", async (t) => {
  const w = await world(t, { settings: { "security-contact": "mailto:security@example.org" } });
  for (const route of await routes(w)) {
    const why = `${route.method} ${route.path}`;
    const file = { body: "--x--\r\n", headers: { "content-type": "multipart/form-data; boundary=x" } };
    const body = route.body === "json" ? { json: {} } : route.body === "file" ? file : { form: {} };
    const answer = await w.ask(route.method, route.url, route.method === "POST" ? body : {});
    assertCommon(answer);
    if (isOperators(route)) assert.equal(answer.status, 404, `${why} is on the public port`);
    else if (!isPublic(route)) assert.ok([401, 403, 303].includes(answer.status), `${why} let a stranger in: ${answer.status}`);
    else if (route.url !== route.path) assert.equal(answer.status, 404, why);
    else assert.ok([200, 400, 401, 503].includes(answer.status), `${why}: ${answer.status}`); // the input is rejected, not the caller
  }
});

test("operator endpoints respond only on the metrics listener", async (t) => {
  const w = await world(t, { settings: { "metrics-listen": "127.0.0.1:0" } });
  const origin = await w.service.metricsOrigin();
  const operators = (await routes(w)).filter(isOperators);
  assert.ok(operators.some((route) => route.path === "/metrics"));
  for (const { method, url } of operators) {
    assert.equal((await ask(origin, method, url)).status, 200);
    assertError(await w.ask(method, url), 404);
  }
  for (const { method, url } of (await routes(w)).filter((route) => isPublic(route) && route.path !== "/"))
    assert.equal((await ask(origin, method, url)).status, 404, `${url} answers on the operator's listener`);
});

test("every path lists its methods and rejects all others", async (t) => {
  const w = await world(t);
  const listed = (await routes(w)).filter((route) => !isOperators(route));
  for (const url of new Set(listed.map((route) => route.url))) {
    if (url === "/mcp") continue; // checks the token before the method: see api/mcp.test.mjs
    const methods = listed.filter((route) => route.url === url).map((route) => route.method);
    if (methods.includes("GET")) methods.push("HEAD");
    methods.push("OPTIONS");
    for (const method of ["GET", "POST", "PUT", "DELETE", "PATCH", "TRACE", "PROPFIND", "get"]) {
      if (methods.includes(method)) continue;
      const answer = await w.raw(`${method} ${url} HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
      assertError(answer, 405);
      assert.deepEqual(answer.headers.allow.split(", ").sort(), [...methods].sort(), `${method} ${url}`);
    }
  }
});

test("HEAD is GET without the body", async (t) => {
  const w = await world(t);
  const varying = ["x-request-id", "date"];
  for (const route of (await routes(w)).filter((r) => r.method === "GET" && !isOperators(r))) {
    const get = await w.get(route.url);
    const head = await w.ask("HEAD", route.url);
    assert.equal(head.status, get.status, route.url);
    assert.equal(head.text, "");
    for (const name of varying) {
      delete get.headers[name];
      delete head.headers[name];
    }
    assert.deepEqual(head.headers, get.headers, route.url);
  }
});

test("OPTIONS lists the allowed methods, and CORS headers only for routes with cors", async (t) => {
  const w = await world(t);
  const listed = (await routes(w)).filter((route) => !isOperators(route));
  for (const url of new Set(listed.map((route) => route.url))) {
    if (url === "/mcp") continue; // checks the origin
    const answer = await w.ask("OPTIONS", url, {
      headers: { origin: "https://elsewhere.example", "access-control-request-method": "POST" },
    });
    assert.equal(answer.status, 204, url);
    assertCommon(answer);
    assert.equal(answer.text, "");
    assert.match(answer.headers.allow, /\bOPTIONS\b/);
    assert.equal(answer.headers["access-control-allow-credentials"], undefined);
    if (!/^\/(v1|oauth|\.well-known|openapi\.json|healthz|readyz)\b/.test(url)) assert.equal(answer.headers["access-control-allow-origin"], undefined, url);
  }
});

test("every page carries the headers that keep it from being framed, sniffed, cached or leaked", async (t) => {
  const w = await world(t);
  for (const route of (await routes(w)).filter((r) => r.method === "GET" && !isOperators(r))) {
    const answer = await w.get(route.url, BROWSER);
    if (/^text\/html/.test(answer.headers["content-type"])) assertPage(answer, answer.status);
  }
  for (const url of ["/", "/signup", "/signin"]) assertPage(await w.get(url, BROWSER));
});
