import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Clock } from "../base/clock.ts";
import { takeFileLock } from "../base/files/file-lock.ts";
import { makeFolderSync } from "../base/files/make-folder.ts";
import type { SessionId } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import { StoreError, storeError } from "./store-fault.ts";

/**
 * One writer for a session, over all programs. The lock is the system's and goes with its holder, however that ends; who
 * the holder is lies beside it for those who ask. Rejects with a `StoreError`.
 */
export async function takeLease(
  folder: string,
  sessionId: SessionId,
  holder: string,
  clock: Clock,
): Promise<Result<Disposable, { readonly heldBy: string }>> {
  try {
    makeFolderSync(folder, 0o700);
  } catch (thrown) {
    throw storeError(thrown, folder);
  }
  const path = join(folder, sessionId);
  const taken = await takeFileLock(path, { signal: new AbortController().signal, timeoutMs: 0, clock });
  if (!taken.ok) {
    const { code, message } = taken.error;
    if (code === "ETIMEDOUT") return err({ heldBy: holderOf(path) });
    throw new StoreError(code === "ENOSPC" ? "full" : code === "EROFS" ? "read_only" : "no_access", message);
  }
  const note = `${holder} (process ${process.pid}, since ${timeOf(clock.now())})`;
  // Only for those who ask: a full disk takes nobody's session away.
  leniently(() => writeFileSync(`${path}.holder`, note, { mode: 0o600 }));
  return ok({
    [Symbol.dispose]() {
      leniently(() => rmSync(`${path}.holder`, { force: true }));
      taken.value[Symbol.dispose]();
    },
  });
}

/** Of a session that is no more; by whoever holds it. */
export function removeLease(folder: string, sessionId: SessionId): void {
  leniently(() => rmSync(`${join(folder, sessionId)}.lock`, { force: true }));
}

function holderOf(path: string): string {
  try {
    return readFileSync(`${path}.holder`, "utf8") || "another program";
  } catch {
    return "another program";
  }
}

/** `14:05`, as the machine's clock shows it. */
function timeOf(now: number): string {
  const local = new Date(now - new Date(now).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(11, 16);
}

function leniently(run: () => void): void {
  try {
    run();
  } catch {
    // Nobody depends on it.
  }
}
