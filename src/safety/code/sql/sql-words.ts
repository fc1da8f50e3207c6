import { once } from "../../../base/async/once.ts";

/** One word of SQL. `text` of a name or sign is in upper case, of a text as it stands. */
export interface SqlWord {
  readonly kind: "name" | "quoted" | "text" | "number" | "sign";
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The words of SQL in the dialects of PostgreSQL, MySQL, SQLite, SQL Server and Oracle, without comments. */
export function sqlWords(source: string): readonly SqlWord[] {
  const words: SqlWord[] = [];
  let at = 0;
  const push = (kind: SqlWord["kind"], text: string, end: number) => {
    words.push({ kind, text, start: at, end });
    at = end;
  };
  while (at < source.length) {
    const char = source[at] ?? "";
    if (/\s/u.test(char)) {
      at += 1;
    } else if (source.startsWith("--", at) || (char === "#" && source[at + 1] !== ">")) {
      const end = source.indexOf("\n", at);
      at = end < 0 ? source.length : end;
    } else if (source.startsWith("/*!", at)) {
      // MySQL runs what stands in such a comment.
      at += 3;
      while (/\d/u.test(source[at] ?? "")) at += 1;
    } else if (source.startsWith("*/", at)) {
      at += 2;
    } else if (source.startsWith("/*", at)) {
      at = commentEnd(source, at);
    } else if (char === "'") {
      const end = quotedEnd(source, at + 1, "'");
      push("text", source.slice(at + 1, end - 1).replaceAll("''", "'"), end);
    } else if (char === '"' || char === "`") {
      const end = quotedEnd(source, at + 1, char);
      push("quoted", source.slice(at + 1, end - 1), end);
    } else if (char === "[" && /[A-Za-z_ ]/u.test(source[at + 1] ?? "")) {
      const end = source.indexOf("]", at);
      push("quoted", source.slice(at + 1, end < 0 ? source.length : end), end < 0 ? source.length : end + 1);
    } else if (char === "$" && dollar(source, at)) {
      const tag = dollar(source, at);
      const end = source.indexOf(tag, at + tag.length);
      const stop = end < 0 ? source.length : end;
      push("text", source.slice(at + tag.length, stop), Math.min(source.length, stop + tag.length));
    } else {
      const [word] = named(source, at);
      if (word === undefined) push("sign", char, at + 1);
      else push(/^\d/u.test(word) ? "number" : "name", word.toUpperCase(), at + word.length);
    }
  }
  return words;
}

function named(source: string, at: number): readonly string[] {
  nameShape().lastIndex = at;
  return nameShape().exec(source) ?? [];
}

const nameShape = once(() => /[\p{L}\p{N}_@\u{10FFFD}][\p{L}\p{N}_@$#\u{10FFFD}]*/uy);
const dollarShape = /\$\w*\$/uy;

function dollar(source: string, at: number): string {
  dollarShape.lastIndex = at;
  return dollarShape.exec(source)?.[0] ?? "";
}

function quotedEnd(source: string, from: number, quote: string): number {
  for (let at = from; at < source.length; at++) {
    if (source[at] === "\\" && (source[at + 1] === quote || source[at + 1] === "\\")) at += 1;
    else if (source[at] === quote) {
      if (source[at + 1] !== quote) return at + 1;
      at += 1;
    }
  }
  return source.length;
}

function commentEnd(source: string, from: number): number {
  const end = source.indexOf("*/", from + 2);
  return end < 0 ? source.length : end + 2;
}
