import { waitFor } from "../../base/async/bounded-wait.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/log.ts";
import type { Variables } from "../../base/process/run-program.ts";
import { err, type Result } from "../../base/result.ts";
import type { EnvironmentFactory } from "../../contracts/environment/environment.ts";
import { childVariables } from "../child-environment.ts";
import { createRemoteEnvironment, type RemoteDeps } from "../remote/remote-environment.ts";
import { interrupted } from "../run-failures.ts";
import { type ContainerSettings, homeLabel, planContainer, labelNames } from "./container-plan.ts";
import { createDockerLink } from "./docker-link.ts";
import { type Engine, type EngineFault, findEngine } from "./engine.ts";
import { type ContainerInfo, findContainers } from "./find-containers.ts";

export interface DockerDeps extends Omit<RemoteDeps, "cwd" | "homeId" | "targetName" | "passthrough"> {
  /** Path of the home that owns the containers. */
  readonly home: string;
  readonly profile: string;
  /** Working folder of commands. Default: /workspace when it is mounted from this machine, else /root. */
  readonly cwd?: string;
  /** Environment of the engine's command. The container does not see it. */
  readonly clientEnv: Variables;
  /** A path or a name. Empty: docker, else podman. */
  readonly binary: string;
  readonly settings: Omit<ContainerSettings, "user">;
  /** Run commands with the user id of this program. */
  readonly isHostUser: boolean;
  /** Remove dead containers of the home when an environment opens. */
  readonly hasReaper: boolean;
  /** Tasks with the same key share one container. Default: one container for each task. */
  readonly shareKey?: string;
  /** Progress for the user, such as an image download. */
  readonly onProgress?: (line: string) => void;
  /** Timeout for an image download. */
  readonly pullMs?: number;
}

/**
 * Runs commands in docker or podman containers: one hardened container per task, which exits some time after its last
 * use.
 */
export function createDockerFactory(deps: DockerDeps): EnvironmentFactory {
  const { clock, log, binary, settings } = deps;
  const env = Object.fromEntries(childVariables(deps.clientEnv, []));
  let result: Engine | undefined;

  async function engine(signal: AbortSignal): Promise<Result<Engine, EngineFault>> {
    if (result) return { ok: true, value: result };
    const search = await findEngine({ binary, env, clock }, signal);
    if (!search.ok) return search;
    result = search.value;
    if (deps.hasReaper) {
      const reaping = reapContainers(result, deps, new AbortController().signal);
      // Runs in the background and must not keep the program running.
      void waitFor(reaping, { ms: reapMs, clock, isOptional: true });
    }
    return search;
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
        pullMs: deps.pullMs ?? defaultPullMs,
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
const defaultPullMs = 900_000;

interface ReaperDeps {
  readonly home: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Removes the dead containers of this home that no program will restart. It never touches a running container, one of
 * another home, or one that Hermes did not create.
 */
async function reapContainers(engine: Engine, { home, clock, log }: ReaperDeps, signal: AbortSignal): Promise<void> {
  const labels = { [labelNames.ours]: "1", [labelNames.home]: homeLabel(home) };
  const match = await findContainers(engine, labels, signal);
  if (!match.ok) return;
  for (const id of expiredContainers(match.value, clock.now())) {
    // Removes the container without force, so that the engine refuses if a program has just started it.
    const removed = await engine.call(["rm", id], { signal, timeoutMs: removeMs });
    if (removed.how === "exit" && removed.code === 0) log.info("docker.container.reaped", { id });
  }
}

const removeMs = 20_000;

/** Returns the ids of the containers to remove. */
export function expiredContainers(containers: readonly ContainerInfo[], now: number): readonly string[] {
  const dead = containers.filter(({ status }) => deadStatus.has(status));
  const kept = dead
    .filter((one) => one.finishedAt !== undefined && keptMsOf(one) > 0)
    .toSorted((a, b) => (b.finishedAt ?? 0) - (a.finishedAt ?? 0))
    .slice(0, maxKept);
  return dead
    .filter((one) => {
      const graceMs = kept.includes(one) ? Math.max(deadMs, keptMsOf(one)) : deadMs;
      return now - (one.finishedAt ?? one.createdAt) > graceMs;
    })
    .map(({ id }) => id);
}

/** Podman reports configured or stopped where docker reports created or exited. */
const deadStatus: ReadonlySet<string> = new Set(["exited", "created", "dead", "configured", "stopped", "initialized"]);

/** Another program may be about to start it. */
const deadMs = 600_000;
const maxKept = 10;

function keptMsOf({ labels }: ContainerInfo): number {
  return Number(labels[labelNames.kept] ?? 0) * 1_000 || 0;
}
