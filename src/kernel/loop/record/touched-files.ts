import type { ChangedFile } from "../../../contracts/model/context.ts";
import type { Entry } from "../../../contracts/session/session.ts";
import type { Effect } from "../../../contracts/tool/effect.ts";
import type { Ledger } from "../../../contracts/tool/ledger.ts";

/** Which files the calls of a conversation read and changed, last touched last. */
export interface TouchedFiles {
  add(effects: readonly Effect[]): void;
  list(): readonly ChangedFile[];
}

/** The same ledger, which also reports the files that its calls touch. */
export function recordTouchedFiles(ledger: Ledger, files: TouchedFiles): Ledger {
  return {
    ...ledger,
    planned(call) {
      files.add(call.effects);
      return ledger.planned(call);
    },
  };
}

const maxFiles = 100;

export function createTouchedFiles(entries: readonly Entry[] = []): TouchedFiles {
  const files = new Map<string, ChangedFile["how"]>();

  function touch(path: string, how: ChangedFile["how"]): void {
    const before = files.get(path);
    files.delete(path);
    // A file that was written and is read again is still a changed one.
    files.set(path, how === "read" && before !== undefined ? before : how);
    const [oldest] = files.keys();
    if (files.size > maxFiles && oldest !== undefined) files.delete(oldest);
  }

  function add(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.kind === "read") touch(effect.path, "read");
      else if (effect.kind === "write") touch(effect.path, "written");
      else if (effect.kind === "delete") touch(effect.path, "deleted");
      else if (effect.kind === "move") {
        touch(effect.from, "deleted");
        touch(effect.to, "written");
      }
    }
  }

  for (const entry of entries) if (entry.type === "planned") add(entry.call.effects);
  return { add, list: () => Array.from(files, ([path, how]) => ({ path, how })) };
}
