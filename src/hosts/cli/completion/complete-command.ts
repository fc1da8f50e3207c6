import { fuzzyMatches } from "../../../base/text/fuzzy-match.ts";
import { resolveCommand } from "../../../commands/resolve-command.ts";
import type { SlashContext } from "../../../commands/slash-command.ts";
import type { Choices, Command } from "../../../contracts/host/command.ts";
import type { Completion, Completions } from "../screen/editor/completion-menu.ts";

/** A name that can follow a slash besides the commands: a skill, a bundle, a prompt of a server. */
export interface OtherName {
  readonly name: string;
  readonly description: string;
}

const maxItems = 50;

/** Completions for the start of a name, such as `/he`. After a command without arguments nothing more can follow. */
export function commandNames(word: string, commands: readonly Command[], others: readonly OtherName[]): Completions {
  const items: (Completion & { readonly name: string })[] = [
    ...commands.map((command) => ({
      name: command.name,
      label: `/${command.name}`,
      detail: command.summary,
      insert: command.args === undefined ? `/${command.name}` : `/${command.name} `,
      isWhole: command.args === undefined,
    })),
    ...others
      .filter(({ name }) => /^[\w.:-]+$/u.test(name) && !commands.some((command) => command.name === name))
      .map(({ name, description }) => ({ name, label: `/${name}`, detail: description, insert: `/${name} ` })),
  ];
  const byName = fuzzyMatches(word, items, ({ name }) => name, maxItems);
  const aliases = commands.flatMap(({ name, aliases: own = [] }) =>
    own.some((alias) => word !== "" && alias.startsWith(word.toLowerCase())) ? [name] : [],
  );
  const byAlias = items.filter((item) => aliases.includes(item.name) && !byName.includes(item));
  return { from: 0, items: [...byName, ...byAlias].slice(0, maxItems) };
}

/** The command of a line such as `/model gpt`, and the words of its arguments. */
export interface TypedArguments {
  readonly command: Command;
  /** Complete words. */
  readonly words: readonly string[];
  /** The word before the cursor. */
  readonly last: string;
  /** The offset of that word. */
  readonly from: number;
  readonly rest: string;
}

export function typedArguments(before: string, commands: readonly Command[]): TypedArguments | undefined {
  const [, head = "", rest = ""] = /^(\/\S+\s+)([^\n]*)$/u.exec(before) ?? [];
  if (head === "") return undefined;
  const resolved = resolveCommand(head, commands, true);
  if (resolved.kind !== "found") return undefined;
  const words = rest.split(/\s+/u);
  const last = words.pop() ?? "";
  return { command: resolved.command, words, last, from: before.length - last.length, rest };
}

/** Proposals for the next argument: the command's own, or else the words of its usage. */
export function argumentChoices(typed: TypedArguments, ctx: SlashContext): Choices | Promise<Choices> {
  const { command, words } = typed;
  if (command.choices) return command.choices(words, ctx);
  return words.length === 0 ? usageWords(command.args ?? "") : [];
}

/**
 * Words that a usage shows literally as the first argument: `[queue|steer] [--global]`, `<text> | status | draft
 * <text>`.
 */
function usageWords(usage: string): readonly string[] {
  const alternatives = usage.split(/\s+\|\s+/u).map((each) => each.split(/\s+/u)[0] ?? "");
  const words = alternatives.flatMap((each) => each.replaceAll(/[[\]]/gu, "").split("|"));
  return [...new Set(words)].filter((word) => /^[a-z][a-z-]+$/u.test(word) && !placeholders.has(word));
}

/** Words in usages that are placeholders for a value. */
const placeholders: ReadonlySet<string> = new Set(
  "number id title name text preset prompt file count key server reason path interval command request branch focus".split(
    " ",
  ),
);

export function argumentCompletions(typed: TypedArguments, choices: Choices): Completions {
  const { command, last, rest, from } = typed;
  const items = choices.map((choice): Completion & { readonly value: string } => {
    const { value, summary } = typeof choice === "string" ? { value: choice, summary: undefined } : choice;
    return { value, label: value, insert: `${value} `, ...(summary !== undefined && { detail: summary }) };
  });
  // A choice that contains spaces replaces the whole argument.
  const isWhole = rest !== last && items.some(({ value }) => value.includes(" "));
  const word = isWhole ? rest.trimStart() : last;
  const matches = fuzzyMatches(word, items, ({ value }) => value, maxItems).filter(({ value }) => value !== word);
  const usage = command.args === undefined ? "" : ` ${command.args}`;
  return {
    from: isWhole ? from + last.length - rest.trimStart().length : from,
    items: matches,
    help: `/${command.name}${usage} · ${command.summary}`,
  };
}
