import { processEnvironment } from "../../config/process-env.ts";
import { processIo } from "./process-io.ts";
import { runCli } from "./run-cli.ts";

/** Hands the process over to the terminal host: streams, signals and the exit code are dealt with here and nowhere else. */
export async function start(argv: readonly string[]): Promise<void> {
  const interrupt = new AbortController();
  process.once("SIGINT", () => {
    interrupt.abort(new Error("interrupted"));
    // A second Ctrl-C means now.
    process.once("SIGINT", () => process.exit(130));
  });
  process.once("SIGTERM", () => interrupt.abort(new Error("terminated")));
  const io = processIo();
  const cwd = currentFolder();
  if (cwd === undefined) {
    io.warn("error: The folder you are in does not exist any more.\nGo to another one (cd) and run this again.\n");
    process.exitCode = 1;
    return;
  }
  process.exitCode = await runCli(argv, { io, env: processEnvironment(), cwd, signal: interrupt.signal });
}

function currentFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}
