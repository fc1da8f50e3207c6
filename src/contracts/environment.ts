import type { Result } from "../base/result.ts";

export interface PtySize {
  readonly columns: number;
  readonly rows: number;
}

export interface ExecOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** For this command alone: the next one starts where it would have started anyway. */
  readonly cwd?: string;
  readonly stdin?: Uint8Array;
  /** For this command alone, on top of the exported variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** False: the command starts from the state and leaves it as it is, whatever it does. Default: true. */
  readonly carry?: boolean;
  readonly pty?: PtySize;
  /** Every byte in order, as it comes. The chunk is the receiver's to keep. */
  readonly onOutput?: (chunk: Uint8Array) => void;
}

export interface ExecResult {
  readonly ended: "exit" | "signal" | "timeout" | "aborted";
  readonly exitCode?: number;
  /** Of `ended: "signal"`, such as `SIGKILL`. */
  readonly signal?: string;
  /** The beginning and the end of the output. They never overlap; together they are all of it unless it is spilled. */
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  readonly totalBytes: number;
  /** Where the output is whole, or, past the limit, its long beginning and end. There when `head` and `tail` are not all. */
  readonly spillPath?: string;
  /** Why there is no file with the whole output although it was too long. */
  readonly spillFault?: string;
  /** What the command left running and was ended after the drain. */
  readonly leftRunning: readonly string[];
  /** Where the next command starts. */
  readonly cwd: string;
  /** False when the state the command left was not taken over: told so, ended by force, or run beside another. */
  readonly carried: boolean;
  readonly backend: string;
  /** Until the backend began to run the command; not part of `durationMs`. */
  readonly waitedMs: number;
  readonly durationMs: number;
}

/** The command was not run. */
export interface EnvironmentError {
  /** `refused`: no backend could run this, such as a command with a NUL in it. */
  readonly kind: "unreachable" | "misconfigured" | "refused";
  readonly message: string;
  readonly hint?: string;
}

/** What a command would start with: analysis begins here. */
export interface ShellState {
  readonly cwd: string;
  readonly path: string;
  readonly functions: Readonly<Record<string, string>>;
  readonly aliases: Readonly<Record<string, string>>;
  /** Variables that name programs or loaders. */
  readonly programs: Readonly<Record<string, string>>;
}

export interface FileStat {
  readonly kind: "file" | "folder" | "link" | "other";
  readonly bytes: number;
  readonly modifiedAt: number;
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
    | "aborted"
    | "failed";
  readonly message: string;
}

/** Relative paths are taken from where the next command starts. */
export interface FileSystem {
  /** Regular files only: a pipe or device is `not_a_file` and never waited for. */
  read(
    path: string,
    signal: AbortSignal,
    range?: { readonly from: number; readonly bytes: number },
  ): Promise<Result<Uint8Array, FileSystemError>>;
  /** In one step and durable: the old content or the new. Mode and owner stay, missing folders are made. */
  write(path: string, bytes: Uint8Array, signal: AbortSignal): Promise<Result<void, FileSystemError>>;
  /** By name. */
  list(
    path: string,
    signal: AbortSignal,
  ): Promise<Result<readonly { name: string; kind: FileStat["kind"] }[], FileSystemError>>;
  /** Of a link itself, not of what it leads to. */
  stat(path: string, signal: AbortSignal): Promise<Result<FileStat, FileSystemError>>;
  /** A file, a link itself, or an empty folder. */
  delete(path: string, signal: AbortSignal): Promise<Result<void, FileSystemError>>;
  /** Never over something that is there: `exists`. Missing folders are made. */
  move(from: string, to: string, signal: AbortSignal): Promise<Result<void, FileSystemError>>;
  /** Through every link; a path that does not exist yet resolves as far as it does. */
  realPath(path: string, signal: AbortSignal): Promise<Result<string, FileSystemError>>;
}

export interface SpawnOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly pty?: PtySize;
}

export interface ProcessHandle extends AsyncDisposable {
  readonly id: string;
  readonly command: string;
  readonly startedAt: number;
  readonly ended: Promise<{ readonly exitCode?: number; readonly signal?: string }>;
  /**
   * What came after the first `from` bytes, at most a bounded piece: ask again from `next`. Of very long output the oldest is
   * dropped; then the bytes begin later than asked, at `next - bytes.length`.
   */
  output(from: number): Promise<{ readonly bytes: Uint8Array; readonly next: number }>;
  write(bytes: Uint8Array): Promise<Result<void, { readonly message: string }>>;
  closeInput(): Promise<void>;
  /** Ends the process and all it started. */
  kill(signal: AbortSignal): Promise<void>;
}

/** Bound to one call's verdict: isolation is not an option of `exec`. */
export interface Environment extends AsyncDisposable {
  readonly kind: string;
  readonly files: FileSystem;
  state(signal: AbortSignal): Promise<ShellState>;
  /**
   * An exit code other than 0, a timeout and an abort are values. Never runs a command twice. Commands that run side by side
   * all start from the same state and do not change it.
   */
  exec(command: string, options: ExecOptions): Promise<Result<ExecResult, EnvironmentError>>;
  spawn(command: string, options: SpawnOptions, signal: AbortSignal): Promise<Result<ProcessHandle, EnvironmentError>>;
}

/** What holds for commands when a call does not say. */
export interface CommandDefaults {
  readonly timeoutMs: number;
}

export interface EnvironmentFactory {
  readonly kind: string;
  open(
    options: { readonly taskId: string; readonly cwd?: string; readonly image?: string },
    signal: AbortSignal,
  ): Promise<Result<Environment, EnvironmentError>>;
}

/** Background processes of a conversation; they outlive the turn that started them. */
export interface ProcessTable {
  list(): readonly ProcessHandle[];
  /** By id or unique prefix. */
  find(id: string): ProcessHandle | undefined;
  add(handle: ProcessHandle): void;
}
