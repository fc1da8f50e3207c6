import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/log.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { ContainerPlan } from "./container-plan.ts";
import { type EngineFeature, type Engine, engineFault, type EngineFault, reasonLine, faultFromText } from "./engine.ts";

/** Creates and starts the container. `busy`: the name is in use; another program creates or removes it right now. */
export async function createContainer(
  engine: Engine,
  plan: ContainerPlan,
  deps: ContainerDeps,
  signal: AbortSignal,
): Promise<Result<string, EngineFault> | "busy"> {
  for (let hasPulled = false; ;) {
    const args = plan.runArguments(engine.abilities, engine.isRootless);
    const created = await engine.call(args, { signal, timeoutMs: makeMs });
    if (created.how !== "exit") return err(engineFault(created, engine.program, "did not create the container"));
    const words = created.stderr;
    if (created.code === 0) {
      if (words.trim() !== "")
        deps.log.warn("docker.container.warned", { name: plan.name, words: words.slice(0, 2_000) });
      deps.log.info("docker.container.made", { name: plan.name, image: plan.image });
      return ok(created.stdout.trim().split(/\s+/u).at(-1) ?? plan.name);
    }
    if (/already in use|removal of container .* is already in progress/iu.test(words)) return "busy";
    // Removes a container that cannot start.
    await engine.call(["rm", plan.name], { signal, timeoutMs: removeMs });
    if (!hasPulled && /no such image|unable to find image|image not known|image .* not found/iu.test(words)) {
      const pulled = await pull(engine, plan.image, deps, signal);
      if (!pulled.ok) return pulled;
      hasPulled = true;
      continue;
    }
    const refused = refusedFeatures(words).filter((ability) => engine.abilities.has(ability));
    if (refused.length === 0) return err(startFault(words, plan.image, engine.program));
    for (const ability of refused) engine.abilities.delete(ability);
    deps.log.warn("docker.limit.refused", { without: [...refused], words: reasonLine(words) });
  }
}

const makeMs = 120_000;
const removeMs = 20_000;

/** Returns the limits that the engine's error text rejects. Hardening options are never dropped. */
export function refusedFeatures(words: string): readonly EngineFeature[] {
  const named = (Object.keys(refusals) as EngineFeature[]).filter((ability) => refusals[ability].test(words));
  return named.length === 0 && /cgroup/iu.test(words) ? ["cpus", "memory", "pids"] : named;
}

const refusals: Readonly<Record<EngineFeature, RegExp>> = {
  disk: /storage-opt|storage opt|quota/iu,
  init: /container-init|docker-init|catatonit|init binary/iu,
  pids: /pids[ ._-]?(?:limit|max|cgroup)|limit.{0,20}\bpids/iu,
  memory: /memory[ ._-]?(?:limit|max|swap|cgroup)|limit.{0,20}\bmemory|swap limit/iu,
  cpus: /number of cpus|range of cpus|nanocpus|cpu[ ._]?(?:cfs|max|quota|shares|cgroup)/iu,
};

async function pull(
  engine: Engine,
  image: string,
  { log, onProgress, pullMs }: ContainerDeps,
  signal: AbortSignal,
): Promise<Result<void, EngineFault>> {
  log.info("docker.image.pulling", { image });
  onProgress?.(`Fetching the image ${image}`);
  const pulled = await engine.call(["pull", image], {
    signal,
    timeoutMs: pullMs,
    onLine(line) {
      log.debug("docker.image.progress", { image, line });
      onProgress?.(line);
    },
  });
  if (pulled.how === "exit" && pulled.code === 0) return ok(undefined);
  if (pulled.how === "timeout") {
    return err({
      kind: "unreachable",
      message: `the image ${image} was not fetched within ${Math.round(pullMs / 60_000)} minutes`,
      hint: `Fetch it by hand (\`${engine.program} pull ${image}\`), then try again.`,
    });
  }
  if (pulled.how !== "exit") return err(engineFault(pulled, engine.program, "could not fetch the image"));
  const isUnknown = /not found|manifest unknown|does not exist|access .*denied|unauthorized|invalid reference/iu.test(
    pulled.stderr,
  );
  return err({
    kind: isUnknown ? "misconfigured" : "unreachable",
    message: `the image ${image} is not on this machine and could not be fetched: ${reasonLine(pulled.stderr)}`,
    hint: isUnknown
      ? "Check terminal.docker_image; a private image needs a login first."
      : `Check the network, or load the image by hand (\`${engine.program} pull ${image}\`), then try again.`,
  });
}

function startFault(words: string, image: string, program: string): EngineFault {
  if (/"sh": executable file not found|exec: "?sh"?.*no such file/isu.test(words)) {
    return {
      kind: "misconfigured",
      message: `the image ${image} has no sh to run commands with`,
      hint: "Set terminal.docker_image to an image with a shell.",
    };
  }
  const fault = faultFromText(words, program, "could not start a container");
  const isSettings =
    /invalid reference|unknown flag|invalid argument|bind source path|not a directory|invalid mount|invalid volume/iu;
  return isSettings.test(words)
    ? { kind: "misconfigured", message: fault.message, hint: "Check the settings terminal.docker_*." }
    : fault;
}

export interface ContainerDeps {
  readonly clock: Clock;
  readonly log: Logger;
  /** Progress for the user, such as an image download. */
  readonly onProgress?: (line: string) => void;
  /** Timeout for an image download. */
  readonly pullMs: number;
}
