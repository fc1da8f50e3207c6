/**
 * Expands `{a,b}` and `{1..5}`, before all other expansions. Quotes are kept. Undefined if there are too many words or
 * they are nested too deeply.
 */
export function expandBraces(word: string): readonly string[] | undefined {
  return expand(word, 0);
}

const maxWords = 1_000;

function expand(word: string, depth: number): readonly string[] | undefined {
  if (depth > maxDepth) return undefined;
  const start = openingBrace(word);
  if (start === undefined) return undefined;
  if (start < 0) return [word];
  const end = scan(word, start + 1, "}");
  const inside = word.slice(start + 1, end);
  const choices = inside.includes(",")
    ? together(itemsIn(inside).map((item) => expand(item, depth + 1)))
    : (sequence(inside) ?? [`{${inside}}`]);
  const after = expand(word.slice(end + 1), depth + 1);
  if (!choices || !after || choices.length * after.length > maxWords) return undefined;
  const before = word.slice(0, start);
  return choices.flatMap((choice) => after.map((rest) => before + choice + rest));
}

const maxDepth = 40;

function together(lists: readonly (readonly string[] | undefined)[]): readonly string[] | undefined {
  return lists.every((list) => list !== undefined) ? lists.flat() : undefined;
}

/**
 * Returns the offset of the first brace that starts an expansion; -1 if there is none; undefined if too many braces
 * were checked.
 */
function openingBrace(word: string): number | undefined {
  let start = scan(word, 0, "{");
  for (let tries = 0; start >= 0 && scan(word, start + 1, "}") < 0; start = scan(word, start + 1, "{"))
    if (++tries > maxWords) return undefined;
  return start;
}

function itemsIn(text: string): readonly string[] {
  const items: string[] = [];
  for (let start = 0; ;) {
    const end = scan(text, start, ",");
    items.push(end < 0 ? text.slice(start) : text.slice(start, end));
    if (end < 0) return items;
    start = end + 1;
  }
}

/**
 * Returns the offset of a character outside quotes, substitutions and inner braces, with the rules of bash: `${` opens
 * a brace like `{`, a `}` before the first comma or `..` does not close it, and `{}` at the start is text. -1 if it
 * does not occur.
 */
function scan(word: string, from: number, target: "{" | "}" | ","): number {
  let level = 0;
  let isList = target !== "}";
  for (let offset = from; offset < word.length; offset++) {
    const char = word[offset];
    const pair = word.slice(offset, offset + 2);
    if (char === "\\") offset += 1;
    else if (pair === "${") {
      level += 1;
      offset += 1;
    } else if (pair === "$'") offset = closingQuote(word, offset + 1, true);
    else if (char === "'" || char === '"' || char === "`") offset = closingQuote(word, offset);
    else if (/^[$<>]\($/u.test(pair)) offset = closingParenthesis(word, offset + 2);
    else if (char === target && level === 0 && isList) {
      if (offset > 0 || pair !== "{}") return offset;
    } else if (char === "{") level += 1;
    else if (char === "}" && level > 0) level -= 1;
    else if (level === 0 && (char === "," || (pair === ".." && word[offset + 2] !== "}"))) isList = true;
  }
  return -1;
}

/** Returns the offset of the quote that ends the quoted part, or the end of the word. `hasEscapes`: `$'…'`. */
function closingQuote(word: string, start: number, hasEscapes = word[start] !== "'"): number {
  const quote = word[start];
  for (let offset = start + 1; offset < word.length; offset++) {
    if (word[offset] === quote) return offset;
    if (word[offset] === "\\" && hasEscapes) offset += 1;
    else if (quote === '"' && word.startsWith("$(", offset)) offset = closingParenthesis(word, offset + 2);
  }
  return word.length;
}

/** Returns the offset of the parenthesis that ends a substitution, or the end of the word. */
function closingParenthesis(word: string, from: number): number {
  let open = 1;
  for (let offset = from; offset < word.length; offset++) {
    const char = word[offset];
    if (char === "\\") offset += 1;
    else if (char === "$" && word[offset + 1] === "'") offset = closingQuote(word, offset + 1, true);
    else if (char === "'" || char === '"' || char === "`") offset = closingQuote(word, offset);
    else if (char === "(") open += 1;
    else if (char === ")" && --open === 0) return offset;
  }
  return word.length;
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
