import { once } from "../../../base/async/once.ts";
import { type Fact, rule } from "../fact.ts";
import type { RuleId } from "../rules.ts";
import type { Field } from "../shell/field.ts";
import { type OptionShape, type ReadOptions, readOptions } from "./options.ts";
import type { Program } from "./program.ts";

/**
 * The meaning of the words after a program's name, without options. `words` are patterns in their order: `a|b` either, `x*` any that
 * begins so, `*` any one, `**` any number; phrases are separated by commas; `""` is every use. One of the options of `when`
 * must be given, none of `unless`.
 */
export type VerbTable = readonly (readonly [
  rule: RuleId,
  words: string,
  when?: string | undefined,
  unless?: string | undefined,
])[];

/** A program of many commands (`git`, `aws`, `kubectl`): a table of those that need approval. Dry runs do not. */
export function verbs(table: VerbTable, shape: OptionShape = {}): Program {
  // There are hundreds of them, and most are never asked.
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

/** Several programs with one table. */
export function allOf(...programs: readonly Program[]): Program {
  return (args, ran, name): readonly Fact[] => programs.flatMap((program) => program(args, ran, name));
}

/** Every use of the program, but for these words as its first one or as an option. */
export function everyUse(id: RuleId, ...harmless: readonly string[]): Program {
  return (args) => (args.some(({ text }) => harmless.includes(text)) ? [] : [rule(id, ...args)]);
}

/** Every use with one of these words, options included. */
export function withWord(id: RuleId, ...words: readonly string[]): Program {
  return (args) => (args.some(({ text }) => words.includes(text)) ? [rule(id, ...args)] : []);
}

/** Every use with an argument that fits. */
export function anyMatching(id: RuleId, pattern: RegExp): Program {
  return (args) => (args.some(({ text }) => pattern.test(text)) ? [rule(id, ...args)] : []);
}

/** Every use whose first argument fits. */
export function firstMatching(id: RuleId, pattern: RegExp): Program {
  return (args) => (pattern.test(args[0]?.text ?? "") ? [rule(id, ...args)] : []);
}

/** Every use with one of these options; `short` are the letters of those that take a value. */
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
