import { lstatSync } from "node:fs";
import { join } from "node:path";

import { describeFault } from "../../base/files/file-fault.ts";
import { makeFolderSync } from "../../base/files/make-folder.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { EnvironmentError } from "../../contracts/environment/environment.ts";

/** The folder of a home with its process records and the supervisor's socket and lock. */
export function processFolder(home: string): string {
  return join(home, "processes");
}

/** Creates the folder. Refuses one that another user owns or can write to. */
export function ownFolder(folder: string): Result<void, EnvironmentError> {
  try {
    makeFolderSync(folder, 0o700);
    const { uid, mode } = lstatSync(folder);
    const me = process.getuid?.() ?? uid;
    if (uid === me && (mode & 0o022) === 0) return ok(undefined);
    const whose = uid === me ? "other users can write to it" : "it belongs to another user";
    return err({
      kind: "misconfigured",
      message: `${folder} cannot be used: ${whose}`,
      hint: uid === me ? `Run: chmod 700 ${folder}` : "Use a home of your own, or move that folder away.",
    });
  } catch (thrown) {
    return err({ kind: "unreachable", message: describeFault(thrown, folder).message });
  }
}
