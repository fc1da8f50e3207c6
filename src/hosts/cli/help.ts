import type { CliArgument, CliCommand, CommandGroup } from "./command.ts";
import { groups } from "./groups.ts";
import { globalOptionFlags } from "./options.ts";
import { table } from "./table.ts";

export function commandHelp(command: CliCommand): string {
  const args = (command.args ?? []).map(({ name, summary }) => [`  ${name.toUpperCase()}`, summary]);
  return page(
    `Usage: ${usage(command)} [options]`,
    command.details ? `${command.summary}.\n\n${reflowed(command.details)}` : `${command.summary}.`,
    section("Arguments", args),
    optionSection(command),
    command.examples ? `Examples:\n${command.examples.map((line) => `  ${line}`).join("\n")}` : "",
  );
}

export function groupHelp(group: CommandGroup): string {
  const rows = group.commands
    .filter(({ isHidden }) => !isHidden)
    .map((command) => [`  ${usage(command)}`, command.summary]);
  return page(
    `Usage: hermes ${group.name} COMMAND [options]`,
    `${group.summary}.`,
    section("Commands", rows),
    optionSection(),
  );
}

/** Help for the whole program. */
export function overview(): string {
  const rows = groups.filter(({ isHidden }) => !isHidden).map(({ name, summary }) => [`  ${name}`, summary]);
  return page(
    "Usage: hermes [COMMAND] [options]",
    'An agent for your own machines. `hermes` starts a chat; `hermes -z "PROMPT"` sends one prompt and prints the answer.\n`hermes chat --help` lists the options of both.',
    section("Commands", rows),
    optionSection(),
    "`hermes COMMAND --help` shows details. The guide is in docs/guide of the repository.",
  );
}

/** `hermes tools call [NAME]`, also for the reference. */
export function usage({ path, args = [] }: Pick<CliCommand, "path" | "args">): string {
  return ["hermes", ...path, ...args.map(argument)].join(" ");
}

function argument({ name, optional, rest }: CliArgument): string {
  const word = `${name.toUpperCase()}${rest ? "…" : ""}`;
  return optional ? `[${word}]` : word;
}

function optionSection(command?: CliCommand): string {
  const options = [...(command?.options ?? []), ...globalOptionFlags];
  return section(
    "Options",
    options.map(({ flags, summary }) => [`  ${flags.startsWith("--") ? "    " : ""}${flags}`, summary]),
  );
}

function section(title: string, rows: readonly (readonly string[])[]): string {
  return rows.length === 0 ? "" : `${title}:\n${table(rows, Infinity)}`;
}

function page(...parts: readonly string[]): string {
  return `${parts.filter(Boolean).join("\n\n")}\n`;
}

/** Joins lines that end in the middle of a sentence, because the text is wrapped again for the terminal. */
function reflowed(text: string): string {
  return text.replaceAll(/(?<![.:;)!?])\n(?=\S)/gu, " ");
}
