/** A parsed, well-formed patch or unified diff. Plain data; every part has its line in the text, starting at 1. */
export interface Patch {
  readonly sections: readonly PatchSection[];
  /** Parts of a diff that are not applied, one sentence each. */
  readonly notes?: readonly string[];
}

/** The operation on one path. Sections apply in order, each to the result of the previous ones. */
export type PatchSection =
  | { readonly kind: "add"; readonly path: string; readonly line: number; readonly text: string }
  /** `hunks`: the lines that a diff removes must be all lines of the file. */
  | { readonly kind: "delete"; readonly path: string; readonly line: number; readonly hunks?: readonly Hunk[] }
  /** A SEARCH/REPLACE block: whole lines, each with its line end. */
  | {
      readonly kind: "replace";
      readonly path: string;
      readonly line: number;
      readonly old: string;
      readonly new: string;
      /** The line, starting at 1, that chooses between equal places. */
      readonly statedLine?: number;
    }
  | {
      readonly kind: "update";
      readonly path: string;
      readonly line: number;
      /** If `isCopy` is set, the file also stays at its old path, unchanged. */
      readonly moveTo?: { readonly path: string; readonly line: number; readonly isCopy?: true };
      /** The hunks. Empty only if the file moves unchanged. */
      readonly hunks: readonly Hunk[];
    };

export interface Hunk {
  readonly line: number;
  /** The texts after `@@`, outermost first, with their own indentation. */
  readonly hints: readonly string[];
  readonly lines: readonly HunkLine[];
  /** True if `*** End of File` follows, so that the old lines are the last ones of the file. */
  readonly atEnd: boolean;
  /** The line of the file, starting at 0, that the numbers of a unified diff refer to. */
  readonly statedStart?: number;
  /** True if the diff says that the file exists: added lines without context may then precede its first line. */
  readonly isUpdate?: true;
}

export interface HunkLine {
  readonly op: " " | "-" | "+";
  readonly text: string;
  readonly line: number;
  /** True if `\\ No newline at end of file` follows. */
  readonly isUnended?: true;
  /** True for a context line without its leading space. */
  readonly isUnmarked?: true;
  /** True if the line ends in CRLF, unlike the header of its hunk. */
  readonly isCrlf?: true;
}

/** Returns the lines that must be in the file: context lines and removed lines. */
export function oldLines(hunk: Hunk): readonly HunkLine[] {
  return hunk.lines.filter(({ op }) => op !== "+");
}

/** Returns false for a hunk with only context. */
export function hasChanges(hunk: Hunk): boolean {
  return hunk.lines.some(({ op }) => op !== " ");
}

/** Returns every path that the patch reads or writes, once, as it is spelled there. */
export function pathsOf(patch: Patch): readonly string[] {
  const paths = patch.sections.flatMap((section) =>
    section.kind === "update" && section.moveTo !== undefined ? [section.path, section.moveTo.path] : [section.path],
  );
  return [...new Set(paths)];
}
