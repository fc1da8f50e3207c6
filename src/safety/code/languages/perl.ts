import { once } from "../../../base/async/once.ts";
import { words } from "../../words.ts";
import { perlNames } from "../known/perl-names.ts";
import type { Dialect } from "../reading/dialect.ts";
import type { Reader } from "../reading/dialect.ts";
import { modulesOf } from "../reading/known.ts";
import { closerOf, closingAt, codeEnd, groupEnd, hereDocument, textToken, unescaped } from "../reading/quoted.ts";
import { marksOf, type Found, type Lexing, type Part, type Spelling, type Token } from "../reading/token.ts";

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
    const { source, at, previous } = lexing;
    const char = source[at] ?? "";
    if (char === "=" && (at === 0 || source[at - 1] === "\n") && /[a-z]/u.test(source[at + 1] ?? "")) {
      const end = source.indexOf("\n=cut", at);
      return { end: end < 0 ? source.length : end + 5 };
    }
    if (source.startsWith("__END__", at) || source.startsWith("__DATA__", at)) return { end: source.length };
    if (char === "'" || char === '"' || char === "`") return quoted(source, at, char);
    if (char === "$" || char === "@" || (char === "%" && isOperandNext(previous))) return variable(source, at);
    if (char === "<" && isOperandNext(previous, source[at + 1] === "<")) return angled(lexing) ?? undefined;
    if (char === "/" && isOperandNext(previous, true)) return pattern(source, at, "m", at);
    return !"qmsty".includes(char) || isKey(lexing) ? undefined : quoteLike(source, at);
  },
};

/** Can a value begin here? After a value only an operator can. */
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

/** A word before `=>`, or alone in braces, is a text. */
function isKey({ source, at, previous }: Lexing): boolean {
  if (previous?.kind === "mark" && previous.text === "->") return true;
  keyShape.lastIndex = at;
  if (keyShape.test(source)) return true;
  braceShape.lastIndex = at;
  return previous?.kind === "mark" && previous.text === "{" && braceShape.test(source);
}

const keyShape = /\w+\s*=>/uy;
const braceShape = /\w+\s*\}/uy;

function quoted(source: string, at: number, quote: string): Found {
  const end = closingAt(source, at + 1, quote);
  if (end < 0) return { end: source.length, fault: "a text has no end", token: { kind: "text", text: "" } };
  const inside = source.slice(at + 1, end - 1);
  if (quote === "'") return { end, token: { kind: "text", text: plain(inside) } };
  return { end, token: textToken(interpolated(inside), quote === "`" ? "shell" : "text") };
}

function plain(text: string): string {
  return text.replaceAll(/\\([\\'])/gu, "$1");
}

const variableShape =
  /(?:\$#|[$@%])(?:\${0,5}(?:\^?[A-Za-z_]\w*(?:::\w+)*|\d+)|[&`'+!/\\,;.0-9_@$<>[\]-](?![A-Za-z_]))/uy;

/** All of one name are one: `$x`, `@x`, `%x`, `$#x`. */
function variable(source: string, at: number): Found | undefined {
  if (source[at + 1] === "{" || (source[at] !== "$" && source[at + 1] === "$")) {
    const isGroup = source[at + 1] === "{";
    return { end: at + (isGroup ? 2 : 1), ...(isGroup && { token: { kind: "mark", text: `${source[at] ?? ""}{` } }) };
  }
  variableShape.lastIndex = at;
  const found = variableShape.exec(source)?.[0];
  if (found === undefined) return undefined;
  return { end: at + found.length, token: { kind: "name", text: `$${found.replace(/^[$@%#]+/u, "") || "$"}` } };
}

/** Here-documents, and `<STDIN>`, `<*.c>`. */
function angled({ source, at, pending }: Lexing): Found | undefined {
  hereShape.lastIndex = at;
  const here = hereShape.exec(source);
  if (here) {
    const [whole, indent = "", quote = "", named, bare] = here;
    const name = named ?? bare ?? "";
    const from = pending.at > at ? pending.at : source.indexOf("\n", at) + 1;
    if (from <= 0) return undefined;
    const { text: inside, end } = hereDocument(source, from, name, indent !== "");
    pending.at = end;
    const token =
      quote === "'"
        ? ({ kind: "text", text: inside } as const)
        : textToken(interpolated(inside), quote === "`" ? "shell" : "text");
    return { end: at + whole.length, token };
  }
  readShape.lastIndex = at;
  const read = readShape.exec(source)?.[0];
  return read === undefined ? undefined : { end: at + read.length, token: { kind: "pattern", text: read } };
}

const hereShape = /<<(~?)(?:(["'`])([^"'`\n]*)\2|([A-Za-z_]\w*))/uy;
const readShape = /<(?:\$?\w*|[\w*?./~{},-]+)>/uy;
const quoteWord = /(q[qwxr]?|m|s|tr|y)(?=\s*[^\w\s,;=)]|\s*=[^>=~]|,[^,\n]*,[^,\n]*,)/uy;

function quoteLike(source: string, at: number): Found | undefined {
  if (/[\w$@%&-]/u.test(source[at - 1] ?? "")) return undefined;
  quoteWord.lastIndex = at;
  const word = quoteWord.exec(source)?.[1];
  if (word === undefined) return undefined;
  let open = at + word.length;
  while (/\s/u.test(source[open] ?? "")) open += 1;
  if (source[open] === "#" && open > at + word.length) return undefined;
  if (word === "s" || word === "tr" || word === "y" || word === "m" || word === "qr")
    return pattern(source, open, word, at);
  const [inside, end] = delimited(source, open);
  if (end < 0) return { end: source.length, fault: "a text has no end", token: { kind: "text", text: "" } };
  if (word === "q") return { end, token: { kind: "text", text: plain(inside) } };
  if (word === "qw") return { end, token: { kind: "text", text: inside.trim(), flags: "w" } };
  return { end, token: textToken(interpolated(inside), word === "qx" ? "shell" : "text") };
}

function delimited(source: string, open: number): readonly [inside: string, end: number] {
  const sign = source[open] ?? "";
  const close = closerOf(sign);
  const end = close === sign ? closingAt(source, open + 1, sign) : groupEnd(source, open + 1, sign, close);
  return [end < 0 ? "" : source.slice(open + 1, end - 1), end];
}

/** `m//`, `s///`, `tr///`; what stands in place of `s///e` is code. */
function pattern(source: string, open: number, word: string, start: number): Found {
  const [searched, middle] = delimited(source, open);
  let end = middle;
  let replacement = "";
  if (end >= 0 && word !== "m" && word !== "qr") {
    const isPaired = closerOf(source[open] ?? "") !== source[open];
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

/** `(?{ code })` runs while it is searched. */
function patternCode(text: string): readonly Part[] {
  const parts: Part[] = [];
  for (const { index } of text.matchAll(/\(\?\??\{/gu)) {
    const from = text.indexOf("{", index) + 1;
    const end = codeEnd(text, from);
    parts.push({ code: end < 0 ? text.slice(from) : text.slice(from, end - 1) });
    if (parts.length > 20) break;
  }
  return parts;
}

/** The variables and code in a text: `$x`, `$x->{y}`, `${x}`, `@{[ code ]}`. */
function interpolated(text: string): readonly Part[] {
  const parts: Part[] = [];
  let begun = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === "\\") {
      at += 1;
      continue;
    }
    if (char !== "$" && char !== "@") continue;
    let end = at;
    if (text[at + 1] === "{") end = codeEnd(text, at + 2);
    else {
      nameShape.lastIndex = at + 1;
      const name = nameShape.exec(text)?.[0];
      if (name !== undefined) end = at + 1 + name.length;
    }
    if (end <= at) continue;
    end = subscripts(text, end);
    parts.push(unescaped(text.slice(begun, at)), { code: text.slice(at, end) });
    begun = end;
    at = end - 1;
  }
  parts.push(unescaped(text.slice(begun)));
  return parts;
}

const nameShape = /\${0,5}(?:[A-Za-z_]\w*(?:::\w+)*|\d+|&)/uy;

function subscripts(text: string, from: number): number {
  let end = from;
  for (let count = 0; count < 5; count++) {
    const at = text.startsWith("->", end) ? end + 2 : end;
    const isIndex =
      text[at] === "{" ||
      (text[at] === "[" && /[\w$-]/u.test(text[at + 1] ?? "") && /^\[[-\w$]+\]/u.test(text.slice(at, at + 40)));
    if (!isIndex) break;
    const close = text[at] === "{" ? codeEnd(text, at + 1) : groupEnd(text, at + 1, "[", "]");
    if (close < 0) break;
    end = close;
  }
  return end;
}

/** `use Module …;` names what is used; what else stands there is read. */
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
