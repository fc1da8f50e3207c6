/** One token of code. */
export interface Token {
  readonly kind: "name" | "text" | "number" | "mark" | "line" | "shell" | "pattern";
  /** The name, the operator, or the text of a string without code parts. */
  readonly text: string;
  /** The parts of a string that contains code. */
  readonly parts?: readonly TextPiece[] | undefined;
  /** The flags of a `pattern`, and the code or text of its replacement. */
  readonly flags?: string | undefined;
  readonly replacement?: readonly TextPiece[] | undefined;
  /** True if white space precedes the token. */
  readonly isSpaced: boolean;
  readonly start: number;
  readonly end: number;
  /** The indentation of the next line, for a `line` token. */
  readonly indent?: number | undefined;
}

export type TextPiece = string | { readonly code: string };

/** The tokens of a piece of code. */
export interface Lexed {
  readonly source: string;
  readonly tokens: readonly Token[];
  /** The index of the matching bracket for each bracket; -1 if there is none. */
  readonly match: Int32Array;
  /** The brackets that contain a `for`. */
  readonly loops: ReadonlySet<number>;
  /** Why the text is not valid code of this language. */
  readonly fault?: string;
}

/** The result of a language-specific lexer: a token that ends at `end`, or white space without a token. */
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
  /** The token before the opening bracket, if `previous` is the matching closing bracket. */
  beforeGroup(): Token | undefined;
  /** The offset of the next pending here-document, whose lines start after this line. */
  readonly pending: { at: number };
}

/** The lexical rules of a language. */
export interface Spelling {
  readonly lineComments: readonly string[];
  readonly blockComments: readonly (readonly [open: string, close: string])[];
  /** Operators that consist of several characters, by their first character, longest first. */
  readonly marks: ReadonlyMap<string, readonly string[]>;
  /** True if line ends are significant. */
  readonly hasLines: boolean;
  /** True if brackets may be unbalanced, as in `}{` of Perl. */
  readonly isLoose?: boolean;
  /** The patterns of names: the first character and the rest. */
  name(): RegExp;
  /** The lexer for language-specific tokens, tried first at every position. */
  read(lexing: Lexing): LexMatch | undefined;
  nameText?(text: string): string;
}

export function marksOf(list: string): ReadonlyMap<string, readonly string[]> {
  return Map.groupBy(
    list.split(" ").toSorted((a, b) => b.length - a.length),
    (mark) => mark[0] ?? "",
  );
}
