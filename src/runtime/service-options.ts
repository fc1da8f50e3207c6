import type { Clock } from "../base/clock.ts";
import type { ModelSource } from "../contracts/model/model.ts";
import type { Principal } from "../contracts/safety/principal.ts";
import type { Contribution } from "./contributions.ts";

/** Options for the services of a program. */
export interface ServiceOptions {
  /** The folder in which the program was started. */
  readonly cwd: string;
  /** The user who runs the program. */
  readonly principal: Principal;
  readonly signal: AbortSignal;
  readonly clock?: Clock;
  /** Shows a sentence to the person. */
  readonly say?: (sentence: string) => void;
  /** Replaces the session store of the home. */
  readonly sessionsFile?: string;
  /** Replaces the models that the settings name. */
  readonly models?: ModelSource;
  /** Leaves out the user's own tools. */
  readonly safeMode?: boolean;
  /** Accepts new and changed shell hooks without asking. */
  readonly acceptHooks?: boolean;
  /** Default: the built-in parts and the user's own tools. */
  readonly contributions?: readonly Contribution[];
}
