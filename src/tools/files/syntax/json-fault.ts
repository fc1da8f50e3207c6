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
  let at = 0;
  let expected: Expected = "value";
  for (;;) {
    at = skip.blanks(at);
    const char = text[at];
    if (char === undefined) return at;
    const inside = open.at(-1);
    if (expected === "value" || expected === "value or end") {
      if (char === "{" || char === "[") {
        open.push(char === "{" ? "object" : "array");
        expected = char === "{" ? "name or end" : "value or end";
        at++;
        continue;
      }
      if (char !== "]" || expected === "value") {
        const end = char === '"' ? skip.string(at) : skip.word(at);
        if (end === at) return at;
        at = end;
        expected = "comma or end";
        continue;
      }
    } else if (expected === "name" || expected === "name or end") {
      if (char !== "}" || expected === "name") {
        const end = skip.blanks(skip.string(at));
        if (text[end] !== ":") return at;
        at = end + 1;
        expected = "value";
        continue;
      }
    } else if (char === "," && inside !== undefined) {
      expected = inside === "object" ? "name" : "value";
      at++;
      continue;
    }
    if (inside === undefined || char !== (inside === "object" ? "}" : "]")) return at;
    open.pop();
    expected = "comma or end";
    at++;
  }
}

type Expected = "value" | "value or end" | "name" | "name or end" | "comma or end";

/** Each answers where that part ends, or the same place when it is not there. */
function skipperIn(text: string): Readonly<Record<"blanks" | "word" | "string", (at: number) => number>> {
  const blanks = /[ \t\r\n]*/uy;
  const word = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null/uy;
  // A string in JSON has no control characters.
  // oxlint-disable-next-line no-control-regex
  const special = /["\\\u0000-\u001f]/gu;
  const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/uy;
  const skip = (pattern: RegExp) => (at: number) => {
    pattern.lastIndex = at;
    return pattern.test(text) ? pattern.lastIndex : at;
  };
  const skipEscape = skip(escape);
  return {
    blanks: skip(blanks),
    word: skip(word),
    string(start) {
      if (text[start] !== '"') return start;
      for (let at = start + 1; ;) {
        special.lastIndex = at;
        const found = special.exec(text);
        if (found?.[0] === '"') return found.index + 1;
        if (found?.[0] !== "\\") return start;
        at = skipEscape(found.index);
        if (at === found.index) return start;
      }
    },
  };
}

// What is never closed goes to the end, so that no text is looked at again and again.
const commentOrString = /"(?:[^"\\\n]+|\\.)*"?|\/\/[^\n]*|\/\*(?:[^]*?\*\/|[^]*)/gu;
const commaOrString = /"(?:[^"\\\n]+|\\.)*"?|(?<![[{,]\s*),(?=\s*[\]}])/gu;

function blankedComment(found: string): string {
  const isComment = found.startsWith("//") || (found.startsWith("/*") && found.length > 3 && found.endsWith("*/"));
  return isComment ? found.replace(/[^\n]/gu, " ") : found;
}

function blankedComma(found: string): string {
  return found === "," ? " " : found;
}
