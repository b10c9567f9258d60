// Two adjacent versions of the program. The older one is the newest release before this commit, built from its tag.
// Before the first release, the older one is this version, and the newer one is this version with one more schema step.

import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { run } from "./process.mjs";
import { RELEASE, ROOT } from "./world.mjs";

const BUILD_MS = 1_800_000;

const NEXT_STEP = `CREATE TABLE next_version (row_key INTEGER PRIMARY KEY, username TEXT);
INSERT INTO next_version SELECT position, username FROM user_account;
ALTER TABLE user_account ADD COLUMN next_version TEXT;
`;

function newestTag() {
  try {
    const args = ["-C", ROOT, "describe", "--tags", "--abbrev=0", "--match", "v*", "HEAD^"];
    return execFileSync("git", args, { stdio: ["ignore", "pipe", "ignore"] }).toString().trim();
  } catch {
    return null; // none, or not a repository
  }
}

async function build(t, archive, change) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "penchant-version-"));
  t.after(() => fs.rmSync(dir, { recursive: true, force: true }));
  execFileSync("sh", ["-c", `${archive} | tar -x -C "$1"`, "sh", dir], { cwd: ROOT });
  change?.(dir);
  const made = await run("make", ["-C", dir, "build/penchant"], { within: BUILD_MS });
  if (made.status !== 0) throw new Error(`make failed:\n${made.out.slice(-2000)}${made.err.slice(-2000)}`);
  return path.join(dir, "build/penchant");
}

function addStep(dir) {
  const last = fs.readdirSync(path.join(dir, "schema")).map((name) => Number(name.slice(0, 4))).reduce((a, b) => Math.max(a, b));
  fs.writeFileSync(path.join(dir, "schema", `${String(last + 1).padStart(4, "0")}_next_version.sql`), NEXT_STEP);
}

// { older, newer, title }: paths of programs.
export async function adjacentVersions(t) {
  const tag = newestTag();
  if (tag !== null) return { older: await build(t, `git archive ${tag}`), newer: RELEASE, title: `${tag} and this version` };
  return { older: RELEASE, newer: await build(t, "git ls-files -z | tar -c --null -T -", addStep), title: "this version and one with another step" };
}
