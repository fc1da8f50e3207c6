import { lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

import { isOwnerDead, ownerName } from "../process/process-owner.ts";
import { valueOr } from "../result.ts";

/** Creates a folder that belongs to this process: `removeOrphanedFolders` removes it if this process is killed. */
export function makeTempFolder(parent: string, kind: string): string {
  return mkdtempSync(join(parent, `hermes-${kind}-${ownerName()}-`));
}

/** Removes the folders of this user that killed processes left in `parent`. */
export function removeOrphanedFolders(parent: string): void {
  for (const name of valueOr(() => readdirSync(parent), [])) {
    const owner = /^hermes-[a-z]+-(\d+\.\d+\.[0-9a-f]{8})-\w{6}$/u.exec(name)?.[1];
    if (owner === undefined || !isOwnerDead(owner)) continue;
    const path = join(parent, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    // In a shared folder, other users can create such names too.
    if (!stats?.isDirectory() || (process.getuid !== undefined && stats.uid !== process.getuid())) continue;
    // Another process may remove it at this moment.
    valueOr(() => rmSync(path, { recursive: true, force: true, maxRetries: 3 }), undefined);
  }
}
