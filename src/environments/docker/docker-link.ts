import { once } from "../../base/async/once.ts";
import { randomHex } from "../../base/digest.ts";
import type { ProgramOutput } from "../../base/process/run-program.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { quoteForShell } from "../../base/text/shell-quote.ts";
import { createRestartableMachine } from "../containers/restartable-machine.ts";
import { runByClient } from "../containers/run-by-client.ts";
import type { Link, LinkEnd, LinkFault, LinkStreams } from "../remote/link.ts";
import { type ContainerPlan, maxProcesses } from "./container-plan.ts";
import type { ContainerDeps } from "./create-container.ts";
import { type Engine, type EngineFault, isEngineUnavailable, reasonLine, faultFromText } from "./engine.ts";
import { claim, leave, leavingCode, release, renewal, renewingClient, use } from "./lease.ts";
import { prepareContainer } from "./prepare-container.ts";

export interface DockerLinkDeps extends ContainerDeps {
  engine(signal: AbortSignal): Promise<Result<Engine, EngineFault>>;
  readonly plan: ContainerPlan;
  readonly lifetimeMs: number;
}

interface Container {
  readonly engine: Engine;
  readonly id: string;
}

/**
 * Runs scripts in the container that the plan describes. If the container died before a script started, it is created
 * again. No script runs twice.
 */
export function createDockerLink(deps: DockerLinkDeps): Link {
  const { plan, clock, log } = deps;
  const holder = randomHex(8);
  const machines = createRestartableMachine<Container>({
    clock,
    async open(signal) {
      const engine = await deps.engine(signal);
      if (!engine.ok) return err(linkFault(engine.error));
      const id = await prepareContainer(engine.value, plan, deps, signal);
      return id.ok ? ok({ engine: engine.value, id: id.value }) : err(linkFault(id.error));
    },
  });
  const inContainer = ({ engine, id }: Container, script: string) => call(engine, "exec", id, "sh", "-c", script);
  let running = 0;
  let widened: string | undefined;
  let renewing: Disposable | undefined;

  /** The lease is renewed while something runs. */
  function renew(): void {
    renewing ??= clock.after(deps.lifetimeMs / 3, () => {
      renewing = undefined;
      const container = machines.latest();
      if (container) void inContainer(container, renewal);
      if (running > 0) renew();
    });
  }

  function rest(): void {
    if (running > 0) return;
    renewing?.[Symbol.dispose]();
    renewing = undefined;
  }

  /** In a container at its process limit even a kill script cannot start, so the limit is raised for a while. */
  async function makeRoom({ engine, id }: Container): Promise<void> {
    log.warn("docker.container.full", { name: plan.name });
    if (widened === id) await call(engine, "kill", id);
    else await call(engine, "update", "--pids-limit", String(2 * maxProcesses), id);
    widened = id;
  }

  function narrow(): void {
    const container = machines.latest();
    if (!container || widened !== container.id) return;
    widened = undefined;
    void call(container.engine, "update", "--pids-limit", String(maxProcesses), container.id);
  }

  return {
    kind: "docker",
    canHoldInput: true,
    async run(script, streams) {
      running += 1;
      renew();
      const ended = await machines.run(async (container) => {
        const tried = await runIn(container, deps, holder, script, streams);
        if (tried === "gone") log.warn("docker.container.gone", { name: plan.name });
        if (tried !== "full") return tried;
        await makeRoom(container);
        return "gone";
      }, streams.signal);
      running -= 1;
      rest();
      if (running === 0) narrow();
      return ended;
    },
    terminal(script, { columns, rows }) {
      const { engine, id } = machines.latest() ?? { id: plan.name };
      const program = engine?.program ?? "docker";
      // The engine gets the size of the terminal only after the script has started.
      const text = `${use(holder)}; stty cols ${columns} rows ${rows} 2>/dev/null\n${script}`;
      const client = [program, "exec", "--interactive", "--tty", "--detach-keys", detachKeys, id, "sh", "-c", text];
      const renewer = [program, "exec", id, "sh", "-c", renewal].map(quoteForShell).join(" ");
      const args = ["-c", renewingClient(deps.lifetimeMs / 3), renewer, ...client];
      return { program: "/bin/sh", args, ...(engine && { env: engine.env }) };
    },
    [Symbol.asyncDispose]: once(async () => {
      await machines[Symbol.asyncDispose]();
      running = 0;
      rest();
      const container = machines.latest();
      if (!container) return;
      if (!plan.isGoneAtEnd) return void (await inContainer(container, release(holder)));
      const left = await inContainer(container, leave(holder));
      if (left.how !== "exit" || left.code !== 0) return;
      await call(container.engine, "rm", "--force", container.id);
    }),
  };
}

/** Kill scripts are passed as an argument: they are short, and a truncated one would do nothing. */
function call(engine: Engine, ...args: readonly string[]): Promise<ProgramOutput> {
  return engine.call(args, { signal: new AbortController().signal, timeoutMs: callMs });
}

const callMs = 15_000;

/** Detach keys that nobody types, because programs in the terminal would not receive the default keys. */
const detachKeys = "ctrl-_,ctrl-_,ctrl-_,ctrl-@";

/**
 * `gone`: the script has not started and no container is left to start it in. `full`: the script has not started
 * because the container is at its process limit.
 */
async function runIn(
  container: Container,
  { plan, clock }: Pick<DockerLinkDeps, "plan" | "clock">,
  holder: string,
  script: string,
  streams: LinkStreams,
): Promise<LinkEnd | "gone" | "full"> {
  const { engine, id } = container;
  const { program, env } = engine;
  const args = (code: string) => ["exec", "--interactive", id, "sh", "-c", `${claim(holder)}\n${code}`];
  const end = await runByClient({ program, env, args }, script, streams, clock);
  switch (end.how) {
    case "begun": {
      const { code } = end;
      // These exit codes are ambiguous: scripts use them, and also a client whose container or engine exited.
      const isDoubtful = code < 0 || code === 1 || code >= 125;
      if (!isDoubtful || (code > 0 && (await isRunning(container)))) return { how: "exit", exitCode: code };
      return {
        how: "broken",
        message: `the container ${plan.name} or its engine exited while the command ran`,
        hint: "The next command starts a new container.",
      };
    }
    case "unbegun": {
      const { code, stderr } = end;
      if (code === leavingCode || isGone.test(stderr)) return "gone";
      if (isFull.test(stderr)) return "full";
      if (isUnstarted.test(stderr)) {
        if (!(await isRunning(container))) return "gone";
      } else if (isEngineUnavailable(stderr)) return linkFault(faultFromText(stderr, program, "did not answer"));
      return { how: "broken", message: `${program} exec failed (exit code ${code}): ${reasonLine(stderr)}` };
    }
    default:
      return end;
  }
}

async function isRunning({ engine, id }: Container): Promise<boolean> {
  const inspected = await call(engine, "inspect", "--type", "container", "--format", "{{.State.Running}}", id);
  return inspected.how === "exit" && inspected.code === 0 && inspected.stdout.trim() === "true";
}

/** Matches error messages that mean that the engine did not start the command. */
const isGone =
  /no such container|no container with name|is not running|container state improper|is paused|is restarting|can only create exec sessions on running/iu;
/** `init-p`: the pipe of the runtime's own process, which the limit stopped. */
const isFull = /can'?t fork|cannot fork|fork: |read init-p: connection reset|resource temporarily unavailable/iu;
const isUnstarted = /OCI runtime|exec failed|cannot exec|container process not found|procReady|ttrpc|shim/iu;

function linkFault({ kind, message, hint }: EngineFault): LinkFault {
  if (kind === "aborted") return { how: "aborted" };
  return { how: kind === "misconfigured" ? "misconfigured" : "broken", message, ...(hint !== undefined && { hint }) };
}
