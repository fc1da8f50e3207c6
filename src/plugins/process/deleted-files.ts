import { readdirSync, readFileSync, statSync } from "node:fs";

import { valueOr } from "../../base/result.ts";

/** The disk space of deleted files that these processes still hold open or mapped (Linux). */
export function deletedBytes(pids: readonly number[]): number {
  const files = new Map<string, number>();
  for (const pid of pids) {
    for (const descriptor of valueOr(() => readdirSync(`/proc/${pid}/fd`), [])) {
      const stat = valueOr(() => statSync(`/proc/${pid}/fd/${descriptor}`), undefined);
      if (stat?.isFile() && stat.nlink === 0) files.set(String(stat.ino), stat.blocks * blockBytes);
    }
    // A mapping keeps a deleted file without a descriptor; only the size of the mapping is available.
    for (const [, from = "", to = "", inode = ""] of valueOr(
      () => readFileSync(`/proc/${pid}/maps`, "latin1"),
      "",
    ).matchAll(mappedFile))
      if (!files.has(inode)) files.set(inode, Number.parseInt(to, 16) - Number.parseInt(from, 16));
  }
  return [...files.values()].reduce((sum, bytes) => sum + bytes, 0);
}

const blockBytes = 512;
/** Matches a shared mapping of a deleted file on a disk. Shared memory has a similar line, but with device 00:…. */
const mappedFile =
  /^([0-9a-f]+)-([0-9a-f]+) ..(?:.)s [0-9a-f]+ (?!00:)[0-9a-f]+:[0-9a-f]+ ([1-9]\d*) +.*\(deleted\)$/gmu;
