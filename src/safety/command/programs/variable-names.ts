import { words } from "../../../base/text/words.ts";
import { type Field, isKnown } from "../shell/field.ts";
import type { ReadOptions } from "./options.ts";

/**
 * Returns whether a search prints only names before a `=`, or counts lines that begin with a name. Such a search prints
 * no value of a `.env` file, so it reads no secret.
 */
export function printsOnlyNames({ options }: Pick<ReadOptions, "options">, patterns: readonly Field[]): boolean {
  if (patterns.length === 0 || !patterns.every(isKnown) || !options.every(({ name }) => harmless.has(name)))
    return false;
  const has = (...names: readonly string[]) => options.some(({ name }) => names.includes(name));
  const pattern = has("c", "count", "q", "quiet", "silent", "l", "files-with-matches") ? namePrefix : wholeName;
  return (pattern === namePrefix || has("o", "only-matching")) && patterns.every(({ text }) => pattern.test(text));
}

/**
 * Whether `cut` prints only what is before the first `=` of each line. Only of a `.env` file: of another file, lines
 * without `=` are more than a name.
 */
export function cutsOnlyNames({ options }: Pick<ReadOptions, "options">, file: Field): boolean {
  const isOnly = (names: readonly string[], expected: string) => {
    const given = options.filter(({ name }) => names.includes(name));
    return given.length === 1 && given.every(({ value }) => value && isKnown(value) && value.text === expected);
  };
  return (
    options.every(({ name }) => cutOptions.has(name)) &&
    isOnly(["d", "delimiter"], "=") &&
    isOnly(["f", "fields"], "1") &&
    isKnown(file) &&
    /(?:^|\/)(?:\.env(?:\.[\w-]+)*|[\w-]+\.env)$/u.test(file.text)
  );
}

const cutOptions: ReadonlySet<string> = new Set(words("d delimiter f fields s only-delimited"));

/** Options that neither print other parts of a line nor change the meaning of a pattern. */
const harmless: ReadonlySet<string> = new Set(
  words(
    "o only-matching c count q quiet silent l files-with-matches e regexp E extended-regexp G basic-regexp P perl-regexp h no-filename H with-filename n line-number i ignore-case w word-regexp s no-messages m max-count r R recursive color colour",
  ),
);

const exported = String.raw`(?:\\?\(export(?: |\\s[+*]?)\\?\)\\?\??|export |\\s\*| \*|\[\[:space:\]\]\*)?`;
const bracket = String.raw`\[\^?(?:\[:(?:alnum|alpha|upper|lower|digit|space):\]|[A-Za-z0-9_ #=-])+\]`;
const atom = String.raw`(?:${bracket}|\\w|\((?:\?:)?[A-Za-z0-9_|]+\)|[A-Za-z0-9_])`;
const name = String.raw`(?:${atom}(?:\\?[*+?]|\{\d*,?\d*\})?)+`;
/** A negated character class must not contain `=`, because the name ends at the first one. */
const crossing = String.raw`(?![^]*\[\^(?![^\]]*=))(?![^]*\[(?!\^)[^\]]*=)`;
const wholeName = new RegExp(String.raw`^\^${crossing}${exported}${name}(?:=|\(\?=(?:\\s\*| \*)?=\))$`, "u");
const namePrefix = new RegExp(String.raw`^\^${crossing}${exported}${name}=?$`, "u");
