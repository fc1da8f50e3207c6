import { basename, join } from "node:path";

import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/log.ts";
import type { Supervisor } from "../../environments/supervisor/supervisor.ts";

/** The home's supervisor of background processes. Its code is loaded by whoever first asks. */
export function openSupervisor(
  home: string,
  deps: { readonly searchPath: string | undefined; readonly clock: Clock; readonly log: Logger },
): Supervisor & AsyncDisposable {
  let isLoaded = false;
  const { searchPath, clock, log } = deps;
  const load = once(async () => {
    isLoaded = true;
    const { createSupervisor } = await import("../../environments/supervisor/create-supervisor.ts");
    return createSupervisor({ home, entry: entryFile(), clock, log, ...(searchPath !== undefined && { searchPath }) });
  });
  return {
    start: async (start, signal) => (await load()).start(start, signal),
    list: async (...asked) => (await load()).list(...asked),
    async [Symbol.asyncDispose]() {
      if (isLoaded) await (await load())[Symbol.asyncDispose]();
    },
  };
}

/** Beside this one: from source in `bin`, in the bundle an entry of its own. */
function entryFile(): string {
  const { filename, dirname } = import.meta;
  if (filename.endsWith(".ts")) return join(dirname, "..", "..", "bin", "supervisor.ts");
  return join(dirname, basename(dirname) === "chunks" ? ".." : ".", "supervisor.js");
}
