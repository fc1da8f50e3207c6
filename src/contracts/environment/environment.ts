import type { SessionId } from "../../base/ids.ts";
import type { Result } from "../../base/result.ts";

export interface PtySize {
  readonly columns: number;
  readonly rows: number;
}

export interface ExecOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** The folder for this command only; does not affect the next one. */
  readonly cwd?: string;
  readonly stdin?: Uint8Array;
  /** Variables for this command only, in addition to the exported ones. */
  readonly env?: Readonly<Record<string, string>>;
  /** False: the command starts from the carried state and does not change it. Default: true. */
  readonly carry?: boolean;
  /** Runs the command in a terminal of that size. */
  readonly pty?: PtySize;
  /** Passed to `sudo -A` through SUDO_ASKPASS until the command ends. Never in its text, arguments or variables. */
  readonly sudoPassword?: string;
  /**
   * The real paths that it may change, for a command that runs outside the sandbox; with `/` at the end, the content of a
   * folder. Missing: no limit.
   */
  readonly changesOnly?: readonly string[];
  /** Receives every byte in order. The receiver owns the chunk. */
  readonly onOutput?: (chunk: Uint8Array) => void;
}

export interface ExecResult {
  /** `lost`: the backend disappeared while the command ran; the outcome is unknown, and the command is never repeated. */
  readonly ended: "exit" | "signal" | "timeout" | "aborted" | "lost";
  /** Set with `lost`: what happened and what to do. */
  readonly fault?: string;
  readonly exitCode?: number;
  /** Set with `ended: "signal"`, such as `SIGKILL`. */
  readonly signal?: string;
  /** The beginning and the end of the output. They never overlap; together they are all of it unless it is spilled. */
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  readonly totalBytes: number;
  /**
   * File with the whole output, or with a long beginning and end if it exceeds the limit. Set if `head` and `tail` are
   * incomplete.
   */
  readonly spillPath?: string;
  /** Why long output was not saved to a file. */
  readonly spillFault?: string;
  /** Why the end of the output is missing, although the command ended by itself. */
  readonly lostOutput?: string;
  /** Processes that the command left running and that were killed. */
  readonly leftRunning: readonly string[];
  /** Set if the command ran in a sandbox. */
  readonly confined?: SandboxLimits;
  /** The folder in which the next command starts. */
  readonly cwd: string;
  /** False if the shell state was not carried over: on request, after a kill, or for parallel commands. */
  readonly carried: boolean;
  readonly backend: string;
  /** Time until the backend started the command; not part of `durationMs`. */
  readonly waitedMs: number;
  readonly durationMs: number;
}

/** Limits of a command in the sandbox. */
export interface SandboxLimits {
  readonly hasNetwork: boolean;
  /** Hidden files and folders, which look empty. */
  readonly hidden: readonly string[];
  /** The error text with which this sandbox refuses an access. Undefined: that of a read-only file system. */
  readonly refusal?: "Permission denied" | "Operation not permitted";
  /** A person approved it, and it could change only these paths. */
  readonly changesOnly?: readonly string[];
}

/** The command did not run. */
export interface EnvironmentError {
  /** `refused`: no backend could run this, such as a command with a NUL in it. */
  readonly kind: "unreachable" | "misconfigured" | "refused";
  readonly message: string;
  readonly hint?: string;
  /** A file or folder changed while the sandbox was set up: another try may succeed. */
  readonly isRace?: true;
}

/** The state that a command would start with; input of the analysis. */
export interface ShellState {
  readonly cwd: string;
  readonly path: string;
  readonly functions: Readonly<Record<string, string>>;
  readonly aliases: Readonly<Record<string, string>>;
  /** Exported variables that commands of the session have set or changed. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Variables that name programs or loaders. */
  readonly programs: Readonly<Record<string, string>>;
  /**
   * Variables that select programs or their settings and that a command in the sandbox changed. A command outside would
   * start with them.
   */
  readonly fromSandbox?: Readonly<Record<string, string>>;
  /** Home folder of the remote user. Undefined on this machine. */
  readonly home?: string;
}

export interface FileStat {
  readonly kind: "file" | "folder" | "link" | "other";
  readonly bytes: number;
  readonly modifiedAt: number;
  /** The time of the last change of content, name or mode. No program can set it. */
  readonly changedAt: number;
  readonly mode: number;
}

export interface FileSystemError {
  readonly kind:
    | "missing"
    | "exists"
    | "not_a_file"
    | "not_a_folder"
    | "not_allowed"
    | "no_space"
    | "unreachable"
    | "aborted"
    | "failed";
  readonly message: string;
}

/**
 * Relative paths start at the folder of the next command. No operation follows a link, except `realPath`: a path with a
 * link in it fails. So nobody can redirect a path between the policy check and its use.
 */
export interface FileSystem {
  /** Regular files only: a pipe or device is `not_a_file` and never blocks. */
  read(
    path: string,
    signal: AbortSignal,
    range?: { readonly from: number; readonly bytes: number },
  ): Promise<Result<Uint8Array, FileSystemError>>;
  /** Atomic and durable. Keeps mode and owner, creates missing folders. */
  write(path: string, bytes: Uint8Array, signal: AbortSignal): Promise<Result<void, FileSystemError>>;
  /** Entries sorted by name. */
  list(
    path: string,
    signal: AbortSignal,
  ): Promise<Result<readonly { name: string; kind: FileStat["kind"] }[], FileSystemError>>;
  /** Describes the link itself if the path ends in a link. */
  stat(path: string, signal: AbortSignal): Promise<Result<FileStat, FileSystemError>>;
  /** Deletes a file, a link itself, or an empty folder. */
  delete(path: string, signal: AbortSignal): Promise<Result<void, FileSystemError>>;
  /** Never overwrites: fails with `exists`. Creates missing folders. */
  move(from: string, to: string, signal: AbortSignal): Promise<Result<void, FileSystemError>>;
  /** Follows every link; resolves a missing path as far as it exists. */
  realPath(path: string, signal: AbortSignal): Promise<Result<string, FileSystemError>>;
}

export interface SpawnOptions extends Pick<ExecOptions, "changesOnly"> {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly pty?: PtySize;
  readonly owner: ProcessOwner;
}

/** Who started a process, for listing, notifying and killing. */
export interface ProcessOwner {
  /** The running program, which kills its processes on exit unless they are kept. */
  readonly program: string;
  readonly session: string;
  readonly principal: string;
  /** Keeps running after its program exits. */
  readonly isKept: boolean;
}

export interface ProcessEnding {
  /** `lost`: it ended unobserved, for example when the machine was switched off. */
  readonly how: "exited" | "killed" | "lost";
  readonly exitCode?: number;
  /** The signal that killed it, such as `SIGKILL`. */
  readonly signal?: string;
  readonly endedAt: number;
}

/** The terminal screen of a process. */
export interface Screen extends PtySize {
  /** One text per row, without trailing spaces. */
  readonly lines: readonly string[];
  readonly cursor: { readonly column: number; readonly row: number };
  readonly title: string;
}

/**
 * A background process. It outlives the turn, its environment and the program, until it is killed. Every later caller
 * gets the same answers.
 */
export interface ProcessHandle {
  /** `proc_` and twelve hexadecimal digits. */
  readonly id: string;
  readonly command: string;
  readonly cwd: string;
  readonly backend: string;
  /** Process id on its machine. */
  readonly pid: number | undefined;
  readonly startedAt: number;
  readonly owner: ProcessOwner;
  readonly isTerminal: boolean;
  /** True: it runs in the sandbox. */
  readonly isConfined?: boolean;
  /** Undefined while it runs. */
  ending(signal: AbortSignal): Promise<ProcessEnding | undefined>;
  /** Resolves when all of its processes have ended. Rejects only with the signal's reason. */
  wait(signal: AbortSignal): Promise<ProcessEnding>;
  /**
   * A bounded chunk of output after the first `from` bytes; continue from `next`. The oldest bytes of very long output are
   * dropped; then the chunk starts later, at `next - bytes.length`. `total`: all bytes ever written.
   */
  output(
    from: number,
    signal: AbortSignal,
  ): Promise<{ readonly bytes: Uint8Array; readonly next: number; readonly total: number }>;
  /** The screen of a process with a terminal. */
  screen(signal: AbortSignal): Promise<Result<Screen>>;
  resize(size: PtySize, signal: AbortSignal): Promise<Result<void>>;
  write(bytes: Uint8Array, signal: AbortSignal): Promise<Result<void>>;
  /** Closes its input; sends Ctrl-D in a terminal. */
  closeInput(signal: AbortSignal): Promise<Result<void>>;
  /** Kills the process and everything it started. An ended process keeps its ending. */
  kill(signal: AbortSignal): Promise<Result<ProcessEnding>>;
  /** Kills it and deletes its record and output. */
  remove(signal: AbortSignal): Promise<void>;
}

/** Bound to one call's verdict: isolation is not an option of `exec`. */
export interface Environment extends AsyncDisposable {
  readonly kind: string;
  readonly files: FileSystem;
  /** Prepares for a command that is likely to follow. Undefined: nothing to prepare. */
  getReady?(): void;
  state(signal: AbortSignal): Promise<ShellState>;
  /**
   * An exit code other than 0, a timeout and an abort are values. Never runs a command twice. Parallel commands all start
   * from the same state and do not change it.
   */
  exec(command: string, options: ExecOptions): Promise<Result<ExecResult, EnvironmentError>>;
  /** Starts from the carried state and does not change it. */
  spawn(command: string, options: SpawnOptions, signal: AbortSignal): Promise<Result<ProcessHandle, EnvironmentError>>;
  /** All background processes of this home on this backend, oldest first. Finished ones stay listed for a while. */
  processes(signal: AbortSignal): Promise<Result<readonly ProcessHandle[], EnvironmentError>>;
}

export interface CommandDefaults {
  readonly timeoutMs: number;
  /** Maximum that a call may request. Default: ten minutes. */
  readonly maxTimeoutMs?: number;
  /** Password for `sudo`, from the settings or from the person, cached for the session. */
  sudoPassword(signal: AbortSignal): Promise<Result<string, { readonly reason: string }>>;
  /** The password was wrong; the next command asks again. */
  forgetSudoPassword(): void;
}

export interface EnvironmentFactory {
  readonly kind: string;
  open(
    options: { readonly taskId: string; readonly cwd?: string; readonly image?: string },
    signal: AbortSignal,
  ): Promise<Result<CreatedEnvironment, EnvironmentError>>;
}

/** An environment as its factory creates it. Tools never see this type. */
export interface CreatedEnvironment extends Environment {
  /** The same environment without a sandbox, for commands that a person approved. */
  readonly outside?: Environment;
}

/** The background processes of the session's person. */
export interface ProcessTable {
  start(command: string, options: StartOptions, signal: AbortSignal): Promise<Result<ProcessHandle, EnvironmentError>>;
  list(signal: AbortSignal): Promise<Result<readonly ProcessHandle[], EnvironmentError>>;
  /** Finds a process by id, or by an unambiguous prefix of at least four digits. */
  find(id: string, signal: AbortSignal): Promise<Result<ProcessHandle>>;
  /** The watch patterns and their matches. */
  watching(id: string): Watching | undefined;
  /** The session has seen the end; no notification is needed. */
  noteEnd(id: string): void;
}

export interface StartOptions extends Pick<SpawnOptions, "changesOnly"> {
  readonly sessionId: SessionId;
  readonly cwd?: string;
  readonly pty?: PtySize;
  /** Keep it running after the program exits. */
  readonly keep: boolean;
  /** Notify the session once when it ends. */
  readonly notifyOnComplete: boolean;
  /** Notify the session of lines that contain one of these texts. */
  readonly watchPatterns: readonly string[];
}

export interface Watching {
  readonly notifyOnComplete: boolean;
  readonly patterns: readonly string[];
  /** Number of lines that matched. */
  readonly hits: number;
}
