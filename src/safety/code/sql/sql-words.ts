import { once } from "../../../base/async/once.ts";

/** One token of SQL. The `text` of a name or operator is in upper case; the text of a string is unchanged. */
export interface SqlWord {
  readonly kind: "name" | "quoted" | "text" | "number" | "sign";
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Splits SQL of PostgreSQL, MySQL, SQLite, SQL Server and Oracle into tokens, without comments. */
export function sqlWords(source: string): readonly SqlWord[] {
  const words: SqlWord[] = [];
  let index = 0;
  const push = (kind: SqlWord["kind"], text: string, end: number) => {
    words.push({ kind, text, start: index, end });
    index = end;
  };
  while (index < source.length) {
    const char = source[index] ?? "";
    if (/\s/u.test(char)) {
      index += 1;
    } else if (source.startsWith("--", index) || (char === "#" && source[index + 1] !== ">")) {
      const end = source.indexOf("\n", index);
      index = end < 0 ? source.length : end;
    } else if (source.startsWith("/*!", index)) {
      // MySQL executes the text of such a comment.
      index += 3;
      while (/\d/u.test(source[index] ?? "")) index += 1;
    } else if (source.startsWith("*/", index)) {
      index += 2;
    } else if (source.startsWith("/*", index)) {
      index = commentEnd(source, index);
    } else if (char === "'") {
      const end = quotedEnd(source, index + 1, "'");
      push("text", source.slice(index + 1, end - 1).replaceAll("''", "'"), end);
    } else if (char === '"' || char === "`") {
      const end = quotedEnd(source, index + 1, char);
      push("quoted", source.slice(index + 1, end - 1), end);
    } else if (char === "[" && /[A-Za-z_ ]/u.test(source[index + 1] ?? "")) {
      const end = source.indexOf("]", index);
      push("quoted", source.slice(index + 1, end < 0 ? source.length : end), end < 0 ? source.length : end + 1);
    } else if (char === "$" && dollar(source, index)) {
      const tag = dollar(source, index);
      const end = source.indexOf(tag, index + tag.length);
      const stop = end < 0 ? source.length : end;
      push("text", source.slice(index + tag.length, stop), Math.min(source.length, stop + tag.length));
    } else {
      const [word] = named(source, index);
      if (word === undefined) push("sign", char, index + 1);
      else push(/^\d/u.test(word) ? "number" : "name", word.toUpperCase(), index + word.length);
    }
  }
  return words;
}

function named(source: string, index: number): readonly string[] {
  nameShape().lastIndex = index;
  return nameShape().exec(source) ?? [];
}

const nameShape = once(() => /[\p{L}\p{N}_@\u{10FFFD}][\p{L}\p{N}_@$#\u{10FFFD}]*/uy);
const dollarShape = /\$\w*\$/uy;

function dollar(source: string, index: number): string {
  dollarShape.lastIndex = index;
  return dollarShape.exec(source)?.[0] ?? "";
}

function quotedEnd(source: string, from: number, quote: string): number {
  for (let index = from; index < source.length; index++) {
    if (source[index] === "\\" && (source[index + 1] === quote || source[index + 1] === "\\")) index += 1;
    else if (source[index] === quote) {
      if (source[index + 1] !== quote) return index + 1;
      index += 1;
    }
  }
  return source.length;
}

function commentEnd(source: string, from: number): number {
  const end = source.indexOf("*/", from + 2);
  return end < 0 ? source.length : end + 2;
}
