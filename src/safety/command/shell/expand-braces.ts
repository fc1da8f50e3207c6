/**
 * Expands `{a,b}` and `{1..5}`, before all other expansions; quotes stay. Undefined: too many words, or nested too
 * deeply.
 */
export function expandBraces(word: string): readonly string[] | undefined {
  return expand(word, 0);
}

const maxWords = 1_000;

function expand(word: string, depth: number): readonly string[] | undefined {
  if (depth > maxDepth) return undefined;
  const brace = findBrace(word, 0);
  if (!brace) return [word];
  const before = word.slice(0, brace.start);
  const after = expand(word.slice(brace.end), depth + 1);
  const items = brace.items?.map((item) => expand(item, depth + 1));
  const choices = items ? together(items) : sequence(word.slice(brace.start + 1, brace.end - 1));
  if (!choices || !after || choices.length * after.length > maxWords) return undefined;
  return choices.flatMap((choice) => after.map((rest) => before + choice + rest));
}

const maxDepth = 40;

function together(lists: readonly (readonly string[] | undefined)[]): readonly string[] | undefined {
  return lists.every((list) => list !== undefined) ? lists.flat() : undefined;
}

interface Brace {
  readonly start: number;
  readonly end: number;
  /** Undefined: no comma, so it is a sequence or not a brace expansion. */
  readonly items: readonly string[] | undefined;
}

function findBrace(word: string, from: number): Brace | undefined {
  for (let offset = from; offset < word.length; offset = next(word, offset)) {
    if (word[offset] !== "{") continue;
    const brace = closeBrace(word, offset);
    if (brace && (brace.items || sequence(word.slice(brace.start + 1, brace.end - 1)))) return brace;
  }
  return undefined;
}

function closeBrace(word: string, start: number): Brace | undefined {
  const items: string[] = [];
  let depth = 0;
  let itemStart = start + 1;
  for (let offset = start + 1; offset < word.length; offset = next(word, offset)) {
    const char = word[offset];
    if (char === "{") depth += 1;
    else if (char === "}" && depth > 0) depth -= 1;
    else if (char === "," && depth === 0) {
      items.push(word.slice(itemStart, offset));
      itemStart = offset + 1;
    } else if (char === "}") {
      const end = offset + 1;
      return { start, end, items: items.length > 0 ? [...items, word.slice(itemStart, offset)] : undefined };
    }
  }
  return undefined;
}

/** The offset after a character, a quoted part, an escape or `${…}`. */
function next(word: string, offset: number): number {
  const char = word[offset];
  if (char === "\\") return offset + 2;
  if (char === "'") return after(word.indexOf("'", offset + 1), word);
  if (char === "$" && word[offset + 1] === "{") return after(word.indexOf("}", offset + 2), word);
  if (char !== '"') return offset + 1;
  let end = offset + 1;
  while (end < word.length && word[end] !== '"') end += word[end] === "\\" ? 2 : 1;
  return end + 1;
}

function after(offset: number, word: string): number {
  return offset < 0 ? word.length : offset + 1;
}

function sequence(text: string): readonly string[] | undefined {
  const [, from = "", to = "", by] = /^(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.(-?\d+))?$/u.exec(text) ?? [];
  if (from === "" || /\d/u.test(from) !== /\d/u.test(to)) return undefined;
  const isNumber = /\d/u.test(from);
  const [first, last] = isNumber ? [Number(from), Number(to)] : [from.charCodeAt(0), to.charCodeAt(0)];
  const step = Math.abs(Number(by ?? 1)) || 1;
  const count = Math.floor(Math.abs(last - first) / step) + 1;
  const sign = last < first ? -1 : 1;
  return Array.from({ length: Math.min(count, maxWords + 1) }, (_, index) => {
    const value = first + sign * step * index;
    return isNumber ? String(value) : String.fromCharCode(value);
  });
}
