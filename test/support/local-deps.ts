import { join } from "node:path";

import { systemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log/log.ts";
import type { LocalDeps } from "../../src/environments/local/local-environment.ts";
import { createSupervisor, type SupervisorDeps } from "../../src/environments/supervisor/create-supervisor.ts";
import type { Supervisor } from "../../src/environments/supervisor/supervisor.ts";

/** A local environment that keeps all its files below `home` and reads no start-up files. */
export function localDeps(home: string, cwd = home): LocalDeps {
  return {
    env: { PATH: process.env.PATH, HOME: home },
    passthrough: [],
    cwd,
    tempFolder: join(home, "tmp"),
    spillFolder: join(home, "spill"),
    initFiles: [],
    supervisor: testSupervisor(home),
    clock: systemClock,
    log: silentLog,
  };
}

/** Uses the built supervisor, which starts much faster than its sources. It exits soon when it is idle. */
export function testSupervisor(home: string, changes: Partial<SupervisorDeps> = {}): Supervisor & AsyncDisposable {
  return createSupervisor({
    home,
    entry: join(import.meta.dirname, "..", "..", "dist", "supervisor.js"),
    idleMs: 200,
    clock: systemClock,
    log: silentLog,
    ...changes,
  });
}

/** Ends and removes every process of the Hermes home, even after a failed test. */
export async function removeProcesses(home: string): Promise<void> {
  const { signal } = new AbortController();
  await using supervisor = testSupervisor(home);
  const listed = await supervisor.list(signal);
  if (listed.ok) await Promise.all(listed.value.map((handle) => handle.remove(signal)));
}
