import { once } from "../../../base/async/once.ts";
import { luaNames } from "../known/lua-names.ts";
import type { Dialect } from "../reading/dialect.ts";
import { modulesOf } from "../reading/known.ts";
import { closingAt, unescaped } from "../reading/quoted.ts";
import { marksOf, type Spelling } from "../reading/token.ts";

const spelling: Spelling = {
  lineComments: ["--", "#!"],
  blockComments: [],
  marks: marksOf("... .. == ~= <= >= // :: << >>"),
  hasLines: false,
  name: once(() => /[A-Za-z_]\w*/uy),
  read({ source, at }) {
    const char = source[at] ?? "";
    const long = longEnd(source, source.startsWith("--", at) ? at + 2 : at);
    if (long && source.startsWith("--", at)) return { end: long.end };
    if (long && char === "[") return { end: long.end, token: { kind: "text", text: long.inside } };
    if (char !== '"' && char !== "'") return undefined;
    const end = closingAt(source, at + 1, char);
    if (end < 0) return { end: source.length, fault: "a text has no end", token: { kind: "text", text: "" } };
    const inside = source
      .slice(at + 1, end - 1)
      .replaceAll(/\\(\d{1,3})/gu, (_, code: string) => String.fromCodePoint(Number(code) % 256));
    return { end, token: { kind: "text", text: unescaped(inside) } };
  },
};

const longShape = /\[(=*)\[/uy;

/** `[[…]]`, `[==[…]==]`. */
function longEnd(source: string, at: number): { readonly end: number; readonly inside: string } | undefined {
  longShape.lastIndex = at;
  const [open, equals = ""] = longShape.exec(source) ?? [];
  if (open === undefined) return undefined;
  const close = source.indexOf(`]${equals}]`, at + open.length);
  const stop = close < 0 ? source.length : close;
  return { end: close < 0 ? stop : stop + open.length, inside: source.slice(at + open.length, stop) };
}

export const lua: Dialect = {
  language: "lua",
  spelling,
  access: new Set([".", ":"]),
  joining: new Set([".."]),
  keywords: new Set("if elseif else for while do repeat until end then return break goto in local nil".split(" ")),
  known: luaNames,
  isModule: modulesOf(luaNames, ["_G", "_ENV"]),
  hasBareCalls: false,
  callsTexts: false,
  joinsNeighbours: false,
  functions: "none",
  environments: new Set(),
  canonical: (ref) => ref.replace(/^(?:_G|_ENV|package\.loaded)\.(?=.)/u, "").replace(/^arg$/u, "arguments+1"),
};
