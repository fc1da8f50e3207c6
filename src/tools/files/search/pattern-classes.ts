import type { PatternFlags, PatternReader } from "./pattern-reader.ts";

/** Sets of characters of ripgrep's syntax as JavaScript's with the flag `v` has them. Each is the inside of `[ ]`. */

const wordClass = String.raw`\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}`;
const asciiWord = "a-zA-Z0-9_";

export function wordSetOf({ u }: PatternFlags): string {
  return u ? wordClass : asciiWord;
}

/** `\d`, `\S` and so on. */
export function perlClass(letter: string, { u }: PatternFlags): string {
  const sets: Readonly<Record<string, string>> = u
    ? { d: String.raw`\p{Nd}`, s: String.raw`\p{White_Space}`, w: wordClass }
    : { d: "0-9", s: String.raw`\t\n\v\f\r\x20`, w: asciiWord };
  const set = sets[letter.toLowerCase()] ?? "";
  return letter === letter.toLowerCase() ? `[${set}]` : `[^${set}]`;
}

/** After `\p` or `\P`. */
export function propertyClass(reader: PatternReader, isNegated: boolean): string {
  const from = reader.at - 2;
  const isBraced = reader.takes("{");
  const body = isBraced ? reader.upTo("}", "the { of \\p{…} is not closed") : reader.next();
  const isInner = body.startsWith("^");
  const [, name = "", operator, value] = /^\^?([^=:!]*)(?:(=|:|!=)(.*))?$/su.exec(body) ?? [];
  const found = property(value === undefined ? [name] : [name, value]);
  if (found === undefined) reader.fail(`there is no set of characters named ${JSON.stringify(body)}`, from);
  const isOut = [isNegated, isInner, operator === "!="].filter(Boolean).length % 2 === 1;
  return isOut ? `[^${found}]` : `[${found}]`;
}

/** `[[:alpha:]]`: the part between the colons. */
function posixClass(name: string): string | undefined {
  return Object.hasOwn(posix, name) ? posix[name] : undefined;
}

/** `[…]`, after its first bracket. */
export function bracketClass(reader: PatternReader, flags: PatternFlags): string {
  const from = reader.at - 1;
  const isNegated = reader.takes("^");
  let left: string | undefined;
  let operator = "";
  let union: string[] = [];
  const close = (): string => {
    const right = `[${union.join("")}]`;
    union = [];
    return left === undefined ? right : combined(left, operator, right);
  };
  for (let isFirst = true; ; isFirst = false) {
    reader.skipBlanks(flags);
    if (reader.isAtEnd) reader.fail("a [ is not closed", from);
    if (!isFirst && reader.takes("]")) break;
    const found = ["&&", "--", "~~"].find((each) => !isFirst && reader.takes(each));
    if (found === undefined) union.push(classItem(reader, flags));
    else {
      left = close();
      operator = found;
    }
  }
  return isNegated ? `[^${close()}]` : close();
}

function combined(left: string, operator: string, right: string): string {
  if (operator === "~~") return `[[${left}${right}]--[${left}&&${right}]]`;
  return `[${left}${operator}${right}]`;
}

function classItem(reader: PatternReader, flags: PatternFlags): string {
  if (reader.peek() === "[") {
    const named = namedClass(reader);
    if (named !== undefined) return named;
    reader.next();
    return bracketClass(reader, flags);
  }
  const from = reader.at;
  const low = classChar(reader, flags);
  if (low.length > 1 && low.startsWith("[")) return low;
  if (reader.peek() !== "-" || reader.peek(1) === "]" || reader.peek(1) === "-" || reader.peek(1) === "")
    return codeOf(low);
  reader.next();
  reader.skipBlanks(flags);
  const high = classChar(reader, flags);
  if (high.length > 1 && high.startsWith("["))
    reader.fail("a range in [ ] must end in a character, not in a set", from);
  if ((high.codePointAt(0) ?? 0) < (low.codePointAt(0) ?? 0)) reader.fail("a range in [ ] goes backwards", from);
  return `${codeOf(low)}-${codeOf(high)}`;
}

/** `[:alpha:]` or `[:^alpha:]`; what only looks like one is left unread. */
function namedClass(reader: PatternReader): string | undefined {
  const from = reader.at;
  if (!reader.takes("[:")) return undefined;
  const isNegated = reader.takes("^");
  let word = "";
  while (/^[a-z]$/u.test(reader.peek())) word += reader.next();
  const set = reader.takes(":]") ? posixClass(word) : undefined;
  if (set !== undefined) return isNegated ? `[^${set}]` : `[${set}]`;
  reader.at = from;
  return undefined;
}

/** One character, or a set as `[…]`. */
function classChar(reader: PatternReader, flags: PatternFlags): string {
  const char = reader.next();
  if (char !== "\\") return char;
  const letter = reader.peek();
  if (/^[dDsSwW]$/u.test(letter)) return perlClass(reader.next(), flags);
  if (/^[pP]$/u.test(letter)) {
    reader.next();
    return propertyClass(reader, letter === "P");
  }
  return escapedChar(reader);
}

/** The one character that an escape stands for, after the `\`. */
export function escapedChar(reader: PatternReader): string {
  const from = reader.at - 1;
  if (reader.isAtEnd) reader.fail("it ends in a single \\", from);
  const letter = reader.next();
  const simple = simpleEscapes[letter];
  if (simple !== undefined) return simple;
  const digits: number | undefined = hexEscapes[letter];
  if (digits !== undefined) {
    let hex = "";
    const isBraced = reader.takes("{");
    if (isBraced) hex = reader.upTo("}", "the { of an escape is not closed");
    else while (hex.length < digits && /^[0-9a-f]$/iu.test(reader.peek())) hex += reader.next();
    const isWhole = isBraced ? /^[0-9a-f]{1,8}$/iu.test(hex) : hex.length === digits;
    const code = isWhole ? Number.parseInt(hex, 16) : Infinity;
    if (code > 0x10_ffff || (code >= 0xd800 && code <= 0xdfff))
      reader.fail(`\\${letter} needs the hexadecimal number of a character`, from);
    return String.fromCodePoint(code);
  }
  if (/^[0-9]$/u.test(letter)) reader.fail("backreferences such as \\1 are not supported", from);
  if (/^[a-z<>]$/iu.test(letter) || letter > "\u007f") reader.fail(`\\${letter} means nothing`, from);
  return letter;
}

export function codeOf(char: string): string {
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}

/** Names are compared without regard to case, blanks, `_` and `-`. */
function property(parts: readonly string[]): string | undefined {
  const [first = "", second] = parts.map((part) => part.trim());
  const special: string | undefined = second === undefined ? specialSets[fold(first)] : undefined;
  if (special !== undefined) return special;
  const spellings = (name: string) => [name, titled(name), name.toUpperCase(), titled(name).replaceAll("_", "")];
  const candidates =
    second === undefined
      ? [...spellings(first), ...spellings(first).map((name) => `Script=${name}`)]
      : spellings(second).flatMap((name) => [`${keyOf(first)}=${name}`]);
  return candidates.map((name) => `\\p{${name}}`).find(isProperty);
}

function keyOf(key: string): string {
  const known: Readonly<Record<string, string>> = {
    gc: "General_Category",
    generalcategory: "General_Category",
    sc: "Script",
    script: "Script",
    scx: "Script_Extensions",
    scriptextensions: "Script_Extensions",
  };
  return known[fold(key)] ?? key;
}

function isProperty(source: string): boolean {
  try {
    return new RegExp(source, "u").source !== "";
  } catch {
    return false;
  }
}

function fold(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/gu, "");
}

function titled(name: string): string {
  return name
    .toLowerCase()
    .split(/[\s_-]+/u)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("_");
}

const specialSets: Readonly<Record<string, string>> = {
  any: String.raw`\p{Any}`,
  ascii: String.raw`\p{ASCII}`,
  assigned: String.raw`\p{Assigned}`,
  whitespace: String.raw`\p{White_Space}`,
  space: String.raw`\p{White_Space}`,
};

const posix: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  ascii: String.raw`\x00-\x7f`,
  blank: String.raw`\t\x20`,
  cntrl: String.raw`\x00-\x1f\x7f`,
  digit: "0-9",
  graph: String.raw`\x21-\x7e`,
  lower: "a-z",
  print: String.raw`\x20-\x7e`,
  punct: String.raw`\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e`,
  space: String.raw`\t\n\v\f\r\x20`,
  upper: "A-Z",
  word: "0-9A-Za-z_",
  xdigit: "0-9A-Fa-f",
};

const simpleEscapes: Readonly<Record<string, string>> = {
  a: "\x07",
  f: "\f",
  t: "\t",
  n: "\n",
  r: "\r",
  v: "\v",
};

const hexEscapes: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
