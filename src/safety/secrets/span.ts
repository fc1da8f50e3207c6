/** A part of a text: from `start` up to `end`, exclusive. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
}

/** Sorts spans and joins those that touch or overlap. */
export function joinSpans(spans: readonly SecretSpan[]): readonly SecretSpan[] {
  const joined: { start: number; end: number }[] = [];
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = joined.at(-1);
    if (last && start < last.end) last.end = Math.max(last.end, end);
    else joined.push({ start, end });
  }
  return joined;
}
