/** Replaces each quoted piece of a text by a single character, so that no pattern matches inside quotes. */
export interface MaskedText {
  readonly text: string;
  /** Returns a text that is one quoted piece without its quotes, and any other text unchanged. */
  unquote(captured: string): string;
  /** The original text, with quotes. */
  restore(captured: string): string;
  isQuoted(captured: string): boolean;
}

/** Masks code blocks, back-ticks and quotation marks. An apostrophe inside a word is not a quote. */
export function maskQuoted(raw: string): MaskedText {
  const pieces: { readonly written: string; readonly inner: string }[] = [];
  const keep = (written: string, inner: string): string => {
    if (pieces.length >= maxPieces) return written;
    pieces.push({ written, inner });
    return String.fromCharCode(firstPlaceholder + pieces.length - 1);
  };
  const pieceOf = (sign: string) => pieces[sign.charCodeAt(0) - firstPlaceholder];
  const singlePiece = (captured: string) => (captured.trim().length === 1 ? pieceOf(captured.trim()) : undefined);
  const restore = (captured: string) => captured.trim().replace(placeholder, (sign) => pieceOf(sign)?.written ?? sign);

  let text = raw.replace(placeholder, "\ufffd").replace(quotes, (written: string, ...groups: unknown[]) => {
    const inner = groups.slice(0, quoteKinds.length).find((group) => typeof group === "string") ?? "";
    return keep(written, written.startsWith('"') ? unescape(inner) : inner);
  });
  // The text after a line that ends in a colon is literal.
  const [, head, rest] = /^([^\n]{1,300}:)[ \t]*\n([\s\S]+)$/u.exec(text) ?? [];
  if (head !== undefined && rest !== undefined && !singlePiece(rest)) {
    const literal = rest.replace(placeholder, (sign) => pieceOf(sign)?.written ?? sign);
    text = `${head} ${keep(literal, literal)}`;
  }
  return {
    text,
    unquote: (captured) => singlePiece(captured)?.inner ?? restore(captured),
    restore,
    isQuoted: (captured) => singlePiece(captured) !== undefined,
  };
}

const firstPlaceholder = 0xe000;
const maxPieces = 0x100;
const placeholder = /[\ue000-\ue0ff]/gu;

const quoteKinds = [
  "^```[^\\n`]*\\n([\\s\\S]*?)^```[ \\t]*$",
  "`([^`\\n]+)`",
  '"((?:[^"\\\\]|\\\\.)*)"',
  "“([^”]*)”",
  "(?<![^\\s(=:])'([^'\\n]*)'(?![\\p{L}\\p{N}])",
];
const quotes = new RegExp(quoteKinds.join("|"), "gmu");

/** People write `\n` and `\t` inside double quotes to mean a line end and a tab. */
function unescape(inner: string): string {
  return inner.replace(/\\([nt"\\])/gu, (_, sign: string) => (sign === "n" ? "\n" : sign === "t" ? "\t" : sign));
}
