import type { Result } from "../base/result.ts";

export interface PtySize {
  readonly columns: number;
  readonly rows: number;
}

export interface ExecOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly cwd?: string;
  readonly stdin?: Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
  readonly pty?: PtySize;
  readonly onOutput?: (chunk: Uint8Array) => void;
}

export interface ExecResult {
  readonly ended: "exit" | "signal" | "timeout" | "aborted";
  readonly exitCode?: number;
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  readonly totalBytes: number;
  readonly spillPath?: string;
  /** What the command left running and was ended with it. */
  readonly leftRunning: readonly string[];
  readonly cwd: string;
  readonly backend: string;
  readonly waitedMs: number;
  readonly durationMs: number;
}

export interface EnvironmentError {
  readonly kind: "unreachable" | "misconfigured";
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
  readonly kind: "missing" | "exists" | "not_a_file" | "not_a_folder" | "not_allowed" | "no_space" | "failed";
  readonly message: string;
}

export interface FileSystem {
  read(
    path: string,
    signal: AbortSignal,
    range?: { readonly from: number; readonly bytes: number },
  ): Promise<Result<Uint8Array, FileSystemError>>;
  write(path: string, bytes: Uint8Array, signal: AbortSignal): Promise<Result<void, FileSystemError>>;
  list(
    path: string,
    signal: AbortSignal,
  ): Promise<Result<readonly { name: string; kind: FileStat["kind"] }[], FileSystemError>>;
  stat(path: string, signal: AbortSignal): Promise<Result<FileStat, FileSystemError>>;
  delete(path: string, signal: AbortSignal): Promise<Result<void, FileSystemError>>;
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
  output(from: number): Promise<{ readonly bytes: Uint8Array; readonly next: number }>;
  write(bytes: Uint8Array): Promise<Result<void, { readonly message: string }>>;
  closeInput(): Promise<void>;
  kill(signal: AbortSignal): Promise<void>;
}

/** Bound to one call's verdict: isolation is not an option of `exec`. */
export interface Environment extends AsyncDisposable {
  readonly kind: string;
  readonly files: FileSystem;
  state(signal: AbortSignal): Promise<ShellState>;
  /** An exit code other than 0, a timeout and an abort are values. */
  exec(command: string, options: ExecOptions): Promise<Result<ExecResult, EnvironmentError>>;
  spawn(command: string, options: SpawnOptions, signal: AbortSignal): Promise<Result<ProcessHandle, EnvironmentError>>;
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
