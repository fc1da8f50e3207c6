/** The first `maxChars` characters, or one fewer so that a surrogate pair is not split. */
export function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const end = Math.max(0, Math.floor(maxChars));
  const code = text.charCodeAt(end - 1);
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? end - 1 : end);
}

/**
 * Joins a text into one line, with runs of white space as one blank. At most `maxChars` long; a shortened text ends in
 * "…".
 */
export function oneLine(text: string, maxChars: number): string {
  return shorten(text.replace(/\s+/gu, " ").trim(), maxChars);
}

/**
 * The first sentence of a text, on one line: up to the first full stop, exclamation or question mark, or the end of
 * the paragraph.
 */
export function firstSentence(text: string, maxChars: number): string {
  const paragraph = text.trim().split(/\n\s*\n/u, 1)[0] ?? "";
  const sentence = /^.*?[.!?](?=\s|$)/su.exec(paragraph)?.[0] ?? paragraph;
  return oneLine(sentence, maxChars);
}

/** Whether this Markdown text ends inside a code block. */
export function endsInCodeBlock(text: string): boolean {
  return (text.match(/^[ \t]*(?:```|~~~)/gmu)?.length ?? 0) % 2 === 1;
}

/** The count with the noun in the right form: `1 file`, `2 files`, `0 entries`. */
export function plural(count: number, noun: string): string {
  if (count === 1) return `1 ${noun}`;
  if (/[^aeiou]y$/u.test(noun)) return `${count} ${noun.slice(0, -1)}ies`;
  return `${count} ${noun}${/(?:s|x|z|ch|sh)$/u.test(noun) ? "es" : "s"}`;
}

function shorten(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return maxChars < 1 ? "" : `${cut(text, maxChars - 1).trimEnd()}…`;
}
