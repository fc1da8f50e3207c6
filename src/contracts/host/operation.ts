import type { Clock } from "../../base/clock.ts";
import type { Result } from "../../base/result.ts";
import type { Principal } from "../safety/principal.ts";
import type { Schema } from "./input-schema.ts";

/** The reason why an operation failed, in words for a user. */
export interface OperationFault {
  readonly message: string;
  /** The next step, as a command line. A chat shows only the message. */
  readonly hint?: string;
  /**
   * The kind of failure: invalid input (exit code 2 on the command line, status 400 in an API), or a spending limit
   * that is reached.
   */
  readonly kind?: "input" | "budget";
}

/** Progress of a long operation. */
export interface OperationProgress {
  readonly message: string;
}

export interface OperationContext {
  /**
   * The principal on whose behalf the operation runs. It cannot access the sessions, notes and approvals of other
   * principals.
   */
  readonly principal: Principal;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** The folder that relative paths in the input refer to. */
  readonly cwd: string;
  report(progress: OperationProgress): void;
  /** Bytes that the caller sends with the input, such as standard input or the body of a request. */
  readonly upload?: AsyncIterable<Uint8Array>;
  /** Reads a line that the user types while the operation waits. Undefined: nobody can type. */
  readonly readLine?: (signal: AbortSignal) => Promise<string>;
}

export type OperationOutcome = Result<unknown, OperationFault>;

/**
 * One verb of one noun, such as `sessions.list`, that every host can run: the command line, slash commands, an API.
 * Returns data, never text for a terminal. Asks no questions: a host that needs a confirmation calls a read operation
 * first.
 */
export interface Operation<Input, Outcome extends OperationOutcome, Services, Need extends keyof Services> {
  readonly summary: string;
  readonly input: Schema<Input>;
  /** Dependencies that are opened before `run`. A host that lacks one of them cannot offer the operation. */
  readonly needs: readonly Need[];
  readonly effect: "read" | "write";
  run(input: Input, services: Pick<Services, Need>, ctx: OperationContext): Promise<Outcome>;
}
