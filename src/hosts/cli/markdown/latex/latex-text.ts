import {
  accents,
  blackboardLetters,
  knownFractions,
  latexSymbols,
  negated,
  scriptLetters,
  subscripts,
  superscripts,
} from "./latex-symbols.ts";
import { besides, boxOf, type BracketParts, bracketed, grid, stacked, type TextBox } from "./text-box.ts";

/** A formula as Unicode text on one line: `\frac{a}{b}` is `a/b`, `x^2` is `x²`. Unknown commands stay as they are. */
export function latexText(source: string): string {
  return latexBox(source, true).lines.join(" ").replaceAll(/\s+/gu, " ").trim();
}

/** A formula on its own lines: matrices and aligned equations take several lines. */
export function latexLines(source: string): readonly string[] {
  return latexBox(source, false).lines.map((line) => line.trimEnd());
}

/** Whether a text between dollar signs looks like a formula rather than prices or shell variables. */
export function looksLikeMath(text: string): boolean {
  if (/^[A-Za-z](?:'|\([A-Za-z0-9, ]*\))?$|^\d+(?:[.,]\d+)*(?:\\?%)?$|^\d*[A-Za-z]$/u.test(text)) return true;
  if (/[/=:,;+-]$/u.test(text)) return false;
  const plain = text.replaceAll(/\\[A-Za-z]+(?:\{[^{}]*\})?/gu, " ");
  if (/[A-Za-z]{4,}/u.test(plain)) return false;
  return /\\[A-Za-z]|[\^_{}=<>+×·]|[\w)] ?[-*/,] ?[\w(]/u.test(text);
}

function latexBox(source: string, isOneLine: boolean): TextBox {
  const parser = createParser(source.slice(0, maxChars), isOneLine);
  const box = parser.rows();
  const rest = source.slice(maxChars);
  return rest === "" ? box : besides([box, boxOf(rest)]);
}

const maxChars = 8_000;
const maxDepth = 40;

function createParser(source: string, isOneLine: boolean) {
  let index = 0;
  let depth = 0;

  /** Rows that `\\` separates, with columns that `&` separates, up to the end or `\end`. */
  function cells(): readonly (readonly TextBox[])[] {
    const rows: TextBox[][] = [[]];
    let cell: TextBox[] = [];
    const endCell = () => {
      rows.at(-1)?.push(trimmed(besides(cell)));
      cell = [];
    };
    while (index < source.length) {
      if (source.startsWith("\\end", index)) break;
      if (source[index] === "&") {
        index++;
        endCell();
      } else if (source.startsWith("\\\\", index)) {
        index += 2;
        const space = /^\s*\[[^\]]{0,20}\]/u.exec(source.slice(index, index + 30))?.[0];
        index += space?.length ?? 0;
        endCell();
        rows.push([]);
      } else if (source[index] === "}") index++;
      else cell.push(item());
    }
    if (cell.length > 0 || rows.at(-1)?.length !== 0) endCell();
    return rows.filter((row) => row.some(({ lines }) => lines.join("").trim() !== ""));
  }

  function rows(): TextBox {
    const all = cells();
    if (all.length <= 1)
      return besides((all[0] ?? []).flatMap((cell, column) => (column > 0 ? [boxOf(" "), cell] : [cell])));
    return isOneLine ? boxOf(all.map(joined).join("; ")) : grid(all, " ");
  }

  /** The next group, command or character. */
  function item(): TextBox {
    const char = source[index] ?? "";
    if (char === "{") return group();
    if (char === "\\") return command();
    if (char === "^" || char === "_") return script();
    index += String.fromCodePoint(source.codePointAt(index) ?? 0x20).length;
    if (/\s/u.test(char)) {
      while (/\s/u.test(source[index] ?? "")) index++;
      return boxOf(" ");
    }
    if (char === "~") return boxOf(" ");
    if (char === "'") return boxOf("′");
    return boxOf(source.slice(index - 1, index).length === 1 && !isHigh(char) ? char : source.slice(index - 2, index));
  }

  function group(): TextBox {
    if (depth >= maxDepth) {
      index++;
      return boxOf("{");
    }
    depth++;
    index++;
    const boxes: TextBox[] = [];
    while (index < source.length && source[index] !== "}") boxes.push(item());
    index++;
    depth--;
    return besides(boxes);
  }

  /** The argument of a command, on one line. */
  function argument(): string {
    while (/\s/u.test(source[index] ?? "")) index++;
    return index < source.length ? joined([item()]).trim() : "";
  }

  /** The argument without conversion, for names and texts. */
  function rawArgument(): string {
    while (/\s/u.test(source[index] ?? "")) index++;
    if (source[index] !== "{") return argument();
    const end = source.indexOf("}", index);
    const text = source.slice(index + 1, end < 0 ? source.length : end);
    index = end < 0 ? source.length : end + 1;
    return text;
  }

  function optionalArgument(): string {
    const text = /^\s*\[(?<inner>[^\]]{0,40})\]/u.exec(source.slice(index, index + 50));
    index += text?.[0].length ?? 0;
    return text?.groups?.["inner"] ?? "";
  }

  function script(): TextBox {
    const isAbove = source[index] === "^";
    index++;
    return boxOf(scriptText(argument(), isAbove));
  }

  function command(): TextBox {
    const name = /^\\(?:[A-Za-z]+\*?|.)/su.exec(source.slice(index, index + 40))?.[0] ?? "\\";
    index += name.length;
    const word = name.slice(1).replace(/\*$/u, "");
    if (spaces[word] !== undefined) return boxOf(spaces[word]);
    if (ignored.has(word)) return boxOf("");
    if (word === "left" || word === "right" || /^[bB]igg?[lrm]?$/u.test(word)) return delimiter();
    if (word === "begin") return environment();
    const symbol = latexSymbols().get(word);
    if (symbol !== undefined)
      return boxOf(
        /^[a-z]{2,}$/iu.test(symbol) ? `${symbol}${/[A-Za-z0-9\\]/u.test(source[index] ?? "") ? " " : ""}` : symbol,
      );
    const box = commandWithArguments(word);
    if (box) return box;
    if (!/^[A-Za-z]/u.test(word)) return boxOf(word);
    return boxOf(source[index] === "{" ? `${name}{${argument()}}` : name);
  }

  function commandWithArguments(word: string): TextBox | undefined {
    switch (word) {
      case "frac":
      case "dfrac":
      case "tfrac":
      case "cfrac":
        return boxOf(fractionText(argument(), argument()));
      case "binom":
      case "dbinom":
      case "tbinom":
        return boxOf(`C(${argument()}, ${argument()})`);
      case "sqrt": {
        const degree = optionalArgument();
        const root = degree === "3" ? "∛" : degree === "4" ? "∜" : degree === "" ? "√" : `${scriptText(degree, true)}√`;
        return boxOf(`${root}${grouped(argument())}`);
      }
      case "text":
      case "textbf":
      case "textit":
      case "textrm":
      case "texttt":
      case "mbox":
      case "operatorname":
        return boxOf(rawArgument());
      case "mathrm":
      case "mathbf":
      case "mathit":
      case "mathsf":
      case "mathtt":
      case "boldsymbol":
      case "bm":
      case "overbrace":
      case "underbrace":
      case "phantom":
        return boxOf(argument());
      case "mathbb":
        return boxOf(mapped(argument(), blackboardLetters()));
      case "mathcal":
      case "mathscr":
        return boxOf(mapped(argument(), scriptLetters()));
      case "boxed":
        return boxOf(`[${argument()}]`);
      case "tag":
        return boxOf(` (${rawArgument()})`);
      case "pmod":
        return boxOf(` (mod ${argument()})`);
      case "not": {
        const text = argument();
        return boxOf(negated[text] ?? `${text}\u0338`);
      }
      case "stackrel":
      case "overset":
      case "underset": {
        const above = argument();
        return boxOf(`${argument()}${scriptText(above, word !== "underset")}`);
      }
      case "label":
      case "color":
        rawArgument();
        return boxOf("");
      case "textcolor":
        rawArgument();
        return boxOf(argument());
      default: {
        const accent = accents[word];
        return accent === undefined ? undefined : boxOf(accented(argument(), accent, word));
      }
    }
  }

  function delimiter(): TextBox {
    while (source[index] === " ") index++;
    if (source[index] === ".") {
      index++;
      return boxOf("");
    }
    return index < source.length ? item() : boxOf("");
  }

  function environment(): TextBox {
    const name = rawArgument().replace(/\*$/u, "");
    if (name === "array") rawArgument();
    if (depth >= maxDepth) return boxOf("");
    depth++;
    const inner = cells();
    depth--;
    if (source.startsWith("\\end", index)) {
      index += 4;
      rawArgument();
    }
    const brackets = environmentBrackets[name];
    if (isOneLine) {
      const [open = "", close = ""] = brackets?.map((parts) => parts?.single ?? "") ?? [];
      return boxOf(`${open}${inner.map(joined).join("; ")}${close}`);
    }
    const box = inner.length === 0 ? boxOf("") : grid(inner, brackets ? "  " : " ");
    return brackets ? bracketed(box, brackets) : box;
  }

  return { rows };
}

function joined(boxes: readonly TextBox[]): string {
  return boxes.map(({ lines }) => lines.join(" ")).join(" ");
}

function trimmed(box: TextBox): TextBox {
  return box.lines.length === 1 ? boxOf((box.lines[0] ?? "").trim()) : stackedTrim(box);
}

function stackedTrim({ lines, base }: TextBox): TextBox {
  return { ...stacked(lines.map(boxOf)), base };
}

function scriptText(text: string, isAbove: boolean): string {
  const map = isAbove ? superscripts() : subscripts();
  const compact = text.replaceAll("−", "-");
  const all = Array.from(compact, (char) => map.get(char));
  if (compact !== "" && all.every((char) => char !== undefined)) return all.join("");
  if (isAbove && (text === "∘" || text === "°")) return "°";
  const sign = isAbove ? "^" : "_";
  return Array.from(text).length <= 1 ? `${sign}${text}` : `${sign}(${text})`;
}

function fractionText(above: string, below: string): string {
  const single = knownFractions[`${above}/${below}`];
  return single ?? `${grouped(above)}/${grouped(below)}`;
}

/** Adds brackets around a term, unless it is a single number, name or call. */
function grouped(text: string): string {
  const isSimple = /^(?:√?[\p{L}\p{N}\p{M}.′∞₀-₉⁰-⁹]+|\([^()]*\)|[\p{L}\p{M}]+\([^()]*\))$/u.test(text);
  return isSimple ? text : `(${text})`;
}

function mapped(text: string, map: ReadonlyMap<string, string>): string {
  return Array.from(text, (char) => map.get(char) ?? char).join("");
}

function accented(text: string, mark: string, word: string): string {
  const isEach = word === "overline" || word === "underline";
  const chars = Array.from(text);
  if (isEach) return chars.map((char) => `${char}${mark}`).join("");
  return chars.length === 1 ? `${text}${mark}` : `${chars[0] ?? ""}${mark}${chars.slice(1).join("")}`;
}

function isHigh(char: string): boolean {
  const code = char.charCodeAt(0);
  return code >= 0xd800 && code <= 0xdbff;
}

const spaces: Readonly<Record<string, string>> = {
  ",": " ",
  ";": " ",
  ":": " ",
  " ": " ",
  "!": "",
  quad: "  ",
  qquad: "    ",
  space: " ",
  "\n": " ",
};
const ignored: ReadonlySet<string> = new Set(
  "displaystyle textstyle scriptstyle limits nolimits nonumber notag middle hline centering rm bf it cal".split(" "),
);

const round = brackets("(", "⎛⎜⎜⎝", ")", "⎞⎟⎟⎠");
const square = brackets("[", "⎡⎢⎢⎣", "]", "⎤⎥⎥⎦");
const curly = brackets("{", "⎧⎪⎨⎩", "}", "⎫⎪⎬⎭");
const bars = brackets("|", "││││", "|", "││││");
const doubleBars = brackets("‖", "‖‖‖‖", "‖", "‖‖‖‖");
const environmentBrackets: Readonly<Record<string, readonly [BracketParts | undefined, BracketParts | undefined]>> = {
  pmatrix: round,
  bmatrix: square,
  Bmatrix: curly,
  vmatrix: bars,
  Vmatrix: doubleBars,
  matrix: square,
  smallmatrix: square,
  array: square,
  cases: [curly[0], undefined],
};

function brackets(open: string, left: string, close: string, right: string): readonly [BracketParts, BracketParts] {
  const parts = (single: string, tall: string): BracketParts => {
    const [top = "", side = "", middle = "", bottom = ""] = Array.from(tall);
    return { single, top, side, middle, bottom };
  };
  return [parts(open, left), parts(close, right)];
}
