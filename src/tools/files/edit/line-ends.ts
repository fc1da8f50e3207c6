/**
 * Returns the line end to use at a position: that of the lines there, otherwise of the line in which it ends, otherwise
 * of the previous line.
 */
export function lineEndAt(text: string, start: number, end: number): string | undefined {
  if (!text.includes("\n")) return text.includes("\r") ? "\r" : undefined;
  const inside = text.lastIndexOf("\n", Math.max(start, end - 1));
  const after = text.indexOf("\n", end);
  const index = inside >= start && inside < end ? inside : after >= 0 ? after : text.lastIndexOf("\n", start);
  return index < 0 ? undefined : text[index - 1] === "\r" ? "\r\n" : "\n";
}

/**
 * Returns `replacement` for an exact match, with the line ends at that position. A text that differs from `old` only in
 * line ends is meant to change them; it stays unchanged if the result has one kind of line end, or the file has
 * several.
 */
export function withLineEndsOf(text: string, start: number, end: number, replacement: string): string {
  if (!/[\r\n]/.test(replacement)) return replacement;
  const lineEnd = lineEndAt(text, start, end);
  if (lineEnd === undefined) return replacement;
  const old = text.slice(start, end);
  if (unified(old) === unified(replacement)) {
    const isWhole = !/[\r\n]/.test(text.slice(0, start) + text.slice(end));
    if (isWhole || kindsOf(text) > 1) return replacement;
  }
  // `old` contains both kinds of line ends, so the edit chooses them explicitly.
  if (kindsOf(old) > 1) return replacement;
  const isCut = /\r\n[^]*\r$/.test(replacement) && !old.endsWith("\r") && /^\r?\n/.test(text.slice(end, end + 2));
  // A CRLF text that was cut off before its last line feed.
  return (isCut ? replacement.slice(0, -1) : replacement).replace(/\r?\n/g, lineEnd);
}

/** Returns the number of kinds of line ends in a text. */
function kindsOf(text: string): number {
  return new Set(text.match(/\r\n|\n|\r(?!\n)/g)).size;
}

export function linesOf(text: string): string[] {
  return text.split(text.includes("\n") ? /\r?\n/ : "\r");
}

function unified(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}
