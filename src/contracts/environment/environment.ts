import type { SessionId } from "../../base/ids.ts";
import type { Result } from "../../base/result.ts";

export interface PtySize {
  readonly columns: number;
  readonly rows: number;
}

export interface ExecOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** The working folder of this command only; it does not affect the next command. */
  readonly cwd?: string;
  readonly stdin?: Uint8Array;
  /** Environment variables for this command only, in addition to the exported ones. */
  readonly env?: Readonly<Record<string, string>>;
  /** If false, the command starts with the saved shell state but does not change it. Default: true. */
  readonly carry?: boolean;
  /** Runs the command in a terminal of that size. */
  readonly pty?: PtySize;
  /** Passed to `sudo -A` through SUDO_ASKPASS until the command ends. Never in its text, arguments or variables. */
  readonly sudoPassword?: string;
  /**
   * The only real paths that a command outside the sandbox may change. A path that ends with `/` means the content of
   * that folder. Undefined: no restriction.
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
  /**
   * The beginning and the end of the output. They never overlap. Together they are the whole output, unless it was
   * written to a file.
   */
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
  /** The reason why the end of the output is missing although the command ended by itself. */
  readonly lostOutput?: string;
  /** The number of processes that the command left running and that were killed. */
  readonly leftRunning: readonly string[];
  /** The limits of the sandbox, if the command ran in one. */
  readonly confined?: SandboxLimits;
  /** The folder in which the next command starts. */
  readonly cwd: string;
  /** False if the shell state was not saved: on request, after a kill, or for parallel commands. */
  readonly carried: boolean;
  readonly backend: string;
  /** The time until the backend started the command. Not included in `durationMs`. */
  readonly waitedMs: number;
  readonly durationMs: number;
}

/** The restrictions of a command that runs in the sandbox. */
export interface SandboxLimits {
  readonly hasNetwork: boolean;
  /** Files and folders that the sandbox hides; they look empty to the command. */
  readonly hidden: readonly string[];
  /**
   * The error text that a program gets when this sandbox refuses an access. Default: the text for a read-only file
   * system.
   */
  readonly refusal?: "Permission denied" | "Operation not permitted";
  /** The only paths that the command could change. Set if a person approved the command to run outside the sandbox. */
  readonly changesOnly?: readonly string[];
}

/** Reasons why the command did not run. */
export interface EnvironmentError {
  /** `refused`: no backend can run this command, for example because it contains a NUL character. */
  readonly kind: "unreachable" | "misconfigured" | "refused";
  readonly message: string;
  readonly hint?: string;
  /** A file or folder changed while the sandbox was set up. A retry may succeed. */
  readonly isRace?: true;
}

/** The shell state that the next command would start with. The command analysis uses it. */
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
   * Variables that select programs or their settings and that a sandboxed command changed. A later command outside the
   * sandbox would inherit them.
   */
  readonly fromSandbox?: Readonly<Record<string, string>>;
  /** The home folder of the remote user. Undefined if commands run on this machine. */
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
 * Relative paths start at the folder of the next command. No operation except `realPath` follows a symbolic link: a
 * path that contains a link fails. So nobody can redirect a path between the policy check and its use.
 */
export interface FileSystem {
  /** Reads regular files only. A pipe or device fails with `not_a_file` and never blocks. */
  read(
    path: string,
    signal: AbortSignal,
    range?: { readonly from: number; readonly bytes: number },
  ): Promise<Result<Uint8Array, FileSystemError>>;
  /** Writes the file atomically and durably. Keeps its mode and owner, and creates missing folders. */
  write(path: string, bytes: Uint8Array, signal: AbortSignal): Promise<Result<void, FileSystemError>>;
  /** Lists the entries of a folder, sorted by name. */
  list(
    path: string,
    signal: AbortSignal,
  ): Promise<Result<readonly { name: string; kind: FileStat["kind"] }[], FileSystemError>>;
  /** Describes the link itself if the path ends in a link. */
  stat(path: string, signal: AbortSignal): Promise<Result<FileStat, FileSystemError>>;
  /** Deletes a file, a link itself, or an empty folder. */
  delete(path: string, signal: AbortSignal): Promise<Result<void, FileSystemError>>;
  /** Renames without overwriting: fails with `exists` if the target exists. Creates missing folders. */
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

/** The owner of a process. It determines who can list and kill the process and who is notified. */
export interface ProcessOwner {
  /** The program that started the process. It kills its processes on exit, unless they are kept. */
  readonly program: string;
  readonly session: string;
  readonly principal: string;
  /** True if the process keeps running after its program exits. */
  readonly isKept: boolean;
}

export interface ProcessEnding {
  /** `lost`: the process ended unobserved, for example because the machine was switched off. */
  readonly how: "exited" | "killed" | "lost";
  readonly exitCode?: number;
  /** The signal that killed the process, such as `SIGKILL`. */
  readonly signal?: string;
  readonly endedAt: number;
}

/** The terminal screen of a process. */
export interface Screen extends PtySize {
  /** The rows of the screen as text, without trailing spaces. */
  readonly lines: readonly string[];
  readonly cursor: { readonly column: number; readonly row: number };
  readonly title: string;
}

/**
 * A background process. It survives the turn, its environment and the program, until it is killed. All callers see the
 * same state and output.
 */
export interface ProcessHandle {
  /** The id of the process: `proc_` and twelve hexadecimal digits. */
  readonly id: string;
  readonly command: string;
  readonly cwd: string;
  readonly backend: string;
  /** The process id on the machine where the process runs. */
  readonly pid: number | undefined;
  readonly startedAt: number;
  readonly owner: ProcessOwner;
  readonly isTerminal: boolean;
  /** True if the process runs in the sandbox. */
  readonly isConfined?: boolean;
  /** How the process ended. Undefined while it runs. */
  ending(signal: AbortSignal): Promise<ProcessEnding | undefined>;
  /** Resolves when the process and all its child processes have ended. Rejects only with the signal's reason. */
  wait(signal: AbortSignal): Promise<ProcessEnding>;
  /**
   * Reads a limited chunk of the output after the first `from` bytes; pass `next` to continue. The oldest bytes of very
   * long output are dropped; then the chunk starts later, at `next - bytes.length`. `total` counts all bytes ever
   * written.
   */
  output(
    from: number,
    signal: AbortSignal,
  ): Promise<{ readonly bytes: Uint8Array; readonly next: number; readonly total: number }>;
  /** The screen of a process with a terminal. */
  screen(signal: AbortSignal): Promise<Result<Screen>>;
  resize(size: PtySize, signal: AbortSignal): Promise<Result<void>>;
  write(bytes: Uint8Array, signal: AbortSignal): Promise<Result<void>>;
  /** Closes the standard input of the process. In a terminal, sends Ctrl-D. */
  closeInput(signal: AbortSignal): Promise<Result<void>>;
  /** Kills the process and everything it started. If it has already ended, its exit status does not change. */
  kill(signal: AbortSignal): Promise<Result<ProcessEnding>>;
  /** Kills the process and deletes its record and output. */
  remove(signal: AbortSignal): Promise<void>;
}

/**
 * Runs commands with the isolation that the policy decided for one tool call. Callers of `exec` cannot change the
 * isolation.
 */
export interface Environment extends AsyncDisposable {
  readonly kind: string;
  readonly files: FileSystem;
  /** Starts preparing for a command that is likely to follow. Undefined if there is nothing to prepare. */
  getReady?(): void;
  state(signal: AbortSignal): Promise<ShellState>;
  /**
   * Runs a command. A non-zero exit code, a timeout and an abort are results, not errors. Never runs a command twice.
   * Parallel commands all start with the same shell state and do not change it.
   */
  exec(command: string, options: ExecOptions): Promise<Result<ExecResult, EnvironmentError>>;
  /** Starts a background process with the saved shell state, which it does not change. */
  spawn(command: string, options: SpawnOptions, signal: AbortSignal): Promise<Result<ProcessHandle, EnvironmentError>>;
  /**
   * All background processes of this Hermes home on this backend, oldest first. Finished processes stay listed for a
   * while.
   */
  processes(signal: AbortSignal): Promise<Result<readonly ProcessHandle[], EnvironmentError>>;
}

export interface CommandDefaults {
  readonly timeoutMs: number;
  /** The longest timeout that a tool call may request. Default: ten minutes. */
  readonly maxTimeoutMs?: number;
  /** Returns the `sudo` password from the settings or from the user. It is cached for the session. */
  sudoPassword(signal: AbortSignal): Promise<Result<string, { readonly reason: string }>>;
  /** Called when the password was wrong, so that the next command asks the user again. */
  forgetSudoPassword(): void;
}

export interface EnvironmentFactory {
  readonly kind: string;
  open(
    options: { readonly taskId: string; readonly cwd?: string; readonly image?: string },
    signal: AbortSignal,
  ): Promise<Result<CreatedEnvironment, EnvironmentError>>;
}

/** An environment as its factory returns it. Tools never get this type. */
export interface CreatedEnvironment extends Environment {
  /** The same environment without a sandbox, for commands that a person approved. */
  readonly outside?: Environment;
}

/** The background processes of the user who owns the session. */
export interface ProcessTable {
  start(command: string, options: StartOptions, signal: AbortSignal): Promise<Result<ProcessHandle, EnvironmentError>>;
  list(signal: AbortSignal): Promise<Result<readonly ProcessHandle[], EnvironmentError>>;
  /** Finds a process by id, or by an unambiguous prefix of at least four digits. */
  find(id: string, signal: AbortSignal): Promise<Result<ProcessHandle>>;
  /** Returns the watch patterns of a process and their matches. */
  watching(id: string): Watching | undefined;
  /** Records that the session has already seen the process end, so that no notification is sent. */
  noteEnd(id: string): void;
}

export interface StartOptions extends Pick<SpawnOptions, "changesOnly"> {
  readonly sessionId: SessionId;
  readonly cwd?: string;
  readonly pty?: PtySize;
  /** Keeps the process running after the program exits. */
  readonly keep: boolean;
  /** Notifies the session once when the process ends. */
  readonly notifyOnComplete: boolean;
  /** Notifies the session of output lines that contain one of these texts. */
  readonly watchPatterns: readonly string[];
}

export interface Watching {
  readonly notifyOnComplete: boolean;
  readonly patterns: readonly string[];
  /** Number of lines that matched. */
  readonly hits: number;
}
