// The sandbox of the running service: what a compromised worker could try is refused, and what the service needs works.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import test from "node:test";
import { until } from "../kit/until.mjs";
import { onSqlite, RELEASE, world } from "../kit/world.mjs";

// Tries a call on a worker thread of the service, in fault injection builds.
const attempt = async (w, call, file = "") => (await w.control(["sandbox-probe", call, file])).out;

const status = (w) => Object.fromEntries(fs.readFileSync(`/proc/${w.service.pid}/status`, "utf8").split("\n").map((line) => line.split(":\t")));

// Kernels without Landlock, and containers that forbid it, restrict the calls but not the files.
const PROBE = "import ctypes; print(ctypes.CDLL(None).syscall(444, None, 0, 1))";
const hasLandlock = Number(execFileSync("python3", ["-c", PROBE]).toString()) > 0;

const outside = (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "penchant-outside-"));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  return folder;
};

onSqlite("a worker cannot run programs, open other files, or use calls that the service does not need", async (t) => {
  const w = await world(t);
  const folder = outside(t);
  fs.writeFileSync(path.join(folder, "file"), "secret");
  for (const [call, file, error] of [
    ["execve", "/bin/true", "EPERM"],
    ["execveat", "/bin/true", "EPERM"],
    ["read", "/etc/shadow", "EACCES"],
    ["read", "/etc/passwd", "EACCES"],
    ["read", "/bin/true", "EACCES"],
    ["read", `/proc/${process.pid}/status`, "EACCES"],
    ["read", "/proc/self/root/etc/passwd", "EACCES"],
    ["read", path.join(folder, "file"), "EACCES"],
    ["write", path.join(folder, "file"), "EACCES"],
    ["write", path.join(folder, "other"), "EACCES"],
    ["write", "/etc/resolv.conf", "EACCES"],
    ["list", folder, "EACCES"],
    ["list", "/", "EACCES"],
    ["delete", path.join(folder, "file"), "EACCES"],
    ["packet", "", "EPERM"],
    ["writable-code", "", "EPERM"],
    ["new-code", "", "EPERM"],
    ["unshare", "", "EPERM"],
    ["type", "", "EPERM"],
    ["clone3", "", "ENOSYS"],
  ])
    if (error !== "EACCES" || hasLandlock) assert.equal(await attempt(w, call, file), error, `${call} ${file}`);
  for (const [call, file] of [
    ["read", w.file],
    ["write", `${w.file}-extra`],
    ["delete", `${w.file}-extra`],
    ["list", w.dir],
    ["read", "/etc/hosts"],
    ["read", "/proc/self/statm"],
  ])
    assert.equal(await attempt(w, call, file), "allowed", `${call} ${file}`);
  if (!hasLandlock) return;
  assert.deepEqual(fs.readdirSync(folder), ["file"]);
  assert.equal(fs.readFileSync(path.join(folder, "file"), "utf8"), "secret");
});

onSqlite("sandbox off lifts all of it", async (t) => {
  const w = await world(t, { settings: { sandbox: "off" } });
  assert.equal(await attempt(w, "read", "/etc/passwd"), "allowed");
  assert.equal(await attempt(w, "writable-code"), "allowed");
  assert.equal(status(w).Seccomp, "0");
});

test("every thread has the system call filter and no new privileges", async (t) => {
  const w = await world(t);
  await w.addUser("ada");
  for (const task of fs.readdirSync(`/proc/${w.service.pid}/task`)) {
    const text = fs.readFileSync(`/proc/${w.service.pid}/task/${task}/status`, "utf8");
    assert.match(text, /^Seccomp:\t2$/m, task);
    assert.match(text, /^NoNewPrivs:\t1$/m, task);
  }
  assert.equal(w.service.log.some(({ event }) => event === "sandbox_incomplete"), !hasLandlock);
});

test("the release build is confined as well", async (t) => {
  const w = await world(t, { program: RELEASE });
  assert.deepEqual([status(w).Seccomp, status(w).NoNewPrivs], ["2", "1"]);
  assert.equal((await w.get("/readyz")).status, 200);
});

test("a reload that needs a file outside the sandbox changes nothing and says what to do", async (t) => {
  const w = await world(t, { start: false });
  const file = path.join(w.dir, "penchant.conf");
  const domains = outside(t);
  const configure = (...lines) => {
    fs.writeFileSync(`${file}.new`, lines.join("\n"), { mode: 0o600 });
    fs.renameSync(`${file}.new`, file); // as editors do
  };
  configure("registration = open");
  await w.start({ config: file });
  configure("registration = closed", `domains = ${domains}`);
  w.service.signal("SIGHUP");
  const { reason } = await w.service.logged("reload_failed", ({ event }) => event === "reload_failed");
  assert.match(reason, new RegExp(`^domains: the sandbox of the running service does not include ${domains}; restart the service`));
  assert.match((await w.get("/signup", { accept: "text/html" })).text, /action="\/signup"/);
  configure("registration = closed");
  w.service.signal("SIGHUP");
  await until("a restart in place", () => w.service.log.filter(({ event }) => event === "listening").length === 2);
  assert.doesNotMatch((await w.get("/signup", { accept: "text/html" })).text, /action="\/signup"/);
});

onSqlite("the store can be compacted and files beside it are made inside the sandbox", async (t) => {
  const w = await world(t);
  for (let i = 0; i < 20; i++) await w.addUser(`user${i}`);
  const { status, err } = await w.command("check", "--compact");
  assert.deepEqual([status, err], [0, ""]);
  assert.equal((await w.users()).length, 20);
});

(hasLandlock ? onSqlite : () => {})("a kernel that refuses a part of the sandbox is reported, and the service runs", async (t) => {
  // More than 16 nested rule sets are refused, so a process that inherits 16 gets no more.
  const w = await world(t, { start: false });
  await w.start({}, { launch: (program, args) => ["python3", "-c", NESTED, program, ...args] });
  const { reason } = await w.service.logged("sandbox_incomplete", ({ event }) => event === "sandbox_incomplete");
  assert.match(reason, /^files: Landlock failed: /);
  assert.equal(status(w).Seccomp, "2"); // the other part is in effect
  assert.equal((await w.get("/readyz")).status, 200);
});

// Restricts only how devices are made (right 11), 16 times, and then runs the program.
const NESTED = `
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.prctl(38, 1, 0, 0, 0)
for _ in range(16):
    attribute = struct.pack("Q", 1 << 11)
    fd = libc.syscall(444, attribute, len(attribute), 0)
    assert fd >= 0 and libc.syscall(446, fd, 0) == 0
    os.close(fd)
os.execv(sys.argv[1], sys.argv[1:])
`;
