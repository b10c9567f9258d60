// Golden files: the hints about a few invented users, byte for byte as a reviewer approved them.
// people/NAME.json is a user, people/NAME.txt the expected hints. After an intended change:
//   make build/check/oracle/hints_probe && WRITE=1 node --test tests/oracle/hints_golden.test.mjs
// then review the difference.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { askAll, stated } from "./hints_ask.mjs";
import { ROOT } from "../kit/runner.mjs";

const FOLDER = path.join(ROOT, "tests/oracle/people");
const WRITE = process.env.WRITE === "1";

const QUERIES = [
  { max_tokens: 50 },
  { max_tokens: 100 },
  { max_tokens: 200 },
  { max_tokens: 500 },
  { context: "restaurant_search", max_tokens: 100 },
  { context: "dinner ideas", max_tokens: 100, format: "bullets" },
  { context: "flight_search", max_tokens: 100 },
  { context: "hotelBooking", max_tokens: 100, format: "bullets" },
  { context: "playlist", max_tokens: 50 },
  { context: "code_generation", max_tokens: 100 },
  { context: "tax_return", max_tokens: 100, sensitive: false },
  { domains: ["food_profile"], max_tokens: 100, format: "json" },
  { max_tokens: 200, format: "bullets" },
  { max_tokens: 200, format: "json" },
];

// Facts of apps have a lower confidence than the user's own.
const observed = (record) => stated(record).map((atom) => ({ ...atom, user: false }));
const factsOf = (person) => [...stated(person.stated ?? {}), ...observed(person.observed ?? {})];

function headOf({ context, domains, max_tokens: tokens, format = "text", sensitive = true }) {
  const asked = [context && `context=${context}`, domains && `domains=${domains}`, `max_tokens=${tokens}`, format !== "text" && `format=${format}`];
  return `## ${asked.filter(Boolean).join(" ")}${sensitive ? "" : " (nothing sensitive)"}`;
}

const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

function footOf({ hints, token_count: tokens, omitted, safety_complete: safe, context, context_matched: matched }) {
  const left = omitted > 0 ? `${plural(omitted, "fact")} omitted` : Object.keys(hints).length > 0 ? "nothing omitted" : "no facts";
  const parts = [plural(tokens, "token"), left];
  if (!safe) parts.push("SAFETY INCOMPLETE");
  if (context) parts.push(matched ? `matched ${matched}` : "context not matched");
  return `(${parts.join(", ")})`;
}

// Indented, but each member on one line.
function pretty(hints) {
  const members = (domain) => Object.entries(domain).map(([key, value]) => `    ${JSON.stringify(key)}: ${JSON.stringify(value)}`);
  const domains = Object.entries(hints).map(([name, domain]) => `  ${JSON.stringify(name)}: {\n${members(domain).join(",\n")}\n  }`);
  return domains.length === 0 ? "{}" : `{\n${domains.join(",\n")}\n}`;
}

function bodyOf({ hints, format }) {
  if (format === "json") return pretty(hints);
  const lines = format === "text" ? hints.join("\n") : hints;
  return lines === "" ? "(no hints)" : lines;
}

const tell = (person, answers) =>
  `# ${person.who}\n\n${answers.map((answer, i) => `${headOf(QUERIES[i])}\n\n${bodyOf(answer)}\n\n${footOf(answer)}\n`).join("\n")}`;

const names = fs.readdirSync(FOLDER).filter((file) => file.endsWith(".json")).map((file) => file.slice(0, -".json".length)).sort();
const people = names.map((name) => JSON.parse(fs.readFileSync(path.join(FOLDER, `${name}.json`), "utf8")));
const included = askAll(people.map((person) => ({ atoms: factsOf(person), queries: QUERIES })));

for (const [i, name] of names.entries()) {
  test(`${name}: ${people[i].who}`, () => {
    const file = path.join(FOLDER, `${name}.txt`);
    const text = tell(people[i], included[i]);
    if (WRITE) fs.writeFileSync(file, text);
    assert.equal(text, fs.readFileSync(file, "utf8"), "the hints changed; if that is intended, see the top of hints_golden.test.mjs");
  });
}

test("every fact of these people could be stored", () => {
  const all = askAll(people.map((person) => ({ atoms: factsOf(person), queries: [{ max_tokens: 4000, format: "text" }] })));
  for (const [i, [{ hints }]] of all.entries())
    for (const { value } of factsOf(people[i]).filter((fact) => fact.member === "statements"))
      assert.ok(hints.some((line) => line.includes(value.replaceAll('"', "'"))), value);
});
