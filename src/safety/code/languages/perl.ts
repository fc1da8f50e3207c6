import { once } from "../../../base/async/once.ts";
import { words } from "../../../base/text/words.ts";
import { perlNames } from "../known/perl-names.ts";
import type { Dialect } from "../reading/dialect.ts";
import type { Reader } from "../reading/dialect.ts";
import { modulesOf } from "../reading/name-effects.ts";
import {
  closingDelimiter,
  quoteEnd,
  codeEnd,
  groupEnd,
  hereDocument,
  textToken,
  unescapeText,
} from "../reading/quoted.ts";
import { marksOf, type LexMatch, type Lexing, type TextPiece, type Spelling, type Token } from "../reading/token.ts";

const keywords: ReadonlySet<string> = new Set(
  "if elsif else unless while until for foreach do last next redo return package BEGIN END INIT CHECK continue given when default".split(
    " ",
  ),
);

const spelling: Spelling = {
  lineComments: ["#"],
  blockComments: [],
  marks: marksOf("<=> **= ||= &&= //= ... -> => == != =~ !~ <= >= && || // .. :: += -= *= /= .= x= %= ++ -- ** << >>"),
  hasLines: false,
  isLoose: true,
  name: once(() => /[A-Za-z_]\w*(?:(?:::|')[A-Za-z_]\w*)*/uy),
  nameText: (text) => text.replaceAll("'", "::"),
  read(lexing) {
    const { source, at: offset, previous } = lexing;
    const char = source[offset] ?? "";
    if (char === "=" && (offset === 0 || source[offset - 1] === "\n") && /[a-z]/u.test(source[offset + 1] ?? "")) {
      const end = source.indexOf("\n=cut", offset);
      return { end: end < 0 ? source.length : end + 5 };
    }
    if (source.startsWith("__END__", offset) || source.startsWith("__DATA__", offset)) return { end: source.length };
    if (char === "'" || char === '"' || char === "`") return quoted(source, offset, char);
    if (char === "$" || char === "@" || (char === "%" && isOperandNext(previous))) return variable(source, offset);
    if (char === "<" && isOperandNext(previous, source[offset + 1] === "<")) return angled(lexing) ?? undefined;
    if (char === "/" && isOperandNext(previous, true)) return pattern(source, offset, "m", offset);
    return !"qmsty".includes(char) || isKey(lexing) ? undefined : quoteLike(source, offset);
  },
};

/** Returns whether a value can start here. After a value, only an operator can follow. */
function isOperandNext(previous: Token | undefined, isSlash = false): boolean {
  if (previous === undefined) return true;
  if (previous.kind === "mark") return !/^[)\]}]$/u.test(previous.text);
  return (
    previous.kind === "name" &&
    !/^[$@%]/u.test(previous.text) &&
    (isSlash ? true : keywords.has(previous.text) || listers.has(previous.text))
  );
}

const listers: ReadonlySet<string> = new Set(
  words(`
  print return unlink keys values each join map grep sort die warn push my our local say chomp while scalar delete
  exists defined foreach for in and or not system exec reverse
`),
);

/** A word before `=>`, or the only word in braces, is a string. */
function isKey({ source, at: offset, previous }: Lexing): boolean {
  if (previous?.kind === "mark" && previous.text === "->") return true;
  keyShape.lastIndex = offset;
  if (keyShape.test(source)) return true;
  braceShape.lastIndex = offset;
  return previous?.kind === "mark" && previous.text === "{" && braceShape.test(source);
}

const keyShape = /\w+\s*=>/uy;
const braceShape = /\w+\s*\}/uy;

function quoted(source: string, offset: number, quote: string): LexMatch {
  const end = quoteEnd(source, offset + 1, quote);
  if (end < 0) return { end: source.length, fault: "a text has no end", token: { kind: "text", text: "" } };
  const inside = source.slice(offset + 1, end - 1);
  if (quote === "'") return { end, token: { kind: "text", text: plain(inside) } };
  return { end, token: textToken(interpolated(inside), quote === "`" ? "shell" : "text") };
}

function plain(text: string): string {
  return text.replaceAll(/\\([\\'])/gu, "$1");
}

const variableShape =
  /(?:\$#|[$@%])(?:\${0,5}(?:\^?[A-Za-z_]\w*(?:::\w+)*|\d+)|[&`'+!/\\,;.0-9_@$<>[\]-](?![A-Za-z_]))/uy;

/** Returns the same variable for all forms of a name: `$x`, `@x`, `%x`, `$#x`. */
function variable(source: string, offset: number): LexMatch | undefined {
  if (source[offset + 1] === "{" || (source[offset] !== "$" && source[offset + 1] === "$")) {
    const isGroup = source[offset + 1] === "{";
    return {
      end: offset + (isGroup ? 2 : 1),
      ...(isGroup && { token: { kind: "mark", text: `${source[offset] ?? ""}{` } }),
    };
  }
  variableShape.lastIndex = offset;
  const spelled = variableShape.exec(source)?.[0];
  if (spelled === undefined) return undefined;
  return { end: offset + spelled.length, token: { kind: "name", text: `$${spelled.replace(/^[$@%#]+/u, "") || "$"}` } };
}

/** Handles here-documents, and `<STDIN>` and `<*.c>`. */
function angled({ source, at: offset, pending }: Lexing): LexMatch | undefined {
  hereShape.lastIndex = offset;
  const here = hereShape.exec(source);
  if (here) {
    const [whole, indent = "", quote = "", named, bare] = here;
    const name = named ?? bare ?? "";
    const from = pending.at > offset ? pending.at : source.indexOf("\n", offset) + 1;
    if (from <= 0) return undefined;
    const { text: inside, end } = hereDocument(source, from, name, indent !== "");
    pending.at = end;
    const token =
      quote === "'"
        ? ({ kind: "text", text: inside } as const)
        : textToken(interpolated(inside), quote === "`" ? "shell" : "text");
    return { end: offset + whole.length, token };
  }
  readShape.lastIndex = offset;
  const read = readShape.exec(source)?.[0];
  return read === undefined ? undefined : { end: offset + read.length, token: { kind: "pattern", text: read } };
}

const hereShape = /<<(~?)(?:(["'`])([^"'`\n]*)\2|([A-Za-z_]\w*))/uy;
const readShape = /<(?:\$?\w*|[\w*?./~{},-]+)>/uy;
const quoteWord = /(q[qwxr]?|m|s|tr|y)(?=\s*[^\w\s,;=)]|\s*=[^>=~]|,[^,\n]*,[^,\n]*,)/uy;

function quoteLike(source: string, offset: number): LexMatch | undefined {
  if (/[\w$@%&-]/u.test(source[offset - 1] ?? "")) return undefined;
  quoteWord.lastIndex = offset;
  const word = quoteWord.exec(source)?.[1];
  if (word === undefined) return undefined;
  let open = offset + word.length;
  while (/\s/u.test(source[open] ?? "")) open += 1;
  if (source[open] === "#" && open > offset + word.length) return undefined;
  if (word === "s" || word === "tr" || word === "y" || word === "m" || word === "qr")
    return pattern(source, open, word, offset);
  const [inside, end] = delimited(source, open);
  if (end < 0) return { end: source.length, fault: "a text has no end", token: { kind: "text", text: "" } };
  if (word === "q") return { end, token: { kind: "text", text: plain(inside) } };
  if (word === "qw") return { end, token: { kind: "text", text: inside.trim(), flags: "w" } };
  return { end, token: textToken(interpolated(inside), word === "qx" ? "shell" : "text") };
}

function delimited(source: string, open: number): readonly [inside: string, end: number] {
  const sign = source[open] ?? "";
  const close = closingDelimiter(sign);
  const end = close === sign ? quoteEnd(source, open + 1, sign) : groupEnd(source, open + 1, sign, close);
  return [end < 0 ? "" : source.slice(open + 1, end - 1), end];
}

/** Handles `m//`, `s///` and `tr///`. The replacement of `s///e` is code. */
function pattern(source: string, open: number, word: string, start: number): LexMatch {
  const [searched, middle] = delimited(source, open);
  let end = middle;
  let replacement = "";
  if (end >= 0 && word !== "m" && word !== "qr") {
    const isPaired = closingDelimiter(source[open] ?? "") !== source[open];
    let next = end;
    if (isPaired) while (/\s/u.test(source[next] ?? "")) next += 1;
    [replacement, end] = delimited(source, isPaired ? next : end - 1);
  }
  if (end < 0)
    return {
      end: source.length,
      fault: "a pattern has no end",
      token: { kind: "pattern", text: source.slice(start, start + 40) },
    };
  let last = end;
  while (/[a-z]/u.test(source[last] ?? "")) last += 1;
  const flags = source.slice(end, last);
  const code =
    flags.includes("e") && word === "s"
      ? [{ code: replacement }]
      : word === "tr" || word === "y"
        ? []
        : interpolated(replacement);
  const inside = source[open] === "'" || word === "tr" || word === "y" ? [] : interpolated(searched);
  return {
    end: last,
    token: { kind: "pattern", text: "", flags, replacement: [...patternCode(searched), ...inside, ...code] },
  };
}

/** `(?{ code })` executes code during the match. */
function patternCode(text: string): readonly TextPiece[] {
  const parts: TextPiece[] = [];
  for (const { index } of text.matchAll(/\(\?\??\{/gu)) {
    const from = text.indexOf("{", index) + 1;
    const end = codeEnd(text, from);
    parts.push({ code: end < 0 ? text.slice(from) : text.slice(from, end - 1) });
    if (parts.length > 20) break;
  }
  return parts;
}

/** Returns the variables and code inside a text: `$x`, `$x->{y}`, `${x}`, `@{[ code ]}`. */
function interpolated(text: string): readonly TextPiece[] {
  const parts: TextPiece[] = [];
  let textStart = 0;
  for (let offset = 0; offset < text.length; offset++) {
    const char = text[offset];
    if (char === "\\") {
      offset += 1;
      continue;
    }
    if (char !== "$" && char !== "@") continue;
    let end = offset;
    if (text[offset + 1] === "{") end = codeEnd(text, offset + 2);
    else {
      nameShape.lastIndex = offset + 1;
      const name = nameShape.exec(text)?.[0];
      if (name !== undefined) end = offset + 1 + name.length;
    }
    if (end <= offset) continue;
    end = subscripts(text, end);
    parts.push(unescapeText(text.slice(textStart, offset)), { code: text.slice(offset, end) });
    textStart = end;
    offset = end - 1;
  }
  parts.push(unescapeText(text.slice(textStart)));
  return parts;
}

const nameShape = /\${0,5}(?:[A-Za-z_]\w*(?:::\w+)*|\d+|&)/uy;

function subscripts(text: string, from: number): number {
  let end = from;
  for (let count = 0; count < 5; count++) {
    const offset = text.startsWith("->", end) ? end + 2 : end;
    const isIndex =
      text[offset] === "{" ||
      (text[offset] === "[" &&
        /[\w$-]/u.test(text[offset + 1] ?? "") &&
        /^\[[-\w$]+\]/u.test(text.slice(offset, offset + 40)));
    if (!isIndex) break;
    const close = text[offset] === "{" ? codeEnd(text, offset + 1) : groupEnd(text, offset + 1, "[", "]");
    if (close < 0) break;
    end = close;
  }
  return end;
}

/** `use Module …;` imports names; the rest of the statement is parsed as code. */
function statement(reader: Reader): boolean {
  if (!(reader.isName("use") || reader.isName("no")) || reader.isMark("=>", 1)) return false;
  reader.at += 1;
  if (reader.peek()?.kind === "name" || reader.peek()?.kind === "number") reader.at += 1;
  return true;
}

export const perl: Dialect = {
  language: "perl",
  spelling,
  access: new Set(["->"]),
  joining: new Set(["."]),
  keywords,
  known: perlNames,
  isModule: modulesOf(perlNames, []),
  hasBareCalls: true,
  callsTexts: true,
  joinsNeighbours: false,
  functions: "none",
  environments: new Set(["$ENV"]),
  canonical: (ref) =>
    ref
      .replaceAll("::", ".")
      .replace(/^(?:CORE\.GLOBAL|CORE|main|POSIX)\.(?=[a-z])/u, "")
      .replace(/^\$ARGV$/u, "arguments+0"),
  statement,
};
