import { readdirSync, readFileSync, statSync } from "node:fs";

import { valueOr } from "../../base/result.ts";

/** Bytes on disk of files without a name that these processes hold open or mapped (Linux). */
export function deletedBytes(pids: readonly number[]): number {
  const files = new Map<string, number>();
  for (const pid of pids) {
    for (const descriptor of valueOr(() => readdirSync(`/proc/${pid}/fd`), [])) {
      const stat = valueOr(() => statSync(`/proc/${pid}/fd/${descriptor}`), undefined);
      if (stat?.isFile() && stat.nlink === 0) files.set(String(stat.ino), stat.blocks * blockBytes);
    }
    // A mapping keeps a file without a descriptor; its size is all that is known.
    for (const [, from = "", to = "", inode = ""] of valueOr(
      () => readFileSync(`/proc/${pid}/maps`, "latin1"),
      "",
    ).matchAll(mappedFile))
      if (!files.has(inode)) files.set(inode, Number.parseInt(to, 16) - Number.parseInt(from, 16));
  }
  return [...files.values()].reduce((sum, bytes) => sum + bytes, 0);
}

const blockBytes = 512;
/** A shared mapping of a deleted file on a disk. Memory that processes share has such a line too, of device 00:…. */
const mappedFile =
  /^([0-9a-f]+)-([0-9a-f]+) ..(?:.)s [0-9a-f]+ (?!00:)[0-9a-f]+:[0-9a-f]+ ([1-9]\d*) +.*\(deleted\)$/gmu;
