import type { ProgramExit } from "../../base/process/child-program.ts";
import type { Result } from "../../base/result.ts";
import type { RpcStreams } from "../../base/rpc/connect-streams.ts";
import type { ModelError } from "../../contracts/model/model.ts";
import type { AgentCommand } from "../endpoint.ts";

/** Starts the program in a new empty folder, with the user's variables and those of `env`. */
export type StartAgent = (
  call: AgentCommand,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<Result<RunningAgent, ModelError>>;

export interface RunningAgent {
  readonly folder: string;
  readonly streams: RpcStreams;
  /** Resolves after all of its output was read. */
  readonly exited: Promise<ProgramExit>;
  /** An idle program does not keep this process alive. */
  setBusy(isBusy: boolean): void;
  /** The end of its standard error in one line, without secrets. Empty when it wrote nothing. */
  complaints(): string;
  redact(text: string): string;
  /** Kills the program and its child processes. Resolves when none is left. */
  end(): Promise<void>;
}
