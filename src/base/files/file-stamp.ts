import { statSync } from "node:fs";

/** Differs after every change of the file. Empty: there is none. Synchronous, because a call that waits costs more. */
export function fileStamp(file: string): string {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats ? `${stats.mtimeNs} ${stats.size} ${stats.ino}` : "";
}
