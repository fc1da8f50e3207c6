/** How much of the expected text a text contains, measured in words. */

const cjk = String.raw`[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]`;
const word = new RegExp(`${cjk}|(?:(?!${cjk})[\\p{L}\\p{N}\\p{M}])+`, "gu");

/** In scripts without spaces between words, each character counts as a word. */
export function wordsOf(text: string): readonly string[] {
  return (
    text
      .normalize("NFKC")
      .replaceAll(/\p{Cf}/gu, "")
      .toLowerCase()
      .match(word) ?? []
  );
}

export function countOf(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const each of words) counts.set(each, (counts.get(each) ?? 0) + 1);
  return counts;
}

interface Overlap {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}

/** Words of `either` are neither required nor counted against the text. */
export function overlap(
  text: ReadonlyMap<string, number>,
  expected: ReadonlyMap<string, number>,
  either: ReadonlyMap<string, number>,
): Overlap {
  let common = 0;
  let counted = 0;
  let needed = 0;
  for (const count of expected.values()) needed += count;
  for (const [each, count] of text) {
    const matched = Math.min(count, expected.get(each) ?? 0);
    common += matched;
    counted += count - Math.min(count - matched, either.get(each) ?? 0);
  }
  const precision = counted === 0 ? 0 : common / counted;
  const recall = needed === 0 ? 0 : common / needed;
  return { precision, recall, f1: common === 0 ? 0 : (2 * precision * recall) / (precision + recall) };
}

/** The text of Markdown, without its markup: link URLs, images, link numbers and the link list. */
export function plainOfMarkdown(markdown: string): string {
  return markdown
    .replaceAll(/!\[[^\]]*\](?:\([^)\s]*(?:\s+"[^"]*")?\)|\[[^\]]*\])/g, " ")
    .replaceAll(/\]\((?:<[^>]*>|[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+(?:"(?:[^"\\]|\\.)*"|'[^']*'))?\)/g, "]")
    .replaceAll(/\]\[\d+\]/g, "]")
    .replaceAll(/\\([^\w\s])/g, "$1");
}

/** Prepends a title that the reader returns separately, so that it counts as kept text. */
export function withTitle(title: string | null | undefined, markdown: string): string {
  const opening = wordsOf(plainOfMarkdown(markdown.slice(0, 2000))).join(" ");
  return opening.includes(wordsOf(title ?? "").join(" ")) ? markdown : `# ${title}\n\n${markdown}`;
}
