import { rm } from "node:fs/promises";
import { join } from "node:path";

import type { SessionId } from "../../base/ids.ts";
import { homeFiles } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import type { Erased, EraseOutsideData, SessionStore } from "../../contracts/session/session.ts";
import { spillFile } from "../../store/spill-store.ts";

/** Erases sessions permanently, with all their other data in the home. Sessions with a lease are kept. */
export function eraseSessions(
  ids: readonly SessionId[],
  who: Principal,
  { store, config }: { readonly store: SessionStore; readonly config: LoadedConfig },
  signal: AbortSignal,
): Promise<Erased> {
  return store.erase(ids, who, signal, eraseOutsideData(config));
}

/** Removes data of sessions outside the store: recordings, traces, long results and outputs, background processes, containers, checkpoints, search. */
export function eraseOutsideData(config: LoadedConfig): EraseOutsideData {
  const inHome = (...names: readonly string[]) => join(config.home.path, ...names);
  return async ({ sessions, calls, outputs }, signal) => {
    const files = [
      ...sessions.map((id) => inHome(homeFiles.recordings, `${id}.jsonl`)),
      ...sessions.map((id) => inHome(homeFiles.moaTraces, `${id}.jsonl`)),
      ...calls.map((call) => spillFile(inHome(homeFiles.results), call)),
      ...outputs.map((name) => inHome(homeFiles.outputs, name)),
    ];
    for (const file of new Set(files)) await rm(file, { force: true });
    for (const id of sessions) await rm(inHome(homeFiles.sessionMail, id), { recursive: true, force: true });
    const { forgetProcesses } = await import("../../environments/supervisor/forget-processes.ts");
    forgetProcesses(config.home.path, sessions);
    const { eraseSessionContainers } = await import("../environment/session-containers.ts");
    await eraseSessionContainers(config, sessions, signal);
    const { eraseSessionCheckpoints } = await import("../knowledge/project-checkpoints.ts");
    await eraseSessionCheckpoints(config, sessions, signal);
    const { forgetErasedTexts } = await import("./open-search.ts");
    await forgetErasedTexts(config, signal);
  };
}
