import type { SecretSpan } from "./span.ts";

/** Returns the span of the matching group of each match that `holds` accepts. */
export function matchedSpans(text: string, shape: RegExp, holds: (value: string) => boolean): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (const match of text.matchAll(shape)) {
    const value = match.slice(1).find((group) => group !== undefined);
    if (value === undefined || !holds(value)) continue;
    const start = match.index + match[0].lastIndexOf(value);
    spans.push({ start, end: start + value.length });
  }
  return spans;
}
