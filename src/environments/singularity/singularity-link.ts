import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { backgroundMarkerLine } from "../containers/background-check.ts";
import { createRestartableMachine } from "../containers/restartable-machine.ts";
import { runByClient } from "../containers/run-by-client.ts";
import type { Link, LinkEnd, LinkFault, LinkStreams } from "../remote/link.ts";
import { execArguments, type Instances, isListed } from "./instances.ts";
import { reasonIn, type RuntimeProgram } from "./runtime-program.ts";

export interface SingularityLinkDeps {
  readonly clock: Clock;
  /** Equal for all programs that need the same instance. */
  readonly name: string;
  open(signal: AbortSignal): Promise<Result<RuntimeProgram, LinkFault>>;
  readonly instances: Instances;
}

/** Runs scripts in an instance. An instance that died before a script started is restarted; the script runs once. */
export function createSingularityLink({ name, open, instances, clock }: SingularityLinkDeps): Link {
  const machines = createRestartableMachine<RuntimeProgram>({
    clock,
    async open(signal) {
      const runtime = await open(signal);
      if (!runtime.ok) return runtime;
      const started = await instances.start(runtime.value, name, signal);
      return started.ok ? ok(runtime.value) : err(started.error);
    },
  });

  return {
    kind: "singularity",
    canHoldInput: true,
    run: (script, streams) => machines.run((runtime) => runIn(runtime, name, script, streams, clock), streams.signal),
    terminal(script) {
      const runtime = machines.latest();
      const args = [...execArguments(name), "sh", "-c", `${backgroundMarkerLine}\n${script}`];
      return { program: runtime?.program ?? "apptainer", args, ...(runtime && { env: runtime.env }) };
    },
    [Symbol.asyncDispose]: once(async () => {
      await machines[Symbol.asyncDispose]();
      const runtime = machines.latest();
      if (runtime) await instances.leave(runtime, name);
    }),
  };
}

/** `gone`: the script has not started and no instance is left to start it in. */
async function runIn(
  runtime: RuntimeProgram,
  name: string,
  script: string,
  streams: LinkStreams,
  clock: Clock,
): Promise<LinkEnd | "gone"> {
  const { program, env } = runtime;
  const args = (code: string) => [...execArguments(name), "sh", "-c", code];
  const end = await runByClient({ program, env, args }, script, streams, clock);
  switch (end.how) {
    case "begun": {
      const { code } = end;
      const isDoubtful = code < 0 || code >= 125;
      if (!isDoubtful || (code > 0 && (await isListed(runtime, name, new AbortController().signal))))
        return { how: "exit", exitCode: code };
      return {
        how: "broken",
        message: `the instance ${name} exited while the command ran`,
        hint: "The next command starts a new instance.",
      };
    }
    case "unbegun":
      if (/no instance found|instance .*(?:not found|does not exist|not running)/iu.test(end.stderr)) return "gone";
      return { how: "broken", message: `${program} exec failed (exit code ${end.code}): ${reasonIn(end.stderr)}` };
    default:
      return end;
  }
}
