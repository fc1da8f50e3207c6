export interface TextEdit {
  readonly old: string;
  readonly new: string;
  readonly replaceAll: boolean;
}

/** The ways in which the file's text differed from `old`. */
export type TextDrift =
  | "line ends"
  | "punctuation"
  | "white space"
  | "escapes or line numbers"
  | "omitted parts"
  | "blank lines";

/** A position in the file: lines start at 1, with the text of the first line. */
export interface EditPlace {
  readonly line: number;
  readonly lastLine: number;
  readonly text: string;
}

/** The part of the file that is most similar to `old`, and the first line that differs. */
export interface NearRegion {
  readonly line: number;
  readonly lines: readonly string[];
  readonly difference?: {
    readonly line: number;
    readonly inFile: string;
    readonly asked: string;
    /** The first two characters that differ, if one of them is typographic or invisible. */
    readonly sign?: string;
  };
}

/** The result of an edit. Only "applied" changed the file. `drift` is empty for an exact match. */
export type EditOutcome =
  | {
      readonly outcome: "applied";
      readonly result: string;
      readonly drift: readonly TextDrift[];
      /** The number of changed positions; `places` lists the first ones. */
      readonly count: number;
      readonly places: readonly EditPlace[];
    }
  | {
      readonly outcome: "ambiguous";
      readonly drift: readonly TextDrift[];
      /** The minimum number of matches. */
      readonly count: number;
      readonly places: readonly EditPlace[];
    }
  | {
      readonly outcome: "not_found";
      /** Explains the problem and the remedy in one or two sentences, with the tool's parameter names. */
      readonly reason: string;
      readonly nearest?: NearRegion;
      /** Set if a place matched, but the new text did not fit there. */
      readonly isUnfit?: boolean;
    };
