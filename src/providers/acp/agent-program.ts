import type { Result } from "../../base/result.ts";
import type { ModelError } from "../../contracts/model/model.ts";
import type { ProgramCall } from "../endpoint.ts";

/** Starts the program in an empty folder of its own, with variables of the user's and of `env`. */
export type StartAgent = (
  call: ProgramCall,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<Result<RunningAgent, ModelError>>;

export interface AgentEars {
  said(bytes: Buffer): void;
  /** Once, after all it said. `how` completes "it ended with …". */
  ended(how: AgentEnd): void;
}

export interface AgentEnd {
  readonly words: string;
  /** Not by itself. */
  readonly isKilled: boolean;
}

export interface RunningAgent {
  readonly folder: string;
  /** Once, at the start. Nothing is lost that was said before. */
  listen(ears: AgentEars): void;
  write(text: string): void;
  /** One that waits for work does not keep this process alive. */
  setBusy(isBusy: boolean): void;
  /** The end of what it wrote to standard error, in one line; empty when it wrote nothing. */
  complaints(): string;
  /** Without secrets. */
  redact(text: string): string;
  /** Ends it with all that it started. Resolves when nothing of it is left. */
  end(): Promise<void>;
}
