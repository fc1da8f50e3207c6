import { once } from "../base/async/once.ts";
import type { LoadedConfig } from "../config/load.ts";
import type { Runtime, Session } from "../contracts/session/runtime.ts";
import type { ServiceOpeners } from "./operation.ts";

/** Openers over the files of a home, for a host that runs without a session. Each service opens once, and `owned` closes it. */
export function homeServices(
  config: () => Promise<LoadedConfig>,
  owned: AsyncDisposableStack,
  warn: (message: string) => void,
): ServiceOpeners {
  const sessions = once(async () => {
    const { openSessions } = await import("../runtime/session/open-sessions.ts");
    const store = await openSessions(await config(), warn);
    return store && owned.use(store);
  });
  return {
    config,
    sessions,
    storeUpkeep: async () => (await sessions())?.upkeep,
    sessionSearch: once(async () => {
      const { openSearch } = await import("../runtime/knowledge/open-search.ts");
      const { sessionsFile } = await import("../runtime/session/open-sessions.ts");
      return owned.use(openSearch(sessionsFile(await config())));
    }),
  };
}

/** Openers over a running runtime and the session that the caller is in. */
export function sessionServices(config: LoadedConfig, runtime: Runtime, session: Session): ServiceOpeners {
  return {
    config: () => config,
    sessions: () => runtime.sessions,
    sessionSearch: () => runtime.search,
    session: () => session,
  };
}
