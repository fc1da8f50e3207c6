import { join } from "node:path";

import { waitFor } from "../../base/async/bounded-wait.ts";
import { randomHex, sha256 } from "../../base/digest.ts";
import type { Variables } from "../../base/process/run-program.ts";
import { err, type Result } from "../../base/result.ts";
import type { EnvironmentFactory } from "../../contracts/environment/environment.ts";
import { childVariables } from "../child-environment.ts";
import type { LinkFault } from "../remote/link.ts";
import { createRemoteEnvironment, type RemoteDeps } from "../remote/remote-environment.ts";
import { interrupted } from "../run-failures.ts";
import { imageFile, scratchFolder } from "./image-file.ts";
import { createInstanceOwners } from "./instance-owners.ts";
import { createInstances, type Instances, type InstanceSettings } from "./instances.ts";
import { findRuntime, type RuntimeProgram } from "./runtime-program.ts";
import { createSingularityLink } from "./singularity-link.ts";

export interface SingularityDeps extends Omit<RemoteDeps, "cwd" | "homeId" | "targetName" | "passthrough"> {
  /** Path of the home that owns the instances. */
  readonly home: string;
  /** Working folder of commands. Default: the home folder in the instance. */
  readonly cwd?: string;
  /** Environment of the apptainer command. The instance does not see it. */
  readonly clientEnv: Variables;
  /** A file, a folder, or an address such as `docker://debian:12`. */
  readonly image: string;
  readonly settings: Omit<InstanceSettings, "overlay">;
  /** Files written in the instance are kept for the next session. */
  readonly isPersistent: boolean;
  readonly sandboxFolder: string;
  /** Folder for built images and kept files. Empty: chosen automatically. */
  readonly scratchFolder: string;
  /** Tasks with the same key share one instance. Default: one for each task. */
  readonly shareKey?: string;
  /** Progress for the user, such as an image build. */
  readonly onProgress?: (line: string) => void;
}

/** Runs commands in apptainer or singularity instances, one for each task. They end with the program. */
export function createSingularityFactory(deps: SingularityDeps): EnvironmentFactory {
  const { clock, log } = deps;
  const homeId = sha256(deps.home).slice(0, 12);
  const prefix = `hermes-${homeId}-`;
  const env = Object.fromEntries(childVariables(deps.clientEnv, []));
  let result: RuntimeProgram | undefined;

  async function runtime(instances: Instances, signal: AbortSignal): Promise<Result<RuntimeProgram, LinkFault>> {
    if (result) return { ok: true, value: result };
    const search = await findRuntime(env, clock, signal);
    if (!search.ok) return search;
    result = search.value;
    // Runs in the background and must not keep the program running.
    void waitFor(instances.reap(result, new AbortController().signal), { ms: reapMs, clock, isOptional: true });
    return search;
  }

  return {
    kind: "singularity",
    async open({ taskId, cwd, image = deps.image }, signal) {
      if (signal.aborted) return err(interrupted);
      const scratch = await scratchFolder(deps.scratchFolder, deps.clientEnv, deps.sandboxFolder);
      const key = deps.shareKey ?? taskId;
      const task = sha256(key).slice(0, 12);
      const settings: InstanceSettings = {
        ...deps.settings,
        ...(deps.isPersistent && { overlay: overlayFolder(scratch, deps.home, key) }),
      };
      const instances = createInstances({
        settings,
        owners: createInstanceOwners(join(deps.sandboxFolder, "singularity", "owners"), randomHex(4)),
        prefix,
        image: (program, until) =>
          imageFile(program, image, { ...deps, folder: join(scratch, "hermes-images") }, until),
        log,
      });
      const config = sha256(JSON.stringify([settings, image])).slice(0, 8);
      const name = `${prefix}${task}-${config}`;
      const link = createSingularityLink({
        clock,
        name,
        instances,
        open: (until) => runtime(instances, until),
      });
      return createRemoteEnvironment(
        link,
        { ...deps, cwd: cwd ?? deps.cwd ?? "~", homeId, targetName: name, passthrough: [] },
        signal,
      );
    },
  };
}

/** The folder that keeps the writes of a task in its persistent container. */
export function overlayFolder(scratch: string, home: string, key: string): string {
  return join(scratch, "hermes-overlays", `overlay-${sha256(home).slice(0, 12)}-${sha256(key).slice(0, 12)}`);
}

const reapMs = 60_000;
