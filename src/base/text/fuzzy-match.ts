/**
 * How well the letters of a query match a text in order. Higher is better; undefined means no match. Letters at word
 * starts and adjacent letters count more; case is ignored.
 */
export function fuzzyScore(query: string, text: string): number | undefined {
  if (query === "") return 0;
  const letters = query.toLowerCase();
  const searched = text.toLowerCase();
  const whole = searched.indexOf(letters);
  if (whole >= 0) {
    const start = wholeScore - Math.min(whole, 200);
    return start + (whole === 0 ? 400 : isWordStart(text, whole) ? 200 : 0) - Math.min(text.length, 200) / 10;
  }
  let score = 0;
  let from = 0;
  let previous = -2;
  for (const char of letters) {
    const index = searched.indexOf(char, from);
    if (index < 0) return undefined;
    score += index === previous + 1 ? 8 : isWordStart(text, index) ? 10 : 1;
    score -= Math.min(index - from, 10) / 5;
    previous = index;
    from = index + char.length;
  }
  return score - Math.min(text.length, 200) / 50;
}

/** Sorts the best matches first; equal matches keep their order. */
export function fuzzyMatches<Item>(
  query: string,
  items: Iterable<Item>,
  textOf: (item: Item) => string,
  limit: number,
): readonly Item[] {
  const scored: { item: Item; score: number }[] = [];
  for (const item of items) {
    const score = fuzzyScore(query, textOf(item));
    if (score !== undefined) scored.push({ item, score });
  }
  return scored
    .toSorted((one, other) => other.score - one.score)
    .slice(0, limit)
    .map(({ item }) => item);
}

const wholeScore = 1_000;

function isWordStart(text: string, index: number): boolean {
  if (index === 0) return true;
  const before = text[index - 1] ?? "";
  if (/[\s/\\_.:-]/u.test(before)) return true;
  return /[a-z]/u.test(before) && /[A-Z]/u.test(text[index] ?? "");
}
