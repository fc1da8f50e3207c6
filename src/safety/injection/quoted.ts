/** Marks the characters of a text that are in quotes on their line. Quotes around a JSON field do not count. */
export function quotedIn(text: string): Uint8Array {
  const isQuoted = new Uint8Array(text.length);
  for (const shape of shapes) {
    for (const { 0: quote, index } of text.matchAll(shape)) {
      if (quote.startsWith('"') && isField(text, index, index + quote.length)) continue;
      isQuoted.fill(1, index, index + quote.length);
    }
  }
  return isQuoted;
}

const shapes: readonly RegExp[] = [
  /`[^`\n]{1,300}`/gu,
  /(?<=^|[\s([{=,>])"[^"\n]{3,300}"/gu,
  /(?<=^|[\s([{=,>])'[^'\n]{3,300}'(?!\p{L})/gu,
  /[“„«「『‘][^”“»」』’\n]{3,300}[”“»」』’]/gu,
];

function isField(text: string, start: number, end: number): boolean {
  return (
    /["']\s{0,2}:\s*$/u.test(text.slice(Math.max(0, start - 6), start)) || /^\s{0,2}:/u.test(text.slice(end, end + 3))
  );
}
