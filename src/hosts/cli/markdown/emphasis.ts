/**
 * The index of the mark that ends an emphasis. -1: there is none; undefined: it may still arrive. Skips code and
 * escaped characters; a nested emphasis ends first.
 */
export function emphasisEnd(
  source: string,
  index: number,
  run: string,
  before: string,
  isEnd: boolean,
): number | undefined {
  const [mark = ""] = run;
  const isWordMark = mark === "_" || (mark === "*" && run.length === 1);
  const first = source[index + run.length] ?? "";
  if (run.length > 3 || (mark === "~" && run.length !== 2)) return -1;
  if (first === "" || /\s/u.test(first) || (isWordMark && /[\w*]/u.test(before))) return -1;
  const inner: number[] = [];
  const start = index + run.length;
  for (let position = start; position < source.length;) {
    if (position - start > maxEmphasis) return -1;
    const char = source[position];
    if (char === "\\") position += 2;
    else if (char === "`") {
      const end = codeSpanEnd(source, position, isEnd);
      if (end === undefined) return undefined;
      position = end < 0 ? position + markAt(source, position).length : end;
    } else if (char === mark) {
      let end = position;
      while (source[end] === mark) end++;
      const isOpen = end >= source.length && !isEnd;
      if (isOpen) return undefined;
      const length = end - position;
      const closes = !/\s/u.test(source[position - 1] ?? " ");
      const opens = !/\s/u.test(source[end] ?? " ");
      const followed = isWordMark && /\w/u.test(source[end] ?? "");
      const top = inner.at(-1);
      if (closes && top === length) inner.pop();
      else if (closes && top === undefined && length === run.length && !followed) return position;
      else if (closes && top !== undefined && inner.length === 1 && length === top + run.length && !followed)
        return position + top;
      else if (opens && length <= 3) inner.push(length);
      position = end;
    } else position++;
  }
  return isEnd || source.length - start > maxEmphasis ? -1 : undefined;
}

/** The index after a code span that starts here. -1: it has no end; undefined: its end may still arrive. */
export function codeSpanEnd(source: string, index: number, isEnd: boolean): number | undefined {
  const ticks = markAt(source, index);
  const start = index + ticks.length;
  if (start >= source.length && !isEnd) return undefined;
  for (let from = start; ;) {
    const close = source.indexOf(ticks, from);
    if (close < 0 || close - start > maxCode) return isEnd || source.length - start > maxCode ? -1 : undefined;
    const closing = markAt(source, close);
    const end = close + closing.length;
    if (end >= source.length && !isEnd) return undefined;
    if (closing.length === ticks.length) return end;
    from = end;
  }
}

/** The run of equal characters that starts at this index. */
export function markAt(source: string, index: number): string {
  let end = index;
  while (end < source.length && source[end] === source[index]) end++;
  return source.slice(index, end);
}

const maxCode = 1_000;
const maxEmphasis = 600;
