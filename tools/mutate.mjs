// Mutation test of the modules that protect users: changes one place of the source, builds, and runs the tests
// of that file until one fails. A mutant that no test notices shows a missing test.
//
//   node tools/mutate.mjs               runs the mutants that have no result yet
//   node tools/mutate.mjs --seconds 900 … and stops after the mutant that is running then
//   node tools/mutate.mjs --again       runs the survivors again, after a test was added
//   node tools/mutate.mjs --check       first runs every test on the unchanged source: it must pass
//   node tools/mutate.mjs --list        prints the results so far, with each survivor's change
//   node tools/mutate.mjs --show WORD   prints the changes that would be made to matching files
//
// Works on a copy in build/mutate/tree; results are lines of JSON in build/mutate/results. The choice depends on
// the seed and on the text of each place, so that a change elsewhere keeps the results.

import { spawnSync } from "node:child_process";
import crypto from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { sanitizers } from "../tests/kit/process.mjs";

const ROOT = path.resolve(fileURLToPath(import.meta.url), "../..");
const WORK = path.join(ROOT, "build/mutate");
const TREE = path.join(WORK, "tree");
const RESULTS = path.join(WORK, "results");
const CURRENT = path.join(WORK, "current"); // the object of the mutant that runs
const SEED = "1";

let source = ROOT; // TREE while mutants run, so that the project may be edited meanwhile
const TEST_SECONDS = 150;

// How many mutants each group gets, and for each file its tests: unit tests first, as they are cheap.
const OAUTH = "api/oauth_authorize api/oauth_consent api/oauth_token api/oauth_refresh api/oauth_reuse";
const GROUPS = {
  flow: [26, {
    authorize: `unit/flow/authorize unit/flow/consent_model ${OAUTH} api/consent_shown api/consent_domains`,
    authorize_check: "unit/flow/authorize api/oauth_authorize api/oauth_apps",
    tokens: "unit/flow/tokens unit/flow/tokens_race unit/flow/cache_versions api/oauth_refresh api/oauth_token api/oauth_reuse api/oauth_introspect api/clock api/errors",
    connections: "unit/flow/connections unit/flow/cache_versions api/account_apps api/oauth_ending",
    sessions: "unit/flow/sessions api/account_security api/oauth_sign_in api/clock",
    accounts: "unit/flow/accounts unit/flow/apps api/sign_up api/oauth_ending api/care",
    apps: "unit/flow/apps unit/flow/apps_position api/oauth_apps api/oauth_secrets api/developer api/developer_refusals",
  }],
  identity: [4, {
    security: "unit/identity/security api/account_security",
    recovery: "api/account_recovery",
  }],
  oauth: [12, {
    authorize_pages: `${OAUTH} api/consent_shown api/developer_try`,
    token_api: "api/oauth_token api/oauth_refresh api/oauth_introspect api/oauth_ending api/oauth_reuse api/errors",
    signin_pages: "api/oauth_sign_in api/throttles api/account_security",
    signup_pages: "unit/oauth/signup_pages api/sign_up api/oauth_sign_in api/throttles",
    userinfo_api: "api/oauth_userinfo",
  }],
  dispatch: [22, {
    allowed_domains: "unit/dispatch api/preferences_scopes api/consent_domains",
    authorization_header: "unit/dispatch/guard api/oauth_token api/stranger",
    bearer: "unit/dispatch/guard api/stranger api/hot_reads api/errors api/oauth_ending",
    browser_session: "unit/dispatch/guard api/oauth_sign_in api/account_guard api/account_security api/throttles",
    client_auth: "unit/dispatch/guard api/oauth_secrets api/oauth_apps api/throttles api/oauth_token",
    dispatch: "unit/dispatch/dispatch api/errors api/wire api/stranger api/account_guard api/oauth_token api/preferences_merging",
    guard: "unit/dispatch/guard api/stranger api/wire api/account_guard api/preferences_scopes",
    response_cache: "unit/dispatch/response_cache unit/flow/cache_versions api/hot_reads",
    throttle: "unit/dispatch/throttle api/throttles",
  }],
  crypt: [10, {
    digest: "unit/crypt/digest unit/model/pkce unit/crypt/secret",
    password: "unit/crypt/password unit/flow/accounts api/sign_up api/throttles",
    random: "unit/crypt/random",
    secret: "unit/crypt/secret",
  }],
  credential: [16, {
    token_store: "unit/credential/token_store unit/store/housekeeping_store unit/flow/tokens unit/flow/cache_versions unit/flow/connections api/oauth_ending api/oauth_refresh api/oauth_reuse api/care",
    refresh_store: "unit/credential/token_store unit/flow/tokens unit/flow/tokens_rotation api/oauth_refresh api/oauth_reuse",
    grant_store: "unit/credential/grant_store unit/flow/connections unit/flow/authorize api/account_apps api/consent_domains",
    session_store: "unit/credential/session_store unit/flow/sessions api/account_security",
  }],
  http: [10, {
    head: "unit/http/head unit/http/exchange api/wire",
  }],
};

// ---- mutants ----

// The text with comments and the insides of strings blanked, of the same length.
const mask = (text) =>
  text.replace(/\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|^#.*(?:\\\n.*)*$/gm, (part) => part.replace(/[^\n]/g, " "));

const closing = (text, at) => {
  for (let depth = 0; at < text.length; at++) {
    if (text[at] === "(") depth++;
    if (text[at] === ")" && --depth === 0) return at;
  }
};

const each = (text, pattern, make) => [...text.matchAll(pattern)].map((found) => make(found)).filter(Boolean);
const RELATIONS = { "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==" };

// Parameters must stay in a statement: leaving one out would be an error, not a weaker condition.
const weaker = (clause) => (clause.match(/\$\d+/g) ?? []).map((name) => ` AND (${name} IS NULL OR ${name} IS NOT NULL)`).join("");

// Each is { kind, at, length, to }: the change of one place.
function mutantsOf(text) {
  const code = mask(text);
  const strings = text.replace(/\/\*[\s\S]*?\*\//g, (part) => part.replace(/[^\n]/g, " "));
  const change = (kind, found, to, skip = 0) => ({ kind, at: found.index + skip, length: found[0].length - skip, to });
  return [
    ...each(code, /\b(?:if|while) \(/g, (found) => {
      const open = found.index + found[0].length - 1;
      const close = closing(code, open);
      return { kind: "negate", at: open + 1, length: close - open - 1, to: `!(${text.slice(open + 1, close)})` };
    }),
    ...each(code, /&&|\|\|/g, (found) => change("and-or", found, found[0] === "&&" ? "||" : "&&")),
    ...each(code, /(?<= )(?:<=|>=|==|!=|<|>)(?= )/g, (found) => change("relation", found, RELATIONS[found[0]])),
    ...each(code, /(?<=[;{})]\n)( +)(?!return|if|for|while|switch|else|do|log_error|log_info|memset)[a-z_]\w*\([^;{}]*\);$/gm, (found) => change("delete call", found, "{ }", found[1].length)),
    ...each(code, /(?<=[;{})]\n)( +)[a-z*][\w>.*[\]-]* [|&+-]?= [^;{}]*;$/gm, (found) => change("delete assignment", found, "{ }", found[1].length)),
    ...each(code, /\breturn (true|false|ERR_\w+);/g, (found) => {
      if (found[1] === "ERR_NONE") return;
      return change("return", found, `return ${{ true: "false", false: "true" }[found[1]] ?? "ERR_NONE"};`);
    }),
    ...each(strings, / AND (?:(?! AND |")[^\n])+/g, (found) => change("SQL condition", found, weaker(found[0]))),
    ...each(strings, /(?<=[a-z_]) (<=|<|>|>=) (?=\$|CAST)/g, (found) => change("SQL relation", found, ` ${RELATIONS[found[1]]} `)),
  ];
}

const digest = (text) => crypto.createHash("sha256").update(text).digest("hex").slice(0, 12);

// Every possible mutant of a file, in the order of the seed.
function fileMutants(group, stem, tests) {
  const file = `src/${group}/${stem}.c`;
  const text = fs.readFileSync(path.join(source, file), "utf8");
  const seen = {};
  return mutantsOf(text).map((mutant) => {
    const line = text.slice(0, mutant.at).split("\n").length;
    const place = `${file} ${mutant.kind} ${text.split("\n")[line - 1].trim()} ${mutant.to}`;
    seen[place] = (seen[place] ?? 0) + 1;
    return { ...mutant, file, line, group, tests: tests.split(" "), from: text.slice(mutant.at, mutant.at + mutant.length), id: digest(`${SEED} ${place} ${seen[place]}`) };
  });
}

const candidates = (group) =>
  Object.entries(GROUPS[group][1])
    .flatMap(([stem, tests]) => fileMutants(group, stem, tests))
    .sort((a, b) => (a.id < b.id ? -1 : 1));

// ---- results ----

const readResults = () => {
  if (!fs.existsSync(RESULTS)) return new Map();
  return new Map(fs.readFileSync(RESULTS, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line)).map((result) => [result.id, result]));
};

// The chosen mutants: the first of each group that compile.
const chosen = (results) =>
  Object.entries(GROUPS).flatMap(([group, [share]]) =>
    candidates(group).filter(({ id }) => results.get(id)?.outcome !== "does not compile").slice(0, share));

const describe = ({ file, line, kind, from, to, id }) =>
  `${file}:${line} ${kind} [${id}]\n    - ${from.replace(/\s+/g, " ")}\n    + ${to.replace(/\s+/g, " ")}`;

function list() {
  const results = readResults();
  const mutants = chosen(results).map((mutant) => ({ ...mutant, ...results.get(mutant.id), line: mutant.line }));
  const count = (outcome) => mutants.filter((mutant) => mutant.outcome === outcome).length;
  for (const mutant of mutants.filter(({ outcome }) => outcome === "survived")) console.log(`survived ${describe(mutant)}`);
  console.log(`${mutants.length} mutants: ${count("killed")} killed, ${count("survived")} survived, ${count(undefined)} not run`);
}

// ---- running ----

const run = (file, args, seconds) =>
  spawnSync(file, args, {
    cwd: TREE,
    env: { ...process.env, ...sanitizers(false), STORE: "sqlite", TMPDIR: fs.existsSync("/dev/shm") ? "/dev/shm" : "/tmp" },
    encoding: "utf8",
    timeout: seconds * 1000,
    killSignal: "SIGTERM",
    maxBuffer: 1 << 28,
  });

// WARNINGS: a mutant may leave a variable unused.
const build = (target) => run("make", ["-j2", "WARNINGS=", target], 600);

// The test files of a word: a unit test, a directory of unit tests, or a test file of the API.
const filesOf = (word) => {
  const folder = path.join(TREE, "tests", word);
  if (!fs.existsSync(folder)) return [word];
  return fs.readdirSync(folder).filter((name) => name.endsWith("_test.c")).map((name) => `${word}/${name.replace("_test.c", "")}`);
};

// What noticed: the first failing test of the file, or "" if all passed.
function failing(test) {
  if (!test.startsWith("unit/")) {
    const result = run(process.execPath, ["--test-reporter=tap", `tests/${test}.test.mjs`], TEST_SECONDS);
    if (result.status === 0) return "";
    return /^\s*not ok \d+ - (.*)$/m.exec(result.stdout)?.[1] ?? "the file as a whole";
  }
  const result = run(`build/check/${test}_test`, [], TEST_SECONDS);
  if (result.status === 0) return "";
  return /\[ {2}FAILED {2}\] \S*?(\w+)$/m.exec(result.stdout + result.stderr)?.[1] ?? "the program as a whole";
}

const needs = (test) => (test.startsWith("unit/") ? `build/check/${test}_test` : "build/check/penchant");

// Deletes the object of the last mutant, also after an interruption: its source is older than it.
function forget() {
  if (fs.existsSync(CURRENT)) fs.rmSync(path.join(TREE, fs.readFileSync(CURRENT, "utf8")), { force: true });
  fs.rmSync(CURRENT, { force: true });
}

function judge(mutant) {
  const file = path.join(TREE, mutant.file);
  const text = fs.readFileSync(file, "utf8");
  fs.writeFileSync(file, text.slice(0, mutant.at) + mutant.to + text.slice(mutant.at + mutant.length));
  const object = mutant.file.replace(/^src\/(.*)\.c$/, "build/check/$1.o");
  fs.writeFileSync(CURRENT, object);
  try {
    if (build(object).status !== 0) return { outcome: "does not compile" };
    for (const test of mutant.tests.flatMap(filesOf)) {
      if (build(needs(test)).status !== 0) return { outcome: "does not compile" };
      const by = failing(test);
      if (by) return { outcome: "killed", by: `${test}: ${by}` };
    }
    return { outcome: "survived" };
  } finally {
    fs.writeFileSync(file, text);
    forget();
  }
}

// A copy of the project with what is built, and every test once: a test that fails anyway notices nothing.
function prepare() {
  fs.mkdirSync(TREE, { recursive: true });
  for (const name of fs.readdirSync(TREE)) if (name !== "build") fs.rmSync(path.join(TREE, name), { recursive: true });
  for (const name of fs.readdirSync(ROOT))
    if (name !== "build" && name !== ".git") fs.cpSync(path.join(ROOT, name), path.join(TREE, name), { recursive: true, preserveTimestamps: true });
  if (!fs.existsSync(path.join(TREE, "build"))) spawnSync("cp", ["-a", "--parents", "build/check", "build/embedded.c", "build/minified", "build/tokenizer.table", "build/tools", TREE], { cwd: ROOT });
  forget();
  if (build("build/check/penchant").status !== 0) throw new Error("build/check/penchant does not build");
}

function checkTests(mutants) {
  for (const test of new Set(mutants.flatMap(({ tests }) => tests).flatMap(filesOf))) {
    if (build(needs(test)).status !== 0) throw new Error(`${needs(test)} does not build`);
    const by = failing(test);
    if (by) throw new Error(`${test} fails without a mutant: ${by}`);
  }
}

function main(args) {
  const value = (name, otherwise) => (args.includes(name) ? args[args.indexOf(name) + 1] : otherwise);
  const end = Date.now() + 1000 * Number(value("--seconds", 1e6));
  const again = args.includes("--again");
  fs.mkdirSync(WORK, { recursive: true });
  prepare();
  source = TREE;
  const done = new Set();
  const next = () => {
    const results = readResults();
    return chosen(results).find(({ id }) => !done.has(id) && (again ? results.get(id)?.outcome === "survived" : !results.has(id)));
  };
  if (args.includes("--check")) checkTests(chosen(readResults()));
  for (let mutant = next(); mutant && Date.now() < end; mutant = next()) {
    const started = Date.now();
    const result = judge(mutant);
    done.add(mutant.id);
    const { id, file, line, kind, from, to } = mutant;
    fs.appendFileSync(RESULTS, `${JSON.stringify({ id, file, line, kind, from, to, ...result, seconds: Math.round((Date.now() - started) / 1000) })}\n`);
    console.log(`${result.outcome} ${describe(mutant)}${result.by ? `\n    ${result.by}` : ""}`);
  }
  list();
}

const args = process.argv.slice(2);
if (args[0] === "--list") list();
else if (args[0] === "--show")
  Object.keys(GROUPS).flatMap(candidates).filter(({ file }) => file.includes(args[1])).forEach((mutant) => console.log(describe(mutant)));
else main(args);
