import { parse, type Word, type WordPart } from "unbash";

import { evaluateParameter, evaluateTree } from "./evaluate.ts";
import { expandBraces } from "./expand-braces.ts";
import {
  defaultWord,
  mayExpandToNothing,
  expandList,
  expandParameter,
  isJoined,
  isList,
  valueOf,
} from "./expand-parameter.ts";
import type { WordExpansion } from "./expansion.ts";
import { type Field, hole, knownField, type CommandSpan, unknown } from "./field.ts";
import { type ScriptState, separators } from "./shell-state.ts";

/** Returns the fields that a word expands to. */
export function expandWord(word: Word, expansion: WordExpansion): readonly Field[] {
  const span = { start: word.pos, end: word.end };
  if (word.text.includes("{") && mayHaveBraces(word.text)) {
    const words = expandBraces(word.text);
    if (!words) return [{ ...unknown, at: span }];
    if (words.length !== 1 || words[0] !== word.text) {
      if (!expansion.hasBraces()) expansion.doubt(word.text);
      return words
        .filter((text) => text !== "")
        .flatMap((text) => expandAgain(text, expansion).map((field) => ({ ...field, at: span })));
    }
  }
  if (!word.parts && !homeMark.test(word.text) && !word.text.includes(hole) && word.text !== "")
    return [{ text: word.value, isPattern: false, maySplit: false, at: span }];
  return fieldsOf(word, expansion, span);
}

/** The parser does not recognise some braces that bash expands. */
function mayHaveBraces(text: string): boolean {
  return text.includes("}") && (text.includes(",") || text.includes(".."));
}

/**
 * Finds parts that the parser and bash interpret differently: text directly after `<(…)`, including `#`, belongs to the
 * same word, and bash runs a command in backticks inside single quotes if they are within `${…}`.
 */
export function misreadParts(script: string): readonly string[] {
  if (script.includes("`") && quotedBacktick.test(script)) return ["a backtick in quotes within an expansion"];
  if (!script.includes("<(") && !script.includes(">(")) return [];
  for (const { index } of script.matchAll(/[<>]\(/gu)) {
    let open = 1;
    let end = index + 2;
    for (; end < script.length && open > 0 && end - index < maxSubstitution; end++)
      open += script[end] === "(" ? 1 : script[end] === ")" ? -1 : 0;
    const isJoined =
      /[\w\])}.,:-]/u.test(script.charAt(index - 1)) ||
      /^(?:[\w#$/.~*{[\\-]|['"]+[\w{$/.-])/u.test(script.slice(end, end + 8));
    if (open === 0 && isJoined) return ["text right after a process substitution"];
  }
  return [];
}

const quotedBacktick = /\$\{\w+:?[-=+?][^}\n]*'[^'\n]*`/u;

const maxSubstitution = 5_000;

/** Expands a word where no word splitting occurs: in assignments, redirection targets and `case`. */
export function expandOne(word: Word, expansion: WordExpansion): Field {
  const atoms = atomsOf(word, expansion);
  const text = atoms.map((atom) => (atom.isBreak ? " " : atom.text)).join("");
  return {
    text,
    isPattern: atoms.some((atom) => atom.isGlob),
    maySplit: false,
    at: { start: word.pos, end: word.end },
  };
}

function expandAgain(text: string, expansion: WordExpansion): readonly Field[] {
  if (/^[\w./,:@%+*?-]+$/u.test(text)) return [{ text, isPattern: /[*?]/u.test(text), maySplit: false }];
  const command = parse(`: ${text}`).commands[0]?.command;
  const words = command?.type === "Command" ? command.args.filter((arg) => arg.type === "Word") : [];
  return words.length > 0 ? words.flatMap((word) => fieldsOf(word, expansion, undefined)) : [knownField(text)];
}

/** A sequence of characters that expansion treats in the same way. */
interface Atom {
  readonly text: string;
  /** True for unquoted output of an expansion, which is split at the separators. */
  readonly isSplit: boolean;
  readonly isGlob: boolean;
  /** True for a quoted part, which forms a word even if it is empty. */
  readonly isQuoted: boolean;
  /** Marks the start of a new word; contains no text. */
  readonly isBreak?: boolean;
  /** True if the part may expand to nothing. */
  readonly mayVanish?: boolean;
}

function fieldsOf(word: Word, expansion: WordExpansion, span: CommandSpan | undefined): readonly Field[] {
  const pieces: { text: string; isPattern: boolean; maySplit: boolean }[] = [];
  let current: (typeof pieces)[number] | undefined;
  const grow = () => (current ??= pieces[pieces.push({ text: "", isPattern: false, maySplit: false }) - 1]);
  for (const atom of atomsOf(word, expansion)) {
    if (atom.isBreak) {
      current = undefined;
      continue;
    }
    if (!atom.isSplit) {
      const field = atom.text !== "" || atom.isQuoted ? grow() : undefined;
      if (!field) continue;
      field.text += atom.text;
      field.isPattern ||= atom.isGlob;
      field.maySplit ||= atom.mayVanish === true || (!atom.isQuoted && atom.text.includes(hole));
      continue;
    }
    const parting = separators(expansion.state);
    // Unknown separators make the words unknown.
    for (const char of parting === undefined && atom.text !== "" ? hole : atom.text) {
      if (parting?.includes(char)) {
        current = undefined;
        continue;
      }
      const field = grow();
      if (!field) continue;
      field.text += char;
      field.maySplit ||= char === hole || atom.mayVanish === true;
      field.isPattern ||= char === "*" || char === "?";
    }
  }
  return pieces.map((field) => (span === undefined ? field : { ...field, at: span }));
}

function atomsOf(word: Word, expansion: WordExpansion): readonly Atom[] {
  const parts = word.parts ?? [
    { type: "Literal" as const, pos: word.pos, end: word.end, value: word.value, text: word.text },
  ];
  // `~"x"` is not a home folder.
  const isHome = (part: WordPart, index: number) =>
    index === 0 && (parts.length === 1 || (part.type === "Literal" && part.text.includes("/")));
  const atoms = parts.flatMap((part, index) => atomsOfPart(part, isHome(part, index), expansion));
  return atoms.reduce((sum, { text }) => sum + text.length, 0) <= maxWordChars ? atoms : [split(hole)];
}

/**
 * The maximum length of a word. A longer word counts as unknown: variables that double themselves would exhaust the
 * memory.
 */
const maxWordChars = 150_000;

function atomsOfPart(part: WordPart, isHome: boolean, expansion: WordExpansion): readonly Atom[] {
  switch (part.type) {
    case "Literal": {
      const text = isHome ? withHome(part.value, part.text, expansion.state) : part.value;
      // An escaped character counts as quoted.
      return [part.text.includes("\\") ? quoted(text) : plain(text)];
    }
    case "Glob": {
      // `[$x]`
      const inside = "parts" in part ? part.parts?.flatMap((child) => atomsOfPart(child, false, expansion)) : undefined;
      return [{ ...plain(inside ? `[${inside.map(({ text }) => text).join("")}]` : part.value), isGlob: true }];
    }
    case "ExtendedGlob":
      return [{ ...plain(part.text), isGlob: true }];
    case "SingleQuoted":
    case "AnsiCQuoted":
      return [quoted(part.value)];
    case "DoubleQuoted":
    case "LocaleString": {
      const inside = part.parts.flatMap((child) => quotedAtoms(child, expansion));
      return inside.length === 0 && part.parts.length > 0
        ? []
        : [...(inside[0]?.isBreak ? [] : [quoted("")]), ...inside];
    }
    case "SimpleExpansion":
      return parameterAtoms({ parameter: part.text.slice(1) }, expansion);
    case "ParameterExpansion":
      return parameterAtoms(part, expansion);
    case "CommandExpansion":
      return [split(expansion.output(part.script) ?? hole)];
    case "ArithmeticExpansion":
      evaluateTree(part, expansion);
      if (part.expression === undefined && /\w/u.test(part.text)) expansion.doubt(part.text);
      return [plain(arithmetic(part.text))];
    case "ProcessSubstitution":
      return [plain(expansion.processSubstitution(part.script, part.operator))];
    case "BraceExpansion":
      // Handles contexts without expansion, such as an assignment.
      return part.parts
        ? [plain("{"), ...part.parts.flatMap((child) => atomsOfPart(child, false, expansion)), plain("}")]
        : [plain(part.text)];
  }
}

type Parameter = Parameters<typeof expandParameter>[0];

function parameterAtoms(part: Parameter, expansion: WordExpansion): readonly Atom[] {
  evaluate(part, expansion);
  const other =
    part.operation?.type === "Default" && !part.operation.operator.endsWith("=") && defaultWord(part, expansion);
  // Quoted parts stay whole; other parts are split.
  if (other) {
    const mayVanish = mayExpandToNothing(part, expansion);
    return atomsOf(other, expansion).map((atom) => ({ ...atom, isSplit: !atom.isQuoted, mayVanish }));
  }
  const items = expandList(part, expansion);
  return items ? separate(items.map(split)) : [split(expandParameter(part, expansion))];
}

function evaluate(part: Parameter, expansion: WordExpansion): void {
  if (part.index ?? part.operation ?? part.prefix) evaluateParameter(part, () => valueOf(part, expansion), expansion);
}

/** An empty `"$@"` produces no word. */
function quotedAtoms(part: WordPart, expansion: WordExpansion): readonly Atom[] {
  const parameter =
    part.type === "SimpleExpansion" ? { parameter: part.text.slice(1) } : part.type === "ParameterExpansion" && part;
  const items = parameter ? expandList(parameter, expansion) : undefined;
  if (parameter && (items || isList(parameter))) evaluate(parameter, expansion);
  // An unknown item may expand to several words.
  if (parameter && items && !isJoined(parameter))
    return separate(items.map((item) => (item === hole ? split(item) : quoted(item))));
  if (items) return [quoted(joined(items, (separators(expansion.state) ?? " ").slice(0, 1)))];
  if (parameter && isList(parameter) && !isJoined(parameter)) return [split(hole)];
  return atomsOfPart(part, false, expansion).map((atom) => ({ ...atom, isSplit: false, isQuoted: true }));
}

/** Joins items. An unknown item may be empty, in which case it has no separator. */
function joined(items: readonly string[], parting: string): string {
  const text = items.join(parting);
  return items.includes(hole) ? text.replaceAll(parting + hole, hole).replaceAll(hole + parting, hole) : text;
}

function separate(atoms: readonly Atom[]): readonly Atom[] {
  return atoms.flatMap((atom, index) => (index === 0 ? [atom] : [{ ...plain(""), isBreak: true }, atom]));
}

function plain(text: string): Atom {
  return { text, isSplit: false, isGlob: false, isQuoted: false };
}

function quoted(text: string): Atom {
  return { ...plain(text), isQuoted: true };
}

function split(text: string): Atom {
  return { ...plain(text), isSplit: true };
}

/** Expands `~` at the start of a word, or of a value in a word like an assignment: `dd of=~/x`. */
const homeMark = /^(?:[A-Za-z_]\w*=)?~/u;

/** Expands `~` and `~user`, unless escaped. */
function withHome(value: string, text: string, state: ScriptState): string {
  const [mark] = homeMark.exec(text) ?? [];
  if (mark === undefined) return value;
  return mark.slice(0, -1) + homeOf(value.slice(mark.length - 1), state);
}

function homeOf(value: string, { variables, cwd, lastCwd }: ScriptState): string {
  const end = value.indexOf("/");
  const name = value.slice(1, end < 0 ? value.length : end);
  const rest = end < 0 ? "" : value.slice(end);
  if (name === "") return (variables.get("HOME") ?? hole) + rest;
  if (name === "+") return cwd + rest;
  if (name === "-") return lastCwd + rest;
  if (name === "root") return `/root${rest}`;
  return /^[\w.][\w.-]*$/u.test(name) ? `/home/${name}${rest}` : value;
}

/** Computes arithmetic on plain numbers. If it contains a name, the result is unknown. */
function arithmetic(text: string): string {
  const inner = text.replace(/^\$\(\(([^]*)\)\)$/u, "$1").replace(/^\$\[([^]*)\]$/u, "$1");
  if (!/^[\d\s+*()-]{1,100}$/u.test(inner)) return hole;
  return sum(inner) ?? hole;
}

/** Evaluates one operator, which covers common ways to hide digits. */
function sum(text: string): string | undefined {
  const [, left = "", operator = "", right = ""] = /^\s*(\d+)\s*(?:([+*-])\s*(\d+)\s*)?$/u.exec(text) ?? [];
  if (left === "") return undefined;
  if (operator === "") return String(Number(left));
  const [a, b] = [Number(left), Number(right)];
  return String(operator === "+" ? a + b : operator === "-" ? a - b : a * b);
}
