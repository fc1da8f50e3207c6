import { join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { ok } from "../../base/result.ts";
import { homeFiles, userFolder } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { makeScratchFolder } from "../../config/scratch-folder.ts";
import { createPluginInstaller, type PluginInstaller } from "../../plugins/install/plugin-installer.ts";
import { judgePublishedPlugin } from "../../safety/skills.ts";
import { cloneRepository, runGit } from "../../skills/hub/clone-repository.ts";

/** Installs plugins of others into the home. */
export function openInstaller({ home, env, user }: LoadedConfig, clock: Clock): PluginInstaller {
  const makeFolder = (kind: string) => makeScratchFolder(home.path, kind);
  return createPluginInstaller({
    home: home.path,
    plugins: join(home.path, homeFiles.plugins),
    env,
    clock,
    makeFolder,
    async clone(url, signal) {
      const cloned = await cloneRepository(url, { env, signal, makeFolder });
      if (!cloned.ok) return cloned;
      const commit = await runGit(["rev-parse", "HEAD"], { cwd: cloned.value.folder, env, signal });
      return ok({ ...cloned.value, commit: commit.ok ? commit.value.trim() : "" });
    },
    scan: (files) =>
      judgePublishedPlugin(
        files.map((file) => ({ kind: "file", ...file })),
        { home: userFolder(env), user },
      ),
  });
}
