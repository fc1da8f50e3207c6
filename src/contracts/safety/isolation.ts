import type { Result } from "../../base/result.ts";
import type { SandboxLimits, EnvironmentError } from "../environment/environment.ts";

/** A sandbox for local programs, configured by the settings. The code that starts a program cannot loosen it. */
export interface Isolation {
  /**
   * Prepares a program to run in the sandbox. Checks the disk on each call, so that new secret files are hidden too.
   */
  confine(start: ConfinedStart): Result<ConfinedProgram, EnvironmentError>;
  /**
   * The sandbox for a command that a person approved: it can read everything but change only these real paths.
   * Undefined if this is not possible for these paths.
   */
  onlyChanging?(places: readonly string[]): Isolation | undefined;
  /**
   * The sandbox for a command that a person approved, in a session that must not change some folders. Undefined if
   * there are no such folders.
   */
  readonly sparing?: Isolation;
}

export interface ConfinedStart {
  readonly program: string;
  readonly args: readonly string[];
  /** The complete environment of the program. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Files of the component that starts the program. All are below `folder`, which the program cannot see. */
  readonly own: OwnFiles;
}

export interface OwnFiles {
  readonly folder: string;
  /** An empty file that is mounted over each hidden file. */
  readonly emptyFile: string;
  /** The files in `folder` that the program can read, and those that it can write. */
  readonly visible: readonly string[];
  readonly writable: readonly string[];
}

export interface ConfinedProgram {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly confined: SandboxLimits;
  /** The mounts that the program creates. It then waits until the component that started it has verified them. */
  readonly mounts?: readonly PlannedMount[];
}

/** A mount in the sandbox. */
export interface PlannedMount {
  /** The real path at which the mount appears. */
  readonly path: string;
  /** The real path of the file or folder that appears there. Undefined: an empty folder. */
  readonly from?: string;
}

/**
 * File descriptors for the verification of mounts: the program closes the first one after it has created its mounts,
 * then reads from the second one until it may continue.
 */
export const gateDescriptors = { mounted: 10, release: 11 } as const;

/** How commands run that no person approved. */
export type IsolationState =
  | {
      readonly mode: "on";
      readonly isolation: Isolation;
      /** Set if a better sandbox exists for this system: why it is not used, and how to enable it. */
      readonly weaker?: { readonly why: string; readonly hint: string };
    }
  /** Without a sandbox. `hint`: how to get one, if the user did not turn it off. */
  | { readonly mode: "off"; readonly why: string; readonly hint?: string }
  /** A sandbox is required but unavailable: they do not run. */
  | { readonly mode: "missing"; readonly fault: EnvironmentError };
