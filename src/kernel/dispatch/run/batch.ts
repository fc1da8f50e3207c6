import type { Clock } from "../../../base/clock.ts";
import { overlaps } from "../../../base/files/path.ts";
import { type CallId, newId } from "../../../base/ids.ts";
import { ok, type Result } from "../../../base/result.ts";
import type { ToolCall } from "../../../contracts/model/message.ts";
import type { CallScope, PendingCall } from "../../../contracts/tool/dispatch.ts";
import type { ToolFailure, ToolResult } from "../../../contracts/tool/tool-result.ts";
import type { Refusal } from "../admission/find-tool.ts";
import { cancelled } from "../cancelled.ts";

/** A finished call, with any outcome. */
export interface FinishedCall {
  readonly callId: CallId;
  readonly result: ToolResult;
  readonly durationMs: number;
}

/** The stages of a dispatch that a batch runs separately. None of them rejects. */
export interface Stages {
  admit(call: ToolCall, scope: CallScope): Promise<Result<PendingCall, Refusal>>;
  /** Resolves the effects of a call again, because other calls may have changed files meanwhile. */
  readmit(call: PendingCall): Promise<Result<PendingCall, Refusal>>;
  proceed(call: PendingCall): Promise<FinishedCall>;
  refuse(call: ToolCall, failure: ToolFailure, scope: CallScope): Promise<FinishedCall>;
}

/** A group of calls that are checked for conflicts with each other. */
export interface Batch {
  /** Runs a call when no running call conflicts with it. Never rejects. */
  add(call: ToolCall, scope: CallScope): Promise<FinishedCall>;
}

/** Runs the calls of one turn. The results are in the order of the calls. */
export async function runBatch(
  calls: readonly ToolCall[],
  scope: CallScope,
  stages: Stages,
  limits: BatchLimits,
): Promise<readonly FinishedCall[]> {
  const batch = createBatch(stages, limits);
  return Promise.all(withOwnIds(calls).map((call) => batch.add(call, scope)));
}

export interface BatchLimits {
  readonly parallel: number;
  readonly clock: Clock;
}

/**
 * Starts calls in the order in which they were added, each as soon as it does not conflict with a running call. A call
 * that runs alone ends before the next one is resolved, so that the next one is checked against the current state.
 * Calls that may run in parallel start together, so that they are recorded together.
 */
export function createBatch(stages: Stages, { parallel, clock }: BatchLimits): Batch {
  const running = new Set<Running>();
  const gate = createGate(clock);
  let queue: Promise<void> = Promise.resolve();
  let queued = 0;
  /** Returns whether no other call waits to be started. */
  const isLast = () => queued === 1;

  async function start(
    before: Promise<void>,
    call: ToolCall,
    scope: CallScope,
    done: (finished: Promise<FinishedCall>) => void,
  ): Promise<void> {
    await before;
    let admitted = await stages.admit(call, scope);
    if (admitted.ok && isHeld(claimOf(admitted.value), running, parallel)) {
      admitted = await free(admitted.value, { running, gate, stages, parallel });
    }
    if (!admitted.ok || scope.signal.aborted) {
      const refusal = admitted.ok ? { call, failure: cancelled(admitted.value.tool.name) } : admitted.error;
      const opened = gate.opened(isLast()) ?? Promise.resolve();
      done(opened.then(() => stages.refuse(refusal.call, refusal.failure, scope)));
    } else {
      const started = begin(admitted.value, running, gate.opened(isLast()), stages);
      done(started.done);
      if (started.claim.alone) {
        gate.open();
        await started.done;
      }
    }
    queued -= 1;
  }

  return {
    add(call, scope) {
      const { promise, resolve } = Promise.withResolvers<FinishedCall>();
      queued += 1;
      queue = start(queue, call, scope, resolve);
      return promise;
    },
  };
}

/** Holds calls that are ready for a short time, so that the next one can join them. */
interface Gate {
  /**
   * Resolves in the order of arrival when the gate opens. The last call of the batch opens it; otherwise it opens by
   * itself if no other call arrives soon. Undefined: it is open.
   */
  opened(isLast: boolean): Promise<void> | undefined;
  /** Releases all waiting calls. */
  open(): void;
}

/**
 * The maximum wait after the latest arrival. Resolving a call takes a fraction of this time, an approval much longer.
 */
const gateMs = 20;
/** The maximum wait after the first arrival. */
const maxGateMs = 100;

function createGate(clock: Clock): Gate {
  let waiting: { readonly wait: PromiseWithResolvers<void>; readonly since: number; latest: number } | undefined;
  let timer: Disposable | undefined;
  const open = () => {
    waiting?.wait.resolve();
    waiting = undefined;
  };
  /** One timer serves many arrivals, because starting a timer takes longer than most steps of a call. */
  const arm = () => {
    if (timer || !waiting) return;
    const { since, latest } = waiting;
    const leftMs = Math.min(latest + gateMs, since + maxGateMs) - clock.elapsed();
    if (leftMs <= 0) return open();
    timer = clock.after(leftMs, () => {
      timer = undefined;
      arm();
    });
  };
  return {
    opened(isLast) {
      if (isLast) {
        if (!waiting) return undefined;
        open();
        return Promise.resolve();
      }
      const now = clock.elapsed();
      waiting ??= { wait: Promise.withResolvers<void>(), since: now, latest: now };
      waiting.latest = now;
      const { promise } = waiting.wait;
      arm();
      return promise;
    },
    open,
  };
}

/** Replaces empty and duplicate ids, which would mix up calls in the ledger and in files. */
function withOwnIds(calls: readonly ToolCall[]): readonly ToolCall[] {
  const used = new Set<string>();
  return calls.map((call) => {
    const id = call.id && !used.has(call.id) ? call.id : newId<CallId>("call");
    used.add(id);
    return id === call.id ? call : { ...call, id };
  });
}

interface Running {
  readonly claim: Claim;
  readonly done: Promise<FinishedCall>;
}

function begin(
  pending: PendingCall,
  running: Set<Running>,
  opened: Promise<void> | undefined,
  stages: Stages,
): Running {
  const run = async (): Promise<FinishedCall> => {
    if (opened) await opened;
    const finished = await stages.proceed(pending);
    running.delete(started);
    return finished;
  };
  const started: Running = { claim: claimOf(pending), done: run() };
  running.add(started);
  return started;
}

/**
 * Waits in the queue. A call that had to wait is resolved again, because earlier calls may have changed the targets of
 * its paths.
 */
async function free(
  held: PendingCall,
  {
    running,
    gate,
    stages,
    parallel,
  }: {
    readonly running: ReadonlySet<Running>;
    readonly gate: Gate;
    readonly stages: Stages;
    readonly parallel: number;
  },
): Promise<Result<PendingCall, Refusal>> {
  let current: Result<PendingCall, Refusal> = ok(held);
  while (current.ok && isHeld(claimOf(current.value), running, parallel)) {
    gate.open();
    await Promise.race(Array.from(running, ({ done }) => done));
    if (!isHeld(claimOf(current.value), running, parallel)) current = await stages.readmit(current.value);
  }
  return current;
}

function isHeld(claim: Claim, running: ReadonlySet<Running>, maxParallel: number): boolean {
  if (running.size >= maxParallel) return true;
  for (const other of running) if (conflicts(claim, other.claim)) return true;
  return false;
}

/** The paths and stores that no other call may use while this call runs. */
interface Claim {
  /** True if the call runs alone: no earlier call is still running, and no later call has started. */
  readonly alone: boolean;
  readonly runs: boolean;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly stores: readonly string[];
}

function claimOf({ tool, effects }: PendingCall): Claim {
  if (effects.length === 0 && tool.needs.length === 0) return tool.traits.parallel ? freeClaim : aloneClaim;
  const reads: string[] = [];
  const writes: string[] = [];
  const stores: string[] = [];
  let runs = false;
  let leavesTraces = false;
  for (const effect of effects) {
    if (effect.kind === "read") reads.push(effect.path);
    else if (effect.kind === "write" || effect.kind === "delete") writes.push(effect.path);
    else if (effect.kind === "move") writes.push(effect.from, effect.to);
    else if (effect.kind === "state") stores.push(effect.store);
    else if (effect.kind === "exec") {
      runs = true;
      leavesTraces ||= effect.leavesNoTrace !== true;
    }
  }
  // True if the call makes nested calls, whose effects are not included here.
  const nests = tool.needs.includes("call");
  const alone = nests || !tool.traits.parallel || leavesTraces || (runs && writes.length > 0);
  return { alone, runs, reads, writes, stores };
}

const freeClaim: Claim = { alone: false, runs: false, reads: [], writes: [], stores: [] };
const aloneClaim: Claim = { ...freeClaim, alone: true };

/**
 * Returns whether one of two calls must wait for the other. A command may read any file, so it never runs in parallel
 * with a call that writes.
 */
function conflicts(a: Claim, b: Claim): boolean {
  if (a.alone || b.alone) return true;
  // The common case, for every pair of running calls.
  if (a.writes.length === 0 && b.writes.length === 0 && (a.stores.length === 0 || b.stores.length === 0)) return false;
  return (
    (a.runs && b.writes.length > 0) ||
    (b.runs && a.writes.length > 0) ||
    a.stores.some((store) => b.stores.includes(store)) ||
    touches(a.writes, b.writes) ||
    touches(a.writes, b.reads) ||
    touches(b.writes, a.reads)
  );
}

function touches(paths: readonly string[], others: readonly string[]): boolean {
  return paths.some((path) => others.some((other) => overlaps(path, other)));
}
