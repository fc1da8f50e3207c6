import { type Field, hole, type CommandSpan } from "./field.ts";

/** One program, builtin or function that a script will run, with its known facts. */
export interface SimpleCommand {
  /** The name first. Never empty. */
  readonly argv: readonly Field[];
  /** `NAME=value` before the name, for this command alone. */
  readonly assignments: readonly { readonly name: string; readonly value: Field }[];
  readonly redirections: readonly Redirected[];
  /** Where it runs, with holes where that is not known. */
  readonly cwd: string;
  readonly stdin: Input;
  /** The content of the process substitutions among its words; undefined: unknown. */
  readonly substitutions: ReadonlyMap<string, string | undefined>;
  /** The programs that run it, outermost first: `["sudo", "env"]`. */
  readonly via: readonly string[];
  readonly isBackground: boolean;
  /** A recursive function, directly or indirectly. */
  readonly isRecursion: boolean;
  /** Its place in the original text, if it occurs there. */
  readonly at?: CommandSpan | undefined;
}

export interface Redirected {
  /** What happens to the file. `both`: opened for reading and writing. */
  readonly how: "read" | "write" | "append" | "both";
  readonly target: Field;
  readonly descriptor: number | undefined;
}

export interface Input {
  /** The complete text, with placeholders for unknown parts. Undefined: it is unknown. */
  readonly text?: string;
  /** The commands before it in the pipeline, whose output it is. */
  readonly from: readonly SimpleCommand[];
}

/** No known input, from no command. */
export const noInput: Input = { from: [] };

/** Input that exists but is not known, such as the text written to `>(…)`. */
export const unknownInput: Input = { text: hole, from: [] };
