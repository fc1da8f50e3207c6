/** One word for any POSIX shell that means exactly this text. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The same, without quotes where no shell needs them: for commands that people read. */
export function quoteForShellIfNeeded(text: string): string {
  return /^[\w@%+=:,./-]+$/u.test(text) ? text : quoteForShell(text);
}
