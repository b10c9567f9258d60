// Programs that tests start. Their output is recorded, and none outlives the test process.

import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { fileURLToPath } from "node:url";
import { soon, until } from "./until.mjs";

const running = new Set();

const endAll = () => running.forEach((child) => child.kill("SIGKILL"));
process.on("exit", endAll);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));

// The first words of each kind of sanitizer report.
const REPORT = /(Address|Leak|Thread|Memory|UndefinedBehavior)Sanitizer|runtime error:/;

export const sanitizerReport = (text) => {
  const at = text.search(REPORT);
  return at < 0 ? null : text.slice(Math.max(0, at - 200), at + 6000);
};

// At exit, AddressSanitizer searches for leaks. On arm64 it scans 2^28 possible regions of its allocator,
// which takes four seconds for the smallest program; there only tests of leaks and `make soak`
// (LEAK_CHECK=1) enable it.
export const LEAKS = process.arch === "x64" || process.env.LEAK_CHECK === "1";

export const sanitizers = (leaks = LEAKS) => ({
  // Recording the whole stack of each allocation takes a tenth of the time of a start.
  ASAN_OPTIONS: `detect_leaks=${leaks ? 1 : 0}:exitcode=99:abort_on_error=0:malloc_context_size=8`,
  UBSAN_OPTIONS: "print_stacktrace=1:halt_on_error=1:exitcode=99",
  TSAN_OPTIONS: "exitcode=66:halt_on_error=0:second_deadlock_stack=1",
});

// Removes variables of the developer's environment that would change the program's behavior.
export function environment(extra = {}) {
  const env = {};
  for (const [name, value] of Object.entries(process.env))
    if (!/^(PENCHANT|PG|LISTEN_|DISK_|NODE_)/.test(name)) env[name] = value;
  return { ...env, ...sanitizers(), PGGSSENCMODE: "disable", ...extra };
}

// TEST_FORK_SERVER is the socket of kit/fork_server.c, which starts the checked program in a fifth of the time:
// tests/run sets it. Options that only a process of its own can have exclude it: other descriptors, preloaded
// libraries, other options of the sanitizers. `demo` prints the path of its executable.
const FOLDER = fileURLToPath(new URL("../../build/check", import.meta.url));

function canFork(file, args, env, { stdio, uid }) {
  const { ASAN_OPTIONS, UBSAN_OPTIONS } = sanitizers();
  const plain = stdio === undefined && uid === undefined && env.LD_PRELOAD === undefined && args[0] !== "demo";
  const same = env.ASAN_OPTIONS === ASAN_OPTIONS && env.UBSAN_OPTIONS === UBSAN_OPTIONS;
  return Boolean(process.env.TEST_FORK_SERVER) && file === `${FOLDER}/penchant` && plain && same;
}

export class Program {
  constructor(file, args, { env = environment(), stdin = null, stdio, cwd, uid, gid } = {}) {
    this.name = `${file.split("/").pop()} ${args.join(" ")}`;
    this.out = "";
    this.err = "";
    this.forked = canFork(file, args, env, { stdio, uid });
    const command = this.forked ? [`${FOLDER}/launch`, process.env.TEST_FORK_SERVER, file, ...args] : [file, ...args];
    this.child = spawn(command[0], command.slice(1), {
      env,
      stdio: stdio ?? [stdin === null ? "ignore" : "pipe", "pipe", "pipe"],
      cwd,
      uid,
      gid,
    });
    running.add(this.child);
    this.child.stdout?.setEncoding("utf8").on("data", (text) => (this.out += text));
    this.child.stderr?.setEncoding("utf8").on("data", (text) => (this.err += text));
    if (process.env.SHOW_LOG) this.child.stderr?.on("data", (text) => process.stderr.write(text));
    if (stdin !== null) {
      this.child.stdin.on("error", () => {}); // it may end without reading; its status says why
      this.child.stdin.end(stdin);
    }
    // "close" comes after the last byte of output; "exit" may come before it.
    this.ended = once(this.child, "close").then(([status, signal]) => {
      running.delete(this.child);
      return (this.end = { status, signal });
    });
    this.ended.catch(() => {});
  }

  // kit/launch.c names itself after the process that it stands for.
  get pid() {
    const name = this.forked && this.alive ? fs.readFileSync(`/proc/${this.child.pid}/comm`, "utf8") : "";
    return /^\d+$/.test(name.trim()) ? Number(name) : this.child.pid;
  }

  get alive() {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  // Complete lines of standard error; after the exit, also the last one.
  get lines() {
    const text = this.end === undefined ? this.err.slice(0, this.err.lastIndexOf("\n") + 1) : this.err;
    return text.split("\n").filter((line) => line !== "");
  }

  signal(name) {
    const { pid } = this;
    if (pid === this.child.pid) return void this.child.kill(name);
    try {
      process.kill(pid, name);
    } catch (error) {
      if (error.code !== "ESRCH") throw error; // it has exited
    }
  }

  // Lets the test process exit while this program runs; the program is then killed.
  unref() {
    this.child.unref();
    for (const stream of this.child.stdio) stream?.unref?.();
    return this;
  }

  async exit(within = 60_000) {
    try {
      return await soon(`the end of ${this.name}`, this.ended, within);
    } catch (late) {
      this.child.kill("SIGKILL");
      late.message += `; its standard error was:\n${this.err.slice(-4000)}`;
      throw late;
    }
  }

  // Waits for a line of standard error that `wanted` accepts.
  async line(what, wanted, within = 20_000) {
    return until(
      `${what} from ${this.name}`,
      () => {
        const found = this.lines.find(wanted);
        if (found === undefined && this.end !== undefined)
          throw new Error(`${this.name} ended (${JSON.stringify(this.end)}) before ${what}:\n${this.err}`);
        return found;
      },
      within,
    );
  }
}

// Runs a program to its end.
export async function run(file, args, options = {}) {
  const program = new Program(file, args, options);
  const { status, signal } = await program.exit(options.within);
  const report = sanitizerReport(program.err);
  if (report) throw new Error(`${program.name}: a sanitizer reports:\n${report}`);
  return { status, signal, out: program.out, err: program.err };
}
