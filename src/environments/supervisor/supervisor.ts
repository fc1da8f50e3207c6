import type { Result } from "../../base/result.ts";
import type {
  EnvironmentError,
  ProcessHandle,
  ProcessOwner,
  PtySize,
} from "../../contracts/environment/environment.ts";

/**
 * The small program beside the runtime, one for a home, that background processes belong to: they, their output and their
 * exit codes are still there when the runtime was killed. It starts when it is first needed and leaves when it has nothing
 * to do.
 */
export interface Supervisor {
  start(start: SupervisedStart, signal: AbortSignal): Promise<Result<ProcessHandle, EnvironmentError>>;
  /** Every process of the home, or of one place, finished ones too, oldest first. Does not start the supervisor. */
  list(signal: AbortSignal, place?: string): Promise<Result<readonly ProcessHandle[], EnvironmentError>>;
}

/** A program of this machine. For a process elsewhere it is the client of its backend. */
export interface SupervisedStart {
  /** As the person wrote it. */
  readonly command: string;
  /** Where the command runs, on its backend. */
  readonly cwd: string;
  /** `local`, or the backend and its machine: `ssh:me@host:22`. Who lists, asks for its own. */
  readonly place: string;
  readonly backend: string;
  readonly owner: ProcessOwner;
  readonly program: string;
  readonly args: readonly string[];
  /** All of its environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Where the program starts, on this machine. */
  readonly folder: string;
  /** That all processes of the command carry in HERMES_RUN. */
  readonly marker: string;
  readonly pty?: PtySize;
  /** The program runs it in the sandbox. */
  readonly isConfined?: boolean;
  /** Files of this start alone, such as a script that it reads: removed when it has ended, also when it never began. */
  readonly files?: readonly string[];
}
