import { rot13 } from "../code/known/shared-names.ts";
import type { TextRange } from "./finding.ts";

/** A part of a text that has another meaning when it is decoded. */
export interface EncodedPart extends TextRange {
  readonly decoded: string;
}

/** Finds base64 and hex that decode to text. Also finds text in ROT13 or written backwards, if the text mentions it. */
export function encodedText(text: string): EncodedPart[] {
  return [
    ...runsOf(text, base64, (run) => Buffer.from(run, "base64")),
    ...runsOf(text, hex, (run) => Buffer.from(run.replaceAll(/\\x|[\s:]/gu, ""), "hex")),
    ...around(text, turned, rot13),
    ...around(text, reversed, backwards),
  ];
}

/** Decodes the lines around each mention of the encoding, or around two very common encoded words. */
function around(text: string, shape: RegExp, decode: (text: string) => string): EncodedPart[] {
  const pieces: EncodedPart[] = [];
  for (const { 0: run, index } of text.matchAll(shape)) {
    const last = pieces.at(-1);
    if (last && index < last.end) continue;
    const start = text.lastIndexOf("\n", Math.max(0, index - earshot)) + 1;
    const lineEnd = text.indexOf("\n", index + run.length + earshot);
    const end = Math.min(lineEnd === -1 ? text.length : lineEnd, index + run.length + 2 * earshot);
    const from = Math.max(start, last?.end ?? 0, index - 2 * earshot);
    const decoded = decode(text.slice(from, end));
    if (commonWords.test(decoded)) pieces.push({ start: from, end, decoded });
  }
  return pieces;
}

const earshot = 400;
/** Words that show that decoding was successful. Ordinary text contains few of them after decoding. */
const commonWords =
  /(?:\b(?:the|and|your|all|for|this|with|you|not|to|of|is|from|send|delete|instructions?|ignore|prompt|secret|key)\b[^]*?){3}/iu;

/** A mention of the encoding, or two very common encoded words. */
const turned =
  /\brot[- ]?13\b|(?:\b(?:gur|naq|lbhe|nyy|sbe|guvf|jvgu|lbh|abg|vafgehpgvbaf|frperg|cebzcg|fraq|qryrgr)\b[\s\S]{0,300}?){2}/giu;
const reversed =
  /\u202e|\breverse|\bbackwards?\b|(?:\b(?:eht|dna|ruoy|lla|siht|htiw|uoy|morf|snoitcurtsni|dnes|eteled|yek)\b[\s\S]{0,300}?){2}/giu;
const base64 = /[A-Za-z0-9+/_-]{24,}={0,2}/gu;
const hex = /(?:(?:\\x)?[0-9a-fA-F]{2}[ :]?){16,}/gu;
/** The maximum number of characters to decode, so that every text is scanned quickly. */
const maxChars = 200_000;

function runsOf(text: string, shape: RegExp, decode: (run: string) => Buffer): EncodedPart[] {
  const pieces: EncodedPart[] = [];
  let left = maxChars;
  for (const { 0: run, index } of text.matchAll(shape)) {
    if (left < 0) break;
    if (!isText(decode(run.slice(0, 64)).toString("utf8"))) continue;
    left -= run.length;
    pieces.push({ start: index, end: index + run.length, decoded: decode(run).toString("utf8") });
  }
  return pieces;
}

/** Returns whether the decoded bytes are words with spaces, in any script. The last character may be incomplete. */
function isText(decoded: string): boolean {
  return (
    !noText.test(decoded.slice(0, -1)) && /\p{L}{2}[\s,]+[\p{L}~/$.-]|[\u3040-\u9fff\uac00-\ud7af]{4}/u.test(decoded)
  );
}

// oxlint-disable-next-line no-control-regex -- decoded binary data contains these characters
const noText = /[\0-\x08\x0e-\x1f\ufffd]/u;

function backwards(text: string): string {
  return Array.from(text).toReversed().join("");
}
