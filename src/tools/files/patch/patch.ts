/** A parsed, well-formed V4A patch. Plain data; every part has its line in the patch text, from 1. */
export interface Patch {
  readonly sections: readonly PatchSection[];
}

/** The operation on one path. Sections apply in order, each to the result of the previous ones. */
export type PatchSection =
  | { readonly kind: "add"; readonly path: string; readonly line: number; readonly text: string }
  | { readonly kind: "delete"; readonly path: string; readonly line: number }
  | {
      readonly kind: "update";
      readonly path: string;
      readonly line: number;
      readonly moveTo?: { readonly path: string; readonly line: number };
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
}

export interface HunkLine {
  readonly op: " " | "-" | "+";
  readonly text: string;
  readonly line: number;
  /** `\\ No newline at end of file` follows. */
  readonly isUnended?: true;
  /** A context line without its leading space. */
  readonly isUnmarked?: true;
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
