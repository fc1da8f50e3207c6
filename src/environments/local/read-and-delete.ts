import { closeSync, constants, fstatSync, openSync, readFileSync, rmSync, unlinkSync } from "node:fs";

import { valueOr } from "../../base/result.ts";

/**
 * Reads a file that a command left, one byte per character, and removes it. The writer is untrusted, so this follows no
 * link, does not wait for a pipe, and does not read a long file.
 */
export function readAndDelete(path: string): string | undefined {
  const file = valueOr(
    () => openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK),
    undefined,
  );
  if (file === undefined) return undefined;
  try {
    const result = fstatSync(file);
    return result.isFile() && result.size <= maxBytes ? readFileSync(file, "latin1") : undefined;
  } catch {
    return undefined;
  } finally {
    closeSync(file);
    remove(path);
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // The path is a folder, or no longer exists.
    rmSync(path, { force: true, recursive: true });
  }
}

const maxBytes = 64 * 1024 * 1024;
