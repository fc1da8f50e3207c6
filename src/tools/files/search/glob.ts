import { err, ok, type Result, valueOr } from "../../../base/result.ts";

/**
 * Compiles a glob as in ripgrep: `*` and `?` do not match `/`; `**` between slashes matches any number of folders;
 * `[a-z]`, `[!a-z]`, `{a,b}`, and `\` for literals. The whole path must match.
 */
export function globPattern(glob: string, { ignoreCase }: { readonly ignoreCase: boolean }): Result<RegExp, string> {
  const read = readGlob(Array.from(glob), 0, false);
  if (typeof read === "string") return err(read);
  const body = read.source === anyPrefix ? ".*" : read.source;
  return valueOr(
    () => ok(new RegExp(`^(?:${body})$`, ignoreCase ? "sui" : "su")),
    err("a range in [ ] goes backwards"),
  );
}

/** Returns a glob that matches only this text. */
export function literalGlob(text: string): string {
  return text.replace(/[\\*?[\]{}!]/gu, String.raw`\$&`);
}

interface Read {
  readonly source: string;
  /** The position at which parsing stopped: the end, or the `,` or `}` of the group. */
  readonly end: number;
}

function readGlob(chars: readonly string[], from: number, isGroup: boolean): Read | string {
  // Each part is separate, so that a `/**` can remove the slash before it.
  const parts: string[] = [];
  let index = from;
  for (; index < chars.length; index++) {
    const char = chars[index] ?? "";
    if (isGroup && (char === "," || char === "}")) break;
    if (char === "?") parts.push("[^/]");
    else if (char === "*") index = readStars(chars, index, parts, isGroup);
    else if (char === "[") {
      const read = readClass(chars, index);
      if (read === undefined) parts.push(String.raw`\[`);
      else {
        parts.push(read.source);
        index = read.end;
      }
    } else if (char === "{") {
      const read = readGroup(chars, index);
      if (typeof read === "string") return read;
      parts.push(read.source);
      index = read.end;
    } else if (char === "}") return "a } has no { before it";
    else if (char === "\\") {
      index++;
      if (index >= chars.length) return "it ends in a single \\";
      parts.push(literal(chars[index] ?? ""));
    } else parts.push(literal(char));
  }
  return { source: parts.join(""), end: index };
}

/** Returns the index after the stars. */
function readStars(chars: readonly string[], index: number, parts: string[], isGroup: boolean): number {
  if (chars[index + 1] !== "*") {
    parts.push(anyName);
    return index;
  }
  const before = chars[index - 1];
  const after = chars[index + 2];
  const isFirst = parts.length === 0 && (index === 0 || isGroup);
  const isLast = after === undefined || (isGroup && (after === "," || after === "}"));
  if (!(isFirst || before === "/") || !(isLast || after === "/")) {
    parts.push(anyName, anyName);
    return index + 1;
  }
  if (isFirst) {
    parts.push(anyPrefix);
    return isLast ? index + 1 : index + 2;
  }
  const slash = parts.pop();
  if (slash === anyPrefix || slash === anySuffix) parts.push(slash);
  else parts.push(isLast ? anySuffix : anyBetween);
  return isLast ? index + 1 : index + 2;
}

/** Returns undefined if the bracket is not closed, so that it is not a character class. */
function readClass(chars: readonly string[], from: number): Read | undefined {
  const isNegated = chars[from + 1] === "!" || chars[from + 1] === "^";
  const first = from + (isNegated ? 2 : 1);
  const end = chars.indexOf("]", first + 1);
  if (end < 0) return undefined;
  const body = chars
    .slice(first, end)
    .map((char, index, all) => (char === "-" && index > 0 && index < all.length - 1 ? "-" : inClass(char)))
    .join("");
  return { source: `[${isNegated ? "^" : ""}${body}]`, end };
}

function readGroup(chars: readonly string[], from: number): Read | string {
  const choices: string[] = [];
  for (let index = from + 1; ;) {
    const read = readGlob(chars, index, true);
    if (typeof read === "string") return read;
    if (read.source !== "") choices.push(read.source);
    const ended = chars[read.end];
    if (ended === undefined) return "a { has no } after it";
    if (ended === "}") return { source: `(?:${choices.join("|")})`, end: read.end };
    index = read.end + 1;
  }
}

function literal(char: string): string {
  return char.replace(/[\\^$.*+?()[\]{}|/]/u, String.raw`\$&`);
}

function inClass(char: string): string {
  return char.replace(/[\\^\-[\]/]/u, String.raw`\$&`);
}

const anyName = "[^/]*";
const anyPrefix = "(?:/?|.*/)";
const anySuffix = "/.*";
const anyBetween = "(?:/|/.*/)";
