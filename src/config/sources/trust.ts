import { join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { withFileLock, writeFileAtomic } from "../../base/files/atomic-file.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { ensureHome, homeFiles } from "../home.ts";
import type { Problem } from "../problem.ts";
import { trustedFolders, type TrustedFolder } from "./trusted-folders.ts";

export { trustedFolders } from "./trusted-folders.ts";

export interface WriteContext {
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** Stores a trusted folder; replaces an earlier record of the same path. */
export async function trustFolder(
  home: string,
  folder: TrustedFolder,
  context: WriteContext,
): Promise<Result<void, Problem>> {
  const changed = await change(
    home,
    (folders) => [...folders.filter(({ path }) => path !== folder.path), folder],
    context,
  );
  return changed.ok ? ok(undefined) : changed;
}

/** Removes a trusted folder. False: it was not stored. */
export async function revokeTrust(
  home: string,
  path: string,
  context: WriteContext,
): Promise<Result<boolean, Problem>> {
  const result = await trustedFolders(home);
  if (!result.ok) return result;
  if (!result.value.some((folder) => folder.path === path)) return ok(false);
  const changed = await change(home, (folders) => folders.filter((folder) => folder.path !== path), context);
  return changed.ok ? ok(true) : changed;
}

export const lockTimeoutMs = 30_000;

async function change(
  home: string,
  edit: (folders: readonly TrustedFolder[]) => readonly TrustedFolder[],
  { signal, clock }: WriteContext,
): Promise<Result<void, Problem>> {
  const result = await ensureHome(home);
  if (!result.ok) return result;
  const file = join(home, homeFiles.trust);
  const locked = await withFileLock(
    file,
    async (): Promise<Result<void, Problem>> => {
      const result = await trustedFolders(home);
      if (!result.ok) return result;
      const text = `${JSON.stringify({ version: 1, folders: edit(result.value) }, undefined, 2)}\n`;
      const written = await writeFileAtomic(file, text, { mode: 0o600 });
      return written.ok ? written : err({ message: written.error.message });
    },
    { signal, clock, timeoutMs: lockTimeoutMs },
  );
  return locked.ok ? locked.value : err({ message: locked.error.message });
}
