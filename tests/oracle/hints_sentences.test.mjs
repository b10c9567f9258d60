// What people and apps really write, and the hint that must come of it: sentences.tsv.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { askAll, DOMAINS } from "./hints_ask.mjs";
import { ROOT } from "../kit/runner.mjs";

const rows = fs
  .readFileSync(path.join(ROOT, "tests/oracle/sentences.tsv"), "utf8")
  .split("\n")
  .map((line, i) => ({ line: i + 1, cells: line.split("\t") }))
  .filter(({ cells }) => cells.length > 1 && !cells[0].startsWith("#"));

const typeOf = (domain, member) => DOMAINS.find((one) => one.domain === domain).members.find(({ name }) => name === member).type;
const isText = (type) => ["array", "string", "enum"].includes(type);

function atomsOf([place, values]) {
  const [domain, member] = place.split(".");
  const written = values.split(" | ");
  return written.map((value, i) => ({
    domain, member, value: isText(typeOf(domain, member)) ? value : JSON.parse(value), user: true, at: 1_700_000_000, sequence: i + 1,
  }));
}

const answers = askAll(rows.map(({ cells }) => ({ atoms: atomsOf(cells), queries: [{ domains: [cells[0].split(".")[0]], max_tokens: 4000 }] })));
const plain = (hint) => hint.replace("; never suggest food containing them", "").replace("; never suggest food containing any", "");

test("what people write becomes a sentence that a person would write", () => {
  const wrong = rows.flatMap(({ line, cells }, i) => {
    const expected = cells[2] === "-" ? [] : cells[2].split(" | ");
    const hints = [...new Set(answers[i][0].hints.map(plain))];
    return hints.join(" | ") === expected.join(" | ") ? [] : [`line ${line}: ${cells[1]}\n  is   ${hints.join(" | ")}\n  want ${expected.join(" | ")}`];
  });
  assert.equal(wrong.length, 0, `${wrong.length} of ${rows.length}\n${wrong.join("\n")}`);
});
