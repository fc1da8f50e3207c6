/**
 * Splits a text into pieces of at most `maxUnits`, at the end of a paragraph, else of a sentence, else of a clause,
 * else of a word. Only the space between pieces is lost. `sizeOf`: the units of a text; default: characters.
 */
export function splitText(
  text: string,
  maxUnits: number,
  sizeOf: (part: string) => number = (part) => part.length,
): readonly string[] {
  const pieces: string[] = [];
  let current = "";
  const push = (): void => {
    if (current.trim() !== "") pieces.push(current.trim());
    current = "";
  };
  const add = (part: string, level: number): void => {
    if (sizeOf((current + part).trim()) <= maxUnits) {
      current += part;
      return;
    }
    if (sizeOf(part.trim()) <= maxUnits) {
      push();
      current = part;
      return;
    }
    const divider = dividers[level];
    if (divider) for (const smaller of part.split(divider)) add(smaller, level + 1);
    else for (const smaller of cutInto(part, maxUnits, sizeOf)) add(smaller, level);
  };
  add(text, 0);
  push();
  return pieces;
}

/** The end of a sentence in scripts that mark it, even without a space after it. */
export const sentenceEnd = /(?<=[.!?…]["'”’)\]]*)(?=\s)|(?<=[。！？｡])|(?<=[।؟])/u;

const dividers: readonly RegExp[] = [
  /(?<=\n\s*\n)/u,
  sentenceEnd,
  /(?<=\n)/u,
  /(?<=[,;:，；：、](?:\s|$))/u,
  /(?<=\s)/u,
];

/** A word without an end, cut between characters as people see them. */
function cutInto(part: string, maxUnits: number, sizeOf: (part: string) => number): readonly string[] {
  const pieces: string[] = [];
  let current = "";
  for (const { segment } of new Intl.Segmenter().segment(part)) {
    if (current !== "" && sizeOf(current + segment) > maxUnits) {
      pieces.push(current);
      current = "";
    }
    current += segment;
  }
  return current === "" ? pieces : [...pieces, current];
}
