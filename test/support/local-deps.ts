import { join } from "node:path";

import { systemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log.ts";
import type { LocalDeps } from "../../src/environments/local/local-environment.ts";

/** A local environment that keeps all it needs below `home` and reads nobody's start-up files. */
export function localDeps(home: string, cwd = home): LocalDeps {
  return {
    env: { PATH: process.env.PATH, HOME: home },
    passthrough: [],
    cwd,
    tempFolder: join(home, "tmp"),
    spillFolder: join(home, "spill"),
    initFiles: [],
    clock: systemClock,
    log: silentLog,
  };
}
