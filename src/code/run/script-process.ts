import type { Readable, Writable } from "node:stream";

import type { Result } from "../../base/result.ts";
import type { CodeRunLanguage } from "../../contracts/code/code-run.ts";

/** Starts the process for scripts, confined if this machine supports it. The runtime implements it. Never rejects. */
export type StartScript = (start: ScriptStart) => Promise<Result<ScriptProcess, string>>;

export interface ScriptStart {
  readonly language: CodeRunLanguage;
  /** Files by name, in a folder that the process can only read. */
  readonly files: Readonly<Record<string, string>>;
  /** Arguments of the interpreter. `folder`: where the process sees the files. */
  readonly args: (folder: string) => readonly string[];
  /** The folder of the session, if the process may see it. */
  readonly cwd: string;
  readonly token: string;
  /** Makes the host listen at this path, and returns the address for the process, which differs on Windows. */
  readonly listen: (path: string) => Promise<string | undefined>;
  /**
   * Called when the script exceeds a limit of memory, processes or disk, with the rest of a sentence about the script.
   */
  readonly onExcess: (reason: string) => void;
  /** Nobody waits for the process: a kernel without a script. Default: never. */
  readonly isIdle?: () => boolean;
}

export interface ScriptProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** UTF-8 text. */
  readonly stderr: Readable;
  /** Never rejects. */
  readonly exited: Promise<ScriptExit>;
  /** Sends a signal to the process and all that it started. */
  signal(name: NodeJS.Signals): void;
  /** Kills all processes, resolves when they have ended, and removes the files. */
  kill(): Promise<void>;
  /** Memory that the process and all that it started use. */
  memoryBytes(): number;
  /** Whether all files with keys in the workspace are still hidden: new and replaced ones are not. Default: yes. */
  readonly hidesKeys?: () => Promise<boolean>;
  /** A sentence: the protection that this machine does not support. */
  readonly weakness?: string;
}

export interface ScriptExit {
  /** The exit code; undefined if a signal ended the process. */
  readonly code?: number;
  /** The ending in words, such as "ended with exit code 1". */
  readonly description: string;
}
