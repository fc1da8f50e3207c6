import type { Result } from "../../base/result.ts";
import type { HostNotifications, HostRequests, PluginRequests } from "./wire.ts";

/** The way to one plugin. Its process starts at the first request, ends when idle, and starts again after a crash. */
export interface PluginClient extends AsyncDisposable {
  readonly key: string;
  /** The number of the process that gets the next request: another one has lost the state. Undefined: there is only one. */
  readonly generation?: number;
  /** Never rejects. A result is checked to be JSON within bounds; its shape is up to the caller, because the plugin may lie. */
  request<M extends keyof PluginRequests>(
    method: M,
    params: PluginRequests[M]["params"],
    limits: PluginRequestLimits,
  ): Promise<Result<unknown, PluginFault>>;
  /** Hands events to its observers and returns at once. Starts the process beside the caller; drops and reports what a slow one does not take. */
  observe(events: readonly SerialisedEvent[]): void;
}

/** An event for one hook of a plugin. Its arguments are JSON text, because many observers share one event. */
export interface SerialisedEvent {
  readonly id: string;
  readonly args: string;
}

export interface PluginRequestLimits {
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
  /** For `cli.run`. */
  readonly onPrint?: (printed: HostNotifications["print"]) => void;
  /** For `tool.run`: one line about the running call. */
  readonly onProgress?: (note: string) => void;
  /** For `object.stream`. */
  readonly onItem?: (item: unknown) => void;
}

/** Why a request has no result. `message` names the plugin, and file and line where the plugin failed. */
export interface PluginFault {
  readonly kind: "unavailable" | "refused" | "failed" | "crashed" | "timeout" | "aborted";
  readonly message: string;
}

/** Answers what the process of a plugin asks Hermes. Checks the plugin's permissions and grants. Never rejects. */
export type AnswerPlugin = <M extends keyof HostRequests>(
  method: M,
  params: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
) => Promise<Result<HostRequests[M]["result"], string>>;
