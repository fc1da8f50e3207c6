import { statSync } from "node:fs";

/**
 * A string that changes with every change of the file. Empty: the file does not exist. Synchronous, because an
 * asynchronous call costs more.
 */
export function fileStamp(file: string): string {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats ? `${stats.mtimeNs} ${stats.size} ${stats.ino}` : "";
}
