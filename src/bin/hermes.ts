import { version } from "../base/version.ts";

// The first thing that runs: `--version` is answered before anything else is loaded.
const [, , ...argv] = process.argv;
if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
  process.stdout.write(`hermes ${version}\n`);
} else {
  cacheCompiledCode();
  const { start } = await import("../hosts/cli/start.ts");
  await start(argv);
}

/** Beside the bundle where that can be written (a clone, an own install), else in the user's cache. From source: nothing. */
function cacheCompiledCode(): void {
  if (import.meta.filename.endsWith(".ts")) return;
  const { enableCompileCache } = process.getBuiltinModule("node:module");
  const { join } = process.getBuiltinModule("node:path");
  const beside = enableCompileCache(join(import.meta.dirname, "cache"));
  if (beside.directory !== undefined) return;
  const { homedir } = process.getBuiltinModule("node:os");
  enableCompileCache(join(homedir(), ".cache", "hermes-agent-ts"));
}
