import type { CodeLanguage } from "../code-judgement.ts";
import type { KnownNames } from "./known.ts";
import type { Reader } from "./reader.ts";
import type { Spelling } from "./token.ts";

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
