import { valueOr } from "../../base/result.ts";
import { escapeLetters } from "../../base/text/shell-quote.ts";

/** Shell words. A shell prints bytes; strings hold one byte per character (latin1), so that none is lost. */

/** Splits at line ends outside quotes: `export -p` and `alias` print one entry per line. */
export function logicalLines(text: string): string[] {
  return text.match(/(?:\$'(?:[^'\\]|\\[^])*'|'[^']*'|"(?:[^"\\]|\\[^])*"|\\[^]|[^\n'"\\$]+|[^\n])+/gu) ?? [];
}

/** The value of a word without expansions. */
export function unquoted(word: string): string {
  return word.replace(/\$'(?:[^'\\]|\\[^])*'|'[^']*'|"(?:[^"\\]|\\[^])*"|\\[^]/gu, partValue);
}

/** The words of a line, separated by blanks outside quotes. */
export function unquotedWords(line: string): string[] {
  const words = line.match(/(?:\$'(?:[^'\\]|\\[^])*'|'[^']*'|"(?:[^"\\]|\\[^])*"|\\[^]|\S)+/gu) ?? [];
  return words.map(unquoted);
}

/** Decodes bytes of a shell; undefined when they are not UTF-8. */
export function asText(bytes: string): string | undefined {
  return valueOr(
    () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(bytes, "latin1")),
    undefined,
  );
}

function partValue(part: string): string {
  if (part.startsWith("$'")) return part.slice(2, -1).replace(/\\([0-7]{1,3}|x[0-9a-fA-F]{1,2}|[^])/gu, ansiEscape);
  if (part.startsWith("'")) return part.slice(1, -1);
  if (part.startsWith('"')) return part.slice(1, -1).replace(/\\([$`"\\\n])/gu, (_, kept: string) => kept);
  return part.slice(1);
}

function ansiEscape(_: string, escape: string): string {
  if (/^[0-7]/u.test(escape)) return String.fromCharCode(Number.parseInt(escape, 8) & 0xff);
  if (/^x./u.test(escape)) return String.fromCharCode(Number.parseInt(escape.slice(1), 16));
  return ansiNames[escape] ?? escape;
}

const ansiNames: Readonly<Record<string, string>> = { ...escapeLetters, E: "\x1b" };
