/** Where `part` begins in `text`, overlapping ones too. Linear also for long parts that repeat themselves. */
export function* occurrences(text: string, part: string): Generator<number, void> {
  if (part.length > longPart) yield* longOccurrences(text, part);
  else for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) yield at;
}

/** Knuth, Morris and Pratt. The engine's own search may compare a long part anew at every place. */
function* longOccurrences(text: string, part: string): Generator<number, void> {
  const borders = new Int32Array(part.length);
  let matched = 0;
  for (let at = 1; at < part.length; at++) {
    while (matched > 0 && part.charCodeAt(at) !== part.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (part.charCodeAt(at) === part.charCodeAt(matched)) matched++;
    borders[at] = matched;
  }
  matched = 0;
  for (let at = 0; at < text.length; at++) {
    while (matched > 0 && text.charCodeAt(at) !== part.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (text.charCodeAt(at) === part.charCodeAt(matched)) matched++;
    if (matched < part.length) continue;
    yield at - part.length + 1;
    matched = borders[matched - 1] ?? 0;
  }
}

const longPart = 5_000;
