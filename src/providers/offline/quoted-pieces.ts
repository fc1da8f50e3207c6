/** A text whose quoted pieces are one character each, so that a rule cannot look into them. */
export interface MaskedText {
  readonly text: string;
  /** What a captured part of it means: a single quoted piece without its quotes, anything else as it was written. */
  meant(captured: string): string;
  /** As it was written, quotes and all. */
  written(captured: string): string;
  /** It is one quoted piece and nothing else. */
  isQuoted(captured: string): boolean;
}

/** Code blocks, back-ticks, and the quotation marks of several languages. An apostrophe inside a word is none. */
export function maskQuoted(raw: string): MaskedText {
  const pieces: { readonly written: string; readonly meant: string }[] = [];
  function keep(written: string, meant: string): string | undefined {
    if (pieces.length >= most) return undefined;
    pieces.push({ written, meant });
    return String.fromCharCode(first + pieces.length - 1);
  }
  const restored = (captured: string): string =>
    captured.replace(placeholder, (sign) => pieces[sign.charCodeAt(0) - first]?.written ?? sign);
  const only = (captured: string) => (captured.length === 1 ? pieces[captured.charCodeAt(0) - first] : undefined);

  let text = raw.replace(placeholder, "\ufffd");
  for (const kind of quoteKinds) {
    text = maskKind(text, kind, (written, inner) => keep(restored(written), restored(inner)));
  }
  // What follows a line that ends in a colon is meant as it stands.
  const [, head, rest] = /^([^\n]{1,300}:)[ \t]*\n([\s\S]+)$/u.exec(text) ?? [];
  if (head !== undefined && rest !== undefined && !only(rest.trim())) {
    text = `${head} ${keep(restored(rest), restored(rest)) ?? rest}`;
  }
  return {
    text,
    meant: (captured) => only(captured.trim())?.meant ?? restored(captured.trim()),
    written: (captured) => restored(captured.trim()),
    isQuoted: (captured) => only(captured.trim()) !== undefined,
  };
}

const first = 0xe000;
const most = 0x100;
const placeholder = /[\ue000-\ue0ff]/gu;

interface QuoteKind {
  /** Both are sticky and global: they tell where a piece begins and where it ends. */
  readonly open: RegExp;
  readonly close: RegExp;
  readonly staysInLine?: boolean;
  meaning?(inner: string): string;
}

const quoteKinds: readonly QuoteKind[] = [
  { open: /^```[^\n`]*\n/gmu, close: /^```[ \t]*$/gmu },
  { open: /`/gu, close: /`/gu, staysInLine: true },
  { open: /"/gu, close: /(?<!\\)(?:\\\\)*"/gu, meaning: unescaped },
  { open: /“/gu, close: /”/gu },
  { open: /„/gu, close: /[“”]/gu },
  { open: /«\s*/gu, close: /\s*»/gu },
  { open: /‘/gu, close: /’/gu, staysInLine: true },
  { open: /(?<![^\s(=:])'/gu, close: /'(?![\p{L}\p{N}])/gu, staysInLine: true },
];

/** Goes through the text once: where nothing closes a piece, none begins there or later in that line. */
function maskKind(text: string, kind: QuoteKind, keep: (written: string, inner: string) => string | undefined): string {
  let masked = "";
  let from = 0;
  for (let at = 0; at < text.length;) {
    const opening = find(kind.open, text, at);
    const closing = opening && find(kind.close, text, opening.end);
    if (!opening || !closing) break;
    const lineEnd = kind.staysInLine ? text.indexOf("\n", opening.end) : -1;
    if (lineEnd >= 0 && lineEnd < closing.start) {
      at = lineEnd + 1;
      continue;
    }
    // The backslashes that a closing sign may have before it belong to the piece.
    const sign = text.slice(closing.start, closing.end).replace(/^\\+/u, "");
    const inner = text.slice(opening.end, closing.end - sign.length);
    const kept = keep(text.slice(opening.start, closing.end), kind.meaning?.(inner) ?? inner);
    if (kept === undefined) break;
    masked += text.slice(from, opening.start) + kept;
    from = closing.end;
    at = closing.end;
  }
  return masked + text.slice(from);
}

function find(
  pattern: RegExp,
  text: string,
  from: number,
): { readonly start: number; readonly end: number } | undefined {
  const search = new RegExp(pattern);
  search.lastIndex = from;
  const found = search.exec(text);
  return found ? { start: found.index, end: found.index + found[0].length } : undefined;
}

/** `\n` and `\t` between double quotes are what a person means by them. */
function unescaped(inner: string): string {
  return inner.replace(/\\([nt"\\])/gu, (_, sign: string) => (sign === "n" ? "\n" : sign === "t" ? "\t" : sign));
}
