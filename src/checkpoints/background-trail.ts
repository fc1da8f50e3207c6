import { outermost } from "./paths.ts";
import type { NewRecord, RecordStore, StoredRecord } from "./record-store.ts";

/** A program that a call has left running. */
export interface BackgroundWork {
  isRunning(signal: AbortSignal): Promise<boolean>;
}

/**
 * What background processes change between calls is theirs. While one runs there is an open record of it, always behind
 * the last call, so that a return to any call takes along what they did after it.
 */
export interface BackgroundTrail {
  /** From now on these, which that call started, can change what it could. */
  follow(works: readonly BackgroundWork[], call: StoredRecord): void;
  /** Looks which of them have ended: the paths that have to be looked at once more for that. */
  refresh(signal: AbortSignal): Promise<readonly string[]>;
  /** Closes the record as far as it goes, and begins the next while something runs. Within a transaction. */
  renew(store: RecordStore, recordOf: (about: RecordAbout) => NewRecord): void;
  /** Nothing is followed any more. False: nothing was. */
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
            ...aboutCall(last.call),
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

function aboutCall({ checkpoint: { sessionId, turnId, callId, tool } }: StoredRecord): Partial<NewRecord> {
  return {
    ...(sessionId !== undefined && { sessionId }),
    ...(turnId !== undefined && { turnId }),
    ...(callId !== undefined && { callId }),
    ...(tool !== undefined && { tool }),
  };
}
