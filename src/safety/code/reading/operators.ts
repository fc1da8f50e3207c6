import { hole } from "../../command/shell/field.ts";
import {
  joinTexts,
  listValue,
  combinedTaint,
  numberValue,
  tainted,
  textOfValue,
  textOrHole,
  textValue,
  type CodeValue,
  characterOf,
} from "./value.ts";

/** Combines two values with an operator. `joining` lists the operators that concatenate texts. */
export function combine(sign: string, a: CodeValue, b: CodeValue, joining: ReadonlySet<string>): CodeValue {
  if (a.number !== undefined && b.number !== undefined) {
    const result = arithmetic[sign]?.(a.number, b.number);
    if (result !== undefined && (sign === "+" || !joining.has(sign)))
      return Number.isFinite(result) ? numberValue(result) : tainted(0);
  }
  if (joining.has(sign)) {
    if (a.items && b.items) return listValue([...a.items, ...b.items].slice(0, 500));
    if (textOfValue(a) !== undefined || textOfValue(b) !== undefined || sign !== "+") return joinTexts([a, b]);
    return combinedTaint(a, b);
  }
  if (sign === "%" && a.text !== undefined) return formatPercent(a.text, b.items ?? [b], a.taint | b.taint);
  if ((sign === "*" || sign === "x") && a.text !== undefined && b.number !== undefined)
    return repeated(a.text, b.number, a.taint);
  if (sign === "/" && (a.ref === "Path()" || b.ref === "Path()")) return { ...joinPath([a, b]), ref: "Path()" };
  if (sign === "or" || sign === "||" || sign === "??" || sign === "else" || sign === "and" || sign === "&&")
    return { either: [a, b], taint: a.taint | b.taint };
  return combinedTaint(a, b);
}

const arithmetic: Readonly<Record<string, (a: number, b: number) => number>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "//": (a, b) => Math.floor(a / b),
  "%": (a, b) => a % b,
  "^": (a, b) => a ^ b,
  "|": (a, b) => a | b,
  "&": (a, b) => a & b,
  "<<": (a, b) => a << b,
  ">>": (a, b) => a >> b,
};

function repeated(text: string, count: number, taint: number): CodeValue {
  return text.length * count > 10_000 || !(count >= 0)
    ? tainted(taint)
    : textValue(text.repeat(Math.floor(count)), taint);
}

/** Replaces `%s`, `%d`, `%c` and `{}`, `{0}` in a format string. */
export function formatPercent(format: string, values: readonly CodeValue[], taint: number): CodeValue {
  let index = 0;
  const next = () => {
    const value = values[index];
    index += 1;
    return value;
  };
  const text = format.replaceAll(
    /%(?:%|\(\w+\)[sdr]|[-+ #0]*\d*(?:\.\d+)?([sdrcixXqu]))/gu,
    (whole, kind: string | undefined) => {
      if (whole === "%%") return "%";
      const value = kind === undefined ? undefined : next();
      if (kind === "c" && value?.number !== undefined) return characterOf(value.number);
      return textOrHole(value);
    },
  );
  return textValue(text, taint);
}

/** Evaluates `'{} {0} {name}'.format(…)`. */
export function formatBraces(
  format: string,
  values: readonly CodeValue[],
  named: ReadonlyMap<string, CodeValue>,
  taint: number,
): CodeValue {
  let index = 0;
  const text = format.replaceAll(/\{\{|\}\}|\{(\w*)[^{}]*\}/gu, (whole, key: string | undefined) => {
    if (whole === "{{" || whole === "}}") return whole.slice(1);
    if (key === undefined || key === "") {
      index += 1;
      return textOrHole(values[index - 1]);
    }
    return textOrHole(/^\d+$/u.test(key) ? values[Number(key)] : named.get(key));
  });
  return textValue(text, taint);
}

/** Joins the parts of a path. An absolute part replaces the parts before it. */
export function joinPath(parts: readonly CodeValue[]): CodeValue {
  const taint = parts.reduce((all, part) => all | part.taint, 0);
  let path = "";
  for (const part of parts) {
    const text = textOfValue(part) ?? hole;
    path = path === "" || text.startsWith("/") ? text : `${path.replace(/\/$/u, "")}/${text}`;
  }
  return textValue(path, taint);
}

/** Operators that are written as words. */
export function isBinaryWord(text: string, language: string): boolean {
  return binaryWords.has(text) || (language === "perl" && perlWords.has(text));
}

const binaryWords: ReadonlySet<string> = new Set(["or", "and", "in", "is", "else", "instanceof", "xor"]);
const perlWords: ReadonlySet<string> = new Set(["x", "eq", "ne", "lt", "gt", "le", "ge", "cmp"]);

/** The maximum nesting depth of brackets, blocks and texts. */
export const maxDepth = 150;
