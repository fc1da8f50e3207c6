import { readFileSync } from "node:fs";
import { join } from "node:path";

import { parse } from "yaml";

import { builtinCommands } from "../src/commands/builtin-commands.ts";
import { keyTree, leaves, nodeAt } from "../src/config/schema.ts";
import { groups } from "../src/hosts/cli/groups.ts";
import { globalOptions, optionFacts } from "../src/hosts/cli/options.ts";
import { parseLine } from "../src/hosts/cli/parse-line.ts";
import { createKeymap } from "../src/hosts/cli/screen/keymap.ts";
import { environmentNames } from "./environment-names.ts";

/**
 * `data/parity.yaml` lists every part of the original's command line, by section, with one of these states:
 * - `there`: exists here under the same name, checked against the tables of the program;
 * - `there as NAME`: exists here under another name, checked too;
 * - `there, TEXT`: exists, but is in no table; the text says where;
 * - `replaced by TEXT`, `coming with TEXT`, or left out with a reason after a colon.
 */
export type Parity = Readonly<Record<string, Readonly<Record<string, string>>>>;

export function readParity(): Parity {
  // The cast is safe: `parityFaults` reports every invalid entry.
  return parse(readFileSync(join(import.meta.dirname, "..", "data", "parity.yaml"), "utf8")) as Parity;
}

const forms = /^(?:there|there as .+|there, .+|replaced by .+|coming with .+|left out: .+)$/su;

/** Entries that contradict the tables of the program. */
export function parityFaults(parity: Parity): readonly string[] {
  return Object.entries(parity).flatMap(([section, entries]) => {
    const isThere = checks[section];
    if (!isThere) return [`${section}: there is no check for this section`];
    return Object.entries(entries).flatMap(([name, state]) => {
      if (!forms.test(state)) return [`${section}: ${name}: "${state}" is not a state`];
      const missing = namedCommands(state).filter((line) => parseLine([...line, "--help"]).kind !== "help");
      if (missing.length > 0)
        return [`${section}: ${name} names hermes ${missing[0]?.join(" ")}, which does not exist`];
      if (state.startsWith("there, ")) return [];
      const other = /^there as (.+)$/su.exec(state)?.[1];
      if (state === "there" || other !== undefined)
        return isThere(other ?? name) ? [] : [`${section}: ${other ?? name} does not exist`];
      return [];
    });
  });
}

/** The command words of each `hermes …` in a text, without placeholders. */
function namedCommands(text: string): readonly (readonly string[])[] {
  return [...text.matchAll(/`hermes ([^`]+)`/gu)].map(([, line = ""]) =>
    line.split(" ").filter((word) => /^[a-z-]/u.test(word) && !word.includes("…")),
  );
}

/**
 * An entry with the state "coming" whose command now exists counts as `there`, so that authors of commands need not
 * edit the table.
 */
function arrived(parity: Parity): Parity {
  const now = ([section, entries]: [string, Parity[string]]) => {
    const states = Object.entries(entries).map(([name, state]) => {
      const isNew = state.startsWith("coming with") && checks[section]?.(name);
      return [name, isNew ? "there" : state];
    });
    return [section, Object.fromEntries(states)];
  };
  return Object.fromEntries(Object.entries(parity).map(now));
}

export function parityParts(table: Parity): readonly string[] {
  const parity = arrived(table);
  const states = Object.values(parity).flatMap((entries) => Object.values(entries));
  const count = (start: string) => states.filter((state) => state.startsWith(start)).length;
  const counts = ["there", "replaced by", "coming with", "left out"].map((start) => `${start}: ${count(start)}`);
  return [
    "Every part of the command line of the original Hermes (in Python), and its counterpart in this version. `there` means the same name and meaning; a test compares it with the tables of this program. *Coming with* names the part of Hermes that will have it.",
    `${states.length} entries. ${counts.join(" · ")}.`,
    ...Object.entries(parity).flatMap(([section, entries]) => [
      `## ${section.slice(0, 1).toUpperCase()}${section.slice(1)}`,
      [
        "| original | here |",
        "|---|---|",
        ...Object.entries(entries).map(
          ([name, state]) => `| \`${name.replaceAll("|", "\\|")}\` | ${state.replaceAll("|", "\\|")} |`,
        ),
      ].join("\n"),
    ]),
  ];
}

type Check = (name: string) => boolean;

const checks: Readonly<Record<string, Check>> = {
  "global options": (name) => hasOption(["chat"], name),
  "options of chat": (name) => hasOption(["chat"], name),
  commands: hasCommand,
  "slash commands": hasSlashCommand,
  keys: (chord) => createKeymap().actions.some(({ chords }) => chords.includes(chord)),
  "display settings": (name) =>
    nodeAt(keyTree(), (name.includes(".") ? name : `display.${name}`).split(".")) !== undefined,
  environment: (name) =>
    environmentNames().some(([each]) => each === name) || leaves(keyTree()).some(({ leaf }) => leaf.env === name),
};

/** `profile create --clone`: the words are a command or its prefix, and the command has the option. */
function hasCommand(line: string): boolean {
  const words = line.split(" ");
  const option = words.findIndex((word) => word.startsWith("-"));
  const path = option < 0 ? words : words.slice(0, option);
  if (option >= 0) return hasOption(path, words[option] ?? "");
  if (commandsAt(path).length > 0) return true;
  if (path.length === 1) return parseLine([...path]).kind !== "misunderstood";
  // Other words for the same command, such as `rm`, and values of its first argument.
  const parsed = parseLine([...path, "--help"]);
  if (parsed.kind !== "help") return false;
  return shorterWords.has(path.at(-1) ?? "") || choicesOf(path.slice(0, -1)).includes(path.at(-1) ?? "");
}

const shorterWords: ReadonlySet<string> = new Set(["ls", "rm", "uninstall"]);

function choicesOf(path: readonly string[]): readonly string[] {
  return commandsAt(path).flatMap((command) => command.args?.[0]?.choices ?? []);
}

function commandsAt(path: readonly string[]) {
  const all = groups.flatMap(({ commands, alias, name }) =>
    commands.flatMap((command) =>
      alias === undefined
        ? [command]
        : [command, { ...command, path: [alias, ...command.path.slice(1)] }].filter(
            ({ path: [first] }) => first === name || first === alias,
          ),
    ),
  );
  return all.filter((command) => path.every((word, index) => command.path[index] === word));
}

function hasOption(path: readonly string[], option: string): boolean {
  const exact = commandsAt(path).filter((command) => command.path.length === path.length);
  const own = exact.flatMap((command) => (command.options ?? []).map(({ flags }) => optionFacts(flags)));
  return (
    exact.length > 0 &&
    [...own, ...globalOptions].some(({ name, short }) => option === `--${name}` || option === `-${short}`)
  );
}

/** `/queue edit`: the command exists, and its usage has the word. */
function hasSlashCommand(line: string): boolean {
  const [name = "", word] = line.slice(1).split(" ");
  const command = builtinCommands.find((each) => each.name === name || each.aliases?.includes(name));
  if (!command || word === undefined) return command !== undefined;
  return (command.args ?? "")
    .toLowerCase()
    .split(/[^\w-]+/u)
    .includes(word.toLowerCase());
}
