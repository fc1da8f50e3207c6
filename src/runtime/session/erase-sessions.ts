import { rm } from "node:fs/promises";
import { join } from "node:path";

import type { SessionId } from "../../base/ids.ts";
import { homeFiles } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { Principal } from "../../contracts/principal.ts";
import type { Erased, SessionStore } from "../../contracts/session.ts";
import { spillFile } from "../calls/spill-store.ts";

/** Erases sessions for good, with everything that is kept of them elsewhere in the home. Those that are held stay. */
export async function eraseSessions(
  ids: readonly SessionId[],
  who: Principal,
  { store, config }: { readonly store: SessionStore; readonly config: LoadedConfig },
  signal: AbortSignal,
): Promise<Erased> {
  const erased = await store.erase(ids, who, signal);
  if (erased.sessions.length === 0) return erased;
  const home = config.home.path;
  for (const id of erased.sessions) await rm(join(home, homeFiles.recordings, `${id}.jsonl`), { force: true });
  for (const call of erased.calls) await rm(spillFile(join(home, homeFiles.results), call), { force: true });
  const { eraseSessionCheckpoints } = await import("../knowledge/keep-checkpoints.ts");
  await eraseSessionCheckpoints(config, erased.sessions, signal);
  const { forgetErasedTexts } = await import("../knowledge/open-search.ts");
  await forgetErasedTexts(config, signal);
  return erased;
}
