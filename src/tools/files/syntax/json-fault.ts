import { reasonOf } from "../../../base/result.ts";
import type { TextFault } from "./text-fault.ts";

/** Where and why a text is not JSON. Undefined when it is. */
export function jsonFault(text: string): TextFault | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (thrown) {
    return { at: faultAt(text), why: reasonOf(thrown).replace(/ (?:in JSON )?at position .*$/su, "") };
  }
}

/** The same for JSON that may have comments and a comma before a closing bracket, as many tools read it. */
export function jsonWithCommentsFault(text: string): TextFault | undefined {
  return jsonFault(text.replace(commentOrString, blankedComment).replace(commaOrString, blankedComma));
}

/** The first character at which no JSON text can go on. The parser does not always say. */
function faultAt(text: string): number {
  const skip = skipperIn(text);
  const open: ("object" | "array")[] = [];
  let index = 0;
  let expected: Expected = "value";
  for (;;) {
    index = skip.blanks(index);
    const char = text[index];
    if (char === undefined) return index;
    const inside = open.at(-1);
    if (expected === "value" || expected === "value or end") {
      if (char === "{" || char === "[") {
        open.push(char === "{" ? "object" : "array");
        expected = char === "{" ? "name or end" : "value or end";
        index++;
        continue;
      }
      if (char !== "]" || expected === "value") {
        const end = char === '"' ? skip.string(index) : skip.word(index);
        if (end === index) return index;
        index = end;
        expected = "comma or end";
        continue;
      }
    } else if (expected === "name" || expected === "name or end") {
      if (char !== "}" || expected === "name") {
        const end = skip.blanks(skip.string(index));
        if (text[end] !== ":") return index;
        index = end + 1;
        expected = "value";
        continue;
      }
    } else if (char === "," && inside !== undefined) {
      expected = inside === "object" ? "name" : "value";
      index++;
      continue;
    }
    if (inside === undefined || char !== (inside === "object" ? "}" : "]")) return index;
    open.pop();
    expected = "comma or end";
    index++;
  }
}

type Expected = "value" | "value or end" | "name" | "name or end" | "comma or end";

/** Each answers where that part ends, or the same place when it is not there. */
function skipperIn(text: string): Readonly<Record<"blanks" | "word" | "string", (offset: number) => number>> {
  const blanks = /[ \t\r\n]*/uy;
  const word = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null/uy;
  // A string in JSON has no control characters.
  // oxlint-disable-next-line no-control-regex
  const special = /["\\\u0000-\u001f]/gu;
  const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/uy;
  const skip = (pattern: RegExp) => (position: number) => {
    pattern.lastIndex = position;
    return pattern.test(text) ? pattern.lastIndex : position;
  };
  const skipEscape = skip(escape);
  return {
    blanks: skip(blanks),
    word: skip(word),
    string(start) {
      if (text[start] !== '"') return start;
      for (let offset = start + 1; ;) {
        special.lastIndex = offset;
        const match = special.exec(text);
        if (match?.[0] === '"') return match.index + 1;
        if (match?.[0] !== "\\") return start;
        offset = skipEscape(match.index);
        if (offset === match.index) return start;
      }
    },
  };
}

// An unclosed comment or string extends to the end, which keeps the search linear.
const commentOrString = /"(?:[^"\\\n]+|\\.)*"?|\/\/[^\n]*|\/\*(?:[^]*?\*\/|[^]*)/gu;
const commaOrString = /"(?:[^"\\\n]+|\\.)*"?|(?<![[{,]\s*),(?=\s*[\]}])/gu;

function blankedComment(match: string): string {
  const isComment = match.startsWith("//") || (match.startsWith("/*") && match.length > 3 && match.endsWith("*/"));
  return isComment ? match.replace(/[^\n]/gu, " ") : match;
}

function blankedComma(match: string): string {
  return match === "," ? " " : match;
}
