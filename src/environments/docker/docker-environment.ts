import { waitFor } from "../../base/async/bounded-wait.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/log.ts";
import type { Variables } from "../../base/process/run-program.ts";
import { err, type Result } from "../../base/result.ts";
import type { EnvironmentFactory } from "../../contracts/environment/environment.ts";
import { childVariables } from "../child-environment.ts";
import { interrupted } from "../not-run.ts";
import { createRemoteEnvironment, type RemoteDeps } from "../remote/remote-environment.ts";
import { type ContainerSettings, homeLabel, planContainer, labelNames } from "./container-plan.ts";
import { createDockerLink } from "./docker-link.ts";
import { type Engine, type EngineFault, findEngine } from "./engine.ts";
import { type FoundContainer, findContainers } from "./found-containers.ts";

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

interface ReaperDeps {
  readonly home: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Removes the dead containers of this home that nobody will start again. It never touches a running one, one of another
 * home, or one that is not ours.
 */
async function reapContainers(engine: Engine, { home, clock, log }: ReaperDeps, signal: AbortSignal): Promise<void> {
  const labels = { [labelNames.ours]: "1", [labelNames.home]: homeLabel(home) };
  const match = await findContainers(engine, labels, signal);
  if (!match.ok) return;
  for (const id of reapable(match.value, clock.now())) {
    // Without force: the engine refuses when somebody has just started it.
    const removed = await engine.call(["rm", id], { signal, timeoutMs: removeMs });
    if (removed.how === "exit" && removed.code === 0) log.info("docker.container.reaped", { id });
  }
}

const removeMs = 20_000;

/** The ids of those to remove. */
export function reapable(containers: readonly FoundContainer[], now: number): readonly string[] {
  const dead = containers.filter(({ status }) => deadStatus.has(status));
  const kept = dead
    .filter((one) => one.finishedAt !== undefined && keptMsOf(one) > 0)
    .toSorted((a, b) => (b.finishedAt ?? 0) - (a.finishedAt ?? 0))
    .slice(0, mostKept);
  return dead
    .filter((one) => {
      const graceMs = kept.includes(one) ? Math.max(deadMs, keptMsOf(one)) : deadMs;
      return now - (one.finishedAt ?? one.createdAt) > graceMs;
    })
    .map(({ id }) => id);
}

/** Podman says configured or stopped where docker says created or exited. */
const deadStatus: ReadonlySet<string> = new Set(["exited", "created", "dead", "configured", "stopped", "initialized"]);

/** Somebody may be about to start it. */
const deadMs = 600_000;
const mostKept = 10;

function keptMsOf({ labels }: FoundContainer): number {
  return Number(labels[labelNames.kept] ?? 0) * 1_000 || 0;
}
