import type { Parser } from "./command/shell/walk.ts";
import type { FilePlace } from "./policy/files/path-lists.ts";

/** Facts about the environment of a call, for analysis and policy. */
export interface Surroundings {
  readonly files: FilePlace;
  readonly user: string;
  /**
   * False in a sandbox that cannot harm a real machine: there the policy asks about commands that it denies elsewhere.
   */
  readonly reachesHost: boolean;
  /** Parses command lines. Undefined: the default parser. */
  readonly parse?: Parser;
}

/** The environment of a command cannot be reached, so its shell state is unknown. */
export class Unreachable extends Error {}
