import { once } from "../../../base/async/once.ts";

/**
 * The words of a name or a sentence, normalized for search: `createIssues`, `create-issue` and "creating an issue" give
 * the same two words. Text without spaces (Chinese, Japanese) is split into pairs of characters. A caller with many
 * texts passes a map as a cache.
 */
export function wordsOf(text: string, stems = new Map<string, string>()): string[] {
  const words: string[] = [];
  for (const run of runsOf(text)) {
    if (emptyWords.has(run)) continue;
    const cached = stems.get(run);
    if (cached !== undefined) words.push(cached);
    else if (!isAscii(run) && shapes().unspaced.test(run)) words.push(...pairsOf(run));
    else {
      const root = stem(run);
      stems.set(run, root);
      words.push(root);
    }
  }
  return words;
}

/**
 * Splits into letters and digits in lower case. Most texts are pure ASCII, for which a ten times faster path exists.
 */
function runsOf(text: string): readonly string[] {
  if (isAscii(text)) {
    const split = /[A-Z]/.test(text)
      ? text.replace(/([a-z0-9]|[A-Z](?=[A-Z][a-z]))([A-Z])/g, "$1 $2").toLowerCase()
      : text;
    return split.match(/[a-z0-9]+/g) ?? [];
  }
  const { camelHump, wordRun } = shapes();
  return text.normalize("NFKC").replace(camelHump, "$1 $2").toLowerCase().match(wordRun) ?? [];
}

function isAscii(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- the pattern matches all ASCII characters
  return /^[\0-\x7f]*$/.test(text);
}

/** Keeps only the characters that distinguish names: `web_search` and "Web-Search" become equal. */
export function normalizeName(text: string): string {
  if (isAscii(text)) return text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "");
  return text.normalize("NFKC").toLowerCase().replace(shapes().notWord, "");
}

/** Created on first use, because building Unicode sets takes a millisecond. */
const shapes = once(() => ({
  camelHump: /(\p{Ll}|\p{N}|\p{Lu}(?=\p{Lu}\p{Ll}))(\p{Lu})/gu,
  wordRun: /[\p{L}\p{M}\p{N}]+/gu,
  notWord: /[^\p{L}\p{M}\p{N}]+/gu,
  unspaced: /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u,
}));
const emptyWords: ReadonlySet<string> = new Set(
  "a an and are as at be by can do for from how i in is it me my of on or that the this to tool tools use using want with you your".split(
    " ",
  ),
);

function pairsOf(run: string): string[] {
  const characters = Array.from(run);
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/** Removes plurals and the most common endings. The rules are crude, but the same for query and text. */
function stem(word: string): string {
  let root = word;
  if (root.length > 4 && root.endsWith("ies")) root = `${root.slice(0, -3)}y`;
  else if (root.length > 4 && /(?:ss|x|z|ch|sh)es$/.test(root)) root = root.slice(0, -2);
  else if (root.length > 3 && /[^sui]s$/.test(root)) root = root.slice(0, -1);
  if (root.length > 5 && /(?:ing|ion)$/.test(root)) root = undouble(root.slice(0, -3));
  else if (root.length > 4 && root.endsWith("ed")) root = undouble(root.slice(0, -2));
  return root.length > 3 && root.endsWith("e") ? root.slice(0, -1) : root;
}

function undouble(root: string): string {
  return /([bdgmnprt])\1$/.test(root) ? root.slice(0, -1) : root;
}
