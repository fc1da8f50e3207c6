import type { Result } from "../../base/result.ts";
import type { SandboxLimits, EnvironmentError } from "../environment/environment.ts";

/** A sandbox for local programs, configured by the settings. The code that starts a program cannot loosen it. */
export interface Isolation {
  /** Checks the disk on each call, so that new secret files are hidden too. */
  confine(start: ConfinedStart): Result<ConfinedProgram, EnvironmentError>;
  /**
   * For a command that a person approved: everything can be read, only these real paths can be changed. Undefined: not
   * possible for these paths.
   */
  onlyChanging?(places: readonly string[]): Isolation | undefined;
  /**
   * For a command that a person approved, in a session that must not change some folders. Undefined: there are none.
   */
  readonly sparing?: Isolation;
}

export interface ConfinedStart {
  readonly program: string;
  readonly args: readonly string[];
  /** Its complete environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** The starter's own files, all below `folder`, which is hidden. */
  readonly own: OwnFiles;
}

export interface OwnFiles {
  readonly folder: string;
  /** An empty file, which hidden files look like. */
  readonly emptyFile: string;
  /** The files that the program sees: read-only and writable. */
  readonly visible: readonly string[];
  readonly writable: readonly string[];
}

export interface ConfinedProgram {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly confined: SandboxLimits;
  /** The program makes these mounts and waits: it continues only after its starter has verified them. */
  readonly mounts?: readonly PlannedMount[];
}

/** One path in the sandbox and its content. */
export interface PlannedMount {
  /** The real path. */
  readonly path: string;
  /** The file or folder that is seen there, real. Missing: an empty folder. */
  readonly from?: string;
}

/**
 * Descriptors of a program that waits at a gate: it closes the first one after its mounts, then reads from the second
 * one.
 */
export const gateDescriptors = { mounted: 10, release: 11 } as const;

/** How commands without a person's approval run. */
export type IsolationState =
  | {
      readonly mode: "on";
      readonly isolation: Isolation;
      /** Set if a better sandbox exists for this system: why it is not used, and how to get it. */
      readonly weaker?: { readonly why: string; readonly hint: string };
    }
  /** Without a sandbox. `hint`: how to get one, if the user did not turn it off. */
  | { readonly mode: "off"; readonly why: string; readonly hint?: string }
  /** A sandbox is required but unavailable: they do not run. */
  | { readonly mode: "missing"; readonly fault: EnvironmentError };
