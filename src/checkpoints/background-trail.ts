import { outermost } from "./paths.ts";
import type { NewRecord, RecordStore, StoredRecord } from "./record-store.ts";

/** A process that a call left running. */
export interface BackgroundWork {
  isRunning(signal: AbortSignal): Promise<boolean>;
}

/**
 * Attributes changes between calls to background processes. While one runs, an open record follows the last call, so
 * that a rollback to any call includes the later changes of the process.
 */
export interface BackgroundTrail {
  /** Follows processes that the call started. They can change everything that the call could change. */
  follow(works: readonly BackgroundWork[], call: StoredRecord): void;
  /** Checks which processes have ended, and returns the paths to scan again. */
  refresh(signal: AbortSignal): Promise<readonly string[]>;
  /** Closes the current record, and opens the next one while a process runs. Call it within a transaction. */
  renew(store: RecordStore, recordOf: (about: RecordAbout) => NewRecord): void;
  /** Stops following. Returns false if there was nothing to follow. */
  stop(): boolean;
}

type RecordAbout = Pick<NewRecord, "kind" | "label"> & Partial<NewRecord>;

export function createBackgroundTrail(): BackgroundTrail {
  let going: readonly { readonly work: BackgroundWork; readonly call: StoredRecord }[] = [];
  let open: StoredRecord | undefined;

  return {
    follow(works, call) {
      going = [...going, ...works.map((work) => ({ work, call }))];
    },
    async refresh(signal) {
      const running = await Promise.all(going.map(({ work }) => work.isRunning(signal)));
      const hasEnded = running.includes(false);
      going = going.filter((_, index) => running[index]);
      return hasEnded ? (open?.scope ?? []) : [];
    },
    renew(store, recordOf) {
      const changed = open && (store.byId(open.checkpoint.id)?.checkpoint.changed ?? 0);
      if (open && changed === 0) store.drop(open.seq);
      else if (open) store.close(open.seq, []);
      const last = going.at(-1);
      open =
        last &&
        store.add(
          recordOf({
            ...describeToMiddleware(last.call),
            kind: "process",
            label: Array.from(new Set(going.map(({ call }) => call.checkpoint.label))).join("; "),
            scope: outermost(going.flatMap(({ call }) => call.scope)),
            isOpen: true,
          }),
        );
    },
    stop() {
      going = [];
      return open !== undefined;
    },
  };
}

function describeToMiddleware({ checkpoint: { sessionId, turnId, callId, tool } }: StoredRecord): Partial<NewRecord> {
  return {
    ...(sessionId !== undefined && { sessionId }),
    ...(turnId !== undefined && { turnId }),
    ...(callId !== undefined && { callId }),
    ...(tool !== undefined && { tool }),
  };
}
