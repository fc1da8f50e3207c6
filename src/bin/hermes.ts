import { homeFolder } from "../base/this-user.ts";
import { version } from "../base/version.ts";

// Runs first, to handle `--version` before anything else is loaded.
const [, , ...argv] = process.argv;
if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
  process.stdout.write(`hermes ${version}\n`);
} else {
  cacheCompiledCode();
  const host = await import("../hosts/cli/start.ts").catch(reportDamage);
  await host?.start(argv);
}

/** A part of the bundle is missing or truncated. The user must rebuild, and a stack trace would not help. */
function reportDamage(thrown: unknown): undefined {
  process.stderr.write(
    `hermes: this build is damaged (${thrown instanceof Error ? thrown.message.split("\n", 1)[0] : "unknown"}).\n` +
      "        In a clone: npm run build. In an installed package: install it again.\n",
  );
  process.exitCode = 1;
}

/**
 * The folder of the compile cache: next to the bundle if writable (a clone, the user's own install), otherwise in the
 * user's home. It is not below `.cache`, where sandboxed commands may write, because the cached code runs outside the
 * sandbox. Undefined when running from source.
 */
function cacheCompiledCode(): void {
  if (import.meta.filename.endsWith(".ts")) return;
  const { enableCompileCache } = process.getBuiltinModule("node:module");
  const { join } = process.getBuiltinModule("node:path");
  const beside = enableCompileCache(join(import.meta.dirname, "cache"));
  if (beside.directory !== undefined) return;
  enableCompileCache(join(homeFolder(), ".local", "state", "hermes-agent-ts"));
}
