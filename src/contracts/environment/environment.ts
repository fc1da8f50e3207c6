import type { SessionId } from "../../base/ids.ts";
import type { Result } from "../../base/result.ts";

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
  /** With a terminal of that size for the command to talk to. Input and output are what a person would type and get. */
  readonly pty?: PtySize;
  /** Given to `sudo -A` of this command through SUDO_ASKPASS, gone when it ends. Never in its text, arguments or variables. */
  readonly sudoPassword?: string;
  /** Every byte in order, as it comes. The chunk is the receiver's to keep. */
  readonly onOutput?: (chunk: Uint8Array) => void;
}

export interface ExecResult {
  /** `lost`: it had begun when the backend went away; whether it finished is not known. It is not run again. */
  readonly ended: "exit" | "signal" | "timeout" | "aborted" | "lost";
  /** Of `lost`: what happened and what to do. */
  readonly fault?: string;
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
  /** It ran in a sandbox. */
  readonly confined?: Confined;
  /** Where the next command starts. */
  readonly cwd: string;
  /** False when the state the command left was not taken over: told so, ended by force, or run beside another. */
  readonly carried: boolean;
  readonly backend: string;
  /** Until the backend began to run the command; not part of `durationMs`. */
  readonly waitedMs: number;
  readonly durationMs: number;
}

/** What a command in the sandbox could not reach. */
export interface Confined {
  readonly hasNetwork: boolean;
  /** Files and folders that were empty for it. */
  readonly hidden: readonly string[];
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
  /**
   * Those that decide which programs run or where programs find their settings, as a command in the sandbox left them and
   * other than before. One that runs outside would start with them.
   */
  readonly fromSandbox?: Readonly<Record<string, string>>;
  /** The home folder of whoever runs commands there. Left out on this machine. */
  readonly home?: string;
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
    /** The backend itself is not there. */
    | "unreachable"
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
  readonly owner: ProcessOwner;
}

/** Who started a process, for those who list, notify and end. */
export interface ProcessOwner {
  /** The running program: on leaving it ends its own processes, unless they are kept. */
  readonly program: string;
  readonly session: string;
  readonly principal: string;
  /** Goes on after the program that started it is left. */
  readonly isKept: boolean;
}

export interface ProcessEnding {
  /** `lost`: it is gone and nobody saw how, such as after the machine was switched off. */
  readonly how: "exited" | "killed" | "lost";
  readonly exitCode?: number;
  /** That ended it, such as `SIGKILL`. */
  readonly signal?: string;
  readonly endedAt: number;
}

/** What a person would see on the terminal of a process. */
export interface Screen extends PtySize {
  /** One for each row, without trailing spaces. */
  readonly lines: readonly string[];
  readonly cursor: { readonly column: number; readonly row: number };
  readonly title: string;
}

/**
 * A process in the background. It lives on its own: it outlasts the turn, the environment that started it and, until
 * somebody ends it, the program. Whoever asks later gets the same answers.
 */
export interface ProcessHandle {
  /** `proc_` and twelve hexadecimal digits. */
  readonly id: string;
  readonly command: string;
  readonly cwd: string;
  readonly backend: string;
  /** On the machine that it runs on. */
  readonly pid: number | undefined;
  readonly startedAt: number;
  readonly owner: ProcessOwner;
  readonly isTerminal: boolean;
  /** It runs in the sandbox. */
  readonly isConfined?: boolean;
  /** Undefined: it is running. */
  ending(signal: AbortSignal): Promise<ProcessEnding | undefined>;
  /** Resolves when nothing of it is alive any more. Rejects only with the signal's reason. */
  wait(signal: AbortSignal): Promise<ProcessEnding>;
  /**
   * What came after the first `from` bytes, at most a bounded piece: ask again from `next`. Of very long output the oldest is
   * dropped; then the bytes begin later than asked, at `next - bytes.length`. `total`: all bytes it ever wrote.
   */
  output(
    from: number,
    signal: AbortSignal,
  ): Promise<{ readonly bytes: Uint8Array; readonly next: number; readonly total: number }>;
  /** Of a process that has a terminal. */
  screen(signal: AbortSignal): Promise<Result<Screen, ProcessFault>>;
  resize(size: PtySize, signal: AbortSignal): Promise<Result<void, ProcessFault>>;
  write(bytes: Uint8Array, signal: AbortSignal): Promise<Result<void, ProcessFault>>;
  /** The end of its input; in a terminal, Ctrl-D. */
  closeInput(signal: AbortSignal): Promise<Result<void, ProcessFault>>;
  /** Ends the process and all it started. One that has ended already keeps its ending. */
  kill(signal: AbortSignal): Promise<Result<ProcessEnding, ProcessFault>>;
  /** Ends it and forgets it, with its output. */
  remove(signal: AbortSignal): Promise<void>;
}

export interface ProcessFault {
  readonly message: string;
}

/** Bound to one call's verdict: isolation is not an option of `exec`. */
export interface Environment extends AsyncDisposable {
  readonly kind: string;
  readonly files: FileSystem;
  /** A command is likely to follow: what it would wait for is begun. Left out: there is nothing. */
  getReady?(): void;
  state(signal: AbortSignal): Promise<ShellState>;
  /**
   * An exit code other than 0, a timeout and an abort are values. Never runs a command twice. Commands that run side by side
   * all start from the same state and do not change it.
   */
  exec(command: string, options: ExecOptions): Promise<Result<ExecResult, EnvironmentError>>;
  /** Starts from the state and changes nothing of it. */
  spawn(command: string, options: SpawnOptions, signal: AbortSignal): Promise<Result<ProcessHandle, EnvironmentError>>;
  /** Every background process of this home on this backend, whichever program started it, oldest first. Finished ones stay a while. */
  processes(signal: AbortSignal): Promise<Result<readonly ProcessHandle[], EnvironmentError>>;
}

/** What holds for commands when a call does not say. */
export interface CommandDefaults {
  readonly timeoutMs: number;
  /** The longest that a call may ask for. Left out: ten minutes. */
  readonly maxTimeoutMs?: number;
  /** For `sudo`: from the settings, or asked of the person through the secret port and kept for the conversation. */
  sudoPassword(signal: AbortSignal): Promise<Result<string, { readonly reason: string }>>;
  /** It was wrong: the next command asks again. */
  forgetSudoPassword(): void;
}

export interface EnvironmentFactory {
  readonly kind: string;
  open(
    options: { readonly taskId: string; readonly cwd?: string; readonly image?: string },
    signal: AbortSignal,
  ): Promise<Result<WholeEnvironment, EnvironmentError>>;
}

/** As its factory hands it over. A tool never sees this. */
export interface WholeEnvironment extends Environment {
  /** The same place with the same state, for commands that a person approved: nothing confines them. */
  readonly outside?: Environment;
}

/** The background processes that a conversation may see and use: those of its person. */
export interface ProcessTable {
  start(command: string, options: StartOptions, signal: AbortSignal): Promise<Result<ProcessHandle, EnvironmentError>>;
  list(signal: AbortSignal): Promise<Result<readonly ProcessHandle[], EnvironmentError>>;
  /** By id, or by four and more of its digits when they are enough. */
  find(id: string, signal: AbortSignal): Promise<Result<ProcessHandle, ProcessFault>>;
  /** What its watchers wait for and have seen. */
  watching(id: string): Watching | undefined;
  /** The conversation has read how it ended: it need not be told any more. */
  noteEnd(id: string): void;
}

export interface StartOptions {
  readonly sessionId: SessionId;
  readonly cwd?: string;
  readonly pty?: PtySize;
  /** Goes on after the program is left. */
  readonly keep: boolean;
  /** Tell the conversation once when it has ended. */
  readonly notifyOnComplete: boolean;
  /** Tell the conversation of lines with one of these texts in them. */
  readonly watchPatterns: readonly string[];
}

export interface Watching {
  readonly notifyOnComplete: boolean;
  readonly patterns: readonly string[];
  /** How many lines had a pattern in them. */
  readonly hits: number;
}
