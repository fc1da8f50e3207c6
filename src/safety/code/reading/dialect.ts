import type { CodeLanguage } from "../code-judgement.ts";
import type { Effects } from "./effects.ts";
import type { KnownNames } from "./name-effects.ts";
import type { Lexed } from "./token.ts";
import type { Token } from "./token.ts";
import type { Spelling } from "./token.ts";
import { type CodeValue } from "./value.ts";

/** The properties of a language that the reader needs. */
export interface Dialect {
  readonly language: CodeLanguage;
  readonly spelling: Spelling;
  /** Operators between a value and its member. */
  readonly access: ReadonlySet<string>;
  /** Signs that join texts. */
  readonly joining: ReadonlySet<string>;
  /** Keywords: words that are not names. */
  readonly keywords: ReadonlySet<string>;
  known(): KnownNames;
  /** Modules that contain known names: a lookup by a computed name hides which one is used. */
  isModule(name: string): boolean;
  /** `system "date"`: arguments without brackets, and methods that are called by naming them. */
  readonly hasBareCalls: boolean;
  /** A text that is called is the name of a function. */
  readonly callsTexts: boolean;
  /** Neighbouring texts are one. */
  readonly joinsNeighbours: boolean;
  /** Functions whose bodies are read where they are called. */
  readonly functions: "indented" | "braced" | "none";
  /** The names that hold the environment variables. */
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
  /** The word that is next, and where to stop. */
  at: number;
  end: number;
  /** How deep expressions are nested here. */
  depth: number;
  /** The argument that a function written here receives. */
  receiver: CodeValue | undefined;
  /** The return value of the function that is being read. */
  returned: CodeValue;
  peek(offset?: number): Token | undefined;
  isMark(text: string, offset?: number): boolean;
  isName(text: string, offset?: number): boolean;
  /** A keyword or an operator, not a name. */
  isWord(text: string): boolean;
  /** Statements up to a place. */
  statements(end: number): void;
  /** One statement, or at least one word. */
  step(): void;
  expression(): CodeValue;
  /** The values in the brackets that open here; moves the reader past them. */
  group(): readonly CodeValue[];
  /** Where the brackets that open here close. */
  closing(): number;
  /** A reader for code inside a text. */
  inside(code: string): Reader;
  /** The code from a word up to here. */
  wordsFrom(start: number): string;
}

/** The names of a script while it is read, and the effects of using them. */
export interface ScriptScope {
  readonly dialect: Dialect;
  readonly effects: Effects;
  readonly depth: number;
  /** Counts down with everything that is read; below zero the reader follows nothing. */
  readonly budget: { left: number };
  lookup(name: string): CodeValue;
  bind(name: string, value: CodeValue): void;
  isBound(name: string): boolean;
  /** Is it a function of the script? */
  isDefined(name: string): boolean;
  /** All names of a module can be used without a prefix from now on. */
  spread(module: string): void;
  member(value: CodeValue, name: string): CodeValue;
  index(value: CodeValue, key: CodeValue): CodeValue;
  call(fn: CodeValue, args: readonly CodeValue[], named: ReadonlyMap<string, CodeValue>, words: string): CodeValue;
  /** A value that is named and not called. */
  mention(value: CodeValue, words: string, args: readonly CodeValue[]): void;
  define(name: string, defined: CodeFunction): void;
  /** Reads the functions that nothing has called. */
  finish(): void;
}

/** A function of the script. */
export interface CodeFunction {
  run(args: readonly CodeValue[], named: ReadonlyMap<string, CodeValue>): CodeValue;
}
