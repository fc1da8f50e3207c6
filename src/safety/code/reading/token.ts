/** One token of code. */
export interface Token {
  readonly kind: "name" | "text" | "number" | "mark" | "line" | "shell" | "pattern";
  /** The name, the operator, or the text of a string (without parts). */
  readonly text: string;
  /** Parts of a string with code in it. */
  readonly parts?: readonly TextPiece[] | undefined;
  /** For a `pattern`: its flags, and the code or text of its replacement. */
  readonly flags?: string | undefined;
  readonly replacement?: readonly TextPiece[] | undefined;
  /** True: white space precedes the token. */
  readonly isSpaced: boolean;
  readonly start: number;
  readonly end: number;
  /** For a `line`: the indentation of the next line. */
  readonly indent?: number | undefined;
}

export type TextPiece = string | { readonly code: string };

/** The tokens of a piece of code. */
export interface Lexed {
  readonly source: string;
  readonly tokens: readonly Token[];
  /** The index of the matching bracket for each bracket; -1: none. */
  readonly match: Int32Array;
  /** Brackets that contain a `for`. */
  readonly loops: ReadonlySet<number>;
  /** Why the text is not valid code of this language. */
  readonly fault?: string;
}

/** A match of a language-specific lexer: a token that ends at `end`, or white space without a token. */
export interface LexMatch {
  readonly end: number;
  readonly token?: Omit<Token, "start" | "end" | "isSpaced">;
  readonly fault?: string;
}

/** State of the lexer. One object is reused for all positions, so callers must not keep it. */
export interface Lexing {
  readonly source: string;
  at: number;
  /** The last token that is not a line end. */
  previous: Token | undefined;
  isSpaced: boolean;
  readonly tokens: readonly Token[];
  /** For a closing bracket as `previous`: the token before its opening one. */
  beforeGroup(): Token | undefined;
  /** Offset of the next pending here-document, whose lines start after this line. */
  readonly pending: { at: number };
}

/** Lexical rules of a language. */
export interface Spelling {
  readonly lineComments: readonly string[];
  readonly blockComments: readonly (readonly [open: string, close: string])[];
  /** Operators of several characters, longest first, by their first character. */
  readonly marks: ReadonlyMap<string, readonly string[]>;
  /** True: line ends are significant. */
  readonly hasLines: boolean;
  /** True: brackets may be unbalanced, as in `}{` of Perl. */
  readonly isLoose?: boolean;
  /** Matches names: the first character and the rest. */
  name(): RegExp;
  /** Language-specific tokens, tried first at every position. */
  read(lexing: Lexing): LexMatch | undefined;
  nameText?(text: string): string;
}

export function marksOf(list: string): ReadonlyMap<string, readonly string[]> {
  return Map.groupBy(
    list.split(" ").toSorted((a, b) => b.length - a.length),
    (mark) => mark[0] ?? "",
  );
}
