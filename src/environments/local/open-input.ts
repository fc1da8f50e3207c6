import { randomBytes } from "node:crypto";
import { closeSync, openSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describeFault } from "../../base/files/file-fault.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { EnvironmentError } from "../../contracts/environment/environment.ts";

/**
 * A descriptor to read these bytes from: a file without a name, so that nobody has to feed the command and it can open
 * `/dev/stdin` as well. Short input, which may be a password, is kept off the disk where the system has a place for that.
 */
export function openInput(bytes: Uint8Array, folder: string): Result<number, EnvironmentError> {
  if (bytes.length <= maxInMemoryBytes) {
    const inMemory = nameless(bytes, "/dev/shm");
    if (inMemory.ok) return inMemory;
  }
  return nameless(bytes, folder);
}

const maxInMemoryBytes = 1024 * 1024;

function nameless(bytes: Uint8Array, folder: string): Result<number, EnvironmentError> {
  const path = join(folder, `hermes-input-${randomBytes(8).toString("hex")}`);
  try {
    const writing = openSync(path, "wx", 0o600);
    try {
      writeFileSync(writing, bytes);
      return ok(openSync(path, "r"));
    } finally {
      closeSync(writing);
      rmSync(path, { force: true });
    }
  } catch (thrown) {
    return err({ kind: "unreachable", message: describeFault(thrown, folder).message });
  }
}
