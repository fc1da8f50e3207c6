import { waitFor } from "../../base/async/bounded-wait.ts";
import { systemClock } from "../../base/clock.ts";
import type { FileSystem } from "../../contracts/environment/environment.ts";
import type { ContextFolder } from "../../kernel/prompt/context-files.ts";
import { localFolder, remoteFolder } from "../../kernel/prompt/context-folder.ts";
import type { FolderHintsDeps } from "../../kernel/prompt/folder-hints.ts";
import { gitRoot } from "./prompt-facts.ts";

/** Where the rules of deeper folders are looked for: on this machine, or through the environment where commands run. */
export function hintPlace(): FolderHintsDeps["at"] {
  const roots = new WeakMap<FileSystem, Promise<string>>();
  return async ({ scope }) => {
    const { backend, workspace, cwd } = scope.place;
    if (backend === "local") return workspace === undefined ? undefined : { folder: localFolder, root: workspace };
    const files = scope.services.environment?.files;
    if (!files) return undefined;
    const folder = bounded(remoteFolder(files, scope.signal), scope.signal);
    const root =
      workspace === undefined
        ? (roots.get(files) ?? folder.real(cwd).then((path) => gitRoot(folder, path)))
        : undefined;
    if (root) roots.set(files, root);
    return { folder, root: workspace ?? (await root) ?? cwd };
  };
}

const maxWaitMs = 3_000;

/** A machine that is slow to answer has no rules: the result of the call does not wait for them. */
function bounded(folder: ContextFolder, signal: AbortSignal): ContextFolder {
  const within = async <T>(work: Promise<T>, otherwise: T): Promise<T> => {
    const waited = await waitFor(work, { signal, ms: maxWaitMs, clock: systemClock }).catch(() => undefined);
    return waited?.how === "done" ? waited.value : otherwise;
  };
  return {
    read: (path) => within(folder.read(path), undefined),
    list: (path) => within(folder.list(path), []),
    real: (path) => within(folder.real(path), path),
  };
}
