import { parsedJson } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";

/** The path of a setting: `["plugins", "entries", "my.plugin"]`. Numbers are list indexes. */
export type KeyPath = readonly (string | number)[];

/** Formats a path: `plugins.entries."my.plugin"`, with quotes where a segment needs them. */
export function keyText(path: KeyPath): string {
  return path
    .map((part) => (typeof part === "number" || plain.test(part) ? String(part) : JSON.stringify(part)))
    .join(".");
}

/** Parses `a.b`, `a."b.c"`, `a['b']`, `a.0` and `a[0]`. */
export function parseKey(text: string): Result<KeyPath, string> {
  const path: (string | number)[] = [];
  let offset = 0;
  while (offset < text.length || path.length === 0) {
    const match = segment.exec(text.slice(offset));
    const groups = match?.groups;
    if (match === null || groups === undefined) return err(refusal(text, offset));
    const part =
      groups["index"] ??
      groups["single"] ??
      groups["quoted"] ??
      groups["boxed"] ??
      groups["double"] ??
      groups["word"] ??
      "";
    const name = groups["double"] === undefined ? part : unquote(part);
    if (name === undefined || name === "") return err(refusal(text, offset));
    if (name === "__proto__") return err("the key __proto__ is not accepted");
    const isIndex = groups["index"] !== undefined || (groups["word"] !== undefined && /^\d{1,6}$/u.test(name));
    path.push(isIndex && path.length > 0 ? Number(name) : name);
    offset += match[0].length;
    if (offset >= text.length) break;
    if (text[offset] === ".") offset += 1;
    else if (text[offset] !== "[") return err(refusal(text, offset));
    if (offset >= text.length) return err(refusal(text, offset));
  }
  return ok(path);
}

const plain = /^[^\s.[\]"'\\]+$/u;
const segment =
  /^(?:\[(?<index>\d{1,6})\]|\['(?<single>[^']*)'\]|\["(?<boxed>[^"\\]*)"\]|"(?<double>(?:[^"\\]|\\.)*)"|'(?<quoted>[^']*)'|(?<word>[^\s.[\]"'\\]+))/u;

function unquote(inner: string): string | undefined {
  const value = parsedJson(`"${inner}"`);
  return typeof value === "string" ? value : undefined;
}

function refusal(text: string, offset: number): string {
  return text === ""
    ? "the key is empty"
    : `${JSON.stringify(text)} is not a key: write a.b, or a."b.c" when a part has dots (stopped at character ${offset + 1})`;
}
