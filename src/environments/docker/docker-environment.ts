import { waitFor } from "../../base/async/bounded-wait.ts";
import type { Variables } from "../../base/process/run-program.ts";
import { err, type Result } from "../../base/result.ts";
import type { EnvironmentFactory } from "../../contracts/environment/environment.ts";
import { childVariables } from "../child-environment.ts";
import { interrupted } from "../not-run.ts";
import { createRemoteEnvironment, type RemoteDeps } from "../remote/remote-environment.ts";
import { type ContainerSettings, homeLabel, planContainer } from "./container-plan.ts";
import { createDockerLink } from "./docker-link.ts";
import { type Engine, type EngineFault, findEngine } from "./engine.ts";
import { reapContainers } from "./reaper.ts";

export interface DockerDeps extends Omit<RemoteDeps, "cwd" | "homeId" | "targetName" | "passthrough"> {
  /** Path of the home that the containers belong to. */
  readonly home: string;
  readonly profile: string;
  /** Where commands start. Left out: /workspace when it is a folder of this machine, else /root. */
  readonly cwd?: string;
  /** Of this program, for the engine's command. Nothing of it reaches the container. */
  readonly clientEnv: Variables;
  /** A path or a name. Empty: docker, else podman. */
  readonly binary: string;
  readonly settings: Omit<ContainerSettings, "user">;
  /** Commands run with the number of the user of this program. */
  readonly isHostUser: boolean;
  /** Dead containers of the home are removed when an environment is opened. */
  readonly hasReaper: boolean;
  /** Tasks with the same key use one container. Left out: each task has its own. */
  readonly shareKey?: string;
  /** For the person who waits: an image that is being fetched. */
  readonly onProgress?: (line: string) => void;
  /** The longest time that fetching an image may take. */
  readonly pullMs?: number;
}

/** Commands in containers of docker or podman: one for each task, hardened, and gone some time after it was last used. */
export function createDockerFactory(deps: DockerDeps): EnvironmentFactory {
  const { clock, log, binary, settings } = deps;
  const env = Object.fromEntries(childVariables(deps.clientEnv, []));
  let result: Engine | undefined;

  async function engine(signal: AbortSignal): Promise<Result<Engine, EngineFault>> {
    if (result) return { ok: true, value: result };
    const asked = await findEngine({ binary, env, clock }, signal);
    if (!asked.ok) return asked;
    result = asked.value;
    if (deps.hasReaper) {
      const reaping = reapContainers(result, deps, new AbortController().signal);
      // Nobody waits for it, and it must not keep the program from ending.
      void waitFor(reaping, { ms: reapMs, clock, isOptional: true });
    }
    return asked;
  }

  return {
    kind: "docker",
    async open({ taskId, cwd, image }, signal) {
      if (signal.aborted) return err(interrupted);
      const [uid, gid] = [process.getuid?.(), process.getgid?.()];
      const plan = planContainer(
        {
          ...settings,
          ...(image !== undefined && { image }),
          ...(deps.isHostUser && uid !== undefined && gid !== undefined && { user: { uid, gid } }),
        },
        { home: deps.home, profile: deps.profile, key: deps.shareKey ?? taskId },
      );
      const link = createDockerLink({
        engine,
        plan,
        lifetimeMs: settings.lifetimeMs,
        pullMs: deps.pullMs ?? usualPullMs,
        clock,
        log,
        ...(deps.onProgress && { onProgress: deps.onProgress }),
      });
      return createRemoteEnvironment(
        link,
        {
          ...deps,
          cwd: cwd ?? deps.cwd ?? (settings.workspace === undefined ? "/root" : "/workspace"),
          homeId: homeLabel(deps.home),
          targetName: plan.name,
          passthrough: [],
        },
        signal,
      );
    },
  };
}

const reapMs = 60_000;
const usualPullMs = 900_000;
