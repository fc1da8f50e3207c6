import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

/** Hands the process over to the terminal host: streams, signals and the exit code are dealt with here and nowhere else. */
export async function start(argv: readonly string[]): Promise<void> {
  cacheCompiledCode();
  const [{ runCli }, { processIo }, { processEnvironment }] = await Promise.all([
    import("./run-cli.ts"),
    import("./process-io.ts"),
    import("../../config/process-env.ts"),
  ]);
  const interrupt = new AbortController();
  process.once("SIGINT", () => {
    interrupt.abort(new Error("interrupted"));
    // A second Ctrl-C means now.
    process.once("SIGINT", () => process.exit(130));
  });
  process.once("SIGTERM", () => interrupt.abort(new Error("terminated")));
  const env = processEnvironment();
  process.exitCode = await runCli(argv, { io: processIo(), env, cwd: process.cwd(), signal: interrupt.signal });
}

/** Beside the bundle where that can be written (a clone, an own install), else in the user's cache. From source: nothing. */
function cacheCompiledCode(): void {
  if (import.meta.filename.endsWith(".ts")) return;
  const beside = enableCompileCache(join(import.meta.dirname, "..", "cache"));
  if (beside.directory === undefined) enableCompileCache(join(homedir(), ".cache", "hermes-agent-ts"));
}
