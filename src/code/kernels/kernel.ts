import { randomBytes } from "node:crypto";

import { waitFor } from "../../base/async/bounded-wait.ts";
import type { Clock } from "../../base/clock.ts";
import { newId } from "../../base/ids.ts";
import { ok, type Result } from "../../base/result.ts";
import type {
  CodeKernel,
  CodeOutcome,
  CodeRequest,
  CodeRunLanguage,
  CodeStatus,
} from "../../contracts/code/code-run.ts";
import type { KernelDone, KernelInterrupt, KernelScript } from "../../contracts/code/wire.ts";
import { type ChildPrograms, moduleSource } from "../child/child-programs.ts";
import { hintFor } from "../child/hints.ts";
import { createCallServer } from "../run/call-server.ts";
import { notStartedOutcome, type ScriptTimes } from "../run/run-once.ts";
import { createScriptCalls, type ScriptCalls } from "../run/script-calls.ts";
import { type CaptureOutput, readErrors, readPrinted } from "../run/script-output.ts";
import type { ScriptProcess, StartScript } from "../run/script-process.ts";
import { type ScriptTimer, startTimer } from "../run/script-timer.ts";
import { splitOutput } from "./kernel-output.ts";

export interface KernelDeps {
  readonly start: StartScript;
  readonly capture: CaptureOutput;
  readonly programs: ChildPrograms;
  readonly limits: ScriptTimes;
  /** The maximum time without a script. */
  readonly idleMs: number;
  readonly clock: Clock;
}

/** A process that executes one script after another with the same variables. */
export interface Kernel {
  readonly language: CodeRunLanguage;
  describe(): CodeKernel;
  /** Runs one script at a time. Never rejects. */
  run(request: CodeRequest): Promise<CodeOutcome>;
  /** False if the kernel is idle. */
  interrupt(): boolean;
  /** `reason`: the rest of a sentence about the kernel. */
  end(reason: string): Promise<void>;
  /** Resolves with a sentence about the lost variables, or undefined if there were none. Never rejects. */
  readonly ended: Promise<string | undefined>;
  /** Resolves when an interrupted script, too, has ended. */
  settled(): Promise<void>;
  /** Whether it sees no file with keys. A file that appeared or was replaced since its start is not hidden from it. */
  hidesKeys(): Promise<boolean>;
}

/** Starts a kernel for scripts with the tools of `request`. */
export async function startKernel(request: CodeRequest, deps: KernelDeps): Promise<Result<Kernel, string>> {
  const { clock, limits } = deps;
  const { language, cwd } = request;
  let current: RunningScript | undefined;
  let names: readonly string[] = [];
  let scripts = 0;
  let module = moduleSource(language, request.tools);
  const server = createCallServer({
    answer: async (call) => current?.calls.answer(call) ?? { error: `${call.tool} was not called: no script runs` },
    done(done) {
      if (current?.number === done.done) current.done.resolve(done);
      names = done.names ?? names;
    },
  });
  const endReason = Promise.withResolvers<string>();
  const { files, args } = await deps.programs.kernel(language, request.tools);
  const { token, listen } = server;
  const started = await deps.start({
    language,
    files,
    args,
    cwd,
    token,
    listen,
    onExcess: endReason.resolve,
    isIdle: () => current === undefined,
  });
  if (!started.ok) {
    server[Symbol.dispose]();
    return started;
  }
  const child: ScriptProcess = started.value;
  child.stdin.on("error", () => {});
  const outputs = { printed: splitOutput(child.stdout), errors: splitOutput(child.stderr, "utf8") };
  const id = newId("kernel");
  const startedAt = clock.now();
  let usedAt = startedAt;
  let idle: Disposable | undefined;
  let leftover: Promise<void> = Promise.resolve();

  void child.exited.then((exit) => endReason.resolve(`ended with ${exit.description}`));
  const ended = endReason.promise.then(async (reason) => {
    idle?.[Symbol.dispose]();
    await child.kill();
    server[Symbol.dispose]();
    return scripts === 0 ? undefined : lostSentence(language, reason, names);
  });

  function send(line: KernelScript | KernelInterrupt): void {
    child.stdin.write(`${JSON.stringify(line)}\n`);
  }

  async function end(reason: string): Promise<void> {
    endReason.resolve(reason);
    await ended;
  }

  /** Interrupts the script, and ends the kernel if the script does not end. */
  async function stop(script: RunningScript, graceMs: number): Promise<boolean> {
    send({ interrupt: script.number });
    const stopped = await waitFor(Promise.race([script.done.promise, ended]), { ms: graceMs, clock });
    if (stopped.how !== "done") await end("did not react to an interrupt");
    return stopped.how === "done";
  }

  async function waitForEnd(script: RunningScript, request: CodeRequest, timer: ScriptTimer) {
    const first = await waitFor(
      Promise.race([
        script.done.promise.then((done) => ({ how: "done", done }) as const),
        ended.then((lost) => ({ how: "ended", lost }) as const),
        timer.expired.then(() => ({ how: "timeout" }) as const),
      ]),
      { signal: request.signal, ms: Infinity, clock },
    );
    return first.how === "done" ? first.value : ({ how: "interrupted" } as const);
  }

  async function execute(request: CodeRequest): Promise<CodeOutcome> {
    const startedMs = clock.elapsed();
    const prepared = await deps.programs.kernelScript(request);
    if (!prepared.ok) return notStartedOutcome(prepared.error);
    const mark = `\u0002${randomBytes(16).toString("hex")}\u0003`;
    const calls = createScriptCalls(request, limits, clock);
    const script: RunningScript = { number: ++scripts, calls, done: Promise.withResolvers() };
    using timer = startTimer(limits.timeoutMs, request.waitedMs, clock);
    const streams = [outputs.printed.follow(mark), outputs.errors.follow(mark)] as const;
    const output = readPrinted(streams[0].stream, deps.capture, request.printed);
    const errors = readErrors(streams[1].stream);
    const source = moduleSource(language, request.tools);
    const isChanged = source !== module;
    module = source;
    current = script;
    send({ script: script.number, mark, ...prepared.value, ...(isChanged && { module }) });
    const ending = await waitForEnd(script, request, timer);
    calls.close();
    let status: CodeStatus;
    let notice: string | undefined;
    let isStopped = true;
    switch (ending.how) {
      case "done":
        status = script.isInterrupted ? "interrupted" : ending.done.failed ? "error" : "success";
        break;
      case "ended":
        [status, notice] = ["error", ending.lost];
        break;
      case "timeout": {
        await stop(script, graceMs.timeout);
        const seconds = Math.round(timer.usedMs() / 1000);
        [status, notice] = ["timeout", `The script was interrupted after ${seconds} s, its time limit.`];
        break;
      }
      case "interrupted": {
        const stopping = stop(script, graceMs.interrupt);
        leftover = stopping.then(() => void (current = undefined));
        isStopped = (await waitFor(stopping, { ms: interruptMs, clock })).how === "done";
        [status, notice] = ["interrupted", "The script was interrupted."];
      }
    }
    // The process may have closed its output.
    if (isStopped) await waitFor(Promise.all(streams.map((stream) => stream.ended)), { ms: markMs, clock });
    for (const stream of streams) stream.stop();
    if (isStopped) current = undefined;
    const text = [errors(), notice ?? ""].filter((part) => part !== "").join("\n");
    const hint = status === "error" ? hintFor(language, text, request.tools) : undefined;
    return {
      status,
      ...(await output.end()),
      errors: text,
      toolCalls: calls.count(),
      durationMs: clock.elapsed() - startedMs,
      ...(hint !== undefined && { hint }),
      ...(child.weakness !== undefined && { weakness: child.weakness }),
    };
  }

  return ok({
    language,
    describe: () => ({
      id,
      language,
      pid: child.pid,
      startedAt,
      usedAt,
      scripts,
      isBusy: current !== undefined,
      memoryBytes: child.memoryBytes(),
    }),
    async run(request) {
      idle?.[Symbol.dispose]();
      usedAt = clock.now();
      const outcome = await execute(request);
      usedAt = clock.now();
      const seconds = Math.round(deps.idleMs / 1000);
      idle = clock.after(deps.idleMs, () =>
        endReason.resolve(`was idle for ${seconds} s (code_execution.kernel_idle_s)`),
      );
      return outcome;
    },
    interrupt() {
      if (!current) return false;
      current.isInterrupted = true;
      send({ interrupt: current.number });
      return true;
    },
    end,
    ended,
    settled: () => leftover,
    hidesKeys: async () => (await child.hidesKeys?.()) ?? true,
  });
}

interface RunningScript {
  readonly number: number;
  readonly calls: ScriptCalls;
  readonly done: PromiseWithResolvers<KernelDone>;
  /** Interrupted by a person, with a command for kernels. */
  isInterrupted?: boolean;
}

const graceMs = { timeout: 5_000, interrupt: 1_000 } as const;
/** A turn ends soon after an interrupt, whatever its scripts do. */
const interruptMs = 60;
/** The output must end before the script counts as done. */
const markMs = 500;

function lostSentence(language: CodeRunLanguage, reason: string, names: readonly string[]): string {
  const shown = names.slice(0, maxNames).join(", ");
  const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : "";
  const variables = shown === "" ? "Its variables" : `Its variables (${shown}${more})`;
  const title = language === "python" ? "Python" : "TypeScript";
  return `The ${title} kernel ${reason}. ${variables} are lost; define them again before you use them.`;
}

const maxNames = 20;
