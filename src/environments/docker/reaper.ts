import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/log.ts";
import { homeLabel, labelNames } from "./container-plan.ts";
import type { Engine } from "./engine.ts";
import { type FoundContainer, findContainers } from "./found-containers.ts";

export interface ReaperDeps {
  readonly home: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Removes the dead containers of this home that nobody will start again. It never touches a running one, one of another
 * home, or one that is not ours.
 */
export async function reapContainers(
  engine: Engine,
  { home, clock, log }: ReaperDeps,
  signal: AbortSignal,
): Promise<void> {
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
