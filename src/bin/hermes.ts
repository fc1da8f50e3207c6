import { version } from "../base/version.ts";

// The first thing that runs: `--version` is answered before anything else is loaded.
const [, , ...argv] = process.argv;
if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
  process.stdout.write(`hermes ${version}\n`);
} else {
  const { start } = await import("../hosts/cli/start.ts");
  await start(argv);
}
