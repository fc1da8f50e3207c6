import { posix } from "node:path";

import { type Field, hole, type CommandSpan } from "./field.ts";

/** One program, builtin or function that a script will run. */
export interface SimpleCommand {
  /** Name and arguments. Never empty. */
  readonly argv: readonly Field[];
  /** The assignments `NAME=value` before the name, which apply to this command only. */
  readonly assignments: readonly { readonly name: string; readonly value: Field }[];
  readonly redirections: readonly Redirected[];
  /** The working folder. Unknown parts are marked as holes. */
  readonly cwd: string;
  readonly stdin: Input;
  /** The files whose content is known. */
  readonly contents: FileContents;
  /** The programs that run it, outermost first: `["sudo", "env"]`. */
  readonly via: readonly string[];
  readonly isBackground: boolean;
  /** True for a function that calls itself, directly or indirectly. */
  readonly isRecursion: boolean;
  /** True if the redirections belong to a group or a loop, whose commands are listed too. */
  readonly isGroup?: boolean;
  /** The position in the original text, if it occurs there. */
  readonly at?: CommandSpan | undefined;
}

/**
 * The contents of files by absolute path: process substitutions, files that the script has written before, files that
 * earlier commands of the session changed. Unknown parts are marked as holes.
 */
export type FileContents = ReadonlyMap<string, () => string>;

/** The content. Undefined if the file existed before and belongs to the user. */
export function contentOf(
  { contents, cwd }: Pick<SimpleCommand, "contents" | "cwd">,
  { text }: Pick<Field, "text">,
): string | undefined {
  if (contents.size === 0) return undefined;
  return contents.get(posix.normalize(text.startsWith("/") ? text : `${cwd}/${text}`))?.();
}

/** The total length of all words of the command. */
export function charsOf({ argv, redirections }: Pick<SimpleCommand, "argv" | "redirections">): number {
  let sum = 0;
  for (const { text } of argv) sum += text.length;
  for (const { target } of redirections) sum += target.text.length;
  return sum;
}

export interface Redirected {
  /** How the file is used. `both`: it is opened for reading and writing. */
  readonly how: "read" | "write" | "append" | "both";
  readonly target: Field;
  readonly descriptor: number | undefined;
}

export interface Input {
  /** The complete text, with holes for unknown parts. Undefined if it is unknown. */
  readonly text?: string;
  /** The earlier commands of the pipeline, whose output is the input. */
  readonly from: readonly SimpleCommand[];
}

/** True if the input is unknown and no command provides it. */
export const noInput: Input = { from: [] };

/** Unknown input, such as the text written to `>(…)`. */
export const unknownInput: Input = { text: hole, from: [] };
