import { readFile } from "node:fs/promises";
import { dirname } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { withFileLock, writeFileAtomic } from "../../base/files/atomic-file.ts";
import { codeOf, describeFault } from "../../base/files/file-fault.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { isObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";

/** The Modal image with the files of each task; one file per home, shared by all its programs. */
export interface Snapshots {
  find(taskId: string): Promise<Result<string | undefined, string>>;
  keep(taskId: string, imageId: string, signal: AbortSignal): Promise<Result<void, string>>;
  /**
   * The snapshot could not be restored: the task starts from the plain image, and the snapshot stays listed under the
   * returned name.
   */
  setAside(taskId: string, signal: AbortSignal): Promise<Result<string, string>>;
}

export function createSnapshots(file: string, clock: Clock): Snapshots {
  async function read(): Promise<Result<Record<string, unknown>, string>> {
    try {
      const value: unknown = JSON.parse(await readFile(file, "utf8"));
      return isObject(value) ? ok(value) : err(`${file} is not a list of snapshots; repair it or move it away`);
    } catch (thrown) {
      if (codeOf(thrown) === "ENOENT") return ok({});
      if (thrown instanceof SyntaxError) return err(`${file} is not JSON; repair it or move it away`);
      return err(describeFault(thrown, file).message);
    }
  }

  async function change(
    edit: (entries: Record<string, unknown>) => void,
    signal: AbortSignal,
  ): Promise<Result<void, string>> {
    try {
      await makeFolder(dirname(file), 0o700);
    } catch (thrown) {
      return err(describeFault(thrown, dirname(file)).message);
    }
    const changed = await withFileLock(
      file,
      async () => {
        const entries = await read();
        if (!entries.ok) return entries;
        edit(entries.value);
        const text = `${JSON.stringify(entries.value, undefined, 2)}\n`;
        const written = await writeFileAtomic(file, text, { mode: 0o600 });
        return written.ok ? ok(undefined) : err(written.error.message);
      },
      { signal, timeoutMs: lockMs, clock },
    );
    return changed.ok ? changed.value : err(changed.error.message);
  }

  return {
    async find(taskId) {
      const entries = await read();
      if (!entries.ok) return entries;
      const id = entries.value[keyOf(taskId)];
      return ok(typeof id === "string" && id !== "" ? id : undefined);
    },
    keep: (taskId, imageId, signal) => change((entries) => void (entries[keyOf(taskId)] = imageId), signal),
    async setAside(taskId, signal) {
      let aside = "";
      const changed = await change((entries) => {
        const id = entries[keyOf(taskId)];
        delete entries[keyOf(taskId)];
        aside = `unrestored:${taskId}`;
        for (let index = 2; aside in entries && entries[aside] !== id; index++) aside = `unrestored:${taskId}:${index}`;
        entries[aside] = id;
      }, signal);
      return changed.ok ? ok(aside) : changed;
    },
  };
}

/** The names that the original program uses. */
function keyOf(taskId: string): string {
  return `direct:${taskId}`;
}

const lockMs = 10_000;
