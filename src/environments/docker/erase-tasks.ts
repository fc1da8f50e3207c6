import { existsSync } from "node:fs";

import type { Clock } from "../../base/clock.ts";
import { removeTree } from "../../base/files/remove-tree.ts";
import type { Variables } from "../../base/process/run-program.ts";
import { childVariables } from "../child-environment.ts";
import { homeLabel, labelNames, plainName, taskFolder } from "./container-plan.ts";
import { type Engine, findEngine } from "./engine.ts";
import { findContainers } from "./find-containers.ts";

export interface EraseTasksDeps {
  readonly home: string;
  readonly sandboxFolder: string;
  readonly binary: string;
  readonly image: string;
  readonly clientEnv: Variables;
  readonly clock: Clock;
}

/**
 * Removes the containers of tasks and their folders on this machine. Does nothing for a task without a folder. Without
 * a running engine, containers stay until a session of this home opens the backend.
 */
export async function eraseTasks(tasks: readonly string[], deps: EraseTasksDeps, signal: AbortSignal): Promise<void> {
  const kept = tasks.filter((task) => existsSync(taskFolder(deps.sandboxFolder, task)));
  if (kept.length === 0) return;
  const env = Object.fromEntries(childVariables(deps.clientEnv, []));
  const match = await findEngine({ binary: deps.binary, env, clock: deps.clock }, signal);
  const engine = match.ok ? match.value : undefined;
  for (const task of kept) {
    if (engine) await removeContainers(engine, task, deps, signal);
    await removeFolder(taskFolder(deps.sandboxFolder, task), engine, deps, signal);
  }
}

async function removeContainers(
  engine: Engine,
  task: string,
  { home }: EraseTasksDeps,
  signal: AbortSignal,
): Promise<void> {
  const labels = { [labelNames.ours]: "1", [labelNames.home]: homeLabel(home), [labelNames.task]: plainName(task) };
  const match = await findContainers(engine, labels, signal);
  for (const { id } of match.ok ? match.value : [])
    await engine.call(["rm", "--force", id], { signal, timeoutMs: removeMs });
}

/** Files that root created in a container belong to root here: then the engine removes them. */
async function removeFolder(
  folder: string,
  engine: Engine | undefined,
  { image }: EraseTasksDeps,
  signal: AbortSignal,
): Promise<void> {
  try {
    await removeTree(folder);
  } catch (thrown) {
    if (!engine) throw thrown;
    const mount = `type=bind,source=${folder},target=/kept`;
    const remove = ["--entrypoint", "sh", image, "-c", "rm -rf /kept/home /kept/workspace"];
    const confined = ["--rm", "--pull", "never", "--network", "none", "--mount", mount];
    await engine.call(["run", ...confined, ...remove], { signal, timeoutMs: removeMs });
    await removeTree(folder);
  }
}

const removeMs = 60_000;
