import type { CallId } from "../../base/ids.ts";
import type { SessionId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Origin } from "../safety/principal.ts";
import type { Principal } from "../safety/principal.ts";
import type { Effect } from "./effect.ts";
import type { ToolResult } from "./tool-result.ts";

/**
 * The record of calls, written before a call runs and after it ended. After a crash it shows the outcome of each call,
 * or that the outcome is unknown.
 */
export interface Ledger {
  planned(call: LedgerCall): Promise<void> | void;
  dispatched(callId: CallId): Promise<void> | void;
  /**
   * Records the result as the model sees it. A second record for the same call replaces the first (when a turn exceeds
   * its budget).
   */
  settled(callId: CallId, result: ToolResult, durationMs: number): Promise<void> | void;
  /**
   * Records a call that only read data, after it ended. The record stays in memory until the next record of another
   * call, or until `flush`.
   */
  ended(call: LedgerCall, result: ToolResult, durationMs: number): void;
  /**
   * Records a nested call that never ran. The record stays in memory like that of a call that only read. The loop
   * records calls of the model.
   */
  refused?(call: RefusedCall): void;
  /** Resolves when every record is on disk. Rejects if a pending record could not be written. */
  flush(): Promise<void>;
}

export interface RefusedCall {
  readonly callId: CallId;
  readonly parentCallId: CallId;
  readonly tool: string;
  readonly result: ToolResult;
}

export interface LedgerCall {
  readonly callId: CallId;
  /** The call that made a nested call. */
  readonly parentCallId?: CallId;
  readonly sessionId: SessionId;
  readonly tool: string;
  readonly args: JsonObject;
  readonly effects: readonly Effect[];
  readonly origin: Origin;
  readonly principal: Principal;
}
