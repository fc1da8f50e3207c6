import { parse as parseScript, type ParsedScript } from "unbash";

import type { Field, CommandSpan } from "./field.ts";
import type { FileContents, Input, SimpleCommand } from "./simple-command.ts";
import type { WrittenFile } from "./written-contents.ts";

/** The result of walking a script without running it. */
export interface Walk {
  readonly commands: readonly SimpleCommand[];
  /** The parts that cannot be judged, with the reason. */
  readonly doubts: readonly WalkDoubt[];
  /** The syntax tree of the text. Undefined if it was too long or too deep to parse. */
  readonly tree: ParsedScript | undefined;
  /** The code that programs run as a script of its own, without the text itself. */
  readonly scripts: ReadonlySet<string>;
}

export type Parser = (text: string) => ParsedScript;

export interface WalkDoubt {
  /** `unknown_code`: a shell gets code with an unknown part. `unknown_value`: the shell evaluates an unknown value. */
  readonly kind: "unparsable" | "too_large" | "too_deep" | "too_many" | "unknown_code" | "unknown_value";
  readonly message: string;
  readonly at?: CommandSpan;
}

/** Called for every command. The walker then follows the payloads that it returns. */
export interface Visitor {
  /**
   * Returns the scripts and commands that this command runs (`eval`, `sh -c`, `sudo`, `xargs`…). The walker visits them
   * as well. `text` is shell code, `argv` is one command.
   */
  payloads(command: SimpleCommand): readonly Payload[];
  /** Returns the output of a command that only computes, such as `echo`. Undefined if unknown. */
  output(command: SimpleCommand): string | undefined;
  /** Returns the files that a command writes, with their content. Default: none. */
  writes?(command: SimpleCommand): readonly WrittenFile[];
  /** Files that earlier commands changed. */
  readonly contents?: FileContents | undefined;
  /** The parser. Default: that of the `unbash` package. */
  readonly parse?: Parser | undefined;
}

export function withDefaults(visitor: Visitor): { readonly [Key in keyof Visitor]-?: NonNullable<Visitor[Key]> } {
  const { payloads, output, writes = () => [], contents = new Map(), parse = parseScript } = visitor;
  return { payloads, output, writes, contents, parse };
}

export type Payload =
  | {
      readonly text: string;
      readonly via: string;
      readonly isOwnShell: boolean;
      readonly cwd?: string;
      readonly positional?: readonly string[];
      /** `$0`. */
      readonly zero?: string;
      readonly stdin?: Input;
    }
  | {
      readonly argv: readonly Field[];
      readonly via: string;
      readonly cwd?: string;
      readonly assignments?: SimpleCommand["assignments"];
      readonly stdin?: Input;
    };

export interface WalkLimits {
  readonly maxChars: number;
  readonly maxDepth: number;
  /**
   * The maximum number of commands in a script, including those that its commands run. This is more than a person would
   * read before an approval.
   */
  readonly maxCommands: number;
  /** The maximum number of commands in one pipeline. */
  readonly maxStages: number;
  /** The maximum number of characters of all expanded words together. */
  readonly maxWordChars: number;
}

export const defaultWalkLimits: WalkLimits = {
  maxChars: 128_000,
  maxDepth: 24,
  maxCommands: 1_000,
  maxStages: 200,
  maxWordChars: 2_000_000,
};

/**
 * Limits for walking loops. A loop over known words is walked for each word, up to `own` iterations and `all` together
 * with its enclosing loops. Other loops are walked twice, if the enclosing ones have at most `around` iterations.
 */
export const roundLimits = { own: 24, all: 576, around: 4 } as const;
