import { type CallId, newId } from "../../base/ids.ts";
import type { Result } from "../../base/result.ts";
import type { CallScope, PendingCall } from "../../contracts/dispatch.ts";
import type { ToolCall } from "../../contracts/message.ts";
import type { ToolFailure, ToolResult } from "../../contracts/tool.ts";
import { cancelled } from "./cancelled.ts";
import { type Claim, claimOf, conflicts } from "./conflicts.ts";
import type { Refusal } from "./find-tool.ts";

/** A call that is over, however it ended. */
export interface Finished {
  readonly callId: CallId;
  readonly result: ToolResult;
  readonly durationMs: number;
}

/** The parts of one dispatch that a batch runs apart. None of them rejects. */
export interface Stages {
  admit(call: ToolCall, scope: CallScope): Promise<Result<PendingCall, Refusal>>;
  /** Looks again at what the call would do, after others changed the world. */
  readmit(call: PendingCall): Promise<Result<PendingCall, Refusal>>;
  proceed(call: PendingCall): Promise<Finished>;
  refuse(call: ToolCall, failure: ToolFailure, scope: CallScope): Promise<Finished>;
}

/**
 * Starts calls in the order asked, each as soon as it disturbs none that is running. A call that runs alone ends before
 * the next is even looked at, so that the next is judged by the world it will find.
 */
export async function runBatch(
  calls: readonly ToolCall[],
  scope: CallScope,
  stages: Stages,
  maxParallel: number,
): Promise<readonly Finished[]> {
  const running = new Set<Running>();
  const all: Promise<Finished>[] = [];
  for (const call of withOwnIds(calls)) {
    const admitted = await free(await stages.admit(call, scope), running, stages, maxParallel);
    if (!admitted.ok || scope.signal.aborted) {
      const refusal = admitted.ok ? { call, failure: cancelled(admitted.value.tool.name) } : admitted.error;
      all.push(stages.refuse(refusal.call, refusal.failure, scope));
      continue;
    }
    const started = begin(admitted.value, running, stages);
    all.push(started.done);
    if (started.claim.alone) await started.done;
  }
  return Promise.all(all);
}

/** An id that is empty or was given twice would mix up two calls in ledger and files. */
function withOwnIds(calls: readonly ToolCall[]): readonly ToolCall[] {
  const taken = new Set<string>();
  return calls.map((call) => {
    const id = call.id && !taken.has(call.id) ? call.id : newId<CallId>("call");
    taken.add(id);
    return id === call.id ? call : { ...call, id };
  });
}

interface Running {
  readonly claim: Claim;
  readonly done: Promise<Finished>;
}

function begin(pending: PendingCall, running: Set<Running>, stages: Stages): Running {
  const done = stages.proceed(pending).finally(() => running.delete(started));
  const started: Running = { claim: claimOf(pending), done };
  running.add(started);
  return started;
}

/** Waits for its turn. Who had to wait is looked at again: those before it may have moved what its paths lead to. */
async function free(
  admitted: Result<PendingCall, Refusal>,
  running: ReadonlySet<Running>,
  stages: Stages,
  maxParallel: number,
): Promise<Result<PendingCall, Refusal>> {
  let current = admitted;
  while (current.ok && isHeld(claimOf(current.value), running, maxParallel)) {
    await Promise.race(Array.from(running, ({ done }) => done));
    if (!isHeld(claimOf(current.value), running, maxParallel)) current = await stages.readmit(current.value);
  }
  return current;
}

function isHeld(claim: Claim, running: ReadonlySet<Running>, maxParallel: number): boolean {
  if (running.size >= maxParallel) return true;
  for (const other of running) if (conflicts(claim, other.claim)) return true;
  return false;
}
