import type { TextEdit } from "./outcome.ts";

/** A way to read `old`, and the edit that it means. Without an edit the new text has two readings. */
interface Reading {
  readonly old: string;
  readonly edit?: TextEdit;
}

/**
 * Returns the readings of an edit whose `old` is wrapped in a way that the file is not: with escapes where the file may
 * have the character itself (`\"`, `\n`, `&lt;`), or with the line numbers of a listing. The new text is read in the same
 * way. A text that mixes both forms has no reading.
 */
export function unwrappedReadings(edit: TextEdit): Reading[] {
  const readings: Reading[] = [];
  for (const kind of escapeKinds) {
    const old = kind.decode(edit.old);
    if (old === edit.old || kind.isMixed(edit.old)) continue;
    readings.push(isUnclear(edit, kind) ? { old } : { old, edit: { ...edit, old, new: kind.decode(edit.new) } });
  }
  return readings;
}

function isUnclear(edit: TextEdit, { decode, isMixed }: EscapeKind): boolean {
  const isEscaped = decode(edit.new) !== edit.new;
  if (isMixed(edit.new) && (isEscaped || decode === withoutNumbers)) return true;
  // Only `old` can show whether `\\n` stands for a line end: the file has one of both.
  const isBackslash = decode === withoutQuoteEscapes || decode === unescapeAll;
  return isBackslash && otherEscape.test(edit.new) && !otherEscape.test(edit.old);
}

interface EscapeKind {
  readonly decode: (text: string) => string;
  /** Whether the text has both the escape and the plain character, so that two readings are possible. */
  readonly isMixed: (text: string) => boolean;
}

const escapeKinds: readonly EscapeKind[] = [
  {
    decode: withoutNumbers,
    isMixed: (text) => !isListing(text) && /^[ \t]*\d+\|/m.test(text),
  },
  {
    decode: (text) => text.replace(entity, (whole, name: string) => entities[name.toLowerCase()] ?? whole),
    isMixed: (text) => [...text.matchAll(entity)].some(([, name = ""]) => isPlainToo(text, name)),
  },
  {
    decode: withoutQuoteEscapes,
    isMixed: (text) => ['"', "'", "`"].some((quote) => text.includes(`\\${quote}`) && hasPlain(text, quote)),
  },
  {
    decode: unescapeAll,
    isMixed: (text) =>
      /[\n\r\t]/.test(text) ||
      ['"', "'", "`"].some((quote) => text.includes(`\\${quote}`) && hasPlain(text, quote)) ||
      hasEscapeInQuotes(text),
  },
];

function withoutNumbers(text: string): string {
  return isListing(text) ? text.replace(/^[ \t]*\d+\|/gm, "") : text;
}

/** Whether every line begins with its number, in order and without a gap. A single line must have enough text. */
function isListing(text: string): boolean {
  if (!/\n./.test(text) && !/^[ \t]*\d+\|.*\S.{6,}\S/.test(text)) return false;
  const numbers = text
    .replace(/\r?\n$/, "")
    .split("\n")
    .map((line) => Number(/^[ \t]*(\d+)\|/.exec(line)?.[1] ?? Number.NaN));
  return numbers.every((number, index) => number === (numbers[0] ?? 0) + index);
}

/** `&lt;`, `&#39;`, `&#x27;` and the others that serialisers write. */
const entity = /&(lt|gt|amp|quot|apos|#39|#x27|#34|#x22|#60|#62|#38);/giu;
const entities: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  amp: "&",
  quot: '"',
  apos: "'",
  "#39": "'",
  "#x27": "'",
  "#34": '"',
  "#x22": '"',
  "#60": "<",
  "#62": ">",
  "#38": "&",
};

function isPlainToo(text: string, name: string): boolean {
  const char = entities[name.toLowerCase()] ?? "";
  return text.replace(entity, "").includes(char);
}

const otherEscape = /\\[nrt\\]/;

function withoutQuoteEscapes(text: string): string {
  return text.replace(/\\(["'`])/g, "$1");
}

function hasPlain(text: string, quote: string): boolean {
  return new RegExp(`(?<!\\\\)(?:\\\\\\\\)*${quote}`).test(text);
}

function unescapeAll(text: string): string {
  return text.replace(/\\(["'`\\nrt])/g, (_, char: string) => controls[char] ?? char);
}

const controls: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };

/** Whether `\n`, `\r` or `\t` is inside quotes: there it may be part of the program. */
function hasEscapeInQuotes(text: string): boolean {
  let open = "";
  for (let index = 0; index < text.length; index++) {
    let char = text.charAt(index);
    if (char === "\\") {
      const next = text.charAt(++index);
      if (/[nrt]/.test(next)) {
        if (open !== "") return true;
        continue;
      }
      char = next;
    }
    if (open === "" && /["'`]/.test(char)) open = char;
    else if (char === open) open = "";
  }
  return false;
}
