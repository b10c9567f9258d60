// At the end of a life that saw everything, no memory is lost. The kit looks for the sanitizer's report.

import assert from "node:assert/strict";
import test from "node:test";
import { sanitizers } from "../kit/process.mjs";
import { PASSWORD, world } from "../kit/world.mjs";

const SLOW = 200_000; // looking for leaks can take seconds of processor time

test("a service frees its memory after every kind of successful and failed request", async (t) => {
  const w = await world(t, { env: sanitizers(true), settings: { "metrics-listen": "127.0.0.1:0", "trusted-proxies": "10.0.0.0/8" }, start: false });
  await w.start();
  for (const path of ["/", "/signup", "/signin", "/assets/style.css", "/healthz", "/readyz", "/nothing", "/%00"]) await w.get(path);
  await w.get("/nothing", { accept: "text/html" });
  await w.signUp({ username: "ada", email: "ada@example.org", name: "Ada" });
  await w.signUp({ username: "ada" });
  await w.signUp({ username: "x" }, { headers: { accept: "text/html" } });
  await w.signUp({ username: "eve" }, { headers: { origin: "https://evil.example" } });
  await w.ask("POST", "/signup", { body: "a=%zz", headers: { "content-type": "application/x-www-form-urlencoded" } });
  await w.ask("POST", "/signup", { body: "x".repeat(100_000) });
  await w.raw("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n");
  await w.raw("nonsense\r\n\r\n");
  (await w.connect()).send("POST /signup HTTP/1.1\r\nHost: h\r\nContent-Length: 20\r\n\r\nuser").abort();
  await w.metrics();
  if (w.kind === "sqlite")
    for (const args of [["user", "add", "eve", "--json"], ["user", "add", "eve"], ["user", "list"], ["user", "disable", "eve"], ["user", "delete", "eve"], ["nonsense"]])
      await w.control(args, PASSWORD);
  await w.stop(SLOW);
});

test("a command frees its memory", async (t) => {
  const w = await world(t, { env: sanitizers(true), start: false });
  assert.equal((await w.command("user", "add", "ada", "--json", { stdin: PASSWORD, within: SLOW })).status, 0);
});
