import type { ParsedScript } from "unbash";

import type { Field, CommandSpan } from "./field.ts";
import type { Input, SimpleCommand } from "./simple-command.ts";

/** The result of walking a script without running it. */
export interface Walk {
  readonly commands: readonly SimpleCommand[];
  /** The parts that cannot be judged, with the reason. */
  readonly doubts: readonly WalkDoubt[];
  /** The syntax tree of the text itself. Undefined: it was too long or too deep to parse. */
  readonly tree: ParsedScript | undefined;
}

export type Parser = (text: string) => ParsedScript;

export interface WalkDoubt {
  /** `unknown_code`: a part of the code that a shell is given cannot be known; `unknown_value`: a value that it evaluates. */
  readonly kind: "unparsable" | "too_large" | "too_deep" | "too_many" | "unknown_code" | "unknown_value";
  readonly message: string;
  readonly at?: CommandSpan;
}

/** Called for every command. The walker follows the payloads that it returns, instead of the command or in addition. */
export interface Visitor {
  /**
   * The script texts and argument lists that running this command runs in turn (`eval`, `sh -c`, `sudo`, `xargs`…), which
   * are walked as well. `text` is shell code, `argv` one command.
   */
  payloads(command: SimpleCommand): readonly Payload[];
  /** The output of a command that only computes, such as `echo`; undefined: not known. */
  output(command: SimpleCommand): string | undefined;
  /** Default: the parser of the `unbash` package. */
  readonly parse?: Parser;
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
  /** Of a script, with all that it runs in turn: more than a person would read before saying yes. */
  readonly maxCommands: number;
  /** Of one pipeline. */
  readonly maxStages: number;
  /** Of the words of all commands together, when they are expanded. */
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
 * How often loops are walked: over known words round by round, up to `own`, and `all` with the loops around them. Others
 * twice, where those around them go round no more often than `around`.
 */
export const roundLimits = { own: 24, all: 576, around: 4 } as const;
