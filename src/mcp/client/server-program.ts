import type { Readable, Writable } from "node:stream";

import type { ProgramExit } from "../../base/process/child-program.ts";
import type { Result } from "../../base/result.ts";
import type { StdioTarget } from "../../contracts/mcp/server-entry.ts";

/** The running program of a stdio server. */
export interface McpProgram {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** UTF-8 text. */
  readonly stderr: Readable;
  readonly exited: Promise<ProgramExit>;
  /** The end of the program's standard error, as plain text. */
  stderrTail(): string;
  /** Ends the program and its descendants. Resolves when they have ended. */
  end(): Promise<void>;
}

/** Starts a program that ends together with this process. The error is a sentence for the user. Never rejects. */
export type StartMcpProgram = (
  server: string,
  target: StdioTarget,
  signal: AbortSignal,
) => Promise<Result<McpProgram, string>>;
