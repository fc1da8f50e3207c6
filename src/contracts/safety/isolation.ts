import type { Result } from "../../base/result.ts";
import type { Confined, EnvironmentError } from "../environment/environment.ts";

/** A sandbox for programs on this machine, made from the settings. Whoever starts a program in it cannot loosen it. */
export interface Isolation {
  /** Looks at the disk as it is now: what became a secret meanwhile is hidden too. */
  confine(start: ConfinedStart): Result<ConfinedProgram, EnvironmentError>;
}

export interface ConfinedStart {
  readonly program: string;
  readonly args: readonly string[];
  /** All of its environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** The starter's own files, all below `folder`, which is hidden. */
  readonly own: OwnFiles;
}

export interface OwnFiles {
  readonly folder: string;
  /** An empty file, which hidden files look like. */
  readonly emptyFile: string;
  /** Of these the program sees: to read only, and to write. */
  readonly visible: readonly string[];
  readonly writable: readonly string[];
}

export interface ConfinedProgram {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly confined: Confined;
}

/** What holds for commands that no person approved. */
export type IsolationState =
  | { readonly mode: "on"; readonly isolation: Isolation }
  /** They run like any other. */
  | { readonly mode: "off"; readonly why: string }
  /** They are to be confined and cannot be: they do not run. */
  | { readonly mode: "missing"; readonly fault: EnvironmentError };
