import { Command, CommanderError } from "commander";

import { nearest } from "../../base/nearest.ts";
import { version } from "../../base/version.ts";
import type { CliCommand, CliInput } from "./command.ts";
import { groups } from "./groups.ts";

/** What a command line asks for. */
export type ParsedLine =
  | {
      readonly kind: "command";
      readonly command: CliCommand;
      readonly input: CliInput;
      readonly json: boolean;
      readonly profile: string | undefined;
    }
  | { readonly kind: "help"; readonly text: string }
  | { readonly kind: "misunderstood"; readonly message: string; readonly hint: string; readonly json: boolean };

/** Loads only the group that the first word names. Never rejects. */
export async function parseLine(argv: readonly string[]): Promise<ParsedLine> {
  const word = firstWord(argv);
  if (word === undefined && !asksForHelp(argv)) {
    const { welcome } = await import("./commands/welcome.ts");
    return parse(programOf([welcome], true), argv);
  }
  const group = groups.find(({ name }) => name === word);
  if (group) return parse(programOf((await group.load()).commands, false), argv);
  if (word !== undefined && word !== "help") {
    const close = nearest(
      word,
      groups.map(({ name }) => name),
    );
    return {
      kind: "misunderstood",
      message: `There is no command "${word}".`,
      hint:
        close.length > 0 ? `Did you mean: hermes ${close.join(", hermes ")}?` : "`hermes --help` lists the commands.",
      json: argv.includes("--json"),
    };
  }
  return { kind: "help", text: overview() };
}

interface Program {
  readonly root: Command;
  /** What the action of the command that matched was given. */
  chosen(): { readonly command: CliCommand; readonly input: CliInput } | undefined;
}

function parse(program: Program, argv: readonly string[]): ParsedLine {
  let printed = "";
  const collect = (text: string) => {
    printed += text;
  };
  quiet(program.root, collect);
  const json = argv.includes("--json");
  try {
    program.root.parse([...argv], { from: "user" });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    if (thrown.exitCode === 0 || thrown.code === "commander.help") return { kind: "help", text: printed };
    const [message = "", ...hints] = printed
      .replace(/^error: /, "")
      .trim()
      .split("\n");
    return {
      kind: "misunderstood",
      message: sentence(message),
      hint: hints.join(" ") || "Add --help to see what fits.",
      json,
    };
  }
  const chosen = program.chosen();
  if (!chosen) return { kind: "help", text: program.root.helpInformation() };
  const profile: unknown = program.root.opts().profile;
  return { kind: "command", ...chosen, json, profile: typeof profile === "string" ? profile : undefined };
}

function programOf(commands: readonly CliCommand[], isDefault: boolean): Program {
  let chosen: { readonly command: CliCommand; readonly input: CliInput } | undefined;
  const root = rootCommand();
  for (const command of commands) {
    const target = isDefault ? root : subcommand(root, command.path);
    describe(target, command);
    target.action(() => {
      chosen = { command, input: inputOf(command, target) };
    });
  }
  return { root, chosen: () => chosen };
}

function rootCommand(): Command {
  return new Command("hermes")
    .description("An agent for your own machines.")
    .version(`hermes ${version}`, "-V, --version", "print the version")
    .option("-p, --profile <name>", "use this profile's home")
    .option("--json", "answer in JSON, for programs");
}

/** The command at this path below the root, with the groups on the way made when missing. */
function subcommand(root: Command, path: readonly string[]): Command {
  return path.reduce((parent, word) => {
    const there = parent.commands.find((child) => child.name() === word);
    if (there) return there;
    const summary = parent === root ? groups.find(({ name }) => name === word)?.summary : undefined;
    return parent.command(word).description(summary ?? "");
  }, root);
}

function describe(target: Command, command: CliCommand): void {
  target.description(command.details ? `${command.summary}.\n\n${command.details}` : `${command.summary}.`);
  target.summary(command.summary);
  for (const { name, summary, optional, rest } of command.args ?? []) {
    const shown = rest ? `${name}...` : name;
    target.argument(optional ? `[${shown}]` : `<${shown}>`, summary);
  }
  for (const { flags, summary } of command.options ?? []) target.option(flags, summary);
  if (command.examples)
    target.addHelpText("after", `\nExamples:\n${command.examples.map((line) => `  ${line}`).join("\n")}`);
}

function inputOf(command: CliCommand, target: Command): CliInput {
  const values = new Map<string, unknown>(command.args?.map(({ name }, index) => [name, target.processedArgs[index]]));
  const options: Record<string, unknown> = target.opts();
  return {
    arg: (name) => asText(values.get(name)),
    rest: (name) => {
      const words = values.get(name);
      return Array.isArray(words) ? words.filter((word) => typeof word === "string") : [];
    },
    option: (name) => asText(options[name]),
    flag: (name) => options[name] === true,
  };
}

function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function quiet(command: Command, collect: (text: string) => void): void {
  command.exitOverride();
  command.configureOutput({ writeOut: collect, writeErr: collect });
  for (const child of command.commands) quiet(child, collect);
}

/** The first word that is no option, nor an option's value. */
function firstWord(argv: readonly string[]): string | undefined {
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at];
    if (word === "-p" || word === "--profile") at++;
    else if (word !== undefined && !word.startsWith("-")) return word;
  }
  return undefined;
}

function asksForHelp(argv: readonly string[]): boolean {
  return argv.includes("-h") || argv.includes("--help");
}

function overview(): string {
  const root = rootCommand();
  for (const { name, summary } of groups) root.command(name).description(summary);
  root.addHelpText(
    "after",
    "\nWithout a command: what is available here, and how to go on.\nDocumentation: docs/guide in the repository.",
  );
  let text = "";
  quiet(root, (part) => {
    text += part;
  });
  root.outputHelp();
  return text;
}

function sentence(text: string): string {
  return text ? `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}` : "Not understood.";
}
