import { reasonOf, valueOr } from "../../base/result.ts";
import { readEnvironment } from "../../operations/settings/load-settings.ts";
import type { CliIo } from "./command.ts";
import { runCli } from "./run-cli.ts";
import { createTerminalDevice } from "./terminal-device.ts";

/** Runs the terminal host in this process. Only this file handles streams, signals and the exit code. */
export async function start(argv: readonly string[]): Promise<void> {
  const interrupt = new AbortController();
  let endedBy: number | undefined;
  for (const [signal, code] of endings) {
    let count = 0;
    // A listener that is removed and added again would leave a moment in which the signal ends the process.
    process.on(signal, () => {
      count += 1;
      if (count === 1) {
        endedBy = code;
        interrupt.abort(new Error("interrupted"));
        // Nobody waits at a closed terminal: the turn and background processes end first.
        if (signal === "SIGHUP") setTimeout(() => process.exit(code), hangUpMs).unref();
      }
      // A closed terminal sends SIGHUP several times.
      if (signal === "SIGHUP") return;
      // The second signal exits after a short grace period, the third one immediately.
      if (count === 2) setTimeout(() => process.exit(code), momentMs).unref();
      if (count > 2) process.exit(code);
    });
  }
  const io = processIo();
  // A rejected promise that a tool did not await must not end the process, because other calls may be running.
  const stray = (thrown: unknown) => io.warn(`warning: a background task failed: ${reasonOf(thrown)}\n`);
  process.on("unhandledRejection", stray);
  process.on("uncaughtException", stray);
  const cwd = currentFolder();
  if (cwd === undefined) {
    io.warn("error: The current folder no longer exists.\nChange to another folder (cd) and try again.\n");
    process.exitCode = 1;
    return;
  }
  const code = await runCli(argv, { io, env: readEnvironment(), cwd, signal: interrupt.signal });
  if (code !== 0) process.exitCode = endedBy ?? code;
  // The command has ended. Timers and sockets of an abandoned handler must not keep the process alive.
  setTimeout(() => process.exit(), lingerMs).unref();
}

const lingerMs = 50;
/** Grace period before processes that ignore SIGTERM are killed. */
const momentMs = 500;
/** Longer than it takes to kill background processes that ignore SIGTERM. */
const hangUpMs = 20_000;

/** Signals of Ctrl-C, kill, a closed terminal and Ctrl-\, with the exit codes that shells use. */
const endings = [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
  ["SIGQUIT", 131],
] as const;

function currentFolder(): string | undefined {
  return valueOr(() => process.cwd(), undefined);
}

/** The terminal of this process. When the reader closes the pipe (`hermes … | head`), output stops and the program still ends cleanly. */
function processIo(): CliIo {
  let readerLeft = false;
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (!readerLeft && error.code !== "EPIPE") {
      process.stderr.write(`error: Cannot write the output: ${error.message}\n`);
      process.exitCode = 1;
    }
    readerLeft = true;
  });
  // There is no other stream on which to report the error.
  process.stderr.on("error", () => {});
  let warned: ((text: string) => void) | undefined;
  return {
    // Keeps the stream open when a reader stops, so that the next question can use it.
    stdin: { [Symbol.asyncIterator]: () => process.stdin.iterator({ destroyOnReturn: false }) },
    stdinIsTerminal: isTerminal(process.stdin),
    stdoutIsTerminal: isTerminal(process.stdout),
    // The width is unlimited if the output is not a terminal.
    get columns() {
      return isTerminal(process.stdout) ? process.stdout.columns || 80 : Infinity;
    },
    get rows() {
      return process.stdout.rows || 24;
    },
    write: (text) =>
      new Promise((resolve) => {
        if (readerLeft) resolve();
        else process.stdout.write(text, () => resolve());
      }),
    warn: (text) => {
      if (warned) warned(text);
      else process.stderr.write(text);
    },
    ...(isTerminal(process.stdin) &&
      isTerminal(process.stdout) && { device: createTerminalDevice((to) => void (warned = to)) }),
    ...(isTerminal(process.stdin) && {
      hideTyping: (isHidden: boolean) => void process.stdin.setRawMode(isHidden),
      interrupt: () => process.kill(process.pid, "SIGINT"),
      keys: pressedKeys,
    }),
  };
}

function pressedKeys(onBytes: (bytes: Uint8Array) => void, ended: () => void): Disposable {
  const { stdin } = process;
  const rawAgain = () => void stdin.setRawMode(true);
  rawAgain();
  stdin.on("data", onBytes).on("end", ended).on("error", ended).resume();
  // After a suspend the shell has reset the terminal mode.
  process.on("SIGCONT", rawAgain);
  return {
    [Symbol.dispose]() {
      process.off("SIGCONT", rawAgain);
      stdin.off("data", onBytes).off("end", ended).off("error", ended).pause();
      stdin.setRawMode(false);
    },
  };
}

/** `isTTY` is undefined without a terminal, although its type is boolean. */
function isTerminal(stream: { readonly isTTY?: boolean }): boolean {
  return stream.isTTY === true;
}
