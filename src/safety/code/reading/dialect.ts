import type { CodeLanguage } from "../code-judgement.ts";
import type { Effects } from "./effects.ts";
import type { KnownNames } from "./known.ts";
import type { Lexed } from "./token.ts";
import type { Token } from "./token.ts";
import type { Spelling } from "./token.ts";
import { type Value } from "./value.ts";

/** What the reader of scripts has to know of a language. */
export interface Dialect {
  readonly language: CodeLanguage;
  readonly spelling: Spelling;
  /** Signs between a value and what belongs to it. */
  readonly access: ReadonlySet<string>;
  /** Signs that join texts. */
  readonly joining: ReadonlySet<string>;
  /** Words that are no names and stand for nothing. */
  readonly keywords: ReadonlySet<string>;
  known(): KnownNames;
  /** What has known names below it: looking one of them up by a computed name is a trick. */
  isModule(name: string): boolean;
  /** `system "date"`: arguments without brackets, and methods that are called by naming them. */
  readonly hasBareCalls: boolean;
  /** A text that is called is the name of a function. */
  readonly callsTexts: boolean;
  /** Neighbouring texts are one. */
  readonly joinsNeighbours: boolean;
  /** Functions whose bodies are read where they are called. */
  readonly functions: "indented" | "braced" | "none";
  /** What holds the variables of the environment. */
  readonly environments: ReadonlySet<string>;
  /** The one name of something that has several. */
  canonical(ref: string): string;
  /** Statements of this language's own: true when it took one. */
  statement?(reader: Reader): boolean;
}

/** Walks over the words of a script and tells the scope what they do. */
export interface Reader {
  readonly scope: Scope;
  readonly lexed: Lexed;
  /** The word that is next, and where to stop. */
  at: number;
  end: number;
  /** How deep expressions are nested here. */
  depth: number;
  /** What a function that is written here will get. */
  receiver: Value | undefined;
  /** What the function that is being read gives back. */
  returned: Value;
  peek(offset?: number): Token | undefined;
  isMark(text: string, offset?: number): boolean;
  isName(text: string, offset?: number): boolean;
  /** A word that is no name: a keyword or an operator. */
  isWord(text: string): boolean;
  /** Statements up to a place. */
  statements(end: number): void;
  /** One statement, or at least one word. */
  step(): void;
  expression(): Value;
  /** The values in the brackets that open here; afterwards the reader stands behind them. */
  group(): readonly Value[];
  /** Where the brackets that open here close. */
  closing(): number;
  /** A reader of code that stands in a text here. */
  inside(code: string): Reader;
  /** The code from a word up to here. */
  wordsFrom(start: number): string;
}

/** What is known by name while a script is read, and what using it does. */
export interface Scope {
  readonly dialect: Dialect;
  readonly effects: Effects;
  readonly depth: number;
  /** Counts down with everything that is read; below zero nothing is followed any more. */
  readonly budget: { left: number };
  lookup(name: string): Value;
  bind(name: string, value: Value): void;
  isBound(name: string): boolean;
  /** Is it a function of the script? */
  isDefined(name: string): boolean;
  /** All names of a module are used without it from now on. */
  spread(module: string): void;
  member(value: Value, name: string): Value;
  index(value: Value, key: Value): Value;
  call(fn: Value, args: readonly Value[], named: ReadonlyMap<string, Value>, words: string): Value;
  /** A value that is named and not called. */
  mention(value: Value, words: string, args: readonly Value[]): void;
  define(name: string, defined: CodeFunction): void;
  /** Reads the functions that nothing has called. */
  finish(): void;
}

/** A function of the script. */
export interface CodeFunction {
  run(args: readonly Value[], named: ReadonlyMap<string, Value>): Value;
}
