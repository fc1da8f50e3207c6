import { asciiJson } from "../json.ts";

/** Hides configured secret values in any text. */
export interface Mask {
  /**
   * Masks this value in later texts. Values under 6 characters are ignored: masking them would garble ordinary text.
   */
  add(value: string): void;
  /**
   * Replaces every registered value with `***`, also in forms escaped for JSON, XML or a shell, percent-encoded,
   * base64 or hex. Each long line of a multi-line value is masked separately.
   */
  redact(text: string): string;
}

export function createMask(): Mask {
  const values = new Set<string>();
  let finder: Finder | undefined;
  return {
    add(value) {
      const trimmed = value.trim();
      const lines = trimmed.includes("\n")
        ? trimmed.split(/\r?\n/u).filter((line) => line.trim().length >= longLine)
        : [];
      for (const each of [trimmed, ...lines.map((line) => line.trim())]) {
        if (each.length < shortest || values.has(each)) continue;
        values.add(each);
        finder = undefined;
      }
    },
    redact(text) {
      if (values.size === 0 || text.length < shortest) return text;
      finder ??= createFinder([...values].flatMap(spellingsOf));
      return hideAll(text, finder);
    },
  };
}

const shortest = 6;
/** Shorter lines of a long value are not masked, because they may be ordinary text: the frame of a key, a bracket. */
const longLine = 20;

/**
 * The search also looks inside each match for the start of another one, so that overlapping values are masked
 * completely.
 */
function hideAll(text: string, finder: Finder): string {
  let shown = "";
  let from = 0;
  let hit = finder(text, 0);
  while (hit) {
    shown += `${text.slice(from, hit.start)}***`;
    from = hit.end;
    let next = finder(text, hit.start + 1);
    while (next && next.start < from) {
      from = Math.max(from, next.end);
      next = finder(text, next.start + 1);
    }
    hit = next;
  }
  return from === 0 ? text : shown + text.slice(from);
}

// ── spellings of a value ────────────────────────────────────────────────────────────────────────────────────────────

function spellingsOf(value: string): string[] {
  const json = jsonEscaped(value);
  const nested = jsonEscaped(json);
  const hex = Buffer.from(value).toString("hex");
  return [
    value,
    json,
    nested,
    jsonEscaped(nested),
    asciiJson(json),
    hex,
    hex.toUpperCase(),
    ...percentEncoded(value.toWellFormed()),
    ...inBase64(value),
    ...shellQuoted(value),
    xmlEscaped(value),
  ];
}

/** The spellings that `printf %q`, `declare -p` and `set -x` produce. */
function shellQuoted(value: string): string[] {
  return [
    value.replace(/[^\w@%+=:,./-]/gu, "\\$&"),
    value.replace(/[$"`\\]/gu, "\\$&"),
    value.replaceAll("'", String.raw`'\''`),
  ];
}

function xmlEscaped(value: string): string {
  return value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

function jsonEscaped(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

/** The spellings in whole URLs, parts of URLs and forms, with hex digits in either case. */
function percentEncoded(value: string): string[] {
  const part = encodeURIComponent(value);
  const strict = part.replace(/[!'()*]/gu, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  const form = strict.replaceAll("%20", "+");
  const encoded = [part, strict, form, encodeURI(value), encodeURIComponent(part)];
  return encoded.concat(encoded.map((text) => text.replace(/%[0-9A-F]{2}/gu, (byte) => byte.toLowerCase())));
}

/** The base64 text that does not depend on the text before and after the value, for each of its three offsets. */
function inBase64(value: string): string[] {
  const bytes = Buffer.from(value);
  const encoded = [0, 2, 3].map((skipped, before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    return text.slice(skipped, Math.floor(((before + bytes.length) * 8) / 6));
  });
  return encoded.concat(encoded.map((text) => text.replaceAll("+", "-").replaceAll("/", "_")));
}

// ── finding any of many ─────────────────────────────────────────────────────────────────────────────────────────────

/** The first offset at or after `at` where one of the words starts; if several start there, the longest. */
type Finder = (text: string, offset: number) => { readonly start: number; readonly end: number } | undefined;

/**
 * A table of hashed prefixes excludes nearly every offset quickly. The others are looked up by a prefix as long as the
 * words allow, so that many keys of one vendor, which share a prefix, cost no more than one.
 */
function createFinder(words: readonly string[]): Finder {
  const hashes = new Uint8Array(tableSize);
  const tables = [40, 16, shortest].map((length) => ({ length, byBeginning: new Map<string, string[]>() }));
  for (const word of [...new Set(words)].toSorted((a, b) => b.length - a.length)) {
    hashes[hashAt(word, 0)] = 1;
    const table = tables.find(({ length }) => length <= word.length);
    const beginning = word.slice(0, table?.length);
    const alike = table?.byBeginning.get(beginning);
    if (alike) alike.push(word);
    else table?.byBeginning.set(beginning, [word]);
  }
  return (text, offset) => {
    for (let start = offset; start + shortest <= text.length; start++) {
      if (hashes[hashAt(text, start)] === 0) continue;
      for (const { length, byBeginning } of tables) {
        const alike = byBeginning.get(text.slice(start, start + length));
        const word = alike?.find((candidate) => text.startsWith(candidate, start));
        if (word) return { start, end: start + word.length };
      }
    }
    return undefined;
  };
}

const tableSize = 2 ** 16;

function hashAt(text: string, offset: number): number {
  const a = text.charCodeAt(offset) * 31 + text.charCodeAt(offset + 1);
  const b = text.charCodeAt(offset + 3) * 31 + text.charCodeAt(offset + 5);
  return (a * 961 + b) & (tableSize - 1);
}
