import type { Clock } from "../base/clock.ts";
import { withFileLock } from "../base/files/file-lock.ts";
import type { Logger } from "../base/log/log.ts";
import type { FileReads } from "../contracts/host/ports.ts";

/**
 * Lets one conversation at a time look at files and change them, in this program and in others with the same lock. Where
 * the lock cannot be had the work is done all the same: it finds out itself what others changed, but for the last moment.
 */
export function createWriteAlone(lock: string, { clock, log }: { readonly clock: Clock; readonly log: Logger }) {
  const writeAlone: NonNullable<FileReads["writeAlone"]> = async (work, signal) => {
    const done = await withFileLock(lock, work, { signal, timeoutMs, clock });
    if (done.ok) return done.value;
    log.warn("file_writes.not_locked", { ...done.error });
    return work();
  };
  return writeAlone;
}

const timeoutMs = 10_000;
