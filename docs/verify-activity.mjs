#!/usr/bin/env node
// Verifies the activity in an export of Penchant: node verify-activity.mjs FILE
// FILE is the user's export, or the file of the page Activity. Needs nothing but Node.js.
// docs/ACTIVITY.md specifies what is hashed.

import crypto from "node:crypto";
import fs from "node:fs";

function lineOf(record) {
  const { app_id, app, action, refused, subject, times, facts, first_at, last_at, first } = record;
  return `${[app_id, app, action, refused ? 1 : 0, subject, times, facts, first_at, last_at, first ? 1 : 0].join("\t")}\n`;
}

function hashOf(userId, { day, records }, previous) {
  const text = `penchant-activity-1\n${userId}\t${day}\t${previous}\n${records.map(lineOf).join("")}`;
  return crypto.createHash("sha256").update(text).digest("base64url");
}

// Returns a sentence about the first problem, or undefined.
function problemOf({ user_id, deleted_through, deleted_hash, hash, days }) {
  let previous = deleted_hash;
  let last = deleted_through ?? "";
  let open = false;
  for (const one of days) {
    if (one.day <= last) return `The day ${one.day} is not in order.`;
    if (open && one.closed) return `The day ${one.day} is closed, but a day before it is not.`;
    last = one.day;
    open ||= !one.closed;
    if (!one.closed) continue;
    if (one.previous !== previous) return `The day ${one.day} does not follow the day before it: a day was removed, added, or changed.`;
    if (one.hash !== hashOf(user_id, one, previous)) return `The day ${one.day} does not match its hash: a record was removed, added, changed, or moved.`;
    previous = one.hash;
  }
  return previous === hash ? undefined : "The chain ends too early: the newest closed day was removed.";
}

const document = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const activity = document.activity ?? document;
if (activity.format !== "penchant-activity-1") {
  console.error("This file contains no activity of the format penchant-activity-1.");
  process.exit(2);
}
const problem = problemOf(activity);
if (problem) {
  console.error(problem);
  process.exit(1);
}
const closed = activity.days.filter((day) => day.closed);
const records = activity.days.reduce((sum, day) => sum + day.records.length, 0);
console.log(`intact: ${records} records, ${closed.length} of ${activity.days.length} days closed, newest hash ${activity.hash || "none"}`);
