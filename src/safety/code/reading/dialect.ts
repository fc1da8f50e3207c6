import type { CodeLanguage } from "../code-judgement.ts";
import type { Effects } from "./effects.ts";
import type { KnownNames } from "./name-effects.ts";
import type { Lexed } from "./token.ts";
import type { Token } from "./token.ts";
import type { Spelling } from "./token.ts";
import { type CodeValue } from "./value.ts";

/** The properties of a language that the analysis needs. */
export interface Dialect {
  readonly language: CodeLanguage;
  readonly spelling: Spelling;
  /** Operators that access a member of a value. */
  readonly access: ReadonlySet<string>;
  /** Operators that concatenate texts. */
  readonly joining: ReadonlySet<string>;
  /** Keywords: words that are not names. */
  readonly keywords: ReadonlySet<string>;
  known(): KnownNames;
  /** Modules whose functions are known. A lookup of a computed name in one of them can mean any of these functions. */
  isModule(name: string): boolean;
  /** True if calls need no brackets (`system "date"`), so that a method name alone is a call. */
  readonly hasBareCalls: boolean;
  /** True if calling a text calls the function of that name. */
  readonly callsTexts: boolean;
  /** True if adjacent string literals are concatenated. */
  readonly joinsNeighbours: boolean;
  /** The delimiters of functions whose bodies are analysed at each call. */
  readonly functions: "indented" | "braced" | "none";
  /** Names of the variable that contains the environment. */
  readonly environments: ReadonlySet<string>;
  /** Returns the canonical name of something that has several names. */
  canonical(ref: string): string;
  /** Parses a statement that only this language has. Returns true if it consumed one. */
  statement?(reader: Reader): boolean;
}

/** Goes through the tokens of a script and reports their effects to the scope. */
export interface Reader {
  readonly scope: ScriptScope;
  readonly lexed: Lexed;
  /** The index of the next token, and the index at which to stop. */
  at: number;
  end: number;
  /** Nesting depth of the current expression. */
  depth: number;
  /** The argument that a function literal at this position will receive. */
  receiver: CodeValue | undefined;
  /** The return value of the function that is being analysed. */
  returned: CodeValue;
  peek(offset?: number): Token | undefined;
  isMark(text: string, offset?: number): boolean;
  isName(text: string, offset?: number): boolean;
  /** Returns whether the next token is this keyword or operator. */
  isWord(text: string): boolean;
  /** Analyses statements up to a token index. */
  statements(end: number): void;
  /** Analyses one statement, and consumes at least one token. */
  step(): void;
  expression(): CodeValue;
  /** Parses the values in the brackets that start here, and moves past the brackets. */
  group(): readonly CodeValue[];
  /** Index of the bracket that closes the current one. */
  closing(): number;
  /** Creates a reader for the code inside a string. */
  inside(code: string): Reader;
  /** Returns the source text from a token up to the current position. */
  wordsFrom(start: number): string;
}

/** The names of a script during the analysis, and the effects of using them. */
export interface ScriptScope {
  readonly dialect: Dialect;
  readonly effects: Effects;
  readonly depth: number;
  /** The remaining work. Decreases with everything that is read; below zero, no more calls are followed. */
  readonly budget: { left: number };
  lookup(name: string): CodeValue;
  bind(name: string, value: CodeValue): void;
  isBound(name: string): boolean;
  /** Returns whether the script defines this function. */
  isDefined(name: string): boolean;
  /** Makes all names of a module available without a prefix, as `from x import *` does. */
  spread(module: string): void;
  member(value: CodeValue, name: string): CodeValue;
  index(value: CodeValue, key: CodeValue): CodeValue;
  call(fn: CodeValue, args: readonly CodeValue[], named: ReadonlyMap<string, CodeValue>, words: string): CodeValue;
  /** Called for a value that is mentioned but not called. */
  mention(value: CodeValue, words: string, args: readonly CodeValue[]): void;
  define(name: string, defined: CodeFunction): void;
  /** Analyses functions that were never called. */
  finish(): void;
}

/** A function that the script defines. */
export interface CodeFunction {
  run(args: readonly CodeValue[], named: ReadonlyMap<string, CodeValue>): CodeValue;
}
