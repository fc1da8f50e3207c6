import type { Span } from "./span.ts";

/** The spans of the one group that matched, where `holds` says so. */
export function spansOf(text: string, shape: RegExp, holds: (value: string) => boolean): Span[] {
  const found: Span[] = [];
  for (const match of text.matchAll(shape)) {
    const value = match.slice(1).find((group) => group !== undefined);
    if (value === undefined || !holds(value)) continue;
    const start = match.index + match[0].lastIndexOf(value);
    found.push({ start, end: start + value.length });
  }
  return found;
}
