import type { CallId } from "../../base/ids.ts";
import { isRecordedLate, type Ledger, type LedgerCall } from "../../contracts/tool/ledger.ts";
import { argumentsHash } from "./audit-chain.ts";
import type { AuditLog } from "./audit-log.ts";

/** Writes each effect to the audit log when it ends: who, where, what kind, and the outcome. */
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
      const entry = {
        kind: "effect",
        session: call.sessionId,
        call: callId,
        ...(call.parentCallId !== undefined && { parent: call.parentCallId }),
        who: call.principal.id,
        origin: call.origin,
        tool: call.tool,
        args: argumentsHash(call.args),
        effects: [...new Set(call.effects.map(({ kind }) => kind))],
        outcome: result.ok ? "ok" : `${result.error.kind}, effect ${result.error.effect}`,
        durationMs: Math.round(durationMs),
      } as const;
      // While other calls run, or nobody waits, the entry waits for others, so that one write covers several.
      const written = await log.append(entry, started.size > 0 || isRecordedLate(call));
      if (!written.ok) throw new Error(`the audit log was not written: ${written.error.message}`);
    },
  };
}
