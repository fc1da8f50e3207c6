import type { CallId } from "../../base/ids.ts";
import { isObject } from "../../base/json.ts";
import type { Result } from "../../base/result.ts";
import type { Ledger, LedgerCall } from "../../contracts/tool/ledger.ts";
import type { ToolResult } from "../../contracts/tool/tool-result.ts";
import { argumentsHash, type AuditEntry } from "./audit-chain.ts";
import type { AuditLog } from "./audit-log.ts";

/** Writes each effect to the audit log when it ends: who caused it, where, its kind, and its outcome. */
export function auditLedger(log: AuditLog): Ledger {
  const running = new Map<CallId, LedgerCall>();
  const started = new Set<CallId>();
  return {
    planned(call) {
      if (call.effects.length > 0) running.set(call.callId, call);
    },
    dispatched: (callId) => void started.add(callId),
    async settled(callId, result, durationMs) {
      started.delete(callId);
      const call = running.get(callId);
      if (call === undefined) return;
      running.delete(callId);
      // While other calls run, the entry is delayed, so that one write can contain several entries.
      check(await log.append(effectEntry(call, result, durationMs), started.size > 0 ? "short" : "none"));
    },
    ended(call, result, durationMs) {
      if (call.effects.length > 0) log.appendLate(() => effectEntry(call, result, durationMs));
    },
    flush: async () => check(await log.flush()),
  };
}

function effectEntry(call: LedgerCall, result: ToolResult, durationMs: number): AuditEntry {
  return {
    kind: "effect",
    session: call.sessionId,
    call: call.callId,
    ...(call.parentCallId !== undefined && { parent: call.parentCallId }),
    who: call.principal.id,
    origin: call.origin,
    tool: call.tool,
    args: argumentsHash(call.args),
    effects: [...new Set(call.effects.map(({ kind }) => kind))],
    outcome: outcomeOf(result),
    durationMs: Math.round(durationMs),
  };
}

/** A command that ended with an error ran, so its exit code is the outcome. */
function outcomeOf(result: ToolResult): string {
  if (!result.ok) return `${result.error.kind}, effect ${result.error.effect}`;
  const { data } = result.value;
  const code = isObject(data) ? data["exit_code"] : 0;
  return typeof code === "number" && code !== 0 ? `exit ${code}` : "ok";
}

function check(written: Result<void>): void {
  if (!written.ok) throw new Error(`the audit log was not written: ${written.error.message}`);
}
