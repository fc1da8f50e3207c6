import type { Clock } from "../../base/clock.ts";
import type { Result } from "../../base/result.ts";
import type { Principal } from "../safety/principal.ts";
import type { Schema } from "./input-schema.ts";

/** Why an operation failed, for a person. */
export interface OperationFault {
  readonly message: string;
  /** The next step, as a command line. A chat shows only the message. */
  readonly hint?: string;
  /** The input is at fault (a command line exits with 2, an API responds with 400), or a spending cap is reached. */
  readonly kind?: "input" | "budget";
}

/** Progress of a long operation. */
export interface OperationProgress {
  readonly message: string;
}

export interface OperationContext {
  /** On whose behalf it runs. It cannot access sessions, notes and approvals of other principals. */
  readonly principal: Principal;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** The folder that relative paths of the input start from. */
  readonly cwd: string;
  report(progress: OperationProgress): void;
  /** Bytes that the caller sends along: standard input, the body of a request. */
  readonly upload?: AsyncIterable<Uint8Array>;
  /** Reads a line that the user types while the operation waits. Undefined: nobody can type. */
  readonly readLine?: (signal: AbortSignal) => Promise<string>;
}

export type OperationOutcome = Result<unknown, OperationFault>;

/**
 * One verb of one noun, for every host: the command line, slash commands, an API. It returns data and never text for a
 * terminal. It asks no questions: a host that needs a confirmation calls a read operation first.
 */
export interface Operation<Input, Outcome extends OperationOutcome, Services, Need extends keyof Services> {
  readonly summary: string;
  readonly input: Schema<Input>;
  /** Opened before `run`. A host that lacks one cannot offer the operation. */
  readonly needs: readonly Need[];
  readonly effect: "read" | "write";
  run(input: Input, services: Pick<Services, Need>, ctx: OperationContext): Promise<Outcome>;
}
