import { once } from "../../../base/async/once.ts";
import { pythonNames } from "../known/python-names.ts";
import type { Dialect } from "../reading/dialect.ts";
import type { Reader } from "../reading/dialect.ts";
import { modulesOf } from "../reading/known.ts";
import { codeEnd, textToken, unescaped } from "../reading/quoted.ts";
import { marksOf, type Found, type Part, type Spelling } from "../reading/token.ts";
import { refValue } from "../reading/value.ts";

const spelling: Spelling = {
  lineComments: ["#"],
  blockComments: [],
  marks: marksOf("**= //= >>= <<= ... -> := == != <= >= += -= *= /= ** // << >>"),
  hasLines: true,
  name: once(() => /[\p{L}_][\p{L}\p{N}\p{M}_]*/uy),
  // The language itself reads full-width letters as plain ones.
  nameText: (text) => (asciiOnly.test(text) ? text : text.normalize("NFKC")),
  read({ source, at }) {
    if (source[at] === "\\" && source[at + 1] === "\n") return { end: at + 2 };
    if (!textStart.has(source[at] ?? "")) return undefined;
    const [whole, prefix = "", quote = ""] = match(opening, source, at) ?? [];
    return whole === undefined ? undefined : readText(source, at + whole.length, prefix.toLowerCase(), quote);
  },
};

const textStart: ReadonlySet<string> = new Set("\"'rRbBuUfFtT");
const asciiOnly = /^[\w]+$/;
const opening = /([rRbBuUfFtT]{0,2})("""|'''|"|')/uy;

function match(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(source);
}

function readText(source: string, from: number, prefix: string, quote: string): Found {
  let at = from;
  const isFormat = prefix.includes("f") || prefix.includes("t");
  const cook = (text: string) => (prefix.includes("r") ? text : unescaped(text));
  const parts: Part[] = [];
  let begun = from;
  while (at < source.length) {
    const char = source[at];
    if (char === "\\") at += 2;
    else if (source.startsWith(quote, at)) {
      parts.push(cook(source.slice(begun, at)));
      return { end: at + quote.length, token: textToken(parts) };
    } else if (char === "\n" && quote.length === 1) break;
    else if (isFormat && char === "{" && source[at + 1] !== "{") {
      const end = codeEnd(source, at + 1);
      if (end < 0) break;
      parts.push(cook(source.slice(begun, at)), { code: formatCode(source.slice(at + 1, end - 1)) });
      at = end;
      begun = end;
    } else if (isFormat && (char === "{" || char === "}") && source[at + 1] === char) {
      parts.push(cook(source.slice(begun, at + 1)));
      at += 2;
      begun = at;
    } else at += 1;
  }
  return { end: source.length, fault: "a text has no end", token: { kind: "text", text: "" } };
}

/** `{value!r:>10}` without what says how it is shown. */
function formatCode(text: string): string {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? "";
    if ("([{".includes(char)) depth += 1;
    else if (")]}".includes(char)) depth -= 1;
    else if (depth === 0 && char === ":" && text[at + 1] !== "=") return text.slice(0, at);
    else if (depth === 0 && char === "!" && text[at + 1] !== "=") return text.slice(0, at);
    else if (char === "'" || char === '"') {
      const end = text.indexOf(char, at + 1);
      if (end > 0) at = end;
    }
  }
  return text;
}

/** `import a.b as c, d` and `from a import b as c`. */
function statement(reader: Reader): boolean {
  const { scope } = reader;
  if (reader.isName("import")) {
    reader.at += 1;
    do {
      if (reader.isMark(",")) reader.at += 1;
      const module = dotted(reader);
      if (module === "") break;
      const other = alias(reader);
      const first = module.split(".")[0] ?? module;
      scope.bind(other ?? first, refValue(other === undefined ? first : module));
    } while (reader.isMark(","));
    return true;
  }
  if (!reader.isName("from") || reader.peek(1)?.kind === "line") return false;
  reader.at += 1;
  const module = dotted(reader);
  if (!reader.isName("import")) return true;
  reader.at += 1;
  while (reader.at < reader.end) {
    const token = reader.peek();
    if (token?.kind === "mark" && /^[(),]$/u.test(token.text)) reader.at += 1;
    else if (reader.isMark("*")) {
      reader.at += 1;
      scope.spread(module);
    } else if (token?.kind === "name") {
      reader.at += 1;
      scope.bind(alias(reader) ?? token.text, refValue(`${module}.${token.text}`));
    } else break;
  }
  return true;
}

function dotted(reader: Reader): string {
  let name = "";
  while (reader.isMark(".") || (reader.peek()?.kind === "name" && !reader.isName("as") && !reader.isName("import"))) {
    const { text = "" } = reader.peek() ?? {};
    if (name !== "" && !name.endsWith(".") && text !== ".") break;
    name += text;
    reader.at += 1;
  }
  return name;
}

function alias(reader: Reader): string | undefined {
  if (!reader.isName("as")) return undefined;
  const name = reader.peek(1)?.text;
  reader.at += 2;
  return name;
}

export const python: Dialect = {
  language: "python",
  spelling,
  access: new Set(["."]),
  joining: new Set(["+"]),
  keywords: new Set(
    "if elif else for while try except finally with class return pass break continue raise assert del global nonlocal match case yield from import in".split(
      " ",
    ),
  ),
  known: pythonNames,
  isModule: modulesOf(pythonNames, ["globals()", "sys.modules", "__builtins__"]),
  hasBareCalls: false,
  callsTexts: false,
  joinsNeighbours: true,
  functions: "indented",
  environments: new Set(["os.environ", "os.environb"]),
  canonical,
  statement,
};

/** Ways around the plain name of something. */
function canonical(ref: string): string {
  let name = ref;
  for (let before = ""; before !== name;) {
    before = name;
    name = name
      .replace(/^(?:builtins|__builtins__|__builtin__)\.(?=.)/u, "")
      .replace(/^sys\.modules\.(?!get$)(?=.)/u, "")
      .replace(/^(?:globals|locals|vars)\(\)\.(?!get$|__getitem__$)(?=.)/u, "")
      .replace(/\.__dict__(?=\.)/u, "")
      .replace(/^(?:posix|nt|_posixsubprocess|os\.posix)\./u, "os.")
      .replace(/^os\.sys\./u, "sys.")
      .replace(/^requests\.(?:api|sessions)\./u, "requests.")
      .replace(/^sys\.argv$/u, "arguments+1")
      .replace(/^(?:importlib\.)?importlib\./u, "importlib.")
      .replace(
        /^(?:shutil|subprocess|tempfile|glob|pathlib|zipfile|tarfile|platform|pty|socket)\.(os|sys|shutil|subprocess|posix)\./u,
        "$1.",
      )
      .replace(/^pathlib\.(?:Pure)?(?:Posix|Windows)?Path(?=\.|$|\()/u, "pathlib.Path");
  }
  return name;
}
