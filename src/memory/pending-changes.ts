import { readFile } from "node:fs/promises";
import { join } from "node:path";

import type { Clock } from "../base/clock.ts";
import { randomHex } from "../base/digest.ts";
import { writeFileAtomic } from "../base/files/atomic-file.ts";
import { withFileLock } from "../base/files/file-lock.ts";
import { makeFolder } from "../base/files/make-folder.ts";
import { isObject } from "../base/json.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { PendingMemory } from "../contracts/knowledge/memory.ts";

/** Stores the changes that wait for approval, in one small file. */
export interface PendingChanges {
  list(): Promise<readonly PendingMemory[]>;
  add(change: Omit<PendingMemory, "id" | "at">, signal: AbortSignal): Promise<Result<PendingMemory>>;
  /** Removes and returns a change. If two callers request it at the same time, only one gets it. */
  take(id: string, signal: AbortSignal): Promise<Result<PendingMemory>>;
}

export function createPendingChanges(folder: string, clock: Clock): PendingChanges {
  const file = join(folder, "pending.json");

  async function list(): Promise<readonly PendingMemory[]> {
    try {
      const value: unknown = JSON.parse(await readFile(file, "utf8"));
      // Safe cast: only this program writes the file.
      return Array.isArray(value) ? value.filter((each): each is PendingMemory => isObject(each)) : [];
    } catch {
      return [];
    }
  }

  async function change<T>(
    signal: AbortSignal,
    run: (waiting: readonly PendingMemory[]) => Result<{ readonly kept: readonly PendingMemory[]; readonly answer: T }>,
  ): Promise<Result<T>> {
    await makeFolder(folder, 0o700);
    const done = await withFileLock(
      file,
      async (): Promise<Result<T>> => {
        const result = run(await list());
        if (!result.ok) return result;
        const written = await writeFileAtomic(file, JSON.stringify(result.value.kept, null, 2), { mode: 0o600 });
        return written.ok ? ok(result.value.answer) : err({ message: written.error.message });
      },
      { signal, timeoutMs: lockMs, clock },
    );
    return done.ok ? done.value : err({ message: done.error.message });
  }

  return {
    list,
    add: (request, signal) =>
      change(signal, (waiting) => {
        const answer = { id: `p_${randomHex(3)}`, at: clock.now(), ...request };
        return ok({ kept: [...waiting, answer], answer });
      }),
    take: (id, signal) =>
      change(signal, (waiting) => {
        const matches = waiting.filter((each) => each.id === id || each.id.startsWith(id));
        const [answer] = matches;
        if (!answer || matches.length > 1)
          return err({ message: `no pending change has the id ${JSON.stringify(id)}` });
        return ok({ kept: waiting.filter((each) => each !== answer), answer });
      }),
  };
}

const lockMs = 30_000;
