import { reasonOf } from "../../base/result.ts";
import { readEnvironment } from "../../operations/settings/load-settings.ts";
import { processIo } from "./process-io.ts";
import { runCli } from "./run-cli.ts";

/** Hands the process over to the terminal host: streams, signals and the exit code are dealt with here and nowhere else. */
export async function start(argv: readonly string[]): Promise<void> {
  const interrupt = new AbortController();
  let endedBy: number | undefined;
  for (const [signal, code] of endings) {
    process.once(signal, () => {
      endedBy = code;
      interrupt.abort(new Error("interrupted"));
      // The second one means now, after what is being ended had a moment; the third one means at once.
      process.once(signal, () => {
        setTimeout(() => process.exit(code), momentMs).unref();
        process.once(signal, () => process.exit(code));
      });
    });
  }
  const io = processIo();
  // What a tool started and did not wait for fails on its own: it must not take the calls of others with it.
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
  // The command is over. Timers and sockets of a handler that was abandoned do not keep the process.
  setTimeout(() => process.exit(), lingerMs).unref();
}

const lingerMs = 50;
/** Processes that ignore polite signals are killed within this time. */
const momentMs = 500;

/** Ctrl-C, a polite kill, a terminal window that was closed, and Ctrl-\, with the exit codes that shells give them. */
const endings = [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
  ["SIGQUIT", 131],
] as const;

function currentFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}
