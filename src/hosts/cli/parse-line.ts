import { parseArgs } from "node:util";

import { reasonOf } from "../../base/result.ts";
import { didYouMean, nearest } from "../../base/text/nearest.ts";
import { version } from "../../base/version.ts";
import type { CliCommand, CliInput } from "./command.ts";
import { chat } from "./commands/sessions/chat.ts";
import { type CommandGroup, groups } from "./groups.ts";
import { commandHelp, groupHelp, overview } from "./help.ts";
import { camelCase, globalOptions, optionFacts, type OptionFacts } from "./options.ts";

/** What a command line asks for. */
export type ParsedLine =
  | {
      readonly kind: "command";
      readonly command: CliCommand;
      readonly input: CliInput;
      readonly json: boolean;
      readonly profile: string | undefined;
      /** Settings that hold for this call only, by key. */
      readonly overrides: Readonly<Record<string, string>>;
    }
  | { readonly kind: "help"; readonly text: string }
  | { readonly kind: "misunderstood"; readonly message: string; readonly hint: string; readonly json: boolean };

/** Never throws. `--json`, `-p NAME` and `--help` may stand anywhere. */
export function parseLine(argv: readonly string[]): ParsedLine {
  const words = withOptionalValues(inOurWords(argv.map((word, at) => shield(word, argv[at - 1] ?? ""))));
  const { group, command, unknown } = findCommand(words);
  const misunderstood = (message: string, hint: string): ParsedLine => ({
    kind: "misunderstood",
    message,
    hint,
    json: words.includes("--json"),
  });
  if (unknown !== undefined) return misunderstood(`There is no command "${unknown}".`, suggestion(unknown, group));
  const options = [...globalOptions, ...(command ? optionsOf(command) : [])];
  const parsed = tokens(words, options);
  if (typeof parsed === "string") return misunderstood(parsed, helpHint(command, group));
  const { values } = parsed;
  if (values.version === true) return { kind: "help", text: `hermes ${version}\n` };
  if (values.help === true) return { kind: "help", text: helpFor(command, group) };
  if (!command) return { kind: "help", text: group ? groupHelp(group) : overview() };
  const args = parsed.positionals.slice(group ? command.path.length : 0).map(unshield);
  const wanted = command.args ?? [];
  const missing = wanted.slice(args.length).find(({ optional }) => !optional);
  if (missing)
    return misunderstood(`${missing.name.toUpperCase()} is missing: ${missing.summary}.`, helpHint(command, group));
  const extra = wanted.at(-1)?.rest ? [] : args.slice(wanted.length);
  if (extra.length > 0) return misunderstood(`Unexpected arguments: ${extra.join(" ")}.`, helpHint(command, group));
  const overrides = overridesOf(values);
  if (typeof overrides === "string") return misunderstood(overrides, "For example: --set logging.level=debug");
  return {
    kind: "command",
    command,
    overrides,
    input: inputOf(command, args, values),
    json: values.json === true,
    profile: typeof values.profile === "string" ? values.profile : undefined,
  };
}

/** Habits from other programs: `help tools`, `tools help`, `version`. */
function inOurWords(words: readonly string[]): readonly string[] {
  const [first, ...rest] = words;
  if (first === "help") return [...rest, "--help"];
  if (words.length === 2 && words[1] === "help" && !first?.startsWith("-")) return [...words.slice(0, 1), "--help"];
  return words.length === 1 && (first === "version" || first === "-v") ? ["--version"] : words;
}

/** `-c my project` is `--continue=my project`, and `-c` alone `--continue=`. Only the conversation has such options. */
function withOptionalValues(words: readonly string[]): readonly string[] {
  const [first] = words;
  if (first !== "chat" && !first?.startsWith("-")) return words;
  const found: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--") return [...found, ...words.slice(at)];
    const option = optionalValues.find(({ name, short }) => word === `--${name}` || word === `-${short}`);
    if (!option) {
      found.push(word);
      if (valueFlags.has(word)) found.push(...words.slice(++at, at + 1));
      continue;
    }
    const value: string[] = [];
    while (at + 1 < words.length && !words[at + 1]?.startsWith("-")) value.push(words[++at] ?? "");
    found.push(`--${option.name}=${value.join(" ")}`);
  }
  return found;
}

type Values = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** `-t` chooses the toolsets whatever the settings of this platform say. An answer in words: what is wrong. */
function overridesOf({ toolsets, set }: Values): Readonly<Record<string, string>> | string {
  const overrides: Record<string, string> = {};
  if (typeof toolsets === "string") Object.assign(overrides, { toolsets, "platform_toolsets.cli": toolsets });
  for (const pair of Array.isArray(set) ? set : []) {
    const at = pair.indexOf("=");
    if (at < 1) return `--set ${pair}: write KEY=VALUE.`;
    overrides[pair.slice(0, at)] = pair.slice(at + 1);
  }
  return overrides;
}

interface Found {
  readonly group?: CommandGroup;
  readonly command?: CliCommand;
  readonly unknown?: string;
}

/** The command that the first plain words name; the conversation when there are none, and then no group. */
function findCommand(words: readonly string[]): Found {
  const plain = plainWords(words);
  const [first, second] = plain;
  if (first === undefined) return { command: chat };
  const group = groups.find(({ name }) => name === first);
  if (!group) return { unknown: first };
  const called = (words: readonly string[]) =>
    group.commands.find(({ path }) => path.every((word, at) => words[at] === word));
  const command = called(plain) ?? called([first, shorter.get(second ?? "") ?? ""]);
  if (command) return { group, command };
  return second === undefined ? { group } : { group, unknown: second };
}

/** What fingers type by themselves. */
const shorter: ReadonlyMap<string, string> = new Map([
  ["ls", "list"],
  ["rm", "remove"],
]);

/** Options that take the next word, of whatever command: which one is meant is not known yet. */
const valueFlags: ReadonlySet<string> = new Set(
  [...globalOptions, ...groups.flatMap(({ commands }) => commands.flatMap(optionsOf))]
    .filter(({ takesValue, isOptional }) => takesValue && !isOptional)
    .flatMap(({ name, short }) => [`--${name}`, ...(short ? [`-${short}`] : [])]),
);

const optionalValues = optionsOf(chat).filter(({ isOptional }) => isOptional);

function optionsOf(command: CliCommand): readonly OptionFacts[] {
  return (command.options ?? []).map(({ flags }) => optionFacts(flags));
}

/** Words that are neither options nor the value of one, up to `--`. */
function plainWords(words: readonly string[]): readonly string[] {
  const plain: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--") break;
    if (valueFlags.has(word)) at++;
    else if (!word.startsWith("-") || word === "-") plain.push(word);
  }
  return plain;
}

function tokens(
  words: readonly string[],
  options: readonly OptionFacts[],
): { readonly values: Values; readonly positionals: readonly string[] } | string {
  const known = Object.fromEntries(
    options.map(({ name, short, takesValue, repeats }) => [
      name,
      { type: takesValue ? ("string" as const) : ("boolean" as const), ...(short && { short }), multiple: repeats },
    ]),
  );
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      options: known,
      allowPositionals: true,
      strict: true,
    });
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
    const said = unshield(reasonOf(thrown));
    const wrong = /^Unknown option '(-[^']*)'/.exec(said)?.[1];
    const option = /^Option '(?:-\w, )?(--?[\w-]+)/.exec(said)?.[1];
    if (option !== undefined) return `${option} ${said.includes("does not take") ? "takes no" : "needs a"} value.`;
    if (wrong === undefined) return said.split("\n", 1)[0] ?? said;
    return `Unknown option ${wrong}. ${didYouMean(
      wrong,
      options.map(({ name }) => `--${name}`),
    )}`.trimEnd();
  }
}

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
  return command ? commandHelp(command) : groupHelp(group);
}

function suggestion(word: string, group: CommandGroup | undefined): string {
  const names = group ? group.commands.map(({ path }) => path[1] ?? "") : groups.map(({ name }) => name);
  const prefix = group ? `hermes ${group.name} ` : "hermes ";
  const close = nearest(word, names).map((name) => `${prefix}${name}`);
  return close.length > 0 ? `Did you mean ${close.join(" or ")}?` : `\`${prefix}--help\` lists the commands.`;
}

function helpHint(command: CliCommand | undefined, group: CommandGroup | undefined): string {
  const path = group && (command?.path.join(" ") ?? group.name);
  return `\`hermes ${path ? `${path} ` : ""}--help\` shows the usage.`;
}

/**
 * A negative number is a value, not a row of options; so is a sentence where a value is due (`-z "- one - two"`). The mark
 * cannot come from a command line.
 */
function shield(word: string, before: string): string {
  const isSentence = valueFlags.has(before) && /^-.*\s/su.test(word);
  return isSentence || /^-\d/.test(word) ? `\0${word}` : word;
}

function unshield(word: string): string {
  return word.replaceAll("\0", "");
}
