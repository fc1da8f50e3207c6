/** One word that any POSIX shell reads as exactly this text. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Like `quoteForShell`, but without quotes where no shell needs them. For commands that people read. */
export function quoteForShellIfNeeded(text: string): string {
  return /^[\w@%+=:,./-]+$/u.test(text) ? text : quoteForShell(text);
}

/** Characters that a backslash followed by a letter stands for. */
export const escapeLetters: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};
