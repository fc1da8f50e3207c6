import { didYouMean } from "../../base/text/nearest.ts";
import { userName } from "../../base/this-user.ts";
import { plainWords } from "../../contracts/host/command-line.ts";
import type { CliCommandContribution } from "../../contracts/plugin/plugin.ts";
import { loadSettings } from "../../operations/settings/load-settings.ts";
import { openServices } from "../../runtime/services.ts";
import { localPrincipal } from "../local-principal.ts";
import type { CliHost } from "./command.ts";
import { groups } from "./groups.ts";
import { table } from "./table.ts";
import { withoutControls } from "./without-controls.ts";

/** Runs `hermes NAME …` of a plugin and returns its exit code. A text: no active plugin has the command, and its nearest names. */
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

interface OpenedCommands extends AsyncDisposable {
  find(name: string): CliCommandContribution | undefined;
  list(): readonly CliCommandContribution[];
}

/** The commands of the active plugins. Undefined: the settings cannot be read, which other commands report. */
async function openCommands(argv: readonly string[], host: CliHost): Promise<OpenedCommands | undefined> {
  const { cwd, env, signal, io } = host;
  if (argv.includes("--safe-mode")) return undefined;
  const config = await loadSettings({ env, cwd, user: userName(), profile: profileIn(argv) });
  if (!config.ok) return undefined;
  const say = (sentence: string) => io.warn(`hermes: ${sentence}\n`);
  const services = openServices(config.value, { cwd, principal: localPrincipal(), signal, say });
  const contributions = await services.get("contributions");
  await contributions.load("cliCommands");
  const isFree = ({ name }: CliCommandContribution) => groups.every((group) => group.name !== name);
  return {
    find: (name) => contributions.cliCommands.find(name),
    list: () => contributions.cliCommands.list().filter(isFree),
    [Symbol.asyncDispose]: () => services[Symbol.asyncDispose](),
  };
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
