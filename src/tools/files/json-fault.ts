import { reasonOf } from "../../base/result.ts";

/** Where and why a text is not JSON, lines and columns from 1. Undefined when it is. */
export function jsonFault(
  text: string,
): { readonly line: number; readonly column: number; readonly why: string } | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (thrown) {
    const at = faultAt(text);
    const before = text.slice(0, at);
    const line = before.split("\n").length;
    return {
      line,
      column: at - before.lastIndexOf("\n"),
      why: reasonOf(thrown).replace(/ (?:in JSON )?at position .*$/su, ""),
    };
  }
}

/** The first character at which no JSON text can go on. The parser does not always say. */
function faultAt(text: string): number {
  const open: ("object" | "array")[] = [];
  let at = 0;
  let expected: Expected = "value";
  for (;;) {
    at = skip(blanks, text, at);
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
        const end = skip(scalar, text, at);
        if (end === at) return at;
        at = end;
        expected = "comma or end";
        continue;
      }
    } else if (expected === "name" || expected === "name or end") {
      if (char !== "}" || expected === "name") {
        const end = skip(name, text, at);
        if (end === at) return at;
        at = end;
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

function skip(pattern: RegExp, text: string, at: number): number {
  const sticky = new RegExp(pattern, "uy");
  sticky.lastIndex = at;
  return sticky.test(text) ? sticky.lastIndex : at;
}

// A string in JSON has no control characters.
// oxlint-disable-next-line no-control-regex
const string = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/u;
const blanks = /[ \t\r\n]*/u;
const scalar = new RegExp(`${string.source}|-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][-+]?\\d+)?|true|false|null`, "u");
const name = new RegExp(`(?:${string.source})[ \\t\\r\\n]*:`, "u");
