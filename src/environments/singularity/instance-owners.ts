import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { makeFolder } from "../../base/files/make-folder.ts";
import { processStart } from "../../base/process/process-owner.ts";

/**
 * The programs that use an instance: one file each, named by pid and start time. Killed programs can be detected by
 * these, so they need no cleanup.
 */
export interface InstanceOwners {
  /** Records that this program uses the instance. Rejects with the system's error. */
  add(instance: string): Promise<void>;
  remove(instance: string): Promise<void>;
  /** Whether a running program uses the instance. */
  isOwned(instance: string): Promise<boolean>;
}

/** `holder` distinguishes the environments of this program. */
export function createInstanceOwners(folder: string, holder: string): InstanceOwners {
  const own = (instance: string) =>
    join(folder, `${instance}@${process.pid}-${processStart(process.pid) ?? 0}-${holder}`);
  return {
    async add(instance) {
      await makeFolder(folder, 0o700);
      await writeFile(own(instance), "", { mode: 0o600 });
    },
    remove: (instance) => rm(own(instance), { force: true }),
    async isOwned(instance) {
      const names = (await readdir(folder).catch(() => [])).filter((name) => name.startsWith(`${instance}@`));
      const dead = names.filter((name) => !isAlive(name.slice(instance.length + 1)));
      await Promise.all(dead.map((name) => rm(join(folder, name), { force: true })));
      return dead.length < names.length;
    },
  };
}

function isAlive(name: string): boolean {
  const [pid = "", start = ""] = name.split("-");
  return processStart(Number(pid)) === start;
}
