import { systemClock } from "../../base/clock.ts";
import { removeTree } from "../../base/files/remove-tree.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { sandboxFolder } from "./backends.ts";
import type { TaskOverrides } from "./open-environment.ts";

/**
 * Each session has its own container, unless `terminal.container_shared` is on. Rented machines cost money while they
 * are kept, so the sessions of a home share one.
 */
export function sessionTask(config: LoadedConfig, sessionId: string): TaskOverrides {
  return hasOwnContainer(config) ? { taskId: sessionId } : {};
}

export function hasOwnContainer({ values: { terminal } }: LoadedConfig): boolean {
  return ["docker", "singularity"].includes(terminal.backend) && !terminal.container_shared;
}

/** Removes the containers and persistent folders of sessions, whatever backend the settings name now. */
export async function eraseSessionContainers(
  config: LoadedConfig,
  sessions: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { terminal } = config.values;
  const [{ eraseTasks }, { overlayFolder }, { scratchFolder }] = await Promise.all([
    import("../../environments/docker/erase-tasks.ts"),
    import("../../environments/singularity/singularity-environment.ts"),
    import("../../environments/singularity/image-file.ts"),
  ]);
  const folder = sandboxFolder(config);
  const deps = {
    home: config.home.path,
    sandboxFolder: folder,
    binary: terminal.docker_binary,
    image: terminal.docker_image,
    clientEnv: config.env,
    clock: systemClock,
  };
  await eraseTasks(sessions, deps, signal);
  const scratch = await scratchFolder(terminal.scratch_dir, config.env, folder);
  for (const id of sessions) await removeTree(overlayFolder(scratch, config.home.path, id));
}
