import { reasonOf, valueOr } from "../../base/result.ts";
import { readEnvironment } from "../../operations/settings/load-settings.ts";
import { processIo } from "./process-io.ts";
import { runCli } from "./run-cli.ts";

/** Runs the terminal host in this process. Only this file handles streams, signals and the exit code. */
export async function start(argv: readonly string[]): Promise<void> {
  const interrupt = new AbortController();
  let endedBy: number | undefined;
  for (const [signal, code] of endings) {
    process.once(signal, () => {
      endedBy = code;
      interrupt.abort(new Error("interrupted"));
      // The second signal exits after a short grace period, the third one immediately.
      process.once(signal, () => {
        setTimeout(() => process.exit(code), momentMs).unref();
        process.once(signal, () => process.exit(code));
      });
    });
  }
  const io = processIo();
  // A promise that a tool did not await must not end the process with its other calls.
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
