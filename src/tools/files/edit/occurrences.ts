/**
 * Returns the offsets of `part` in `text`, including overlapping ones. Takes linear time even for long, repetitive
 * parts.
 */
export function* occurrences(text: string, part: string): Generator<number, void> {
  if (part.length > longPart) yield* longOccurrences(text, part);
  else for (let index = text.indexOf(part); index >= 0; index = text.indexOf(part, index + 1)) yield index;
}

/** Uses the algorithm of Knuth, Morris and Pratt, because `indexOf` may compare a long part again at every position. */
function* longOccurrences(text: string, part: string): Generator<number, void> {
  const borders = new Int32Array(part.length);
  let matched = 0;
  for (let index = 1; index < part.length; index++) {
    while (matched > 0 && part.charCodeAt(index) !== part.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (part.charCodeAt(index) === part.charCodeAt(matched)) matched++;
    borders[index] = matched;
  }
  matched = 0;
  for (let offset = 0; offset < text.length; offset++) {
    while (matched > 0 && text.charCodeAt(offset) !== part.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (text.charCodeAt(offset) === part.charCodeAt(matched)) matched++;
    if (matched < part.length) continue;
    yield offset - part.length + 1;
    matched = borders[matched - 1] ?? 0;
  }
}

const longPart = 5_000;
