import type { Result } from "../../base/result.ts";
import type { HostNotifications, HostRequests, PluginRequests } from "./wire.ts";

/**
 * The connection to one plugin. Its process starts at the first request, stops when idle, and restarts after a crash.
 */
export interface PluginClient extends AsyncDisposable {
  readonly key: string;
  /**
   * The number of the process that gets the next request; a new process has lost the state. Undefined: there is only
   * one.
   */
  readonly generation?: number;
  /**
   * Never rejects. Checks that a result is JSON within the limits; the caller checks its shape, because the plugin may
   * lie.
   */
  request<M extends keyof PluginRequests>(
    method: M,
    params: PluginRequests[M]["params"],
    limits: PluginRequestLimits,
  ): Promise<Result<unknown, PluginFault>>;
  /**
   * Passes events to its observers and returns at once. Starts the process in the background; drops and reports events
   * that a slow process does not accept.
   */
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
  /** Output of `cli.run`. */
  readonly onPrint?: (printed: HostNotifications["print"]) => void;
  /** Progress of `tool.run`: one line about the running call. */
  readonly onProgress?: (note: string) => void;
  /** Items of `object.stream`. */
  readonly onItem?: (item: unknown) => void;
}

/** Why a request has no result. `message` names the plugin, and the file and line where it failed. */
export interface PluginFault {
  readonly kind: "unavailable" | "refused" | "failed" | "crashed" | "timeout" | "aborted";
  readonly message: string;
}

/** Answers requests of a plugin's process. Checks the plugin's permissions and grants. Never rejects. */
export type AnswerPlugin = <M extends keyof HostRequests>(
  method: M,
  params: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
) => Promise<Result<HostRequests[M]["result"], string>>;
