import type { Parser } from "./command/shell/walk.ts";
import type { FilePlace } from "./policy/files/path-lists.ts";

/** Facts about the environment of a call, for analysis and policy. */
export interface Surroundings {
  readonly files: FilePlace;
  readonly user: string;
  /**
   * False in a sandbox that cannot harm a real machine. There, commands that are always denied elsewhere only need
   * approval.
   */
  readonly reachesHost: boolean;
  /** The parser of command lines. Undefined: the default parser. */
  readonly parse?: Parser;
}

/** The error if the environment of a command cannot be reached, so that its shell state is unknown. */
export class Unreachable extends Error {}
