// The conformance suite of the Model Context Protocol (@modelcontextprotocol/conformance), for both eras. The
// check build has the suite's fixtures (mcp_fixtures.json); without them, the scenarios that need none must pass.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { MCP_SCOPE } from "../kit/mcp.mjs";
import { program, proxy } from "../kit/mcp_proxy.mjs";
import { connected } from "../kit/preferences.mjs";
import { ROOT } from "../kit/world.mjs";

const FIXTURES = path.join(ROOT, "tests/clients/mcp_fixtures.json");

// Server-to-client requests, logging, and subscriptions of the legacy era are not offered.
const NOT_OFFERED = ["logging-set-level", "tools-call-with-logging", "tools-call-sampling", "tools-call-elicitation", "elicitation-sep1034-defaults", "elicitation-sep1330-enums", "resources-subscribe", "resources-unsubscribe", "server-sse-multiple-streams"];

const WITHOUT_FIXTURES = [
  "tools-list", "resources-list", "prompts-list", "completion-complete", "caching", "dns-rebinding-protection", "sep-2164-resource-not-found", "server-sse-multiple-streams",
  "input-required-result-missing-input-response", "input-required-result-unsupported-methods", "input-required-result-ignore-extra-params", "input-required-result-validate-input", "http-header-validation",
];

async function suite(t, { fixtures }) {
  const env = fixtures ? { PENCHANT_MCP_FIXTURES: FIXTURES } : {};
  const { w, api } = await connected(t, { scope: MCP_SCOPE, clock: null, env });
  const url = `${await proxy(t, w, api.token)}/mcp`;
  return { w, run: (...args) => program("conformance", ["server", "--url", url, "-o", path.join(w.dir, "results"), ...args]) };
}

// The scenarios that passed and failed, by the lines of the summary.
function outcome({ out }) {
  const lines = [...out.matchAll(/^([✓✗]) ([a-z0-9-]+): (\d+) passed, (\d+) failed/gm)];
  const named = (mark) => lines.filter(([, found]) => found === mark).map(([, , name]) => name);
  return { passed: named("✓"), failed: named("✗") };
}

test("every scenario that revision 2026-07-28 requires passes", async (t) => {
  const { run } = await suite(t, { fixtures: true });
  const result = await run("--requirements", "2026-07-28");
  assert.equal(result.status, 0, result.out + result.err);
  const { passed, failed } = outcome(result);
  const [, unscored] = /Not scored for 2026-07-28: (\d+)/.exec(result.out);
  assert.equal(passed.length + failed.length - Number(unscored), 37);
  assert.ok(passed.includes("http-header-validation"));
});

test("revision 2025-11-25 passes except for what is not offered", async (t) => {
  const { w, run } = await suite(t, { fixtures: true });
  const file = path.join(w.dir, "expected.yml");
  fs.writeFileSync(file, `server:\n${NOT_OFFERED.map((name) => `  - ${name}\n`).join("")}`);
  const result = await run("--requirements", "2025-11-25", "--expected-failures", file);
  assert.equal(result.status, 0, result.out + result.err);
  const { passed } = outcome(result);
  for (const name of ["server-initialize", "ping", "tools-call-simple-text", "resources-templates-read", "prompts-get-with-args", "dns-rebinding-protection"]) assert.ok(passed.includes(name), name);
});

test("what needs no fixtures passes without them", async (t) => {
  const { run } = await suite(t, { fixtures: false });
  const { passed } = outcome(await run("--requirements", "2026-07-28"));
  assert.deepEqual(WITHOUT_FIXTURES.filter((name) => !passed.includes(name)), []);
});
