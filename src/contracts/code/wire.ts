import type { JsonObject, JsonValue } from "../../base/json.ts";

/**
 * The connection between a script and its host: lines of JSON over a Unix socket, or over loopback TCP on Windows.
 * Any number of calls may be open at once, on one connection or several; answers come in any order.
 */
export const codeVariables = {
  /** Path of the socket, or `tcp://127.0.0.1:PORT`. */
  socket: "HERMES_RPC_SOCKET",
  token: "HERMES_RPC_TOKEN",
} as const;

/**
 * The first line of each connection. For a wrong token the reply is an `UnauthorizedReply`, and the connection ends.
 */
export interface ScriptHello {
  readonly token: string;
}

/** A message from the script. `id` is any number that is not in use on this connection. */
export interface ScriptCall {
  readonly id: number;
  readonly tool: string;
  readonly args: JsonObject;
}

/**
 * A message to the script. `result` is the tool's result as data, or its text if it has no data. The result of a failed
 * tool is `{"error": "…"}` with its output so far, and the script decides what to do.
 */
export interface ScriptReply {
  readonly id: number;
  readonly result: JsonValue;
}

/**
 * The reply when the host could not parse a line or the run is over. `id` is the id of the call, if it could be read.
 */
export interface BrokenReply {
  readonly id: number | null;
  readonly fault: string;
}

/**
 * A kernel reads one such line from its standard input for each script. After it has executed the script, it writes
 * `mark` and a line break to standard output and standard error, then sends a `KernelDone` on its connection. The
 * kernel exits when its standard input closes.
 */
export interface KernelScript {
  readonly script: number;
  readonly code: string;
  readonly mark: string;
  /** True if the script uses tools without importing them: the kernel first defines all tools as global names. */
  readonly names: boolean;
  /** The source of the module `hermes_tools`. Set only if the tools differ from those of the previous script. */
  readonly module?: string;
}

/**
 * Interrupts the script with this number if it is still running, and keeps its variables. Sent on standard input, like
 * a script.
 */
export interface KernelInterrupt {
  readonly interrupt: number;
}

export interface KernelDone {
  readonly done: number;
  readonly failed: boolean;
  /** The names of the kernel's variables, for a message in case they are lost. */
  readonly names?: readonly string[];
}

/** The maximum size of one line that the host accepts. A longer line ends the connection. */
export const maxCallBytes = 64 * 2 ** 20;
