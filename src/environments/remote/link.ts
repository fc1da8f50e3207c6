import type { PtySize } from "../../contracts/environment/environment.ts";

/**
 * The one operation that a remote backend must provide: run a shell script. Everything else (shell state, leftover
 * processes, files, background processes) is built on it and shared by all backends.
 */
export interface Link extends AsyncDisposable {
  /** The backend's name in the settings. */
  readonly kind: string;
  /**
   * Runs `sh -c script` on the backend. Connects or restarts the machine if needed before the script starts; never runs
   * a script twice. Scripts may run in parallel. Never rejects.
   */
  run(script: string, streams: LinkStreams): Promise<LinkEnd>;
  /**
   * True if `LinkStreams.holdsInput` is supported: the input of a script ends when this program ends, even after `kill
   * -9`.
   */
  readonly canHoldInput?: boolean;
  /**
   * True if scripts are visible in the backend's process list, which other users may read. Then variables are not
   * written into scripts.
   */
  readonly showsScripts?: boolean;
  /**
   * The program on this machine that runs `sh -c script` on the backend with a terminal: its terminal becomes the
   * script's. Undefined: this backend has no terminals. Call it after a successful `run`.
   */
  readonly terminal?: (script: string, size: PtySize) => TerminalProgram;
}

export interface LinkStreams {
  /** Aborted: stop waiting and close the channel. Another script kills the remote processes. */
  readonly signal: AbortSignal;
  /** The complete standard input of the script. Default: empty. */
  readonly stdin?: Uint8Array;
  /** Standard input stays open after `stdin` until the script ends, so that its end means that this program is gone. */
  readonly holdsInput?: boolean;
  /** Receives standard output. The chunk may be reused: copy it to keep it. False: pause until `resume` resolves. */
  readonly onOutput: (chunk: Uint8Array) => boolean;
  /** Resolves when more output is accepted. */
  readonly resume: () => Promise<void>;
  /** Receives standard error: the runner's status lines. Small. */
  readonly onControl: (chunk: Uint8Array) => void;
}

export type LinkEnd =
  /** All output has been delivered. */
  | { readonly how: "exit"; readonly exitCode: number }
  /** The connection or machine failed or never existed; the script may have started. */
  | { readonly how: "broken"; readonly message: string; readonly hint?: string }
  /** The settings are invalid, so no connection can work. The script has not started. */
  | { readonly how: "misconfigured"; readonly message: string; readonly hint?: string }
  | { readonly how: "aborted" };

/** The reason why the script did not run to its end. */
export type LinkFault = Exclude<LinkEnd, { readonly how: "exit" }>;

export interface TerminalProgram {
  readonly program: string;
  readonly args: readonly string[];
  /** The environment that the program needs. Default: only a standard search path. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}
