import { waitFor, type WaitOptions } from "../../base/async/bounded-wait.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/log.ts";
import { reasonOf } from "../../base/result.ts";
import type { CodeOutcome, CodeRequest, CodeStatus } from "../../contracts/code/code-run.ts";
import type { ChildPrograms } from "../child/child-programs.ts";
import { hintFor } from "../child/hints.ts";
import { createCallServer } from "./call-server.ts";
import { createScriptCalls } from "./script-calls.ts";
import { type CaptureOutput, readErrors, readPrinted } from "./script-output.ts";
import type { ScriptExit, ScriptProcess, StartScript } from "./script-process.ts";
import { type ScriptTimer, startTimer } from "./script-timer.ts";

export interface ScriptDeps {
  readonly start: StartScript;
  readonly capture: CaptureOutput;
  readonly programs: Pick<ChildPrograms, "script">;
  readonly limits: ScriptTimes;
  /** Work that continues after the outcome: ending the processes of an interrupted script. */
  readonly afterwards: (work: Promise<unknown>) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface ScriptTimes {
  readonly timeoutMs: number;
  /** The timeout of one call. */
  readonly callMs: number;
  readonly maxCalls: number;
}

/** Runs one script in its own process. Never rejects. */
export async function runOnce(request: CodeRequest, deps: ScriptDeps): Promise<CodeOutcome> {
  const { clock, limits, log } = deps;
  const startedAt = clock.elapsed();
  const calls = createScriptCalls(request, limits, clock);
  using server = createCallServer({ answer: calls.answer });
  const excess = Promise.withResolvers<string>();
  using timer = startTimer(limits.timeoutMs, request.waitedMs, clock);
  const sinceStart = () => ({ toolCalls: calls.count(), durationMs: clock.elapsed() - startedAt });
  try {
    const program = await deps.programs.script(request);
    if (!program.ok) return { ...notStartedOutcome(program.error), ...sinceStart() };
    const { files, args } = program.value;
    const { language, cwd } = request;
    const { token, listen } = server;
    const started = await deps.start({ language, files, args, cwd, token, listen, onExcess: excess.resolve });
    if (!started.ok) return { ...notStartedOutcome(started.error), ...sinceStart() };
    const script = started.value;
    script.stdin.end();
    const output = readPrinted(script.stdout, deps.capture, request.printed);
    const errors = readErrors(script.stderr);
    const ending = await endOf(script, {
      timer,
      excess: excess.promise,
      signal: request.signal,
      clock,
      close: calls.close,
    });
    calls.close();
    if (ending.stillEnding) deps.afterwards(ending.stillEnding);
    // The last output may still be in transit, although no process is left.
    else await waitFor(output.closed, { ms: drainMs, clock });
    const { exit, status, notice } = ending;
    const text = [errors(), ...(notice === undefined ? [] : [notice])].filter((part) => part !== "").join("\n");
    const hint = status === "error" ? hintFor(request.language, text, request.tools) : undefined;
    return {
      status,
      ...(await output.end()),
      errors: text,
      ...(exit?.code !== undefined && { exitCode: exit.code }),
      ...sinceStart(),
      ...(hint !== undefined && { hint }),
      ...(script.weakness !== undefined && { weakness: script.weakness }),
    };
  } catch (thrown) {
    log.error("code.run.failed", { error: reasonOf(thrown) });
    return { ...notStartedOutcome(reasonOf(thrown)), ...sinceStart() };
  } finally {
    calls.close();
  }
}

/** The outcome of a script that did not start. */
export function notStartedOutcome(reason: string): CodeOutcome {
  return {
    status: "error",
    output: "",
    errors: `The script did not run: ${reason}`,
    toolCalls: 0,
    durationMs: 0,
    captured: { isTruncated: false, bytesCaptured: 0, bytesTotal: 0 },
  };
}

interface Ending {
  readonly status: CodeStatus;
  readonly exit?: ScriptExit;
  /** Text for the model, after the standard error. */
  readonly notice?: string;
  /** The processes have not ended yet. */
  readonly stillEnding?: Promise<unknown>;
}

interface EndingDeps {
  readonly timer: ScriptTimer;
  readonly excess: Promise<string>;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Refuses further calls. */
  readonly close: () => void;
}

/** Waits until the script ends, or ends it, with all its processes. */
async function endOf(script: ScriptProcess, { timer, excess, signal, clock, close }: EndingDeps): Promise<Ending> {
  const first = await waitFor(
    Promise.race([
      script.exited.then((exit) => ({ how: "exit", exit }) as const),
      timer.expired.then(() => ({ how: "timeout" }) as const),
      excess.then((reason) => ({ how: "excess", reason }) as const),
    ]),
    { signal, ms: Infinity, clock },
  );
  close();
  const why = first.how === "done" ? first.value : ({ how: "interrupted" } as const);
  switch (why.how) {
    case "exit":
      await script.kill();
      return { status: why.exit.code === 0 ? "success" : "error", exit: why.exit, ...signalNotice(why.exit) };
    case "excess":
      await script.kill();
      return { status: "error", notice: `The script was ended: it ${why.reason}.` };
    case "timeout": {
      const seconds = Math.round(timer.usedMs() / 1000);
      // The outer limit of the call, or a person, may end the grace period.
      const exit = await endGently(script, { ms: graceMs.timeout, clock, signal });
      return { status: "timeout", ...exit, notice: `The script was ended after ${seconds} s, its time limit.` };
    }
    case "interrupted": {
      const ending = endGently(script, { ms: graceMs.interrupt, clock });
      const notice = "The script was interrupted.";
      const ended = await waitFor(ending, { ms: interruptMs, clock });
      return ended.how === "done"
        ? { status: "interrupted", ...ended.value, notice }
        : { status: "interrupted", notice, stillEnding: ending };
    }
  }
}

const graceMs = { timeout: 5_000, interrupt: 1_000 } as const;
/** A turn ends soon after an interrupt, whatever its scripts do. */
const interruptMs = 60;

const drainMs = 2_000;

/** SIGTERM for all processes; after a grace period they are killed. */
async function endGently(script: ScriptProcess, grace: WaitOptions): Promise<{ readonly exit?: ScriptExit }> {
  script.signal("SIGTERM");
  const exited = await waitFor(script.exited, grace);
  await script.kill();
  return exited.how === "done" ? { exit: exited.value } : {};
}

function signalNotice({ code, description }: ScriptExit): Pick<Ending, "notice"> {
  return code === undefined ? { notice: `The script was ended by ${description}.` } : {};
}
