import type { Result } from "../../base/result.ts";
import type {
  EnvironmentError,
  ProcessHandle,
  ProcessOwner,
  PtySize,
} from "../../contracts/environment/environment.ts";
import type { PlannedMount } from "../../contracts/safety/isolation.ts";

/**
 * A small separate program, one per home, that owns the background processes. They, their output and their exit codes
 * survive a killed runtime. It starts on first use and exits when idle.
 */
export interface Supervisor {
  start(start: SupervisedStart, signal: AbortSignal): Promise<Result<ProcessHandle, EnvironmentError>>;
  /**
   * All processes of the home or of one folder, including finished ones, oldest first. Does not start the supervisor.
   */
  list(signal: AbortSignal, place?: string): Promise<Result<readonly ProcessHandle[], EnvironmentError>>;
}

/** The start of a program on this machine. For a process on a backend, the program is the backend's client. */
export interface SupervisedStart {
  /** The command as the user wrote it. */
  readonly command: string;
  /** The folder of the command on its backend. */
  readonly cwd: string;
  /** `local`, or the backend and its machine, such as `ssh:me@host:22`. Callers can list processes by this value. */
  readonly place: string;
  readonly backend: string;
  readonly owner: ProcessOwner;
  readonly program: string;
  readonly args: readonly string[];
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The folder of the program on this machine. */
  readonly folder: string;
  /** The value of HERMES_RUN in all processes of the command. */
  readonly marker: string;
  readonly pty?: PtySize;
  /** The program runs the command in the sandbox. */
  readonly isConfined?: boolean;
  /** Mounts to verify before the command runs. */
  readonly mounts?: readonly PlannedMount[];
  /** Files of this start only, such as its script: removed when it ends or fails to start. */
  readonly files?: readonly string[];
}
