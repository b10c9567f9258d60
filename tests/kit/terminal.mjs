// Runs a program on a pseudo-terminal and stops it at a prompt. Node has no pseudo-terminals, but Python does.

import { environment, run } from "./process.mjs";

const STOPPER = `
import fcntl, json, os, pty, resource, select, signal, subprocess, sys, termios, time
how, prompt, *program = sys.argv[1:]
master, terminal = pty.openpty()

def control_terminal():
    os.setsid()
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

def echoes():
    return bool(termios.tcgetattr(terminal)[3] & termios.ECHO)

child = subprocess.Popen(program, stdin=terminal, stdout=terminal, stderr=terminal, preexec_fn=control_terminal)
shown, until = "", time.monotonic() + 30
while time.monotonic() < until and child.poll() is None and (prompt not in shown or echoes()):
    if select.select([master], [], [], 0.01)[0]:
        shown += os.read(master, 4096).decode()
during = echoes()
if how.startswith("SIG"):
    child.send_signal(getattr(signal, how))
else:
    os.write(master, how.encode())
while time.monotonic() < until and child.poll() is None:
    if select.select([master], [], [], 0.01)[0]:
        shown += os.read(master, 4096).decode()
if child.poll() is None:
    child.kill()
print(json.dumps({"shown": shown, "echoed": during, "echoes": echoes(), "status": child.wait()}))
`;

// `how` is the name of a signal, or what is typed. Returns what the terminal has shown, whether it echoed at the prompt
// and echoes at the end, and the exit status, as a negative number if a signal has ended the program.
export async function stopAtPrompt(program, args, { how, prompt, env, cwd }) {
  const { status, out, err } = await run("python3", ["-c", STOPPER, how, prompt, program, ...args], { env: environment(env), cwd });
  if (status !== 0) throw new Error(err);
  return JSON.parse(out);
}
