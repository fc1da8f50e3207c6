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

/** The host could not read the line, or the run is over. `id`: the id of the call, if it could be read. */
export interface BrokenReply {
  readonly id: number | null;
  readonly fault: string;
}

/**
 * A kernel reads one of these lines from its standard input for each script. After it has executed the script it writes
 * `mark` and a line break to standard output and standard error, then a `KernelDone` to its connection. It ends with its
 * standard input.
 */
export interface KernelScript {
  readonly script: number;
  readonly code: string;
  readonly mark: string;
  /** The script names tools without importing them: all become global names first. */
  readonly names: boolean;
  /** The module `hermes_tools`, if the tools are not those of the script before. */
  readonly module?: string;
}

/** Interrupts the script of this number, if it still runs, and keeps the variables. Also sent on standard input. */
export interface KernelInterrupt {
  readonly interrupt: number;
}

export interface KernelDone {
  readonly done: number;
  readonly failed: boolean;
  /** The variables of the kernel, for a message about their loss. */
  readonly names?: readonly string[];
}

/** Limits of the host for one line. A longer line ends the connection. */
export const maxCallBytes = 64 * 2 ** 20;
