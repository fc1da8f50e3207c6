import { didYouMean } from "../../base/text/nearest.ts";
import { plainWords } from "../../contracts/host/command-line.ts";
import type { CliHost } from "./command.ts";
import { groups } from "./groups.ts";
import { type OpenedCommands, openPluginCommands } from "./open-plugin-commands.ts";
import { table } from "./table.ts";
import { withoutControls } from "./without-controls.ts";

/**
 * Runs `hermes NAME …` of a plugin and returns its exit code. Returns a text with the nearest names if no active plugin
 * has the command.
 */
export async function runPluginCommand(name: string, argv: readonly string[], host: CliHost): Promise<number | string> {
  await using opened = await openCommands(argv, host);
  const command = opened?.find(name);
  if (!command) return didYouMean(name, opened?.list().map((each) => each.name) ?? []);
  const { io } = host;
  const args = wordsAfter(name, argv);
  if (!command.hasOwnHelp && args.some((word) => word === "--help" || word === "-h")) {
    await io.write(`Usage: hermes ${name} ${command.usage}`.trimEnd() + `\n\n${command.summary}\n`);
    return 0;
  }
  // A terminal interprets control characters, so they are removed; a pipe gets the output unchanged.
  const shown = (text: string) => (io.stdoutIsTerminal ? withoutControls(text) : text);
  let written = Promise.resolve();
  const code = await command.run(args, {
    columns: io.columns,
    signal: host.signal,
    print(text, isError) {
      if (isError) io.warn(shown(text));
      else written = written.then(() => io.write(shown(text)));
    },
  });
  await written;
  return code;
}

/** The commands of plugins, for the help of the program. Empty: there are none. */
export async function pluginHelp(argv: readonly string[], host: CliHost): Promise<string> {
  await using opened = await openCommands(argv, host);
  const rows = (opened?.list() ?? []).map(({ name, summary, plugin }) => [`  ${name}`, `${summary} (${plugin})`]);
  return rows.length === 0 ? "" : `\nCommands of plugins:\n${table(rows, Infinity)}\n`;
}

async function openCommands(argv: readonly string[], host: CliHost): Promise<OpenedCommands | undefined> {
  if (argv.includes("--safe-mode")) return undefined;
  return openPluginCommands(groups, profileIn(argv), host);
}

/** Everything after the command belongs to the plugin; `hermes help NAME` shows its help. */
function wordsAfter(name: string, argv: readonly string[]): readonly string[] {
  if (argv[0] === "help") return ["--help"];
  const start = argv.findIndex((word, index) => word === name && plainWords(argv.slice(0, index + 1)).at(-1) === name);
  return argv.slice(start + 1);
}

function profileIn(argv: readonly string[]): string | undefined {
  const index = argv.findIndex((word) => word === "-p" || word === "--profile");
  const inline = argv.find((word) => word.startsWith("--profile="))?.slice("--profile=".length);
  return inline ?? (index < 0 ? undefined : argv[index + 1]);
}
