import type { SecretSpan } from "./span.ts";

/** Returns the span of the matching group of each match that `holds` accepts, by its text and its end. */
export function matchedSpans(
  text: string,
  shape: RegExp,
  holds: (value: string, end: number) => boolean,
): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (const match of text.matchAll(shape)) {
    const value = match.slice(1).find((group) => group !== undefined);
    if (value === undefined) continue;
    const start = match.index + match[0].lastIndexOf(value);
    const end = start + value.length;
    if (holds(value, end)) spans.push({ start, end });
  }
  return spans;
}
