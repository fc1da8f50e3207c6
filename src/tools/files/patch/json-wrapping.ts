/**
 * Returns the patch in a text of JSON: the text itself as a string, or the only string in an object or list that
 * contains a patch. Also one whose line ends are all written as `\n`. Any other text is returned unchanged.
 */
export function withoutJson(text: string): string {
  const trimmed = text.trim();
  if (/^["{[]/u.test(trimmed)) {
    const patches = textsIn(parsed(trimmed)).filter((each) => containsPatch.test(each));
    if (patches.length === 1 && patches[0] !== undefined) return withoutJson(patches[0]);
  }
  // A patch has several lines, so the two characters can only mean line ends.
  if (!/[\r\n]/u.test(trimmed) && escapedPatch.test(trimmed)) {
    const plain = parsed(`"${trimmed.replaceAll(/(?<!\\)((?:\\\\)*)"/gu, String.raw`$1\"`)}"`);
    return typeof plain === "string" ? plain : text;
  }
  return text;
}

const containsPatch = /^\*\*\* (?:Begin Patch|(?:Add|Update|Delete) File:)|^--- \S|^<{3,} ?SEARCH|\\n\*\*\* /mu;
const escapedPatch = /^\*\*\* Begin Patch\s*\\n.*\\n|^--- \S+.*\\n\+\+\+ \S+.*\\n/u;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A patch is not deep inside JSON, and deep nesting would exceed the stack. */
const maxDepth = 10;

function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || depth === maxDepth) return [];
  return Object.values(value).flatMap((each) => textsIn(each, depth + 1));
}
