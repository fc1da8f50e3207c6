import type { CallId } from "../../base/ids.ts";
import type { SessionId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Origin } from "../safety/principal.ts";
import type { Principal } from "../safety/principal.ts";
import type { Effect } from "./effect.ts";
import type { ToolResult } from "./tool-result.ts";

/** Written before a call runs and after it ended, so that after a crash its outcome is known, or known to be unknown. */
export interface Ledger {
  planned(call: LedgerCall): Promise<void> | void;
  dispatched(callId: CallId): Promise<void> | void;
  /** The result as the model sees it. A second record for the same call replaces the first (a turn over its budget). */
  settled(callId: CallId, result: ToolResult, durationMs: number): Promise<void> | void;
  /**
   * The whole record of a call that only read, after it ended. It waits in memory for the next record of another call,
   * or for `flush`.
   */
  ended(call: LedgerCall, result: ToolResult, durationMs: number): void;
  /** A nested call that never ran: its only record, which waits as that of `ended` does. The loop records those of the model. */
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
