import { once } from "../../../base/async/once.ts";
import { phpNames } from "../known/php-names.ts";
import type { Dialect } from "../reading/dialect.ts";
import { modulesOf } from "../reading/known.ts";
import { closingAt, codeEnd, textToken, unescaped } from "../reading/quoted.ts";
import type { Reader } from "../reading/reader.ts";
import { marksOf, type Found, type Lexing, type Part, type Spelling } from "../reading/token.ts";
import { refValue } from "../reading/value.ts";

const spelling: Spelling = {
  lineComments: ["//", "#"],
  blockComments: [["/*", "*/"]],
  marks: marksOf("<=> === !== **= ... ??= ?-> -> => == != <= >= && || ?? :: += -= *= /= .= ++ -- ** << >>"),
  hasLines: false,
  name: once(() => /\\?[\p{L}_][\p{L}\p{N}_]*(?:\\[\p{L}_][\p{L}\p{N}_]*)*|\$[\p{L}_][\p{L}\p{N}_]*/uy),
  nameText: (text) => text.replace(/^\\/u, ""),
  read(lexing) {
    const { source, at } = lexing;
    const char = source[at] ?? "";
    if (source.startsWith("<?php", at)) return { end: at + 5 };
    if (source.startsWith("<?=", at)) return { end: at + 3 };
    if (source.startsWith("?>", at)) {
      const next = source.indexOf("<?", at + 2);
      return { end: next < 0 ? source.length : next };
    }
    if (source.startsWith("#[", at)) return { end: at + 2, token: { kind: "mark", text: "[" } };
    if (char === "'" || char === '"' || char === "`") {
      const end = closingAt(source, at + 1, char);
      if (end < 0) return { end: source.length, fault: "a text has no end", token: { kind: "text", text: "" } };
      const inside = source.slice(at + 1, end - 1);
      if (char === "'") return { end, token: { kind: "text", text: inside.replaceAll(/\\([\\'])/gu, "$1") } };
      return { end, token: textToken(interpolated(inside), char === "`" ? "shell" : "text") };
    }
    // A cast such as `(string)`.
    castShape.lastIndex = at;
    const cast = char === "(" ? castShape.exec(source)?.[0] : undefined;
    if (cast !== undefined) return { end: at + cast.length };
    return source.startsWith("<<<", at) ? here(lexing) : undefined;
  },
};

const castShape = /\(\s*(?:int|integer|string|bool|boolean|float|array|object|binary)\s*\)/iuy;
const hereShape = /<<<[ \t]*(["']?)([A-Za-z_]\w*)\1/uy;

function here({ source, at }: Lexing): Found | undefined {
  hereShape.lastIndex = at;
  const [whole, quote, name = ""] = hereShape.exec(source) ?? [];
  if (whole === undefined) return undefined;
  const from = source.indexOf("\n", at) + 1;
  const rest = source.slice(from);
  const end = new RegExp(`^[ \\t]*${name}\\b`, "mu").exec(rest);
  const inside = rest.slice(0, end?.index ?? rest.length);
  const stop = from + (end ? end.index + end[0].length : rest.length);
  return { end: stop, token: quote === "'" ? { kind: "text", text: inside } : textToken(interpolated(inside)) };
}

/** `$x`, `$x[0]`, `$x->y`, `{$code}`, `${x}`. */
function interpolated(text: string): readonly Part[] {
  const parts: Part[] = [];
  let begun = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === "\\") at += 1;
    else if ((char === "{" && text[at + 1] === "$") || (char === "$" && text[at + 1] === "{")) {
      const from = char === "{" ? at + 1 : at + 2;
      const end = codeEnd(text, from);
      if (end < 0) break;
      parts.push(unescaped(text.slice(begun, at)), {
        code: char === "{" ? text.slice(from, end - 1) : `$${text.slice(from, end - 1)}`,
      });
      begun = end;
      at = end - 1;
    } else if (char === "$") {
      simpleShape.lastIndex = at;
      const name = simpleShape.exec(text)?.[0];
      if (name === undefined) continue;
      parts.push(unescaped(text.slice(begun, at)), {
        code: name.replace(/\[(\w+)\]$/u, (_, key: string) => (/^\d/u.test(key) ? `[${key}]` : `['${key}']`)),
      });
      begun = at + name.length;
      at = begun - 1;
    }
  }
  parts.push(unescaped(text.slice(begun)));
  return parts;
}

const simpleShape = /\$[A-Za-z_]\w*(?:\[\w+\]|->\w+)?/uy;

/** `include $file` runs it. */
function statement(reader: Reader): boolean {
  const token = reader.peek();
  if (reader.isName("use") && reader.isName("function", 1) && reader.isName("as", 3)) {
    reader.scope.bind(reader.peek(4)?.text ?? "", refValue(reader.peek(2)?.text ?? ""));
    reader.at += 5;
    return true;
  }
  if (token?.kind !== "name" || !/^(?:include|require|include_once|require_once)$/iu.test(token.text)) return false;
  const start = reader.at;
  reader.at += 1;
  const file = reader.expression();
  const text = file.text ?? "";
  if (/^(?:https?|ftp|data|php|expect|phar):/iu.test(text))
    reader.scope.effects.find(
      /^(?:https?|ftp):/iu.test(text) ? "remote_code" : "unreadable_code",
      reader.wordsFrom(start),
    );
  return true;
}

export const php: Dialect = {
  language: "php",
  spelling,
  access: new Set(["->", "?->", "::"]),
  joining: new Set(["."]),
  keywords: new Set(
    "if elseif else for foreach while do switch case default break continue return throw try catch finally class interface trait extends implements public private protected static final abstract const use namespace global echo print match endif endforeach endwhile endfor".split(
      " ",
    ),
  ),
  known: phpNames,
  isModule: modulesOf(phpNames, ["$GLOBALS"]),
  hasBareCalls: false,
  callsTexts: true,
  joinsNeighbours: false,
  functions: "braced",
  environments: new Set(["$_ENV", "$_SERVER"]),
  // Names of functions and classes have no case.
  canonical: (ref) =>
    ref.startsWith("$") ? ref.replace(/^\$argv$/u, "arguments+1") : ref.replaceAll("\\", ".").toLowerCase(),
  statement,
};
