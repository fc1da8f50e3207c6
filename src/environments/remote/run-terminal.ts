import { tmpdir } from "node:os";

import { waitFor, waitOrAbort } from "../../base/async/bounded-wait.ts";
import { randomHex } from "../../base/digest.ts";
import { err, ok, type Result, valueOr } from "../../base/result.ts";
import { quoteForShell } from "../../base/text/shell-quote.ts";
import type { EnvironmentError, ExecOptions, PtySize } from "../../contracts/environment/environment.ts";
import { captureOutput } from "../output/captured-output.ts";
import { outputListener } from "../output/output-listener.ts";
import { waitForRest } from "../output/rest-of-output.ts";
import type { Ptys } from "../pty/ptys.ts";
import { terminalVariables } from "../pty/terminal-variables.ts";
import { typedInput } from "../pty/typed-input.ts";
import { abortedBeforeStart, type RunResult } from "../run-failures.ts";
import type { RemoteShellStart, StartCode } from "./backend-shell.ts";
import { createControl, type RunnerReport } from "./control.ts";
import { commandEnding, describeLeftProcess } from "./exec-result.ts";
import type { TerminalProgram } from "./link.ts";
import { afterMark } from "./marked-output.ts";
import { restoreMachine } from "./open-machine.ts";
import {
  type RemoteRun,
  type RemoteRunDeps,
  sendCode,
  folderClearedFault,
  maxAttempts,
  sendCodeByInput,
} from "./run-remote.ts";
import { environmentError, runScript } from "./run-script.ts";
import { finishScript, terminalScript } from "./terminal-scripts.ts";
import { guardTerminal } from "./watch-command.ts";

/** The maximum time that a command waits for its guard. */
const guardMs = 10_000;

export interface TerminalDeps extends RemoteRunDeps {
  readonly ptys: Ptys;
  readonly terminal: (script: string, size: PtySize) => TerminalProgram;
}

/**
 * Like `runRemote`, in a terminal of this machine, which the backend's client connects to a terminal on the backend.
 */
export async function runInTerminal(
  command: string,
  cwd: string,
  options: ExecOptions & { readonly pty: PtySize },
  deps: TerminalDeps,
): Promise<Result<RemoteRun, EnvironmentError>> {
  const { clock, shell, link, orphans } = deps;
  const { folder } = shell.machine;
  const askedAt = clock.elapsed();
  const waitedMs = () => clock.elapsed() - askedAt;
  if (options.signal.aborted) return ok({ result: abortedBeforeStart(0) });
  const marker = randomHex(8);
  const mark = randomHex(8);
  const saveTo = `${folder}/left-${marker}`;
  const env = { ...terminalVariables, ...options.env };
  const start = { cwd, env, saveTo, isTerminal: true };
  const ready = await checkStart(command, start, deps, options.signal);
  if (!ready.ok) return options.signal.aborted ? ok({ result: abortedBeforeStart(waitedMs()) }) : ready;
  if ("missingLevels" in ready.value) return ok(ready.value);
  const sent = await sendCode(ready.value, marker, deps, options.signal);
  if (!sent.ok) return options.signal.aborted ? ok({ result: abortedBeforeStart(waitedMs()) }) : sent;
  const script = terminalScript(shell.machine, { marker, mark, cwd, ...ready.value, code: sent.value.text });

  using guard = guardTerminal(link, shell.machine, marker);
  await waitFor(guard.watching, { signal: options.signal, ms: guardMs, clock });
  if (options.signal.aborted) return ok({ result: abortedBeforeStart(waitedMs()) });
  const captured = captureOutput(deps.spills, deps.limits, () => {
    void opening.then((opened) => opened.ok && opened.value.output.resume());
  });
  const show = outputListener(options.onOutput, deps.log);
  const typed = typedInput(options.stdin ?? new Uint8Array());
  let begunAt = clock.elapsed();
  let early = "";
  const output = afterMark(`${mark}\r`, (chunk) => {
    show(chunk);
    return captured.add(chunk);
  });
  const opening = deps.ptys.open({
    ...inTerminal(deps.terminal(script, options.pty)),
    size: options.pty,
    take(chunk) {
      if (output.isPast()) return output.add(chunk);
      early = (early + Buffer.from(chunk).toString()).slice(-1_000);
      const isReady = output.add(chunk);
      if (output.isPast()) {
        begunAt = clock.elapsed();
        // Input is sent only now, because the local terminal would have echoed it too.
        void opening.then(async (opened) => opened.ok && (await opened.value.write(typed)));
      }
      return isReady;
    },
  });
  const opened = await opening;
  if (!opened.ok) return opened;
  const pty = opened.value;
  const waited = await waitFor(pty.exited, { signal: options.signal, ms: options.timeoutMs, clock });
  const isEnded = waited.how === "done" || (await orphans.add(marker, undefined));
  const patience = { quietMs: outputWaitMs, maxRounds: maxOutputRounds, clock };
  const closed = await waitForRest(pty.output.ended, captured, patience);
  if (closed.how !== "done") pty.output.stop();
  await pty.output.ended;
  if (waited.how !== "done") endClient(pty.pid);
  const report = await finish(marker, saveTo, options, deps);
  if (report && !report.hasStarted && waited.how === "done") {
    await captured.end();
    return err({ kind: "unreachable", message: `the terminal could not be opened: ${early.trim()}` });
  }
  const result: RunResult = {
    ...commandEnding(link.kind, waited, { isEnded, told: report, lostBy: "its terminal was closed" }),
    ...(await captured.end()),
    leftRunning: (report?.left ?? []).map((one) => describeLeftProcess(one, command)),
    waitedMs: begunAt - askedAt,
    durationMs: clock.elapsed() - begunAt,
  };
  const left =
    report && (report.isSame || report.dump !== undefined) ? shell.read(report.dump, report.checksum) : undefined;
  return ok({ result, ...(left && waited.how === "done" && { left }) });
}

const outputWaitMs = 1_500;
const maxOutputRounds = 10;

/** The client on this machine in a raw terminal: the remote side echoes input. */
export function inTerminal({ program, args, env }: TerminalProgram): {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
} {
  const given = Object.entries(env ?? { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" });
  const variables = given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return {
    program: "/bin/sh",
    args: ["-c", 'stty raw -echo 2>/dev/null; exec "$@"', "sh", program, ...args],
    env: { ...Object.fromEntries(variables), ...terminalVariables },
    folder: tmpdir(),
  };
}

/** Asks the backend how the command ended. Undefined: no response. */
async function finish(
  marker: string,
  saveTo: string,
  { carry }: ExecOptions,
  { link, shell, clock }: TerminalDeps,
): Promise<RunnerReport | undefined> {
  const mark = randomHex(8);
  const control = createControl(mark, { begun() {}, done() {} });
  const knownChecksum = carry === false ? undefined : shell.checksum;
  const script = finishScript(shell.machine, { mark, marker, saveTo, knownChecksum });
  const waited = await waitOrAbort(
    (signal) =>
      link.run(script, {
        signal,
        onOutput: () => true,
        resume: () => Promise.resolve(),
        onControl: control.add,
      }),
    { ms: answerMs, clock },
  );
  return waited.how === "done" && waited.value.how === "exit" ? control.report() : undefined;
}

const answerMs = 20_000;

function endClient(pid: number): void {
  valueOr(() => process.kill(-pid, "SIGKILL"), false);
}

/**
 * Prepares the backend before a terminal opens: the connection, the folder, the state files. Errors inside a terminal
 * would not be visible.
 */
export async function checkStart(
  command: string,
  start: RemoteShellStart,
  deps: RemoteRunDeps,
  signal: AbortSignal,
): Promise<Result<StartCode | { readonly missingLevels: number }, EnvironmentError>> {
  const { link, shell, orphans } = deps;
  const cleared = await orphans.end(signal);
  if (!cleared.ok) return cleared;
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const startCode = shell.start("", start);
    const code = await sendCodeByInput(startCode, randomHex(8), deps, signal);
    if (!code.ok) return code;
    const { input } = code.value;
    const script = `${code.value.text}\nprepare\n[ -r ${quoteForShell(startCode.variables)} ] && [ -r ${quoteForShell(shell.machine.tree)} ] || exit 40
n=0; p=${quoteForShell(start.cwd)}
while ! cd "$p" 2>/dev/null; do [ "$p" = / ] && break; p=\${p%/*}; p=\${p:-/}; n=$((n + 1)); done
printf '%s\\n' $n
exit 0`;
    const ran = await runScript(link, script, { signal, ...(input && { stdin: input }) });
    if (!ran.ok) return err(environmentError(ran.error));
    if (ran.value.exitCode === 0) {
      startCode.arrived();
      const missingLevels = Number(ran.value.out.toString());
      return ok(missingLevels > 0 ? { missingLevels } : shell.start(command, start));
    }
    shell.forgetSent();
    const restored = await restoreMachine(link, shell.machine, signal);
    if (!restored.ok) return restored;
  }
  return err(folderClearedFault(deps));
}
