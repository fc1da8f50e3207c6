import { trySleep } from "../../base/async/abort.ts";
import { describeFault } from "../../base/files/file-fault.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { type ContainerPlan, labelNames } from "./container-plan.ts";
import { type ContainerDeps } from "./create-container.ts";
import { createContainer } from "./create-container.ts";
import { type Engine, engineFault, type EngineFault } from "./engine.ts";
import { type ContainerInfo, findContainers } from "./find-containers.ts";
import { leave } from "./lease.ts";

/**
 * Returns the id of the running container of the plan: the existing one, a restarted one, or a new one. If two programs
 * need it at the same time, one creates it and both use it.
 */
export async function prepareContainer(
  engine: Engine,
  plan: ContainerPlan,
  deps: ContainerDeps,
  signal: AbortSignal,
): Promise<Result<string, EngineFault>> {
  const startedAt = deps.clock.elapsed();
  for (;;) {
    const created = await findOrMake(engine, plan, deps, signal);
    if (created !== "busy") return created;
    if (deps.clock.elapsed() - startedAt > settleMs) {
      return err({
        kind: "unreachable",
        message: `the name ${plan.name} is in use by a container that Hermes cannot use`,
        hint: `Inspect it with \`${engine.program} inspect ${plan.name}\`, remove it, then try again.`,
      });
    }
    if (!(await trySleep(pauseMs, signal, deps.clock))) return err({ kind: "aborted", message: "interrupted" });
  }
}

/** How long to wait for a container that is being created or removed. */
const settleMs = 30_000;
const pauseMs = 100;

async function findOrMake(
  engine: Engine,
  plan: ContainerPlan,
  deps: ContainerDeps,
  signal: AbortSignal,
): Promise<Result<string, EngineFault> | "busy"> {
  const { [labelNames.config]: config, [labelNames.egress]: _, [labelNames.kept]: __, ...owner } = plan.labels;
  const listed = await findContainers(engine, owner, signal);
  if (!listed.ok) return listed;
  const isSame = (one: ContainerInfo) => one.labels[labelNames.config] === config;
  const same = listed.value.filter(isSame);
  await Promise.all(listed.value.filter((one) => !isSame(one)).map((one) => removeUnused(engine, one, signal)));
  const running = same.find(({ status }) => status === "running");
  if (running) return ok(running.id);
  const [stopped] = same;
  if (stopped) {
    const how = stopped.status === "paused" ? "unpause" : "start";
    const started = await engine.call([how, stopped.id], { signal, timeoutMs: startMs });
    if (started.how === "exit" && started.code === 0) return ok(stopped.id);
    if (started.how !== "exit") return err(engineFault(started, engine.program, `did not ${how} the container`));
    // Recreates a container that can no longer start; waits for one that is being removed.
    await engine.call(["rm", stopped.id], { signal, timeoutMs: removeMs });
    return "busy";
  }
  const fault = await makeFolders(plan.folders);
  return fault ? err(fault) : createContainer(engine, plan, deps, signal);
}

const startMs = 60_000;
const removeMs = 20_000;

/** Removes a container with outdated settings if nothing runs in it. Otherwise it exits when its lease expires. */
async function removeUnused(engine: Engine, { id, status }: ContainerInfo, signal: AbortSignal): Promise<void> {
  if (status === "running") {
    const left = await engine.call(["exec", id, "sh", "-c", leave("nobody")], { signal, timeoutMs: removeMs });
    if (left.how !== "exit" || left.code !== 0) return;
    await engine.call(["rm", "--force", id], { signal, timeoutMs: removeMs });
  } else await engine.call(["rm", id], { signal, timeoutMs: removeMs });
}

async function makeFolders(folders: readonly string[]): Promise<EngineFault | undefined> {
  for (const folder of folders) {
    try {
      await makeFolder(folder, 0o700);
    } catch (thrown) {
      return { kind: "misconfigured", message: describeFault(thrown, folder).message };
    }
  }
  return undefined;
}
