import type { Clock } from "../base/clock.ts";
import { withFileLock } from "../base/files/file-lock.ts";
import type { Logger } from "../base/log/log.ts";
import { err, ok } from "../base/result.ts";
import type { FileReads } from "../contracts/host/ports.ts";

/**
 * Lets one session at a time read and change files, in this program and in others that use the same lock. If another
 * session holds the lock for too long, the work does not run. If no lock is possible, because the home is read-only,
 * the work runs without it and detects most changes by others itself.
 */
export function createWriteLock(lock: string, { clock, log }: { readonly clock: Clock; readonly log: Logger }) {
  const writeAlone: NonNullable<FileReads["writeAlone"]> = async (work, signal) => {
    const done = await withFileLock(lock, work, { signal, timeoutMs, clock });
    if (done.ok) return done;
    if (done.error.code === "ETIMEDOUT" || done.error.code === "ABORT_ERR") return err(done.error.message);
    log.warn("file_writes.not_locked", { ...done.error });
    return ok(await work());
  };
  return writeAlone;
}

const timeoutMs = 10_000;
