import type { CodeLanguage } from "../code-judgement.ts";
import type { Effects } from "./effects.ts";
import type { KnownNames } from "./name-effects.ts";
import type { Lexed } from "./token.ts";
import type { Token } from "./token.ts";
import type { Spelling } from "./token.ts";
import { type CodeValue } from "./value.ts";

/** Properties of a language that the reader needs. */
export interface Dialect {
  readonly language: CodeLanguage;
  readonly spelling: Spelling;
  /** Operators between a value and its member. */
  readonly access: ReadonlySet<string>;
  /** Operators that concatenate texts. */
  readonly joining: ReadonlySet<string>;
  /** Keywords: words that are not names. */
  readonly keywords: ReadonlySet<string>;
  known(): KnownNames;
  /** Modules with known names. Looking up a computed name in one of them can mean any of these names. */
  isModule(name: string): boolean;
  /** `system "date"`: calls need no brackets, and a method name alone is a call. */
  readonly hasBareCalls: boolean;
  /** Calling a text calls the function of that name. */
  readonly callsTexts: boolean;
  /** Adjacent string literals are concatenated. */
  readonly joinsNeighbours: boolean;
  /** The delimiters of functions whose bodies are read at their calls. */
  readonly functions: "indented" | "braced" | "none";
  /** Names of the variable that contains the environment. */
  readonly environments: ReadonlySet<string>;
  /** The canonical name of something with several names. */
  canonical(ref: string): string;
  /** Parses a statement that only this language has. True: it consumed one. */
  statement?(reader: Reader): boolean;
}

/** Walks over the tokens of a script and reports their effects to the scope. */
export interface Reader {
  readonly scope: ScriptScope;
  readonly lexed: Lexed;
  /** Index of the next token, and the index to stop at. */
  at: number;
  end: number;
  /** Nesting depth of the current expression. */
  depth: number;
  /** The argument that a function literal at this position receives. */
  receiver: CodeValue | undefined;
  /** The return value of the function being read. */
  returned: CodeValue;
  peek(offset?: number): Token | undefined;
  isMark(text: string, offset?: number): boolean;
  isName(text: string, offset?: number): boolean;
  /** Whether the next token is this keyword or operator. */
  isWord(text: string): boolean;
  /** Reads statements up to a token index. */
  statements(end: number): void;
  /** Reads one statement, or at least one token. */
  step(): void;
  expression(): CodeValue;
  /** Reads the values in the brackets that start here and moves past them. */
  group(): readonly CodeValue[];
  /** Index of the bracket that closes the current one. */
  closing(): number;
  /** Creates a reader for code inside a string. */
  inside(code: string): Reader;
  /** The source text from a token up to here. */
  wordsFrom(start: number): string;
}

/** Names of a script during the analysis, and the effects of using them. */
export interface ScriptScope {
  readonly dialect: Dialect;
  readonly effects: Effects;
  readonly depth: number;
  /** Decreases with everything that is read. Below zero, the reader follows no more calls. */
  readonly budget: { left: number };
  lookup(name: string): CodeValue;
  bind(name: string, value: CodeValue): void;
  isBound(name: string): boolean;
  /** Whether the script defines this function. */
  isDefined(name: string): boolean;
  /** Makes all names of a module available without a prefix: `from x import *`. */
  spread(module: string): void;
  member(value: CodeValue, name: string): CodeValue;
  index(value: CodeValue, key: CodeValue): CodeValue;
  call(fn: CodeValue, args: readonly CodeValue[], named: ReadonlyMap<string, CodeValue>, words: string): CodeValue;
  /** A value that is named but not called. */
  mention(value: CodeValue, words: string, args: readonly CodeValue[]): void;
  define(name: string, defined: CodeFunction): void;
  /** Analyses functions that were never called. */
  finish(): void;
}

/** A function of the script. */
export interface CodeFunction {
  run(args: readonly CodeValue[], named: ReadonlyMap<string, CodeValue>): CodeValue;
}
