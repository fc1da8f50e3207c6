/** One word for any POSIX shell that means exactly this text. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The same, without quotes where no shell needs them: for commands that people read. */
export function quoteForShellIfNeeded(text: string): string {
  return /^[\w@%+=:,./-]+$/u.test(text) ? text : quoteForShell(text);
}

/** Characters that a backslash and a letter stand for. */
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
