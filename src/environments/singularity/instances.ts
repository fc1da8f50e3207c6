import { describeFault } from "../../base/files/file-fault.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { isObject, parseJson } from "../../base/json.ts";
import type { Logger } from "../../base/log/log.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { backgroundCheck } from "../containers/background-check.ts";
import type { LinkFault } from "../remote/link.ts";
import type { InstanceOwners } from "./instance-owners.ts";
import { reasonIn, type RuntimeProgram, runtimeFault } from "./runtime-program.ts";

/** Settings of an instance. They come from the configuration, never from a tool call. */
export interface InstanceSettings {
  readonly cpus: number;
  readonly memoryMb: number;
  /** Folder for files written in the instance. Default: in memory, lost with the instance. */
  readonly overlay?: string;
  /** Files and folders of this machine that are mounted read-only. */
  readonly readOnly: readonly { readonly from: string; readonly to: string }[];
}

export interface InstancesDeps {
  readonly settings: InstanceSettings;
  readonly owners: InstanceOwners;
  /** Folder of all instances of this home. */
  readonly prefix: string;
  /** The file that instances start from. */
  image(runtime: RuntimeProgram, signal: AbortSignal): Promise<Result<string, LinkFault>>;
  readonly log: Logger;
}

export interface Instances {
  /** Starts the instance if necessary and makes this program one of its owners. */
  start(runtime: RuntimeProgram, name: string, signal: AbortSignal): Promise<Result<void, LinkFault>>;
  /** Stops the instance unless another program uses it or a background process runs in it. */
  leave(runtime: RuntimeProgram, name: string): Promise<void>;
  /** Stops the instances of this home whose programs have ended. */
  reap(runtime: RuntimeProgram, signal: AbortSignal): Promise<void>;
}

export function createInstances({ settings, owners, prefix, image, log }: InstancesDeps): Instances {
  async function stopUnused(runtime: RuntimeProgram, name: string, signal: AbortSignal): Promise<void> {
    if (await owners.isOwned(name)) return;
    const busy = await runtime.call([...execArguments(name), "sh", "-c", backgroundCheck], {
      signal,
      timeoutMs: stopMs,
    });
    if (busy.how !== "exit" || busy.code === 0) return;
    await runtime.call(["instance", "stop", name], { signal, timeoutMs: stopMs });
    log.info("singularity.instance.stopped", { name });
  }

  return {
    async start(runtime, name, signal) {
      try {
        await owners.add(name);
        if (settings.overlay !== undefined) await makeFolder(settings.overlay, 0o700);
      } catch (thrown) {
        return err({ how: "misconfigured", message: describeFault(thrown, settings.overlay ?? name).message });
      }
      if (await isListed(runtime, name, signal)) return ok(undefined);
      const file = await image(runtime, signal);
      const started = file.ok ? await startInstance(runtime, settings, file.value, name, signal, log) : file;
      if (!started.ok) await owners.remove(name);
      return started;
    },
    async leave(runtime, name) {
      await owners.remove(name);
      await stopUnused(runtime, name, new AbortController().signal);
    },
    async reap(runtime, signal) {
      const names = (await listed(runtime, signal)).filter((name) => name.startsWith(prefix));
      for (const name of names) await stopUnused(runtime, name, signal);
    },
  };
}

/** Arguments that run a program in the instance without the environment of this program. */
export function execArguments(name: string): readonly string[] {
  return ["exec", "--cleanenv", "--pwd", "/", `instance://${name}`];
}

const stopMs = 30_000;
const startMs = 120_000;

export async function isListed(runtime: RuntimeProgram, name: string, signal: AbortSignal): Promise<boolean> {
  return (await listed(runtime, signal)).includes(name);
}

async function listed(runtime: RuntimeProgram, signal: AbortSignal): Promise<readonly string[]> {
  const output = await runtime.call(["instance", "list", "--json"], { signal, timeoutMs: stopMs });
  const read = output.how === "exit" ? parseJson(output.stdout, { maxDepth: 10, maxChars: 4_000_000 }) : undefined;
  const all = read?.ok && isObject(read.value) ? read.value["instances"] : undefined;
  if (!Array.isArray(all)) return [];
  return all.flatMap((one) => (isObject(one) && typeof one["instance"] === "string" ? [one["instance"]] : []));
}

async function startInstance(
  runtime: RuntimeProgram,
  settings: InstanceSettings,
  image: string,
  name: string,
  signal: AbortSignal,
  log: Logger,
): Promise<Result<void, LinkFault>> {
  for (;;) {
    const args = ["instance", "start", ...startArguments(settings, runtime.limits.isRefused), image, name];
    const started = await runtime.call(args, { signal, timeoutMs: startMs });
    if (started.how === "exit" && started.code === 0) return ok(undefined);
    if (started.how !== "exit") return err(runtimeFault(started, runtime.program, "instance start"));
    if (/already exists/iu.test(started.stderr)) return ok(undefined);
    if (runtime.limits.isRefused || !/cgroup|systemd|resource limit/iu.test(started.stderr)) {
      return err(runtimeFault(started, runtime.program, "instance start"));
    }
    runtime.limits.isRefused = true;
    log.warn("singularity.limit.refused", { without: ["cpus", "memory", "pids"], words: reasonIn(started.stderr) });
  }
}

function startArguments({ cpus, memoryMb, overlay, readOnly }: InstanceSettings, isUnlimited: boolean): string[] {
  return [
    "--containall",
    "--no-home",
    "--cleanenv",
    ...(overlay === undefined ? ["--writable-tmpfs"] : ["--overlay", overlay]),
    ...readOnly.flatMap(({ from, to }) => ["--bind", `${from}:${to}:ro`]),
    ...(isUnlimited ? [] : ["--cpus", String(cpus), "--memory", `${memoryMb}M`, "--pids-limit", "256"]),
  ];
}
