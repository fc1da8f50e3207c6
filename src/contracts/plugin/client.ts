import type { Result } from "../../base/result.ts";
import type { HostNotifications, HostRequests, PluginRequests } from "./wire.ts";

/**
 * The connection to one plugin. Its process starts at the first request, stops when idle, and restarts after a crash.
 */
export interface PluginClient extends AsyncDisposable {
  readonly key: string;
  /**
   * The number of the process that gets the next request. A new number means that the process was restarted and lost
   * its state. Undefined: there is only one process.
   */
  readonly generation?: number;
  /**
   * Sends a request. Never rejects. Checks that the result is JSON within the size limits; the caller must check its
   * structure, because the plugin is not trusted.
   */
  request<M extends keyof PluginRequests>(
    method: M,
    params: PluginRequests[M]["params"],
    limits: PluginRequestLimits,
  ): Promise<Result<unknown, PluginFault>>;
  /**
   * Passes events to the plugin's observers and returns immediately. Starts the process in the background. Drops and
   * reports events that a slow process does not accept.
   */
  observe(events: readonly SerialisedEvent[]): void;
}

/** An event for one hook. Its arguments are JSON text. Plugins that register the same id share the object. */
export interface SerialisedEvent {
  readonly id: string;
  readonly args: string;
  /** The event in the form that processes receive, set when it is sent for the first time. */
  bytes?: Uint8Array;
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

/** Why a request has no result. `message` names the plugin, and the file and line of the failure. */
export interface PluginFault {
  readonly kind: "unavailable" | "refused" | "failed" | "crashed" | "timeout" | "aborted";
  readonly message: string;
}

/** Handles requests from a plugin's process. Checks the plugin's permissions and grants. Never rejects. */
export type AnswerPlugin = <M extends keyof HostRequests>(
  method: M,
  params: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
) => Promise<Result<HostRequests[M]["result"], string>>;
