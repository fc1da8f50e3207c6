import type { ProgramExit } from "../../base/process/child-program.ts";
import type { Result } from "../../base/result.ts";
import type { RpcStreams } from "../../base/rpc/connect-streams.ts";
import type { ModelError } from "../../contracts/model/model.ts";
import type { AgentCommand } from "../endpoint.ts";

/** Starts the program in a new empty folder, with the user's environment variables and those of `env`. */
export type StartAgent = (
  call: AgentCommand,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<Result<RunningAgent, ModelError>>;

export interface RunningAgent {
  readonly folder: string;
  readonly streams: RpcStreams;
  /** Resolves after the program has exited and all of its output was read. */
  readonly exited: Promise<ProgramExit>;
  /** Lets this process exit while the program is idle. */
  setBusy(isBusy: boolean): void;
  /** The end of the program's standard error in one line, without secrets. Empty if it wrote nothing. */
  complaints(): string;
  redact(text: string): string;
  /** Kills the program and its child processes. Resolves when all of them have exited. */
  end(): Promise<void>;
}
