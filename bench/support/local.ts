import { join } from "node:path";

import { systemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log.ts";
import type { Environment } from "../../src/contracts/environment.ts";
import { createLocalFactory } from "../../src/environments/local/local-environment.ts";

/** An environment on this machine that keeps all it needs below `home`. */
export async function openLocal(home: string): Promise<Environment> {
  const factory = createLocalFactory({
    env: process.env,
    passthrough: [],
    cwd: home,
    tempFolder: join(home, "tmp"),
    spillFolder: join(home, "spill"),
    initFiles: [],
    clock: systemClock,
    log: silentLog,
  });
  const opened = await factory.open({ taskId: "bench" }, new AbortController().signal);
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}
