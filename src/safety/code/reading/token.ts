/** One word of code. */
export interface Token {
  readonly kind: "name" | "text" | "number" | "mark" | "line" | "shell" | "pattern";
  /** The name, the operator, or the text of a string (without parts). */
  readonly text: string;
  /** A text with code in it. */
  readonly parts?: readonly TextPiece[] | undefined;
  /** For a `pattern`: its flags, and the code or text of its replacement. */
  readonly flags?: string | undefined;
  readonly replacement?: readonly TextPiece[] | undefined;
  /** White space precedes it. */
  readonly isSpaced: boolean;
  readonly start: number;
  readonly end: number;
  /** Of a `line`: how far the next one is indented. */
  readonly indent?: number | undefined;
}

export type TextPiece = string | { readonly code: string };

/** Code as words. */
export interface Lexed {
  readonly source: string;
  readonly tokens: readonly Token[];
  /** The index of the matching bracket for each bracket; -1: none. */
  readonly match: Int32Array;
  /** Brackets that contain a `for`. */
  readonly loops: ReadonlySet<number>;
  /** Why it is not code of this language. */
  readonly fault?: string;
}

/** The match of a language's own reader: a token that ends at `end`, or white space without a token. */
export interface LexMatch {
  readonly end: number;
  readonly token?: Omit<Token, "start" | "end" | "isSpaced">;
  readonly fault?: string;
}

/** Where words are being read. One object for all places: it is not to be kept. */
export interface Lexing {
  readonly source: string;
  at: number;
  /** The last token that is not a line end. */
  previous: Token | undefined;
  isSpaced: boolean;
  readonly tokens: readonly Token[];
  /** For a closing bracket as `previous`: the token before its opening one. */
  beforeGroup(): Token | undefined;
  /** Texts whose lines begin after this one (here-documents): where the next of them begins. */
  readonly pending: { at: number };
}

/** How the words of a language look. */
export interface Spelling {
  readonly lineComments: readonly string[];
  readonly blockComments: readonly (readonly [open: string, close: string])[];
  /** Signs of several characters, longest first, by their first one. */
  readonly marks: ReadonlyMap<string, readonly string[]>;
  /** Line ends matter. */
  readonly hasLines: boolean;
  /** Brackets need no partner, as in `}{` of Perl. */
  readonly isLoose?: boolean;
  /** Names: the first character and the rest. */
  name(): RegExp;
  /** Tried first, at every place. */
  read(lexing: Lexing): LexMatch | undefined;
  nameText?(text: string): string;
}

export function marksOf(list: string): ReadonlyMap<string, readonly string[]> {
  return Map.groupBy(
    list.split(" ").toSorted((a, b) => b.length - a.length),
    (mark) => mark[0] ?? "",
  );
}
