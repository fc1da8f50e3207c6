import { readdir } from "node:fs/promises";
import { join } from "node:path";

import type { Worktrees } from "../../agents/worktrees/worktrees.ts";
import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/log.ts";
import { err } from "../../base/result.ts";
import { homeFiles } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { createWriteLock } from "../../kernel/write-lock.ts";

interface WorktreeDeps {
  readonly clock: Clock;
  readonly log: Logger;
}

/** Opens the worktrees of agents in a home. The code is loaded at the first use. */
export function openWorktrees({ home, env }: LoadedConfig, { clock, log }: WorktreeDeps): () => Promise<Worktrees> {
  return once(async () => {
    const { createWorktrees } = await import("../../agents/worktrees/worktrees.ts");
    const worktrees = createWorktrees({
      folder: join(home.path, homeFiles.worktrees),
      patches: join(home.path, homeFiles.patches),
      env,
      clock,
      log,
    });
    const writeAlone = createWriteLock(join(home.root, homeFiles.fileWrites), { clock, log });
    const apply: Worktrees["apply"] = async (patch, target, signal) => {
      const applied = await writeAlone(() => worktrees.apply(patch, target, signal), signal);
      return applied.ok ? applied.value : err({ message: applied.error, files: [] });
    };
    return { ...worktrees, apply };
  });
}

/** Removes copies that dead programs left behind; loads nothing if there are none. */
export async function removeLeftWorktrees(
  config: LoadedConfig,
  deps: WorktreeDeps,
  signal: AbortSignal,
): Promise<void> {
  const names = await readdir(join(config.home.path, homeFiles.worktrees)).catch(() => []);
  if (names.length > 0) await (await openWorktrees(config, deps)()).removeOrphans(signal);
}
