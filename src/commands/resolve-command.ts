import { nearest } from "../base/text/nearest.ts";
import type { Command } from "../contracts/host/command.ts";

export type Resolved =
  | { readonly kind: "found"; readonly command: Command; readonly args: string }
  /** Several commands start with this prefix. */
  | { readonly kind: "several"; readonly word: string; readonly names: readonly string[] }
  | { readonly kind: "unknown"; readonly word: string; readonly near: readonly string[] };

/** Whether a line is a command, such as `/help` or `/server:prompt`. A path such as `/usr/bin` is not. */
export function isCommandLine(line: string): boolean {
  return /^\/(?:[a-z?][\w-]*|[\w.-]+:[\w.-]+)(?:\s|$)/iu.test(line.trimStart());
}

/**
 * Resolves a line to a command by name or alias, ignoring case; with `byBeginning` also by a prefix that only one command
 * has.
 */
export function resolveCommand(line: string, commands: readonly Command[], byBeginning: boolean): Resolved {
  const [, word = "", args = ""] = /^\s*\/(\S*)\s*([\s\S]*)$/u.exec(line) ?? [];
  const requested = word === "?" ? "help" : word.toLowerCase();
  const exact = commands.find((command) => namesOf(command).includes(requested));
  if (exact) return { kind: "found", command: exact, args: args.trim() };
  const started = byBeginning && requested !== "" ? commands.filter(({ name }) => name.startsWith(requested)) : [];
  const [first, second] = started;
  if (first && !second) return { kind: "found", command: first, args: args.trim() };
  if (second) return { kind: "several", word, names: started.map(({ name }) => name) };
  return { kind: "unknown", word, near: nearest(requested, commands.flatMap(namesOf)) };
}

/** Completed lines that start with the given line. */
export function completions(line: string, commands: readonly Command[]): readonly string[] {
  const word = /^\/(\S*)$/u.exec(line)?.[1]?.toLowerCase();
  if (word === undefined) return [];
  const names = commands.map(({ name }) => name).filter((name) => name.startsWith(word));
  const aliases =
    names.length > 0 ? [] : commands.flatMap(({ aliases: own = [] }) => own.filter((each) => each.startsWith(word)));
  return [...names, ...aliases].map((name) => `/${name} `);
}

/** Completions for skills that can be used by name; callers list them after the commands. */
export function nameCompletions(line: string, usable: readonly { readonly name: string }[]): readonly string[] {
  const word = /^\/([a-z]\S*)$/iu.exec(line)?.[1]?.toLowerCase();
  if (word === undefined) return [];
  return usable.flatMap(({ name }) => (name.startsWith(word) && /^[\w-]+$/u.test(name) ? [`/${name} `] : []));
}

function namesOf({ name, aliases = [] }: Command): readonly string[] {
  return [name, ...aliases];
}
