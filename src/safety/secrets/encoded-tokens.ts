import { joinSpans, type SecretSpan } from "./span.ts";
import type { LongSequence } from "./vendor-tokens.ts";

/**
 * Returns parts of a text in base64, hex or percent encoding that contain a secret. `sequences` are the long sequences of
 * the text; `find` searches the decoded text. A sequence of base64 or hex is masked completely, including continuation
 * lines as `base64` and `xxd -p` print them.
 */
export function encodedTokens(
  text: string,
  sequences: readonly LongSequence[],
  find: (decoded: string) => readonly SecretSpan[],
): SecretSpan[] {
  const base64 = base64Blocks(text, sequences).filter(({ start, end }) => {
    const decoded = decodedText(text.slice(start, end));
    return decoded !== undefined && find(decoded).length > 0;
  });
  return [...base64, ...inHex(text, find), ...inPercents(text, find)];
}

/** Returns sequences of base64. Consecutive full lines form one sequence, with the short line at the end. */
function base64Blocks(text: string, sequences: readonly LongSequence[]): SecretSpan[] {
  const blocks: { start: number; end: number }[] = [];
  let isFull = false;
  for (const { run, index } of base64Runs(sequences)) {
    const last = blocks.at(-1);
    if (last && isFull && index === last.end + 1) last.end = index + run.length;
    else blocks.push({ start: index, end: index + run.length });
    const block = blocks.at(-1);
    isFull = run.length >= 60 && run.length <= 80 && text.charAt(index + run.length) === "\n";
    if (block && isFull)
      block.end +=
        /^\n[A-Za-z0-9+/]{1,23}={0,2}(?![\w+/=-])/u.exec(text.slice(block.end, block.end + 30))?.[0].length ?? 0;
  }
  return blocks;
}

function* base64Runs(sequences: readonly LongSequence[]): Generator<{ readonly run: string; readonly index: number }> {
  for (const { text, start } of sequences) {
    if (text.length < minBase64) continue;
    for (const { 0: run, index } of text.matchAll(base64Run)) yield { run, index: start + index };
  }
}

const minBase64 = 24;
const base64Run = /[A-Za-z0-9+/_-]{24,}={0,2}/gu;

/** Returns the decoded text. Undefined for binary data: images, digests, random bytes. */
function decodedText(run: string): string | undefined {
  if (!readable.test(Buffer.from(run.slice(0, 32), "base64").toString("latin1"))) return undefined;
  return Buffer.from(run, "base64").toString("utf8");
}

const readable = /^[\t\n\r\x20-\x7e]{16,}$/u;

/** Matches hex digits that all decode to printable ASCII, unlike digests. */
const hexRun = /\b(?:(?:[2-7][0-9A-Fa-f]|0[9aAdD])\n?){16,}\b/gu;

function inHex(text: string, find: (decoded: string) => readonly SecretSpan[]): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (const { 0: run, index } of text.matchAll(hexRun)) {
    if (find(Buffer.from(run.replaceAll("\n", ""), "hex").toString("latin1")).length > 0)
      spans.push({ start: index, end: index + run.length });
  }
  return spans;
}

function inPercents(text: string, find: (decoded: string) => readonly SecretSpan[]): SecretSpan[] {
  const spans: SecretSpan[] = [];
  if (!escape.test(text)) return spans;
  for (const { 0: run, index } of text.matchAll(percentRun)) {
    if (!escape.test(run)) continue;
    const starts: number[] = [];
    let decoded = "";
    for (let offset = 0; offset < run.length; offset++) {
      const byte = run.charAt(offset) === "%" ? Number.parseInt(run.slice(offset + 1, offset + 3), 16) : Number.NaN;
      starts.push(offset);
      decoded += Number.isNaN(byte) ? run.charAt(offset) : String.fromCharCode(byte);
      if (!Number.isNaN(byte)) offset += 2;
    }
    starts.push(run.length);
    for (const { start, end } of joinSpans(find(decoded)))
      spans.push({ start: index + (starts[start] ?? 0), end: index + (starts[end] ?? run.length) });
  }
  return spans;
}

const escape = /%[0-9A-Fa-f]{2}/u;
const percentRun = /[%\w.~-]{20,}/gu;
