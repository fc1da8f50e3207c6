import { waitFor } from "../../base/async/bounded-wait.ts";
import type { Clock } from "../../base/clock.ts";
import type { CallId } from "../../base/ids.ts";
import type { Logger } from "../../base/log/log.ts";
import { reasonOf } from "../../base/result.ts";
import type { CallScope, DispatchStep, PendingCall, Redactor } from "../../contracts/tool/dispatch.ts";
import { plainEffects } from "../../contracts/tool/effect.ts";
import type { Ledger, RefusedCall } from "../../contracts/tool/ledger.ts";
import { fail, type ToolFailure, type ToolResult } from "../../contracts/tool/tool-result.ts";
import { cancelled } from "./cancelled.ts";
import { emit, withParent } from "./emit.ts";
import { mapStrings } from "./result/result-text.ts";

export interface LedgerDeps {
  readonly ledger: Ledger;
  /** Results whose calls are already recorded in the ledger. */
  readonly recorded: WeakSet<ToolResult>;
  readonly late: LateRecords;
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Stores the call before it runs, and its result as the model sees it. A call that cannot be stored does not run. */
export function recordStep(deps: LedgerDeps): DispatchStep {
  const redact = (text: string) => deps.redactor.redact(text);
  return async (pending, next) => {
    const { call, tool, prepared, effects, scope } = pending;
    const { sessionId, origin, principal, signal } = scope;
    const record = withParent(
      {
        callId: call.id,
        sessionId,
        tool: tool.name,
        args: mapStrings(prepared.args, redact),
        effects: mapStrings(plainEffects(effects), redact),
        origin,
        principal,
      },
      scope,
    );
    const isLate = isRecordedLate(pending);
    const refused = isLate ? undefined : await written(() => deps.ledger.planned(record), tool.name, signal, deps);
    if (refused) return { ok: false, error: refused };
    const startedAt = deps.clock.elapsed();
    const result = await next();
    const durationMs = deps.clock.elapsed() - startedAt;
    if (isLate) deps.late.add(() => deps.ledger.ended(record, result, durationMs), scope);
    else {
      const settled = settle(call.id, result, durationMs, scope, deps);
      if (tool.needs.includes("call")) await deps.late.write(scope);
      await settled;
    }
    if (scope.parent) deps.recorded.add(result);
    return result;
  };
}

/**
 * Returns whether the record of a call may be written late. This is safe for a nested call that only reads: after a
 * crash it has changed nothing, and its result is not part of the history. Its record is on disk before its parent call
 * returns.
 */
export function isRecordedLate({ tool, effects, scope: { parent, origin } }: PendingCall): boolean {
  if (!parent && origin !== "client") return false;
  // The effects of a call do not include those of its nested calls, so a tool that makes calls is excluded.
  return !tool.needs.includes("call") && effects.every(({ kind }) => kind === "read");
}

/** Records that are written in the background while their calls continue. */
export interface LateRecords {
  /** Adds a record. The function `record` passes it to the ledger, which writes it soon. */
  add(record: () => void, scope: CallScope): void;
  /** Resolves when all late records are on disk. A failure is reported. */
  write(scope: CallScope): Promise<void>;
}

export function createLateRecords(deps: Pick<LedgerDeps, "ledger" | "clock" | "log">): LateRecords {
  let timer: Disposable | undefined;
  function write(scope: CallScope): Promise<void> {
    timer?.[Symbol.dispose]();
    timer = undefined;
    return writtenAfter(() => deps.ledger.flush(), undefined, scope, deps);
  }
  return {
    add(record, scope) {
      record();
      timer ??= deps.clock.after(scope.parent ? lateMs.nested : lateMs.client, () => void write(scope));
    },
    write,
  };
}

/** The maximum time that such a record stays in memory. The parent of a nested call writes it when it ends. */
const lateMs = { nested: 1_000, client: 100 } as const;

/** Records that the call starts. This is the last step before the tool runs. */
export function dispatchedStep(deps: LedgerDeps): DispatchStep {
  return (pending, next) => (isRecordedLate(pending) ? next() : afterRecord(pending, next));
  async function afterRecord({ call, tool, scope }: PendingCall, next: () => Promise<ToolResult>): Promise<ToolResult> {
    const refused = await written(() => deps.ledger.dispatched(call.id), tool.name, scope.signal, deps);
    return refused ? { ok: false, error: refused } : next();
  }
}

/** Stores the outcome. If that fails, the failure is reported and the result is still returned. */
export async function settle(
  callId: CallId,
  result: ToolResult,
  durationMs: number,
  scope: CallScope,
  deps: LedgerDeps,
): Promise<void> {
  return writtenAfter(() => deps.ledger.settled(callId, result, durationMs), callId, scope, deps);
}

/** Writes the only record of a nested call that did not run. */
export function recordRefused(refused: RefusedCall, scope: CallScope, { ledger, late }: LedgerDeps): void {
  late.add(() => ledger.refused?.(refused), scope);
}

async function writtenAfter(
  write: () => Promise<void> | void,
  callId: CallId | undefined,
  scope: CallScope,
  { clock, log }: Pick<LedgerDeps, "clock" | "log">,
): Promise<void> {
  let why = "no answer";
  try {
    const writing = write();
    if (!(writing instanceof Promise)) return;
    // An interrupt does not abort the write, but a ledger that hangs must not delay the turn.
    const waited = await waitFor(writing, { ms: scope.signal.aborted ? settleGraceMs : writeMs, clock });
    if (waited.how === "done") return;
  } catch (thrown) {
    why = reasonOf(thrown);
  }
  log.error("ledger.settle_failed", { callId: callId ?? "late records", error: why });
  const text = `A tool call ran, but its result could not be written to the session: ${why}`;
  emit(scope, { type: "notice", level: "error", text }, log);
}

const writeMs = 30_000;
const settleGraceMs = 50;

async function written(
  write: () => Promise<void> | void,
  tool: string,
  signal: AbortSignal,
  { redactor, clock, log }: LedgerDeps,
): Promise<ToolFailure | undefined> {
  let why = "no answer";
  try {
    const writing = write();
    if (!(writing instanceof Promise)) return undefined;
    const waited = await waitFor(writing, { signal, ms: writeMs, clock });
    if (waited.how === "done") return undefined;
    if (waited.how === "aborted") return cancelled(tool);
  } catch (thrown) {
    why = reasonOf(thrown);
  }
  log.error("ledger.write_failed", { tool, error: why });
  return fail(redactor.redact(`${tool} was not run: the call could not be recorded first (${why})`)).error;
}
