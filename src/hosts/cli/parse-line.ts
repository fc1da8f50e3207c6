import { parseArgs } from "node:util";

import { reasonOf } from "../../base/result.ts";
import { didYouMean, nearest } from "../../base/text/nearest.ts";
import { quoteForShellIfNeeded } from "../../base/text/shell-quote.ts";
import { version } from "../../base/version.ts";
import { plainWords, valueOptions } from "../../contracts/host/command-line.ts";
import type { CliCommand, CliInput, CommandGroup } from "./command.ts";
import { chat } from "./commands/sessions/chat.ts";
import { groups } from "./groups.ts";
import { commandHelp, groupHelp, overview } from "./help.ts";
import { camelCase, globalOptions, optionFacts, type OptionFacts } from "./options.ts";

export type ParsedLine =
  | {
      readonly kind: "command";
      readonly command: CliCommand;
      readonly input: CliInput;
      readonly json: boolean;
      readonly profile: string | undefined;
      /** Settings for this run only, by key. */
      readonly overrides: Readonly<Record<string, string>>;
    }
  /** `isOverview`: help for the whole program. */
  | { readonly kind: "help"; readonly text: string; readonly isOverview?: boolean }
  | {
      readonly kind: "misunderstood";
      readonly message: string;
      readonly hint: string;
      readonly json: boolean;
      /** The first word, if it is not a built-in command: it may be a command of a plugin. */
      readonly unknown?: string;
    };

/** Parses a command line. Never throws. `--json`, `-p NAME` and `--help` are accepted at any position. */
export function parseLine(argv: readonly string[]): ParsedLine {
  const words = withOptionalValues(inOurWords(argv.map((word, index) => shield(word, argv[index - 1] ?? ""))));
  const { group, command, unknown } = findCommand(words);
  const misunderstood = (message: string, hint: string) =>
    ({ kind: "misunderstood", message, hint, json: words.includes("--json") || isStreaming(words) }) as const;
  if (unknown !== undefined) {
    const fault = misunderstood(`There is no command "${unknown}".`, suggestion(unknown, group));
    return group ? fault : { ...fault, unknown };
  }
  const options = [...globalOptions, ...(command ? optionsOf(command) : [])];
  const parsed = tokens(words, options);
  if (typeof parsed === "string") return misunderstood(parsed, programHint(words, command) ?? helpHint(command, group));
  const { values } = parsed;
  if (values.version === true) return { kind: "help", text: `hermes ${version}\n` };
  if (values.help === true) return { kind: "help", text: helpFor(command, group), isOverview: !group };
  if (!command) return { kind: "help", text: group ? groupHelp(group) : overview() };
  const args = parsed.positionals.slice(group ? command.path.length : 0).map(unshield);
  const declared = command.args ?? [];
  const missing = declared.slice(args.length).find(({ optional }) => !optional);
  if (missing)
    return misunderstood(`${missing.name.toUpperCase()} is missing: ${missing.summary}.`, helpHint(command, group));
  const extra = declared.at(-1)?.rest ? [] : args.slice(declared.length);
  if (extra.length > 0) return misunderstood(`Unexpected arguments: ${extra.join(" ")}.`, helpHint(command, group));
  const overrides = overridesOf(values);
  if (typeof overrides === "string") return misunderstood(overrides, "For example: --set logging.level=debug");
  return {
    kind: "command",
    command,
    overrides,
    input: inputOf(command, args, values),
    json: values.json === true || (command === chat && values.format === "stream-json"),
    profile: typeof values.profile === "string" ? values.profile : undefined,
  };
}

/** Returns whether the words request one JSON object per line, so that an error is JSON too. */
function isStreaming(words: readonly string[]): boolean {
  return words.some((word, index) => `${words[index - 1] ?? ""}=${word}`.endsWith("--format=stream-json"));
}

/** Accepts forms that other programs use: `help tools`, `tools help`, `version`. */
function inOurWords(words: readonly string[]): readonly string[] {
  const [first, ...rest] = words;
  if (first === "help") return [...rest, "--help"];
  if (words.length === 2 && words[1] === "help" && !first?.startsWith("-")) return [...words.slice(0, 1), "--help"];
  return words.length === 1 && (first === "version" || first === "-v") ? ["--version"] : words;
}

/** `-c my project` means `--continue=my project`, and `-c` alone means `--continue=`. Only `chat` has such options. */
function withOptionalValues(words: readonly string[]): readonly string[] {
  const [first] = words;
  if (first !== "chat" && !first?.startsWith("-")) return words;
  const expanded: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? "";
    if (word === "--") return [...expanded, ...words.slice(index)];
    const option = optionalValues.find(({ name, short }) => word === `--${name}` || word === `-${short}`);
    if (!option) {
      expanded.push(word);
      if (valueOptions.has(word)) expanded.push(...words.slice(++index, index + 1));
      continue;
    }
    const value: string[] = [];
    while (index + 1 < words.length && !words[index + 1]?.startsWith("-")) value.push(words[++index] ?? "");
    expanded.push(`--${option.name}=${value.join(" ")}`);
  }
  return expanded;
}

type Values = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** `-t` overrides the toolsets of every platform. Returns a message if `--set` is malformed. */
function overridesOf({ toolsets, set }: Values): Readonly<Record<string, string>> | string {
  const overrides: Record<string, string> = {};
  if (typeof toolsets === "string") Object.assign(overrides, { toolsets, "platform_toolsets.cli": toolsets });
  for (const pair of Array.isArray(set) ? set : []) {
    const separator = pair.indexOf("=");
    if (separator < 1) return `--set ${pair}: write KEY=VALUE.`;
    overrides[pair.slice(0, separator)] = pair.slice(separator + 1);
  }
  return overrides;
}

interface CommandMatch {
  readonly group?: CommandGroup;
  readonly command?: CliCommand;
  readonly unknown?: string;
}

/** The command that the first plain words name; without words, `chat` and no group. */
function findCommand(words: readonly string[]): CommandMatch {
  const plain = plainWords(words);
  const [first, second] = plain;
  // A sentence is a prompt; a single word may be a misspelt command.
  if (first === undefined || /\s/u.test(first.trim())) return { command: chat };
  const group = groups.find(({ name, alias }) => name === first || alias === first);
  if (!group) return { unknown: first };
  const called = (words: readonly string[]) =>
    group.commands.find(({ path }) => path.every((word, index) => words[index] === word));
  const typed = called([group.name, ...plain.slice(1)]);
  // `tools ls` means `tools list`, although `tools` alone is a command too.
  const longer = typed && typed.path.length > 1 ? typed : called([group.name, shorter.get(second ?? "") ?? ""]);
  const command = longer ?? typed;
  if (command && (second === undefined || command.path.length > 1 || command.args)) return { group, command };
  return second === undefined ? { group } : { group, unknown: second };
}

/** Aliases of command words that other programs use. */
const shorter: ReadonlyMap<string, string> = new Map([
  ["ls", "list"],
  ["rm", "remove"],
  ["uninstall", "remove"],
]);

const optionalValues = optionsOf(chat).filter(({ isOptional }) => isOptional);

function optionsOf(command: CliCommand): readonly OptionFacts[] {
  return (command.options ?? []).map(({ flags }) => optionFacts(flags));
}

function tokens(
  words: readonly string[],
  options: readonly OptionFacts[],
): { readonly values: Values; readonly positionals: readonly string[] } | string {
  const declared = Object.fromEntries(
    options.map(({ name, short, takesValue, repeats }) => [
      name,
      { type: takesValue ? ("string" as const) : ("boolean" as const), ...(short && { short }), multiple: repeats },
    ]),
  );
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      options: declared,
      allowPositionals: true,
      strict: true,
    });
    const empty = options.find(({ name }) => values[name] === "" && !mayBeEmpty.has(name));
    if (empty)
      return `${asTyped(words, `--${empty.name}`, empty.short && `-${empty.short}`)} needs a value; it is empty.`;
    const plain = Object.entries(values).map(([name, value]) => [
      name,
      typeof value === "string"
        ? unshield(value)
        : Array.isArray(value)
          ? value.map(String).map(unshield)
          : value === true,
    ]);
    return { values: Object.fromEntries(plain), positionals };
  } catch (thrown) {
    const message = unshield(reasonOf(thrown));
    const wrong = /^Unknown option '(-[^']*)'/.exec(message)?.[1];
    const [, short, long] = /^Option '(?:(-\w), )?(--?[\w-]+)/.exec(message) ?? [];
    const option = long === undefined ? undefined : asTyped(words, long, short);
    if (option !== undefined) return `${option} ${message.includes("does not take") ? "takes no" : "needs a"} value.`;
    // `-w=3`
    const withValue = wrong === "-=" ? words.find((word) => /^-\w+=/u.test(word)) : undefined;
    if (withValue !== undefined) return `${withValue.slice(0, withValue.indexOf("="))} takes no value.`;
    if (wrong === undefined) return message.split("\n", 1)[0] ?? message;
    return `Unknown option ${wrong}. ${didYouMean(
      wrong,
      options.map(({ name }) => `--${name}`),
    )}`.trimEnd();
  }
}

/** Names an option as the user typed it: `-z`, not `--oneshot`. */
function asTyped(words: readonly string[], long: string, short: string | undefined): string {
  const isShort = short !== undefined && words.some((word) => /^-\w/u.test(word) && word.includes(short.slice(1)));
  return isShort && !words.some((word) => word.startsWith(long)) ? short : long;
}

/** Options that may have an empty value, or that report it themselves. */
const mayBeEmpty: ReadonlySet<string> = new Set(["oneshot", "query", ...optionalValues.map(({ name }) => name)]);

function inputOf(command: CliCommand, args: readonly string[], values: Values): CliInput {
  const positions = new Map(command.args?.map(({ name }, index) => [name, index]));
  const byName = new Map(Object.entries(values).map(([name, value]) => [camelCase(name), value]));
  return {
    arg: (name) => args[positions.get(name) ?? args.length] ?? "",
    optionalArg: (name) => args[positions.get(name) ?? args.length],
    rest: (name) => args.slice(positions.get(name) ?? args.length),
    option: (name) => {
      const value = byName.get(name);
      return typeof value === "string" ? value : undefined;
    },
    list: (name) => {
      const value = byName.get(name);
      return Array.isArray(value) ? value : [];
    },
    flag: (name) => byName.get(name) === true,
  };
}

function helpFor(command: CliCommand | undefined, group: CommandGroup | undefined): string {
  if (!group) return overview();
  const isWhole = command && (command.path.length > 1 || group.commands.length === 1);
  return isWhole ? commandHelp(command) : groupHelp(group);
}

function suggestion(word: string, group: CommandGroup | undefined): string {
  const longer = group?.commands.filter(({ path }) => path[1] === word) ?? [];
  if (longer.length > 0) return `Did you mean ${longer.map(({ path }) => `hermes ${path.join(" ")}`).join(" or ")}?`;
  const names = group ? group.commands.map(({ path }) => path[1] ?? "") : groups.map(({ name }) => name);
  const prefix = group ? `hermes ${group.name} ` : "hermes ";
  const close = nearest(word, names).map((name) => `${prefix}${name}`);
  if (close.length > 0) return `Did you mean ${close.join(" or ")}?`;
  const asPrompt = group
    ? ` ${group.advice?.(quoteForShellIfNeeded(word)) ?? ""}`.trimEnd()
    : ` To send it as a prompt: hermes chat ${quoteForShellIfNeeded(word)}`;
  return `\`${prefix}--help\` lists the commands.${asPrompt}`;
}

function helpHint(command: CliCommand | undefined, group: CommandGroup | undefined): string {
  const path = group && (command?.path.join(" ") ?? group.name);
  return `\`hermes ${path ? `${path} ` : ""}--help\` shows the usage.`;
}

/** The line with `--` before the other program, for a user who forgot it. */
function programHint(words: readonly string[], command: CliCommand | undefined): string | undefined {
  const position = command?.args?.findIndex(({ isProgram }) => isProgram) ?? -1;
  if (!command || position < 0 || words.includes("--")) return undefined;
  const start = plainWords(words)[command.path.length + position];
  if (start === undefined) return undefined;
  const index = words.lastIndexOf(start);
  const line = [...words.slice(0, index), "--", ...words.slice(index)].map(unshield).map(quoteForShellIfNeeded);
  return `Write -- before the program: hermes ${line.join(" ")}`;
}

/**
 * Marks a negative number, and a sentence after an option that needs a value (`-z "- one - two"`), as a value and not as options.
 * A command line cannot contain the mark.
 */
function shield(word: string, before: string): string {
  const isSentence = valueOptions.has(before) && /^-.*\s/su.test(word);
  return isSentence || /^-\d/.test(word) ? `\0${word}` : word;
}

function unshield(word: string): string {
  return word.replaceAll("\0", "");
}
