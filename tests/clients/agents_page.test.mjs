// Runs every code example of docs/AGENTS.md against this service.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { MCP_SCOPE } from "../kit/mcp.mjs";
import { NODE } from "../kit/mcp_proxy.mjs";
import { connected, FOOD } from "../kit/preferences.mjs";
import { run } from "../kit/process.mjs";
import { ROOT } from "../kit/world.mjs";

const PAGE = fs.readFileSync(path.join(ROOT, "docs/AGENTS.md"), "utf8");

test("every example prints the hints", async (t) => {
  const { w, api } = await connected(t, { scope: MCP_SCOPE, clock: null });
  await api.write(FOOD, { allergies: ["peanuts"], dietary: "vegetarian" });
  const { hints } = await api.read("agent-hints?context=find+a+restaurant&max_tokens=200");
  const blocks = [...PAGE.matchAll(/^```(js|python)\n(?:#|\/\/) (\S+)\n([^]*?)^```$/gm)];
  assert.deepEqual(blocks.map(([, , name]) => name), ["hints.mjs", "hints.py"]);
  fs.symlinkSync(path.join(ROOT, "tests/clients/node_modules"), path.join(w.dir, "node_modules"));
  for (const [, language, name, text] of blocks) {
    const file = path.join(w.dir, name);
    fs.writeFileSync(file, text);
    const env = { PATH: process.env.PATH, PENCHANT_URL: w.origin, PENCHANT_TOKEN: api.token };
    const { status, out, err } = await run(language === "js" ? NODE : "python3", [file], { env, cwd: w.dir });
    assert.equal(status, 0, err);
    assert.deepEqual(out.trim().split("\n"), hints, name);
  }
});
