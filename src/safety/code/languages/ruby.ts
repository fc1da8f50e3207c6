import { once } from "../../../base/async/once.ts";
import { rubyNames } from "../known/ruby-names.ts";
import type { Dialect } from "../reading/dialect.ts";
import { modulesOf } from "../reading/known.ts";
import { closerOf, closingAt, codeEnd, groupEnd, hereDocument, textToken, unescaped } from "../reading/quoted.ts";
import type { Reader } from "../reading/reader.ts";
import { marksOf, type Found, type Lexing, type Part, type Spelling, type Token } from "../reading/token.ts";

const keywords: ReadonlySet<string> = new Set(
  "if elsif else unless while until loop for do end begin rescue ensure case when then return next break redo retry class module yield in BEGIN END".split(
    " ",
  ),
);

const spelling: Spelling = {
  lineComments: ["#"],
  blockComments: [],
  marks: marksOf("<=> === **= ||= &&= ... &. => == != =~ !~ <= >= && || .. :: += -= *= /= ** << >> ->"),
  hasLines: true,
  name: once(
    () =>
      /(?:@@?|\$)?[\p{L}_][\p{L}\p{N}_]*[?!]?(?!=[^=~>])|(?:@@?|\$)?[\p{L}_][\p{L}\p{N}_]*|\$[0-9~!@&`'+*$?:"<>,./\\;]/uy,
  ),
  read(lexing) {
    const { source, at, previous, isSpaced } = lexing;
    const char = source[at] ?? "";
    if (char === "\\" && source[at + 1] === "\n") return { end: at + 2 };
    if (source.startsWith("=begin", at) && (at === 0 || source[at - 1] === "\n")) {
      const end = source.indexOf("\n=end", at);
      return { end: end < 0 ? source.length : end + 5 };
    }
    if (char === '"' || char === "'" || char === "`") return quoted(source, at, char);
    if (char === "/" && isOperandNext(lexing)) return pattern(source, at, "/", "/");
    if (char === "%" && isOperandNext(lexing)) return percent(source, at);
    if (char === ":" && (previous?.text === "(" || previous?.text === ",")) {
      operatorShape.lastIndex = at + 1;
      const text = operatorShape.exec(source)?.[0];
      if (text !== undefined) return { end: at + 1 + text.length, token: { kind: "text", text } };
    }
    if (char === ":" && source[at + 1] === '"') {
      const text = quoted(source, at + 1, '"');
      return text;
    }
    if (
      char === ":" &&
      /[\p{L}_]/u.test(source[at + 1] ?? "") &&
      source[at - 1] !== ":" &&
      (isSpaced || previous?.kind !== "name")
    )
      return symbol(source, at);
    if (char === "?" && /\w/u.test(source[at + 1] ?? "") && !/\w/u.test(source[at + 2] ?? "") && isOperandNext(lexing))
      return { end: at + 2, token: { kind: "text", text: source[at + 1] ?? "" } };
    return char === "<" && source[at + 1] === "<" ? here(lexing) : undefined;
  },
};

/** Can a value begin here? After a name with a blank before and none behind, a sign begins an argument. */
function isOperandNext({ previous, isSpaced, source, at }: Lexing): boolean {
  if (previous === undefined) return true;
  if (previous.kind === "mark") return !/^[)\]}]$/u.test(previous.text);
  if (previous.kind !== "name") return false;
  return (
    keywords.has(previous.text) ||
    /^(?:and|or|not|puts|print|p)$/u.test(previous.text) ||
    (isSpaced && !/[\s=]/u.test(source[at + 1] ?? " ") && !/^[@$]/u.test(previous.text))
  );
}

function quoted(source: string, at: number, quote: string): Found {
  const end = quote === "'" ? closingAt(source, at + 1, quote) : doubleEnd(source, at + 1, quote);
  if (end < 0) return unclosed(source);
  const inside = source.slice(at + 1, end - 1);
  if (quote === "'") return { end, token: { kind: "text", text: inside.replaceAll(/\\([\\'])/gu, "$1") } };
  return { end, token: textToken(interpolated(inside), quote === "`" ? "shell" : "text") };
}

function unclosed(source: string): Found {
  return { end: source.length, fault: "a text has no end", token: { kind: "text", text: "" } };
}

/** The end of a text in which `#{…}` may have quotes of its own. */
function doubleEnd(source: string, from: number, quote: string): number {
  for (let at = from; at < source.length; at++) {
    if (source[at] === "\\") at += 1;
    else if (source[at] === quote) return at + 1;
    else if (source[at] === "#" && source[at + 1] === "{") {
      const end = codeEnd(source, at + 2);
      if (end < 0) return -1;
      at = end - 1;
    }
  }
  return -1;
}

function interpolated(text: string): readonly Part[] {
  const parts: Part[] = [];
  let begun = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === "#" && text[at + 1] === "{") {
      const end = codeEnd(text, at + 2);
      if (end < 0) break;
      parts.push(unescaped(text.slice(begun, at)), { code: text.slice(at + 2, end - 1) });
      begun = end;
      at = end - 1;
    }
  }
  parts.push(unescaped(text.slice(begun)));
  return parts;
}

function pattern(source: string, open: number, sign: string, close: string): Found {
  const end = close === sign ? doubleEnd(source, open + 1, sign) : groupEnd(source, open + 1, sign, close);
  if (end < 0) return unclosed(source);
  let last = end;
  while (/[a-z]/u.test(source[last] ?? "")) last += 1;
  return {
    end: last,
    token: { kind: "pattern", text: "", replacement: interpolated(source.slice(open + 1, end - 1)) },
  };
}

/** `%w[a b]`, `%x(date)`, `%q()`, `%()`. */
function percent(source: string, at: number): Found | undefined {
  percentShape.lastIndex = at;
  const [whole, kind = "", sign = ""] = percentShape.exec(source) ?? [];
  if (whole === undefined) return undefined;
  const open = at + whole.length - 1;
  const close = closerOf(sign);
  if (kind === "r") return pattern(source, open, sign, close);
  const end = close === sign ? closingAt(source, open + 1, sign) : groupEnd(source, open + 1, sign, close);
  if (end < 0) return unclosed(source);
  const inside = source.slice(open + 1, end - 1);
  if (kind === "w" || kind === "i" || kind === "W" || kind === "I" || kind === "q")
    return { end, token: { kind: "text", text: inside.trim(), ...(kind === "q" ? {} : { flags: "w" }) } };
  return { end, token: textToken(interpolated(inside), kind === "x" ? "shell" : "text") };
}

const percentShape = /%([qQwWiIxrs]?)([([{<|!/^'"])/uy;

function symbol(source: string, at: number): Found {
  const symbol = /[\p{L}_][\p{L}\p{N}_]*[?!=]?(?!\w)/uy;
  symbol.lastIndex = at + 1;
  const text = symbol.exec(source)?.[0] ?? "";
  return { end: at + 1 + text.length, token: { kind: "text", text } };
}

const operatorShape = /[-+*/%<>=!~&|^]{1,3}/uy;
const hereShape = /<<([~-]?)(?:(["'`])([^"'`\n]*)\2|([A-Z_]\w*))/uy;

function here({ source, at, pending, previous }: Lexing): Found | undefined {
  hereShape.lastIndex = at;
  const found = hereShape.exec(source);
  if (!found || isValue(previous)) return undefined;
  const [whole, , quote = "", named, bare] = found;
  const from = pending.at > at ? pending.at : source.indexOf("\n", at) + 1;
  if (from <= 0) return undefined;
  const { text: inside, end } = hereDocument(source, from, named ?? bare ?? "", true);
  pending.at = end;
  const token =
    quote === "'"
      ? ({ kind: "text", text: inside } as const)
      : textToken(interpolated(inside), quote === "`" ? "shell" : "text");
  return { end: at + whole.length, token };
}

function isValue(previous: Token | undefined): boolean {
  return (
    previous?.kind === "number" ||
    previous?.kind === "text" ||
    (previous?.kind === "mark" && /^[)\]}]$/u.test(previous.text))
  );
}

/** `include FileUtils`: its methods are called by name from now on. */
function statement(reader: Reader): boolean {
  if (!reader.isName("include") && !reader.isName("extend")) return false;
  const module = reader.peek(1);
  if (module?.kind !== "name") return false;
  reader.scope.spread(module.text);
  reader.at += 2;
  return true;
}

export const ruby: Dialect = {
  language: "ruby",
  spelling,
  access: new Set([".", "&.", "::"]),
  joining: new Set(["+", "<<"]),
  keywords,
  known: rubyNames,
  isModule: modulesOf(rubyNames, []),
  hasBareCalls: true,
  callsTexts: false,
  joinsNeighbours: true,
  functions: "none",
  environments: new Set(["ENV"]),
  canonical: (ref) =>
    ref
      .replaceAll("::", ".")
      .replace(/^Object\.(?=[A-Z])/u, "")
      .replace(
        /^(?:Kernel|Object|self|main|TOPLEVEL_BINDING|Process)\.(?=(?:system|exec|spawn|fork|eval|open|load|require|syscall|send|public_send|__send__|method|instance_eval|binding|const_get)$)/u,
        "",
      )
      .replace(/^ARGV$/u, "arguments+0")
      .replace(/^(?:File|IO)\.File\./u, "File."),
  statement,
};
