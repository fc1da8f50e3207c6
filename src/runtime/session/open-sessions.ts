import { existsSync } from "node:fs";
import { join } from "node:path";

import { type Clock, systemClock } from "../../base/clock.ts";
import { userName } from "../../base/this-user.ts";
import { homeFiles } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { Principal } from "../../contracts/principal.ts";
import type { SessionStore } from "../../contracts/session.ts";
import { openSessionStore } from "../../store/session-store.ts";

/** The sessions of this home, to look at. Undefined while there are none: looking creates nothing. */
export async function openSessions(
  config: LoadedConfig,
  clock: Clock = systemClock,
): Promise<SessionStore | undefined> {
  const file = join(config.home.path, homeFiles.sessions);
  return existsSync(file) ? openSessionStore(file, { clock }) : undefined;
}

/** Whoever runs this program. */
export function localPrincipal(): Principal {
  return { id: `local:${userName()}` };
}
