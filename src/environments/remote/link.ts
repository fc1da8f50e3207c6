import type { PtySize } from "../../contracts/environment/environment.ts";

/**
 * The one thing that a backend away from this machine must be able to do: run a shell script there. All else, carried
 * state, drain, ending what a command left, files, background processes, is built on it and the same for every backend.
 */
export interface Link extends AsyncDisposable {
  /** The backend's name, as in the settings. */
  readonly kind: string;
  /**
   * Runs `sh -c script` there. Connects, or brings its machine up again, when that is needed before the script begins;
   * never runs a script twice. Many may run side by side. Never rejects.
   */
  run(script: string, streams: LinkStreams): Promise<LinkEnd>;
  /** Scripts show in the list of processes over there, which others may read: variables are not written in them. */
  readonly showsScripts?: boolean;
  /**
   * The program on this machine that runs `sh -c script` there with a terminal: its own terminal becomes the script's.
   * Undefined: this backend has no terminals. To be called after a `run` that worked.
   */
  readonly terminal?: (script: string, size: PtySize) => TerminalProgram;
}

export interface LinkStreams {
  /** Aborted: give up waiting and let go of the connection's channel. What runs there is ended by another script, not here. */
  readonly signal: AbortSignal;
  /** All of the script's standard input; it ends after it. Left out: empty. */
  readonly stdin?: Uint8Array;
  /** Standard output as it comes. The chunk may be used again: copy what is kept. False: no more until `resume` resolves. */
  readonly onOutput: (chunk: Uint8Array) => boolean;
  /** Resolves when more may come. */
  readonly resume: () => Promise<void>;
  /** Standard error: what the script says about itself. Small. */
  readonly onControl: (chunk: Uint8Array) => void;
}

export type LinkEnd =
  /** All output has been handed over. */
  | { readonly how: "exit"; readonly exitCode: number }
  /** The connection or the machine went away, or was never there; the script may have begun. */
  | { readonly how: "broken"; readonly message: string; readonly hint?: string }
  /** The settings are at fault: no connection can work. Nothing has begun. */
  | { readonly how: "misconfigured"; readonly message: string; readonly hint?: string }
  | { readonly how: "aborted" };

/** The script did not run to its end. */
export type LinkFault = Exclude<LinkEnd, { readonly how: "exit" }>;

export interface TerminalProgram {
  readonly program: string;
  readonly args: readonly string[];
  /** What the program needs in its environment. Left out: the usual search path alone. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}
