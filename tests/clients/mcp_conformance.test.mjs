// The conformance suite of the Model Context Protocol (@modelcontextprotocol/conformance), for both eras. The
// check build has the suite's fixtures (mcp_fixtures.json); without them, the scenarios that need none must pass.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { register } from "../kit/assistant.mjs";
import { makeOpener, inReverse, signIn } from "../kit/browser.mjs";
import { MCP_SCOPE } from "../kit/mcp.mjs";
import { program, proxy } from "../kit/mcp_proxy.mjs";
import { stage } from "../kit/oauth.mjs";
import { freePort } from "../kit/pg.mjs";
import { connected } from "../kit/preferences.mjs";
import { until } from "../kit/until.mjs";
import { PASSWORD, ROOT } from "../kit/world.mjs";

const open = makeOpener();

const FIXTURES = path.join(ROOT, "tests/clients/mcp_fixtures.json");

// Server-to-client requests, logging, and subscriptions of the legacy era are not offered.
const NOT_OFFERED = ["logging-set-level", "tools-call-with-logging", "tools-call-sampling", "tools-call-elicitation", "elicitation-sep1034-defaults", "elicitation-sep1330-enums", "resources-subscribe", "resources-unsubscribe", "server-sse-multiple-streams"];

// The suite runs these as well, but revision 2025-11-25 does not require them.
const NOT_REQUIRED = ["server-session-lifecycle", "json-schema-2020-12", "server-sse-polling"];

const WITHOUT_FIXTURES = [
  "tools-list", "resources-list", "prompts-list", "completion-complete", "caching", "dns-rebinding-protection", "sep-2164-resource-not-found", "server-sse-multiple-streams",
  "input-required-result-missing-input-response", "input-required-result-unsupported-methods", "input-required-result-ignore-extra-params", "input-required-result-validate-input", "http-header-validation",
];

async function suite(t, { fixtures }) {
  const env = fixtures ? { PENCHANT_MCP_FIXTURES: FIXTURES } : {};
  const settings = fixtures ? { sandbox: "off" } : {}; // the fixtures are in no folder of the settings
  const { w, api } = await connected(t, { scope: MCP_SCOPE, clock: null, env, settings });
  const url = `${await proxy(t, w, api.token)}/mcp`;
  return { w, run: (...args) => program("conformance", ["server", "--url", url, "-o", path.join(w.dir, "results"), ...args]) };
}

// The scenarios that passed and failed, by the lines of the summary.
function outcome({ out }) {
  const lines = [...out.matchAll(/^([✓✗]) ([a-z0-9-]+): (\d+) passed, (\d+) failed/gm)];
  const named = (mark) => lines.filter(([, found]) => found === mark).map(([, , name]) => name);
  return { passed: named("✓"), failed: named("✗") };
}

test("with fixtures, both revisions pass except for what is not offered", async (t) => {
  const { w, run } = await suite(t, { fixtures: true });
  const result = await run("--requirements", "2026-07-28");
  assert.equal(result.status, 0, result.out + result.err);
  const { passed, failed } = outcome(result);
  const [, unscored] = /Not scored for 2026-07-28: (\d+)/.exec(result.out);
  assert.equal(passed.length + failed.length - Number(unscored), 37);
  assert.ok(passed.includes("http-header-validation"));

  const file = path.join(w.dir, "expected.yml");
  fs.writeFileSync(file, `server:\n${NOT_OFFERED.map((name) => `  - ${name}\n`).join("")}`);
  const legacy = await run("--requirements", "2025-11-25", "--expected-failures", file);
  assert.equal(legacy.status, 0, legacy.out + legacy.err);
  const scenarios = outcome(legacy);
  for (const name of ["server-initialize", "ping", "tools-call-simple-text", "resources-templates-read", "prompts-get-with-args", "dns-rebinding-protection"]) assert.ok(scenarios.passed.includes(name), name);
  assert.equal(scenarios.passed.filter((name) => ![...NOT_OFFERED, ...NOT_REQUIRED].includes(name)).length, 21);
});

test("scenarios that need no fixtures pass without them", async (t) => {
  const { run } = await suite(t, { fixtures: false });
  const { passed } = outcome(await run("--requirements", "2026-07-28"));
  assert.deepEqual(WITHOUT_FIXTURES.filter((name) => !passed.includes(name)), []);
});

test("the authorization server passes without a warning, for a client of the portal and for one that registered itself", async (test) => {
  const t = inReverse(test);
  const { w, app } = await stage(t, { clock: null, signedIn: false, app: { redirect_uri: "http://127.0.0.1/callback", scope: MCP_SCOPE, isPublic: true } });
  const page = await open(t, w);
  await page.goto("/signin");
  await signIn(page, { password: PASSWORD });
  await page.waitForURL(/account/);
  for (const { client_id } of [app, await register(w, { redirect_uri: "http://127.0.0.1/callback" })]) {
    const results = path.join(w.dir, client_id);
    const port = `${await freePort()}`;
    const suite = program("conformance", ["authorization", "--url", w.origin, "--client-id", client_id, "--port", port, "--resource", `${w.origin}/mcp`, "-o", results]);
    await page.goto(await until("the address of the consent page", () => /http:\S+\/oauth\/authorize\?\S+(?=\n)/.exec(suite.program.out)?.[0], 30_000));
    await page.click("button[value=allow]");
    const result = await suite;
    assert.equal(result.status, 0, result.out + result.err);
    assert.deepEqual(outcome(result), { passed: ["authorization-server-metadata-endpoint", "authorization-code-grant"], failed: [] });
    const { data: metadata } = await w.get("/.well-known/oauth-authorization-server");
    const warned = metadata.client_id_metadata_document_supported ? [] : ["authorization-server-metadata-cimd"];
    const checks = fs.readdirSync(results, { recursive: true }).filter((file) => file.endsWith("checks.json"));
    assert.equal(checks.length, 2);
    const all = checks.flatMap((file) => JSON.parse(fs.readFileSync(path.join(results, file))));
    assert.deepEqual(all.filter(({ status }) => !["SUCCESS", "INFO"].includes(status)).map(({ id }) => id), warned);
  }
});
