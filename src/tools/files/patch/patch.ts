/** A parsed, well-formed patch or unified diff. Plain data; every part has its line in the text, from 1. */
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
  | {
      readonly kind: "update";
      readonly path: string;
      readonly line: number;
      /** `isCopy`: the file stays at its old path, unchanged. */
      readonly moveTo?: { readonly path: string; readonly line: number; readonly isCopy?: true };
      /** Empty only when the file moves unchanged. */
      readonly hunks: readonly Hunk[];
    };

export interface Hunk {
  readonly line: number;
  /** The texts after `@@`, outermost first, with their own indentation. */
  readonly hints: readonly string[];
  readonly lines: readonly HunkLine[];
  /** True: `*** End of File` follows, so the old lines are the last ones of the file. */
  readonly atEnd: boolean;
  /** The line of the file, from 0, that the numbers of a unified diff name. */
  readonly statedStart?: number;
  /** The diff says that the file exists: added lines without context may go before its first line. */
  readonly isUpdate?: true;
}

export interface HunkLine {
  readonly op: " " | "-" | "+";
  readonly text: string;
  readonly line: number;
  /** `\\ No newline at end of file` follows. */
  readonly isUnended?: true;
  /** A context line without its leading space. */
  readonly isUnmarked?: true;
  /** The line ends in CRLF, unlike the header of its hunk. */
  readonly isCrlf?: true;
}

/** The lines that must be in the file: context and removed ones. */
export function oldLines(hunk: Hunk): readonly HunkLine[] {
  return hunk.lines.filter(({ op }) => op !== "+");
}

/** False for a hunk with only context. */
export function hasChanges(hunk: Hunk): boolean {
  return hunk.lines.some(({ op }) => op !== " ");
}

/** Every path that the patch reads or writes, once, as spelled there. */
export function pathsOf(patch: Patch): readonly string[] {
  const paths = patch.sections.flatMap((section) =>
    section.kind === "update" && section.moveTo !== undefined ? [section.path, section.moveTo.path] : [section.path],
  );
  return [...new Set(paths)];
}
