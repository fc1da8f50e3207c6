import { once } from "../../../base/async/once.ts";
import { pythonNames } from "../known/python-names.ts";
import type { Dialect } from "../reading/dialect.ts";
import type { Reader } from "../reading/dialect.ts";
import { modulesOf } from "../reading/name-effects.ts";
import { codeEnd, textToken, unescapeText } from "../reading/quoted.ts";
import { marksOf, type LexMatch, type TextPiece, type Spelling } from "../reading/token.ts";
import { refValue } from "../reading/value.ts";

const spelling: Spelling = {
  lineComments: ["#"],
  blockComments: [],
  marks: marksOf("**= //= >>= <<= ... -> := == != <= >= += -= *= /= ** // << >>"),
  hasLines: true,
  name: once(() => /[\p{L}_][\p{L}\p{N}\p{M}_]*/uy),
  // Python converts full-width letters in names to plain ones.
  nameText: (text) => (asciiOnly.test(text) ? text : text.normalize("NFKC")),
  read({ source, at: index }) {
    if (source[index] === "\\" && source[index + 1] === "\n") return { end: index + 2 };
    if (!textStart.has(source[index] ?? "")) return undefined;
    const [whole, prefix = "", quote = ""] = match(opening, source, index) ?? [];
    return whole === undefined ? undefined : readText(source, index + whole.length, prefix.toLowerCase(), quote);
  },
};

const textStart: ReadonlySet<string> = new Set("\"'rRbBuUfFtT");
const asciiOnly = /^[\w]+$/;
const opening = /([rRbBuUfFtT]{0,2})("""|'''|"|')/uy;

function match(pattern: RegExp, source: string, index: number): RegExpExecArray | null {
  pattern.lastIndex = index;
  return pattern.exec(source);
}

function readText(source: string, from: number, prefix: string, quote: string): LexMatch {
  let index = from;
  const isFormat = prefix.includes("f") || prefix.includes("t");
  const cook = (text: string) => (prefix.includes("r") ? text : unescapeText(text));
  const parts: TextPiece[] = [];
  let partStart = from;
  while (index < source.length) {
    const char = source[index];
    if (char === "\\") index += 2;
    else if (source.startsWith(quote, index)) {
      parts.push(cook(source.slice(partStart, index)));
      return { end: index + quote.length, token: textToken(parts) };
    } else if (char === "\n" && quote.length === 1) break;
    else if (isFormat && char === "{" && source[index + 1] !== "{") {
      const end = codeEnd(source, index + 1);
      if (end < 0) break;
      parts.push(cook(source.slice(partStart, index)), { code: formatCode(source.slice(index + 1, end - 1)) });
      index = end;
      partStart = end;
    } else if (isFormat && (char === "{" || char === "}") && source[index + 1] === char) {
      parts.push(cook(source.slice(partStart, index + 1)));
      index += 2;
      partStart = index;
    } else index += 1;
  }
  return { end: source.length, fault: "a text has no end", token: { kind: "text", text: "" } };
}

/** Returns the expression in `{value!r:>10}`, without its format. */
function formatCode(text: string): string {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const char = text[index] ?? "";
    if ("([{".includes(char)) depth += 1;
    else if (")]}".includes(char)) depth -= 1;
    else if (depth === 0 && char === ":" && text[index + 1] !== "=") return text.slice(0, index);
    else if (depth === 0 && char === "!" && text[index + 1] !== "=") return text.slice(0, index);
    else if (char === "'" || char === '"') {
      const end = text.indexOf(char, index + 1);
      if (end > 0) index = end;
    }
  }
  return text;
}

/** Handles `import a.b as c, d` and `from a import b as c`. */
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

/** Returns the main name of an object that has several names. */
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
