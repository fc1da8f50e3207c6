/**
 * Quotes of `next` that must not take the file's spelling: those of a line where some are new, or where one that opened
 * would close. Half a pair in another spelling is worse than both as given. An apostrophe within a word stands alone.
 */
export function brokenQuotes(before: string, next: string, kept: Int32Array): ReadonlySet<number> {
  const broken = new Set<number>();
  const opensBefore = roles(before);
  for (const line of quotesByLine(next)) {
    const fits = line.every((at, nth) => opensBefore.get(kept[at] ?? -1) === isOpening(nth));
    if (!fits) for (const at of line) broken.add(at);
  }
  return broken;
}

/** For each quote of a text, whether it opens a pair. */
function roles(text: string): ReadonlyMap<number, boolean> {
  const opens = new Map<number, boolean>();
  for (const line of quotesByLine(text)) for (const [nth, at] of line.entries()) opens.set(at, isOpening(nth));
  return opens;
}

function isOpening(nth: number): boolean {
  return nth % 2 === 0;
}

/** The places of the quotes of one kind on one line, for every line and kind that has any. */
function quotesByLine(text: string): readonly (readonly number[])[] {
  const found = new Map<string, number[]>();
  let line = 0;
  for (const { 0: char, index } of text.matchAll(/\n|"|(?<![\p{L}\p{N}])'|'(?![\p{L}\p{N}])/gu)) {
    if (char === "\n") line++;
    else {
      const key = `${line}${char}`;
      const places = found.get(key);
      if (places) places.push(index);
      else found.set(key, [index]);
    }
  }
  return [...found.values()];
}
