import { once } from "../../../base/async/once.ts";
import { type Fact, rule } from "../fact.ts";
import type { RuleId } from "../rules.ts";
import type { Field } from "../shell/field.ts";
import { type OptionShape, type ReadOptions, readOptions } from "./options.ts";
import type { Program } from "./program.ts";

/**
 * Rules for subcommands. `words` are patterns in order: `a|b` either one, `x*` any word that starts with `x`, `*` any
 * one word, `**` any number of words; commas separate phrases; `""` matches every use. One of the options in `when`
 * must be given, and none of those in `unless`.
 */
export type VerbTable = readonly (readonly [
  rule: RuleId,
  words: string,
  when?: string | undefined,
  unless?: string | undefined,
])[];

/**
 * Describes a program with many subcommands (`git`, `aws`, `kubectl`) by a table of those that need approval. Dry runs
 * need none.
 */
export function verbs(table: VerbTable, shape: OptionShape = {}): Program {
  // Tables are parsed on first use: there are hundreds of them, and a command needs few.
  const rows = once(() =>
    table.map(([id, words, when, unless]) => ({
      id,
      pattern: wordsPattern(words),
      when: when?.split(" ") ?? [],
      unless: unless?.split(" ") ?? [],
    })),
  );
  return (args) => {
    const read = readOptions(args, shape);
    if (isDryRun(read) || /^(?:-{0,2}help|-h)$/u.test(args.at(-1)?.text ?? "")) return [];
    const operandText = wordsOf(read.operands);
    for (const { id, pattern, when, unless } of rows()) {
      if (!pattern.test(operandText)) continue;
      if ((when.length === 0 || read.has(...when)) && !(unless.length > 0 && read.has(...unless)))
        return [rule(id, ...args)];
    }
    return [];
  };
}

/** Combines the facts of several programs. */
export function allOf(...programs: readonly Program[]): Program {
  return (args, ran, name): readonly Fact[] => programs.flatMap((program) => program(args, ran, name));
}

/** Every use of the program triggers the rule, unless one of these words is among its arguments. */
export function everyUse(id: RuleId, ...harmless: readonly string[]): Program {
  return (args) => (args.some(({ text }) => harmless.includes(text)) ? [] : [rule(id, ...args)]);
}

/** Any use with one of these words or options triggers the rule. */
export function withWord(id: RuleId, ...words: readonly string[]): Program {
  return (args) => (args.some(({ text }) => words.includes(text)) ? [rule(id, ...args)] : []);
}

/** Any use with a matching argument triggers the rule. */
export function anyMatching(id: RuleId, pattern: RegExp): Program {
  return (args) => (args.some(({ text }) => pattern.test(text)) ? [rule(id, ...args)] : []);
}

/** Any use whose first argument matches triggers the rule. */
export function firstMatching(id: RuleId, pattern: RegExp): Program {
  return (args) => (pattern.test(args[0]?.text ?? "") ? [rule(id, ...args)] : []);
}

/** Any use with one of these options triggers the rule. `short` lists the short options that take a value. */
export function withOption(id: RuleId, options: string, short = ""): Program {
  const names = options.split(" ");
  return (args) => (readOptions(args, { short }).has(...names) ? [rule(id, ...args)] : []);
}

function isDryRun({ options }: ReadOptions): boolean {
  return options.some(
    ({ name, value }) =>
      /^dry-?run$|^simulate$|^just-print$|^whatif$/iu.test(name) && !/^(?:none|false)$/u.test(value?.text ?? ""),
  );
}

function wordsOf(operands: readonly Field[]): string {
  return operands
    .slice(0, 8)
    .map(({ text }) => text.replaceAll(/\s/gu, "_"))
    .join(" ");
}

function wordsPattern(words: string): RegExp {
  const phrases = words.split(", ").map((phrase) =>
    phrase
      .split(" ")
      .filter(Boolean)
      .map((part) => (part === "**" ? "(?:\\S+ )*?" : `(?:${choices(part)})(?: |$)`))
      .join(""),
  );
  return new RegExp(`^(?:${phrases.join("|")})`, "u");
}

function choices(part: string): string {
  return part.replaceAll(/[.+?^${}()[\]\\]/gu, "\\$&").replaceAll("*", "\\S*");
}
