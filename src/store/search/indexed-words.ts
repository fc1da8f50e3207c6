import type { Splitter } from "./split-words.ts";

/**
 * The words of a text as FTS5 is given them, to be split at whatever is no ASCII letter, digit or other character. Lines of
 * ASCII go there as they are, which is much faster, with what FTS5 does not see: parts and wholes of identifiers.
 */
export function indexedWords(text: string, { split }: Splitter): string {
  let words = "";
  const add = (token: string) => void (words += ` ${token}`);
  for (let from = 0; from < text.length;) {
    const end = text.indexOf("\n", from);
    const to = end < 0 ? text.length : end;
    const line = text.slice(from, to);
    if (beyondAscii.test(line)) split(line, add);
    else {
      words += ` ${line}`;
      for (const identifier of identifiers(line)) split(identifier, add);
    }
    from = to + 1;
  }
  return words;
}

// oxlint-disable-next-line no-control-regex
const beyondAscii = /[^\u0000-\u007f]/u;

/** Of several parts, or too long to be typed. */
function* identifiers(line: string): Generator<string, void, void> {
  const joints = /[a-z0-9][A-Z]|[A-Z]{2}[a-z]|[A-Za-z0-9][-_.'][A-Za-z0-9]|[A-Za-z0-9]{41}/gu;
  for (let joint = joints.exec(line); joint; joint = joints.exec(line)) {
    let from = joint.index;
    let to = joint.index + joint[0].length;
    while (from > 0 && isInside(line, from - 1)) from--;
    while (to < line.length && isInside(line, to)) to++;
    yield line.slice(from, to);
    joints.lastIndex = to;
  }
}

/** A letter or a digit, or what joins two of them. */
function isInside(line: string, at: number): boolean {
  const code = line.charCodeAt(at);
  if (isPlain(code)) return true;
  return jointCodes.has(code) && isPlain(line.charCodeAt(at - 1)) && isPlain(line.charCodeAt(at + 1));
}

const jointCodes: ReadonlySet<number> = new Set(Array.from("-_.'", (char) => char.charCodeAt(0)));

function isPlain(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 65 && code <= 90);
}
