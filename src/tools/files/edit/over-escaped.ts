import type { TextEdit } from "./outcome.ts";

/** A way to read `old`, and the edit that it means. Without an edit the new text has two readings. */
interface Reading {
  readonly old: string;
  readonly edit?: TextEdit;
}

/**
 * Returns the readings of an edit whose `old` is wrapped in a way that the file is not: with escapes where the file may
 * have the character itself (`\"`, `\n`, `&lt;`, `\u003c`), with the line numbers of a listing, in a Markdown fence, or
 * with invisible characters. The new text is read in the same way. A text that mixes both forms has no reading.
 */
export function unwrappedReadings(edit: TextEdit): Reading[] {
  const readings: Reading[] = [];
  for (const kind of escapeKinds) {
    const old = kind.decode(edit.old);
    if (old === edit.old || old.trim() === "" || kind.isMixed(edit.old)) continue;
    readings.push(isUnclear(edit, kind) ? { old } : { old, edit: { ...edit, old, new: kind.decode(edit.new) } });
  }
  return readings;
}

function isUnclear(edit: TextEdit, { decode, isMixed }: EscapeKind): boolean {
  const isEscaped = decode(edit.new) !== edit.new;
  const isListing = listings.some((listing) => listing.decode === decode);
  // Numbers that do not start where the old ones do are data.
  if (isListing && isEscaped && firstNumber(edit.old) !== firstNumber(edit.new)) return true;
  if (isMixed(edit.new) && (isEscaped || isListing || decode === halved)) return true;
  // Only `old` can show whether `\\n` stands for a line end: the file has one of both.
  const isBackslash = decode === withoutQuoteEscapes || decode === unescapeAll;
  return isBackslash && otherEscape.test(edit.new) && !otherEscape.test(edit.old);
}

function firstNumber(text: string): string | undefined {
  return /\d+/.exec(text)?.[0];
}

interface EscapeKind {
  readonly decode: (text: string) => string;
  /** Whether the text has both the escape and the plain character, so that two readings are possible. */
  readonly isMixed: (text: string) => boolean;
}

/** The signs between a line number and the text of its line, as listings of different programs write them. */
const numberSigns = ["\\|", "[ \\t]\\| ?", "\\t", "→", ":", ": ", "[│] ?"];
const listings = numberSigns.map(listingWith);

const escapeKinds: readonly EscapeKind[] = [
  ...listings,
  { decode: withoutFence, isMixed: () => false },
  {
    decode: (text) =>
      text.replace(/\\u([0-9a-f]{4})/giu, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    isMixed: (text) => /\\\\u/u.test(text),
  },
  // Every backslash is doubled, also in a text of several lines. Before a quote it may be an escape of the quote.
  { decode: halved, isMixed: (text) => /(?<!\\)(?:\\\\)*\\(?!\\)|\\["'`]/u.test(text) },
  { decode: (text) => text.replace(/[\u200b\u2060\ufeff]/g, ""), isMixed: () => false },
  {
    decode: (text) => text.replace(entity, (_, name: string) => signOf(name)),
    isMixed: (text) => [...text.matchAll(entity)].some(([, name = ""]) => isPlainToo(text, name)),
  },
  {
    decode: withoutQuoteEscapes,
    isMixed: (text) =>
      ['"', "'", "`", "\\$\\{"].some((sign) => text.includes(`\\${sign.replaceAll("\\", "")}`) && hasPlain(text, sign)),
  },
  {
    decode: unescapeAll,
    isMixed: (text) =>
      /[\n\r\t]/.test(text) ||
      ['"', "'", "`"].some((quote) => text.includes(`\\${quote}`) && hasPlain(text, quote)) ||
      hasEscapeInQuotes(text),
  },
  {
    decode: (text) => (text.includes("\t") ? text.replace(/(?:\\r)?\\n/g, "\n") : text),
    isMixed: (text) => /[\n\r]/.test(text) || /\\[^n]/.test(text) || hasEscapeInQuotes(text),
  },
];

function listingWith(sign: string): EscapeKind {
  const number = new RegExp(`^[ \\t]*L?(\\d+)${sign}`);
  // The space after the sign is absent on an empty line.
  const numbered = new RegExp(`^[ \\t]*L?\\d+(?:${sign}|${sign.trimEnd()}$)`, "gm");
  const single = new RegExp(`${number.source}.*\\S.{6,}\\S`);

  /** Whether every line begins with its number, in order and without a gap. A single line must have enough text. */
  function isListing(text: string): boolean {
    if (!/\n./.test(text) && !single.test(text)) return false;
    const numbers = text
      .replace(/\r?\n$/, "")
      .split("\n")
      .map((line) => Number((number.exec(line) ?? number.exec(`${line.trimEnd()} `))?.[1] ?? Number.NaN));
    return numbers.every((value, index) => value === (numbers[0] ?? 0) + index);
  }

  return {
    decode: (text) => (isListing(text) ? text.replace(numbered, "") : text),
    isMixed: (text) => !isListing(text) && new RegExp(number.source, "m").test(text),
  };
}

/** Returns the content of a text that is one fenced block of Markdown. */
function withoutFence(text: string): string {
  const block = text.trim();
  const start = block.indexOf("\n");
  const end = block.lastIndexOf("\n");
  const [, fence] = /^(`{3,}|~{3,})[\w+-]*\s*$/.exec(block.slice(0, start)) ?? [];
  if (fence === undefined || block.slice(end + 1).trim() !== fence) return text;
  const content = block.slice(start + 1, Math.max(start + 1, end)).replace(/\r$/, "");
  return content.includes(fence) ? text : content;
}

/** `&lt;`, `&#39;`, `&#x5b;`: names and numbers of ASCII signs, as serialisers write them. */
const entity =
  /&(lt|gt|amp|quot|apos|#(?:3[3-9]|4[0-7]|5[89]|6[0-4]|9[1-6]|12[3-6])|#x(?:2[1-9a-f]|3[a-f]|40|5[b-f]|60|7[b-e]));/giu;
const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

function signOf(entityName: string): string {
  const name = entityName.toLowerCase();
  const code = name.startsWith("#x") ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return entities[name] ?? String.fromCharCode(code);
}

function isPlainToo(text: string, name: string): boolean {
  return text.replace(entity, "").includes(signOf(name));
}

function halved(text: string): string {
  return text.replaceAll("\\\\", "\\");
}

const otherEscape = /\\[nrt\\]/;

function withoutQuoteEscapes(text: string): string {
  return text.replace(/\\(["'`]|\$(?=\{))/g, "$1");
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
