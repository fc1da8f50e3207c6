import type { CallId, SessionId } from "../../../base/ids.ts";
import { noUsage, type Usage } from "../../../contracts/model/model.ts";
import type { Entry, EntryBody, SessionStore } from "../../../contracts/session/session.ts";
import type { Ledger, LedgerCall } from "../../../contracts/tool/ledger.ts";
import type { ToolResult } from "../../../contracts/tool/tool-result.ts";
import { addUsage } from "../turn-state.ts";
import { createHistory, type History } from "./history.ts";

/** The record of one session. When the promise of `append` resolves, the entries are on disk and in the history. */
export interface SessionLog {
  readonly history: History;
  /** Appends entries. `joins`: another append follows soon, so that one disk write can contain both. */
  append(entries: readonly EntryBody[], joins?: boolean): Promise<readonly Entry[]>;
  /** Rebuilds the history from the store, because the session continues from another entry. */
  reload(): Promise<void>;
  /** Records calls as part of the session. `isSettled` returns whether the result of a call is recorded. */
  readonly ledger: Ledger;
  isSettled(callId: CallId): boolean;
  /** Registers a function that returns entries to store together with the result of a call. */
  addToResults(entries: AddToResult): void;
  /** Returns the usage of auxiliary requests (summaries, titles) since the last time this function was called. */
  takeAuxiliary(): Usage;
  /** Writes the entries that are still in memory. Never rejects. */
  close(): Promise<void>;
}

export type AddToResult = (callId: CallId, result: ToolResult) => readonly EntryBody[];

export function createSessionLog(id: SessionId, entries: readonly Entry[], store: SessionStore): SessionLog {
  let history = createHistory(entries);
  const planned = new Map<CallId, LedgerCall>();
  const tools = new Map<CallId, Pick<LedgerCall, "tool" | "parentCallId">>();
  const settled = new Set<CallId>();
  /** The running calls, with their parent calls. */
  const running = new Map<CallId, CallId | undefined>();
  const additions: AddToResult[] = [];
  let auxiliary = noUsage;

  /** Entries that are written together with the next ones, or by `flush`. */
  let late: EntryBody[] = [];
  /** The pending writes of late entries. Rejects if one of them failed. */
  let lateWrites: Promise<unknown> = Promise.resolve();

  async function append(bodies: readonly EntryBody[], joins = false): Promise<readonly Entry[]> {
    const before = late;
    late = [];
    const stored = await write(before.length === 0 ? bodies : [...before, ...bodies], joins);
    return before.length === 0 ? stored : stored.slice(before.length);
  }

  function addLate(bodies: readonly EntryBody[]): void {
    late.push(...bodies);
    if (late.length >= maxLate) writeLate();
  }

  function writeLate(): void {
    const bodies = late;
    late = [];
    lateWrites = Promise.all([lateWrites, write(bodies)]);
    // `flush` reports this failure.
    lateWrites.catch(() => {});
  }

  async function flush(): Promise<void> {
    if (late.length > 0) writeLate();
    const written = lateWrites;
    lateWrites = Promise.resolve();
    await written;
  }

  async function write(bodies: readonly EntryBody[], joins = false): Promise<readonly Entry[]> {
    const stored = await store.append(id, bodies, joins);
    for (const body of bodies) {
      if (body.type === "usage" && body.task !== "chat") auxiliary = addUsage(auxiliary, body.usage);
    }
    for (const entry of stored) history.add(entry);
    return stored;
  }

  return {
    get history() {
      return history;
    },
    append,
    async reload() {
      history = createHistory(await store.path(id));
    },
    ledger: {
      /** Written together with `dispatched`, before the call runs. */
      planned(call) {
        planned.set(call.callId, call);
        const { tool, parentCallId } = call;
        tools.set(call.callId, { tool, ...(parentCallId !== undefined && { parentCallId }) });
      },
      async dispatched(callId) {
        const call = planned.get(callId);
        planned.delete(callId);
        running.set(callId, call?.parentCallId);
        await append([...(call ? [{ type: "planned", call } as const] : []), { type: "dispatched", callId }]);
      },
      async settled(callId, result, durationMs) {
        planned.delete(callId);
        running.delete(callId);
        const { tool = "", parentCallId } = tools.get(callId) ?? {};
        // If other calls with the same parent still run, their results follow soon, so this write can wait for them.
        const joins = running.values().some((parent) => parent === parentCallId);
        const nesting = parentCallId === undefined ? {} : { parentCallId };
        const more = additions.flatMap((add) => add(callId, result));
        await append([{ type: "settled", callId, ...nesting, tool, result, durationMs }, ...more], joins);
        if (parentCallId === undefined) settled.add(callId);
        else tools.delete(callId);
      },
      ended(call, result, durationMs) {
        const { callId, parentCallId, tool } = call;
        addLate(
          parentCallId === undefined
            ? [
                { type: "planned", call },
                { type: "dispatched", callId },
                { type: "settled", callId, tool, result, durationMs },
              ]
            : [
                { type: "planned", call },
                { type: "settled", callId, parentCallId, tool, result, durationMs },
              ],
        );
      },
      refused: (call) => addLate([{ type: "settled", ...call, durationMs: 0 }]),
      flush,
    },
    isSettled: (callId) => settled.has(callId),
    addToResults: (add) => void additions.push(add),
    takeAuxiliary() {
      const usage = auxiliary;
      auxiliary = noUsage;
      return usage;
    },
    async close() {
      await flush().catch(() => {});
    },
  };
}

/**
 * The maximum number of entries that wait in memory. Normally a timer writes them sooner, but a script can make
 * thousands of calls.
 */
const maxLate = 2_000;

/**
 * Calls all ledgers in this order. If one of them rejects the start of a call, the call does not start. All of them get
 * the outcome in parallel, without waiting for each other's writes.
 */
export function combineLedgers(...ledgers: readonly Ledger[]): Ledger {
  const each = async (tell: (ledger: Ledger) => Promise<void> | void) => {
    for (const ledger of ledgers) await tell(ledger);
  };
  /** Calls all ledgers in parallel. */
  const together = async (tell: (ledger: Ledger) => Promise<void> | void) => {
    const outcomes = await Promise.allSettled(ledgers.map(async (ledger) => tell(ledger)));
    for (const one of outcomes) if (one.status === "rejected") throw one.reason;
  };
  return {
    refused(call) {
      for (const ledger of ledgers) ledger.refused?.(call);
    },
    ended(call, result, durationMs) {
      for (const ledger of ledgers) ledger.ended(call, result, durationMs);
    },
    flush: () => together((ledger) => ledger.flush()),
    planned: (call) => each((ledger) => ledger.planned(call)),
    dispatched: (callId) => each((ledger) => ledger.dispatched(callId)),
    settled: (callId, result, durationMs) => together((ledger) => ledger.settled(callId, result, durationMs)),
  };
}
