import type { CliArgument, CliCommand, CliOption, CommandGroup } from "../command.ts";
import { globalOptionFlags, optionFacts } from "../options.ts";
import { withoutControls } from "../without-controls.ts";
import { valuesOfArgument, valuesOfOption } from "./completed-values.ts";

/** The words that can follow a path of command words. */
export interface CompletionNode {
  /** The command words, joined by spaces; empty at the start of the line. */
  readonly path: string;
  readonly subcommands: readonly CompletedWord[];
  readonly options: readonly CompletedOption[];
  /** Values of each argument, as in `completed-values.ts`. */
  readonly args: readonly string[];
  /** The last argument takes all remaining words. */
  readonly hasRest: boolean;
}

export interface CompletedWord {
  readonly word: string;
  readonly summary: string;
}

export interface CompletedOption {
  /** `-n` and `--limit`. */
  readonly names: readonly string[];
  readonly summary: string;
  /** Undefined: the option takes no value. Empty: any text. */
  readonly values: string | undefined;
}

/**
 * Every position of a command line, generated from the tables that parse it. The first node is the start of the line.
 */
export function completionTree(groups: readonly CommandGroup[]): readonly CompletionNode[] {
  const chat = groups.find(({ name }) => name === "chat")?.commands[0];
  const root: CompletionNode = {
    path: "",
    subcommands: groups.filter(isShown).map(({ name, summary }) => wordOf(name, summary)),
    options: optionsOf(chat),
    // Plugins add commands at any time, so they are not in the script.
    args: ["@commands"],
    hasRest: false,
  };
  const nodes = groups.flatMap((group) => {
    const names = group.alias === undefined ? [group.name] : [group.name, group.alias];
    return names.flatMap((name) => groupNodes(group, name));
  });
  return [root, ...nodes];
}

/** A node for each beginning of a path: `skills`, `skills tap`, `skills tap add`. */
function groupNodes(group: CommandGroup, name: string): readonly CompletionNode[] {
  const shown = group.commands.filter(isShown).map((command) => ({ command, words: command.path.slice(1) }));
  const beginnings = new Set(
    shown.flatMap(({ words }) => words.map((_, count) => words.slice(0, count + 1).join(" "))),
  );
  return ["", ...beginnings].map((beginning) => {
    const depth = beginning === "" ? 0 : beginning.split(" ").length;
    const below = shown.filter(({ words }) => words.length > depth && words.slice(0, depth).join(" ") === beginning);
    const whole = shown.find(({ words }) => words.join(" ") === beginning)?.command;
    const next = new Map(below.toReversed().map(({ words, command }) => [words[depth] ?? "", command]));
    return {
      path: beginning === "" ? name : `${name} ${beginning}`,
      subcommands: Array.from(next, ([word, command]) =>
        wordOf(word, command.path.length === depth + 2 ? command.summary : ""),
      ).toReversed(),
      ...argumentsOf(whole),
      options: optionsOf(whole),
    };
  });
}

function isShown({ isHidden }: { readonly isHidden?: boolean }): boolean {
  return isHidden !== true;
}

function argumentsOf(command: CliCommand | undefined): Pick<CompletionNode, "args" | "hasRest"> {
  const args: readonly CliArgument[] = command?.args ?? [];
  return {
    args: args.map((argument) => valuesOfArgument(argument, command?.path ?? [])),
    hasRest: args.at(-1)?.rest === true,
  };
}

function optionsOf(command: CliCommand | undefined): readonly CompletedOption[] {
  const declared: readonly CliOption[] = [...(command?.options ?? []), ...globalOptionFlags];
  return declared.map((option) => {
    const { name, short, takesValue } = optionFacts(option.flags);
    return {
      names: [...(short === undefined ? [] : [`-${short}`]), `--${name}`],
      summary: shortSummary(option.summary),
      values: takesValue ? valuesOfOption(option, command?.path ?? []) : undefined,
    };
  });
}

function wordOf(word: string, summary: string): CompletedWord {
  return { word, summary: shortSummary(summary) };
}

/** Shells show one line for each word. */
function shortSummary(summary: string): string {
  return withoutControls(summary).replaceAll(/\s+/gu, " ").slice(0, 100);
}
