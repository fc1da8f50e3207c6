import { sleep } from "../../base/abort.ts";
import { type Waited, waitFor } from "../../base/bounded-wait.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import type { EnvironmentError, ExecOptions, ExecResult } from "../../contracts/environment.ts";
import type { CarriedState } from "../shell/carried-state.ts";
import { captureOutput, type OutputLimits } from "./captured-output.ts";
import type { LocalShell, StartedShell } from "./local-shell.ts";
import { openInput } from "./open-input.ts";
import type { Pipes } from "./pipes.ts";
import { nameOf } from "./process-tree.ts";
import type { Exit } from "./shell-process.ts";
import type { SpillFolder } from "./spill-folder.ts";

export interface RunDeps {
  readonly shell: LocalShell;
  readonly pipes: Pipes;
  readonly spills: SpillFolder;
  /** Only ours, readable by nobody else. */
  readonly folder: string;
  readonly limits: OutputLimits;
  readonly clock: Clock;
  readonly log: Logger;
}

/** How a command ended, before anyone decides what becomes of the state it left. */
export interface Ran {
  readonly result: Omit<ExecResult, "cwd" | "carried" | "backend">;
  readonly left?: CarriedState;
}

/**
 * Runs a command to its end and the bounded drain after it. When this resolves, nothing of the command is alive, its pipes
 * are closed, and its output is complete.
 */
export async function runCommand(
  command: string,
  cwd: string,
  options: ExecOptions,
  deps: RunDeps,
): Promise<Result<Ran, EnvironmentError>> {
  const { clock, pipes } = deps;
  const askedAt = clock.elapsed();
  const pipe = await pipes.take();
  if (!pipe.ok) return err({ kind: "unreachable", message: pipe.error.message });
  if (options.signal.aborted) {
    pipe.value.giveBack(true);
    return ok({ result: neverRun(clock.elapsed() - askedAt) });
  }
  const input = options.stdin && openInput(options.stdin, deps.folder);
  if (input && !input.ok) {
    pipe.value.giveBack(true);
    return input;
  }

  const captured = captureOutput(deps.spills, deps.limits, () => running.output.resume());
  const show = showing(options.onOutput, deps.log);
  const take = (chunk: Uint8Array) => {
    show(chunk);
    return captured.add(chunk);
  };
  const startedAt = clock.elapsed();
  const started = await deps.shell.start(command, {
    cwd,
    pipe: pipe.value,
    take,
    ...(options.env && { env: options.env }),
    ...(input && { stdin: input.value }),
  });
  if (!started.ok) return started;
  const running = started.value;
  const waited = await waitFor(running.exited, { signal: options.signal, ms: options.timeoutMs, clock });
  const leftRunning = waited.how === "done" ? await drain(running, command, startedAt, clock) : [];
  if (waited.how !== "done") await running.tree.end();
  await endOfOutput(running, clock);
  pipe.value.giveBack(running.output.isAtEnd);
  const left = running.leftState();
  const result = {
    ...endingOf(waited),
    ...(await captured.end()),
    leftRunning,
    waitedMs: startedAt - askedAt,
    durationMs: clock.elapsed() - startedAt,
  };
  return ok({ result, ...(left && waited.how === "done" && { left }) });
}

/** What is still running when the shell has ended gets a moment to finish, then is ended and named. */
async function drain(
  running: StartedShell,
  command: string,
  startedAt: number,
  clock: Clock,
): Promise<readonly string[]> {
  const { tree, wrapping } = running;
  const endedAt = clock.elapsed();
  let left = endedAt - startedAt < quickMs ? tree.leftNow() : tree.alive(endedAt);
  const mayGoOn = () => left.length > 0 || tree.isUnsure();
  for (let waitMs = 5; mayGoOn() && clock.elapsed() - endedAt < drainMs; waitMs = Math.min(40, waitMs * 2)) {
    const since = clock.elapsed();
    await sleep(waitMs, new AbortController().signal, clock);
    left = tree.alive(since);
  }
  if (left.length === 0) return [];
  const names = left.map((one) => nameOf(one, wrapping, command));
  await tree.end();
  return names;
}

const drainMs = 250;
/** Process numbers do not start over within this time, so the quick look is enough. */
const quickMs = 1_000;

/** Nobody of the command can write any more; whoever else holds the pipe is not waited for. */
async function endOfOutput({ output }: StartedShell, clock: Clock): Promise<void> {
  const waited = await waitFor(output.ended, { ms: endOfOutputMs, clock });
  if (waited.how !== "done") output.stop();
  await output.ended;
}

const endOfOutputMs = 1_000;

function endingOf(waited: Waited<Exit>): Pick<ExecResult, "ended" | "exitCode" | "signal"> {
  if (waited.how !== "done") return { ended: waited.how };
  return "signal" in waited.value
    ? { ended: "signal", signal: waited.value.signal }
    : { ended: "exit", exitCode: waited.value.exitCode };
}

function neverRun(waitedMs: number): Ran["result"] {
  const nothing = new Uint8Array();
  return { ended: "aborted", head: nothing, tail: nothing, totalBytes: 0, leftRunning: [], waitedMs, durationMs: 0 };
}

/** Hands out copies: the buffer is used again. A listener that throws is not called again. */
function showing(onOutput: ExecOptions["onOutput"], log: Logger): (chunk: Uint8Array) => void {
  let listener = onOutput;
  return (chunk) => {
    try {
      listener?.(Uint8Array.from(chunk));
    } catch (thrown) {
      listener = undefined;
      log.error("exec.listener.failed", { error: reasonOf(thrown) });
    }
  };
}
