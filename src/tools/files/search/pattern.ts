import { err, ok, type Result } from "../../../base/result.ts";
import { bracketClass, codeOf, escapedChar, wordSetOf, perlClass, propertyClass } from "./pattern-classes.ts";
import { membership, type PatternNode, sourceOf } from "./pattern-node.ts";
import { PatternError, type PatternFault, type PatternFlags, PatternReader } from "./pattern-reader.ts";

/** A pattern of ripgrep's syntax in JavaScript's, for the flags `v` and `g`. */
export interface JavaScriptPattern {
  readonly source: string;
  readonly flags: string;
  readonly tree: PatternNode;
  /** A match may hold a line end or stand at one: only then does `multiline` make a difference. */
  readonly mayCrossLines: boolean;
}

export interface PatternOptions {
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  /** `$` also stands before `\r\n`. */
  readonly crlf: boolean;
}

/**
 * Without `multiline` no part of the result matches a line end, so that it can run over a whole text. Bytes that are not
 * UTF-8 (see `decodeText`) are matched by nothing.
 */
export function javaScriptPattern(pattern: string, options: PatternOptions): Result<JavaScriptPattern, PatternFault> {
  const reader = new PatternReader(pattern);
  const state: Translation = { reader, options, crosses: false, depth: 0 };
  const flags: PatternFlags = { i: options.ignoreCase, m: true, s: false, U: false, u: true, x: false };
  try {
    const tree = alternatives(state, { ...flags });
    if (!reader.isAtEnd) reader.fail("a ) has no ( before it");
    const mayCrossLines = state.crosses;
    return ok({ source: sourceOf(tree), flags: options.ignoreCase ? "giv" : "gv", tree, mayCrossLines });
  } catch (thrown) {
    if (thrown instanceof PatternError) return err({ at: thrown.at, what: thrown.message });
    throw thrown;
  }
}

/** Does `$` have to stand before `\r\n` too? A pattern that speaks of `\r` itself means what it says. */
export function wantsCrlf(pattern: string): boolean {
  return pattern.includes("$") && !/\\r|\r|\\x0d/iu.test(pattern);
}

/** A line end is part of what is looked for: `\n` outside of `[^…]`. */
export function namesLineEnd(pattern: string): boolean {
  const rest = pattern.replace(/\\[^n]/gsu, "").replace(/\[\^[^\]]*\]/gu, "");
  return /\\n|\n/u.test(rest);
}

interface Translation {
  readonly reader: PatternReader;
  readonly options: PatternOptions;
  crosses: boolean;
  depth: number;
}

type Flags = { -readonly [K in keyof PatternFlags]: boolean };

/** Up to the end or a `)`. `flags` change where the pattern says so. */
function alternatives(state: Translation, flags: Flags): PatternNode {
  const { reader } = state;
  if (++state.depth > deepest) reader.fail("groups nest too deep");
  const choices: PatternNode[][] = [];
  let sequence: PatternNode[] = [];
  for (;;) {
    reader.skipBlanks(flags);
    if (reader.isAtEnd || reader.peek() === ")") break;
    if (reader.takes("|")) {
      choices.push(sequence);
      sequence = [];
    } else if (isQuantifier(reader.peek())) {
      const part = sequence.pop() ?? reader.fail(`${reader.peek()} has nothing before it to repeat`);
      sequence.push({ kind: "repeat", part, ...quantifier(state, flags) });
    } else {
      const one = atom(state, flags);
      if (one) sequence.push(one);
    }
  }
  state.depth--;
  return { kind: "choice", parts: [...choices, sequence].map((parts) => ({ kind: "sequence", parts })) };
}

function isQuantifier(char: string): boolean {
  return char === "*" || char === "+" || char === "?" || char === "{";
}

function quantifier({ reader }: Translation, flags: Flags) {
  const from = reader.at;
  const char = reader.next();
  let least = char === "+" ? 1 : 0;
  let most = char === "?" ? 1 : Infinity;
  if (char === "{") {
    const body = reader.upTo("}", "a { begins a repetition such as {2,5} and is not closed");
    const [, low, comma, high = ""] = /^\s*(\d+)\s*(,?)\s*(\d*)\s*$/u.exec(body) ?? [];
    if (low === undefined) reader.fail("a { begins a repetition such as {2,5}", from);
    least = Number(low);
    most = comma === "" ? least : high === "" ? Infinity : Number(high);
    if (least > most) reader.fail("a repetition such as {2,5} goes backwards", from);
    if (least > mostRepeated || (most !== Infinity && most > mostRepeated))
      reader.fail("a repetition is too long", from);
  }
  return { least, most, isLazy: reader.takes("?") !== flags.U };
}

/** Undefined for flags alone. */
function atom(state: Translation, flags: Flags): PatternNode | undefined {
  const { reader } = state;
  const char = reader.next();
  if (char === "(") return group(state, flags);
  if (char === "[") return set(state, bracketClass(reader, flags), flags);
  if (char === ".") return set(state, flags.s ? String.raw`[\p{Any}]` : dot(state), flags);
  if (char === "^") return flags.m ? lineStart(state) : textStart(state);
  if (char === "$") return flags.m ? lineEnd(state) : textEnd(state);
  if (char === "\\") return escape(state, flags);
  return literal(state, char, flags);
}

function escape(state: Translation, flags: Flags): PatternNode {
  const { reader } = state;
  const letter = reader.peek();
  if (/^[dDsSwW]$/u.test(letter)) return set(state, perlClass(reader.next(), flags), flags);
  if (/^[pP]$/u.test(letter)) {
    reader.next();
    return set(state, propertyClass(reader, letter === "P"), flags);
  }
  if (/^[bB<>Az]$/u.test(letter)) {
    reader.next();
    if (letter === "A") return textStart(state);
    if (letter === "z") return textEnd(state);
    return boundary(state, letter, flags);
  }
  return literal(state, escapedChar(reader), flags);
}

function boundary({ reader }: Translation, letter: string, flags: Flags): PatternNode {
  const word = `[${wordSetOf(flags)}]`;
  const isWord = membership(word, false);
  const source = { start: `(?<!${word})(?=${word})`, end: `(?<=${word})(?!${word})` };
  const start: PatternNode = { kind: "place", source: source.start, holds: (a, b) => !isWord(a) && isWord(b) };
  const end: PatternNode = { kind: "place", source: source.end, holds: (a, b) => isWord(a) && !isWord(b) };
  if (letter === "<" || (letter === "b" && reader.takes("{start}"))) return start;
  if (letter === ">" || (letter === "b" && reader.takes("{end}"))) return end;
  if (letter === "b" && reader.takes("{start-half}"))
    return { kind: "place", source: `(?<!${word})`, holds: (a) => !isWord(a) };
  if (letter === "b" && reader.takes("{end-half}"))
    return { kind: "place", source: `(?!${word})`, holds: (_, b) => !isWord(b) };
  if (letter === "b")
    return { kind: "place", source: `(?:${source.start}|${source.end})`, holds: (a, b) => isWord(a) !== isWord(b) };
  const none = `(?:(?<=${word})(?=${word})|(?<!${word})(?!${word}))`;
  return { kind: "place", source: none, holds: (a, b) => isWord(a) === isWord(b) };
}

function group(state: Translation, flags: Flags): PatternNode | undefined {
  const { reader } = state;
  const from = reader.at - 1;
  const inner: Flags = { ...flags };
  if (reader.takes("?")) {
    if (["=", "!", "<=", "<!"].some((sign) => reader.takes(sign)))
      reader.fail("look-ahead and look-behind are not supported", from);
    if (reader.takes("P<") || reader.takes("<")) {
      const name = reader.upTo(">", "the name of a group is not closed");
      if (!/^[\p{L}_][\p{L}\p{N}_.[\]]*$/u.test(name))
        reader.fail(`${JSON.stringify(name)} is no name for a group`, from);
    } else if (readFlags(reader, inner, from)) {
      Object.assign(flags, inner);
      return undefined;
    }
  }
  const body = alternatives(state, inner);
  if (!reader.takes(")")) reader.fail("a ( is not closed", from);
  return body;
}

/** True: the flags hold for what follows; otherwise for the group that they begin. */
function readFlags(reader: PatternReader, flags: Flags, from: number): boolean {
  for (let isOn = true; ;) {
    const char = reader.next();
    if (char === ")" || char === ":") return char === ")";
    if (char === "-") isOn = false;
    else if (char === "i" || char === "m" || char === "s" || char === "U" || char === "u" || char === "x")
      flags[char] = isOn;
    else if (char !== "R") reader.fail(`(?${char} means nothing here`, from);
  }
}

function literal(state: Translation, char: string, { i }: Flags): PatternNode {
  if (char === "\n") {
    if (!state.options.multiline) state.reader.fail("\\n needs multiline: true", state.reader.at - 1);
    state.crosses = true;
  }
  return inCase(/^[\w"'#%&,:;<=>@`~!]$/u.test(char) ? char : codeOf(char), i, state.options);
}

/** A set without what nothing may match, and without line ends where lines are searched one by one. */
function set(state: Translation, source: string, { i }: Flags): PatternNode {
  const { multiline, crlf } = state.options;
  if (multiline && new RegExp(source, "v").test("\n")) state.crosses = true;
  const lineEnds = multiline ? "" : crlf ? String.raw`\n\r` : String.raw`\n`;
  // Says its case always: in V8 a `(?i:…)` before a negated class of the flag `v` changes the class too.
  return { kind: "set", source: `(?${i ? "i" : "-i"}:[${source}--[\\udc80-\\udcff${lineEnds}]])` };
}

function dot({ options }: Translation): string {
  return options.crlf ? String.raw`[^\r\n]` : String.raw`[^\n]`;
}

function inCase(source: string, ignoreCase: boolean, options: PatternOptions): PatternNode {
  if (ignoreCase === options.ignoreCase) return { kind: "set", source };
  return { kind: "set", source: ignoreCase ? `(?i:${source})` : `(?-i:${source})` };
}

function lineStart(state: Translation): PatternNode {
  state.crosses = true;
  if (!state.options.crlf)
    return { kind: "place", source: String.raw`(?<![^\n])`, holds: (before) => before === -1 || before === lf };
  return {
    kind: "place",
    source: String.raw`(?<![^\r\n])(?<!\r(?=\n))`,
    holds: (before, after) => before === -1 || before === lf || (before === cr && after !== lf),
  };
}

function lineEnd(state: Translation): PatternNode {
  state.crosses = true;
  if (!state.options.crlf)
    return { kind: "place", source: String.raw`(?![^\n])`, holds: (_, after) => after === -1 || after === lf };
  return {
    kind: "place",
    source: String.raw`(?![^\r\n])(?<!\r(?=\n))`,
    holds: (before, after) => after === -1 || after === cr || (after === lf && before !== cr),
  };
}

function textStart(state: Translation): PatternNode {
  if (!state.options.multiline) return lineStart(state);
  return { kind: "place", source: String.raw`(?<![\p{Any}])`, holds: (before) => before === -1 };
}

function textEnd(state: Translation): PatternNode {
  if (!state.options.multiline) return lineEnd(state);
  return { kind: "place", source: String.raw`(?![\p{Any}])`, holds: (_, after) => after === -1 };
}

const deepest = 200;
const mostRepeated = 1_000_000;
const lf = 0x0a;
const cr = 0x0d;
