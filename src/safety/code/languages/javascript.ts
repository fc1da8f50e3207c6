import { once } from "../../../base/async/once.ts";
import { javascriptNames } from "../known/javascript-names.ts";
import type { Dialect } from "../reading/dialect.ts";
import type { Reader } from "../reading/dialect.ts";
import { modulesOf } from "../reading/name-effects.ts";
import { quoteEnd, codeEnd, textToken, unescapeText } from "../reading/quoted.ts";
import { marksOf, type LexMatch, type Lexing, type TextPiece, type Spelling } from "../reading/token.ts";
import { refValue } from "../reading/value.ts";

const keywords: ReadonlySet<string> = new Set(
  "if else for while do switch case break continue return throw try catch finally class extends const let var static get set default export debugger with of in".split(
    " ",
  ),
);

const spelling: Spelling = {
  lineComments: ["//", "#!"],
  blockComments: [["/*", "*/"]],
  marks: marksOf(
    ">>>= ... === !== **= <<= >>= >>> &&= ||= ??= => == != <= >= && || ?? ?. ++ -- += -= *= /= %= &= |= ^= << >> **",
  ),
  hasLines: false,
  name: once(
    () =>
      /(?:[\p{L}\p{Nl}$_#]|\\u(?:[0-9a-fA-F]{4}|\{[0-9a-fA-F]+\}))(?:[\p{L}\p{N}\p{M}\p{Pc}$\u200c\u200d]|\\u(?:[0-9a-fA-F]{4}|\{[0-9a-fA-F]+\}))*/uy,
  ),
  nameText: (text) => unescapeText(text),
  read(lexing) {
    const { source, at: index } = lexing;
    const char = source[index];
    if (char === '"' || char === "'") {
      const end = quoteEnd(source, index + 1, char);
      return end < 0
        ? unclosed(source)
        : { end, token: { kind: "text", text: unescapeText(source.slice(index + 1, end - 1)) } };
    }
    if (char === "`") return readTemplate(source, index + 1);
    if (char === "/" && source[index + 1] !== "/" && source[index + 1] !== "*" && startsPattern(lexing))
      return readPattern(source, index);
    return undefined;
  },
};

function unclosed(source: string): LexMatch {
  return { end: source.length, fault: "a text has no end", token: { kind: "text", text: "" } };
}

function readTemplate(source: string, from: number): LexMatch {
  const parts: TextPiece[] = [];
  let textStart = from;
  for (let index = from; index < source.length; index++) {
    if (source[index] === "\\") index += 1;
    else if (source[index] === "`") {
      parts.push(unescapeText(source.slice(textStart, index)));
      return { end: index + 1, token: { ...textToken(parts), flags: "`" } };
    } else if (source[index] === "$" && source[index + 1] === "{") {
      const end = codeEnd(source, index + 2);
      if (end < 0) break;
      parts.push(unescapeText(source.slice(textStart, index)), { code: source.slice(index + 2, end - 1) });
      textStart = end;
      index = end - 1;
    }
  }
  return unclosed(source);
}

/** A slash after a value is a division; anywhere else it starts a regular expression. */
function startsPattern({ previous, beforeGroup }: Lexing): boolean {
  if (previous === undefined) return true;
  if (previous.kind === "name")
    return keywords.has(previous.text) || previous.text === "typeof" || previous.text === "await";
  if (previous.kind !== "mark") return false;
  if (previous.text === ")") {
    const before = beforeGroup();
    return before?.kind === "name" && /^(?:if|while|for|with)$/u.test(before.text);
  }
  if (previous.text === "}") {
    const before = beforeGroup();
    // An object literal is a value, but a block is not.
    return !(before?.kind === "mark" && /^[=(,:[?]$/u.test(before.text));
  }
  return previous.text !== "]" && previous.text !== "++" && previous.text !== "--";
}

function readPattern(source: string, from: number): LexMatch {
  let isSet = false;
  for (let index = from + 1; index < source.length && source[index] !== "\n"; index++) {
    const char = source[index];
    if (char === "\\") index += 1;
    else if (char === "[") isSet = true;
    else if (char === "]") isSet = false;
    else if (char === "/" && !isSet) {
      let end = index + 1;
      while (/[a-z]/u.test(source[end] ?? "")) end += 1;
      return { end, token: { kind: "pattern", text: "" } };
    }
  }
  return unclosed(source);
}

/** Handles `import … from "x"` and `const {a: b} = x`. */
function statement(reader: Reader): boolean {
  if (reader.isName("with") && reader.isMark("(", 1)) {
    reader.at += 1;
    for (const { ref } of reader.group()) if (ref !== undefined) reader.scope.spread(ref);
    return true;
  }
  if (reader.isName("import") && !reader.isMark("(", 1) && !reader.isMark(".", 1)) return readImport(reader);
  const isDeclared = reader.isName("const") || reader.isName("let") || reader.isName("var");
  const open = reader.at + (isDeclared ? 1 : 0);
  if (!isDeclared || reader.lexed.tokens[open]?.text !== "{") return false;
  const close = reader.lexed.match[open] ?? -1;
  if (close < 0 || reader.lexed.tokens[close + 1]?.text !== "=") return false;
  reader.at = close + 2;
  const value = reader.expression();
  for (const [name, as] of pairs(reader, open, close)) reader.scope.bind(as, reader.scope.member(value, name));
  return true;
}

function readImport(reader: Reader): boolean {
  const start = reader.at;
  const { tokens, match } = reader.lexed;
  let index = start + 1;
  while (index < reader.end && tokens[index]?.kind !== "text" && tokens[index]?.text !== ";") index += 1;
  const module = tokens[index]?.kind === "text" ? (tokens[index]?.text ?? "") : undefined;
  if (module === undefined) return false;
  const ref = refValue(canonical(module));
  for (let each = start + 1; each < index; each++) {
    const token = tokens[each];
    const close = match[each] ?? -1;
    if (token?.text === "{" && close > each) {
      for (const [name, as] of pairs(reader, each, close))
        reader.scope.bind(as, name === "default" ? ref : reader.scope.member(ref, name));
      each = close;
    } else if (token?.kind === "name" && token.text !== "as" && token.text !== "from" && token.text !== "type")
      reader.scope.bind(token.text, ref);
  }
  reader.at = index + 1;
  return true;
}

/** Parses `{a, b: c, d as e}`: the imported names and their local names. */
function pairs({ lexed: { tokens } }: Reader, open: number, close: number): readonly (readonly [string, string])[] {
  const bindings: (readonly [string, string])[] = [];
  for (let index = open + 1; index < close; index++) {
    const token = tokens[index];
    if (token?.kind !== "name" && token?.kind !== "text") continue;
    const sign = tokens[index + 1];
    const other = tokens[index + 2];
    if ((sign?.text === ":" || sign?.text === "as") && other?.kind === "name" && index + 2 < close) {
      bindings.push([token.text, other.text]);
      index += 2;
    } else bindings.push([token.text, token.text]);
  }
  return bindings;
}

export const javascript: Dialect = {
  language: "javascript",
  spelling,
  access: new Set([".", "?."]),
  joining: new Set(["+"]),
  keywords,
  known: javascriptNames,
  isModule: modulesOf(javascriptNames, ["globalThis", "global", "window", "self", "process"]),
  hasBareCalls: false,
  callsTexts: false,
  joinsNeighbours: false,
  functions: "braced",
  environments: new Set(["environment"]),
  canonical,
  statement,
};

function canonical(ref: string): string {
  let name = ref;
  for (let before = ""; before !== name;) {
    before = name;
    name = name
      .replace(/^node:/u, "")
      .replace(/^(?:globalThis|global|window|self|module|top|this)\.(?=.)/u, "")
      .replace(/^process\.mainModule\.(?=.)/u, "")
      .replace(/^(fs|dns|timers|readline|stream)\/promises/u, "$1")
      .replace(/^fs\.promises(?=\.|$)/u, "fs")
      .replace(/^(?:fs-extra|graceful-fs|original-fs)(?=\.|$)/u, "fs")
      .replace(/\.default(?=\.|$)/u, "")
      .replace(/^(?:.*\.)?constructor\.constructor$/u, "Function(hidden)")
      .replace(/^(?:process|Bun)\.env$/u, "environment")
      .replace(/^process\.argv$/u, "arguments+1")
      .replace(/^Bun\.argv$/u, "arguments+1")
      .replace(/^Deno\.args$/u, "arguments+0");
  }
  return name;
}
