import { join } from "node:path";

import { err } from "../base/result.ts";
import type { MemoryDesk, MemoryTarget } from "../contracts/knowledge/memory.ts";
import { memoryFileNames, type MemoryFiles } from "./memory-files.ts";
import type { PendingChanges } from "./pending-changes.ts";

/** The memory of one person. */
interface DeskParts {
  readonly folder: string;
  readonly files: MemoryFiles;
  readonly pending: PendingChanges;
  readonly targets: readonly MemoryTarget[];
}

/** What `hermes memory` and `/memory` do, for the person whose notes they are. */
export function createMemoryDesk({ files, folder, pending, targets }: DeskParts): MemoryDesk {
  const me = { by: "user" } as const;
  return {
    pages: () =>
      Promise.all(
        targets.map(async (target) => ({
          target,
          file: join(folder, memoryFileNames[target]),
          ...(await files.read(target)),
        })),
      ),
    history: files.history,
    undo: (count, signal) => files.undo(count, me, signal),
    pending: pending.list,
    async approve(id, signal) {
      const result = await pending.take(id, signal);
      if (!result.ok) return result;
      const { target, changes, by, session } = result.value;
      const made = await files.change(target, changes, { by, ...(session !== undefined && { session }) }, signal);
      if (made.ok) return result;
      // It goes on waiting: the person may make room for it first.
      const { id: _id, at: _at, ...again } = result.value;
      const back = await pending.add(again, signal);
      const where = back.ok ? `; it waits as ${back.value.id} now` : "";
      return err({ message: `${made.error.message}${where}` });
    },
    reject: (id, signal) => pending.take(id, signal),
  };
}
