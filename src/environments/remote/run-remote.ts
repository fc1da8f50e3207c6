import { waitFor } from "../../base/async/bounded-wait.ts";
import type { Clock } from "../../base/clock.ts";
import { randomHex } from "../../base/digest.ts";
import type { Logger } from "../../base/log/log.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { quoteForShell } from "../../base/text/shell-quote.ts";
import type { EnvironmentError, ExecOptions } from "../../contracts/environment/environment.ts";
import { captureOutput, type OutputLimits } from "../output/captured-output.ts";
import { outputListener } from "../output/output-listener.ts";
import { waitForRest } from "../output/rest-of-output.ts";
import type { SpillFolder } from "../output/spill-folder.ts";
import { abortedBeforeStart, type RunResult } from "../run-failures.ts";
import type { CarriedState } from "../shell/carried-state.ts";
import { asText } from "../shell/words.ts";
import type { BackendShell, StartCode } from "./backend-shell.ts";
import { createControl } from "./control.ts";
import { commandEnding, describeLeftProcess } from "./exec-result.ts";
import type { Link, LinkEnd } from "./link.ts";
import { afterMark, untilMark } from "./marked-output.ts";
import { restoreMachine } from "./open-machine.ts";
import type { Orphans } from "./orphans.ts";
import { environmentError, notStarted, runScript } from "./run-script.ts";
import { runnerScript } from "./runner-script.ts";
import { renewLease, watchedBy } from "./watch-command.ts";

export interface RemoteRunDeps {
  readonly link: Link;
  readonly shell: BackendShell;
  /** Runs that were lost with the connection. */
  readonly orphans: Orphans;
  /** Channels that are still closing after their command ended. */
  readonly closing: Set<Promise<unknown>>;
  readonly spills: SpillFolder;
  readonly limits: OutputLimits;
  /** How the backend detects that this program has ended; see `watchedBy`. */
  readonly leaseMs: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** How a command ended, before its shell state is accepted or dropped. */
export type RemoteRun =
  | { readonly result: RunResult; readonly left?: CarriedState }
  /** The folder is missing; the nearest one is this many levels up. The command did not run. */
  | { readonly missingLevels: number };

/**
 * Runs a command once, including the short wait for leftover processes. When this resolves, none of its processes is
 * running.
 */
export async function runRemote(
  command: string,
  cwd: string,
  options: ExecOptions,
  deps: RemoteRunDeps,
): Promise<Result<RemoteRun, EnvironmentError>> {
  const askedAt = deps.clock.elapsed();
  if (options.signal.aborted) return ok({ result: abortedBeforeStart(0) });
  const cleared = await deps.orphans.end(options.signal);
  if (!cleared.ok)
    return options.signal.aborted ? ok({ result: abortedBeforeStart(deps.clock.elapsed() - askedAt) }) : cleared;
  for (let attempt = 1; ; attempt++) {
    const ran = await runOnce(command, cwd, options, askedAt, deps);
    if (ran !== "again") return ran;
    // The state files are missing on the backend, so the command did not start.
    deps.shell.forgetSent();
    const restored = await restoreMachine(deps.link, deps.shell.machine, options.signal);
    if (!restored.ok) return restored;
    if (attempt === maxAttempts) return err(folderClearedFault(deps));
  }
}

/** Retries for a command whose files are missing on the backend. */
export const maxAttempts = 3;

export function folderClearedFault({ link, shell }: Pick<RemoteRunDeps, "link" | "shell">): EnvironmentError {
  return {
    kind: "unreachable",
    message: `the folder ${shell.machine.folder} on the ${link.kind} backend is deleted repeatedly`,
    hint: "Check what deletes temporary files there, and whether the disk is full.",
  };
}

async function runOnce(
  command: string,
  cwd: string,
  options: ExecOptions,
  askedAt: number,
  deps: RemoteRunDeps,
): Promise<Result<RemoteRun, EnvironmentError> | "again"> {
  const { clock, shell, link } = deps;
  const { folder } = shell.machine;
  const marker = randomHex(8);
  const saveTo = `${folder}/left-${marker}`;
  const askpass = options.sudoPassword === undefined ? undefined : `${folder}/ask-${marker}`;
  const env = { ...options.env, ...(askpass !== undefined && { SUDO_ASKPASS: askpass }) };
  const start = shell.start(command, { cwd, env, saveTo });
  const sent = await sendCodeByInput(start, marker, deps, options.signal);
  if (!sent.ok) return options.signal.aborted ? ok({ result: abortedBeforeStart(clock.elapsed() - askedAt) }) : sent;
  const mark = randomHex(8);
  const script = runnerScript(shell.machine, {
    mark,
    marker,
    cwd,
    variables: start.variables,
    code: sent.value.text,
    saveTo,
    knownChecksum: options.carry === false ? undefined : shell.checksum,
    inputBytes: options.stdin?.length,
    askpass,
    watchedBy: watchedBy(link, deps.leaseMs),
    discard: shell.takeDiscarded(),
  });
  const stdin = inputOf(options, sent.value.input);

  const ready = { resume: () => {} };
  const captured = captureOutput(deps.spills, deps.limits, () => ready.resume());
  const show = outputListener(options.onOutput, deps.log);
  const hasBegun = Promise.withResolvers<void>();
  const toldAll = Promise.withResolvers<void>();
  const printedAll = Promise.withResolvers<void>();
  let hasPrinted = false;
  let hasPrintedAll = false;
  const body = untilMark(
    `${mark}.`,
    (chunk) => {
      hasPrinted = true;
      show(chunk);
      return captured.add(chunk);
    },
    () => {
      hasPrintedAll = true;
      printedAll.resolve();
    },
  );
  const output = afterMark(mark, body.add);
  const control = createControl(mark, {
    begun() {
      start.arrived();
      hasBegun.resolve();
    },
    done: () => toldAll.resolve(),
  });
  // Does not use `options.signal`, because after an interrupt the command is killed first and its last output is still
  // read.
  const channel = new AbortController();
  const ended = link.run(script, {
    signal: channel.signal,
    ...(stdin && { stdin }),
    ...(link.canHoldInput && { holdsInput: true }),
    onOutput: output.add,
    resume: () => new Promise<void>((resolve) => (ready.resume = resolve)),
    onControl: control.add,
  });

  using _lease = link.canHoldInput ? undefined : renewLease(link, shell.machine, marker, deps);
  deps.closing.add(ended);
  void ended.finally(() => deps.closing.delete(ended));

  const { signal } = options;
  const started = await waitFor(Promise.race([hasBegun.promise, ended]), { signal, ms: Infinity, clock });
  // The start and the abort may happen at the same time. A command that started has a normal result, and its output may
  // arrive before the status line.
  if (started.how === "aborted" && !control.report().hasStarted && !hasPrinted) {
    channel.abort();
    await deps.orphans.add(marker, undefined);
    await captured.end();
    return ok({ result: abortedBeforeStart(clock.elapsed() - askedAt) });
  }
  const begunAt = clock.elapsed();
  const waited = await waitFor(Promise.race([toldAll.promise, ended]), { signal, ms: options.timeoutMs, clock });
  const isEnded = waited.how === "done" || (await deps.orphans.add(marker, control.group()));
  // After all output and the report have arrived, do not wait for the channel to close.
  const all = Promise.all([printedAll.promise, toldAll.promise]);
  // A runner that has sent its report prints the mark last, so the rest of the output is still in transit. A killed
  // runner may print none.
  const patience =
    waited.how === "done"
      ? { signal, quietMs: slowOutputMs, clock }
      : { quietMs: isEnded ? outputWaitMs : 0, maxRounds: isEnded ? maxOutputRounds : 1, clock };
  const closed = await waitForRest(Promise.race([all, ended]), captured, patience);
  if (closed.how !== "done") channel.abort();
  const isWhole = closed.how === "done" && Array.isArray(closed.value);
  const end: LinkEnd = isWhole ? { how: "exit", exitCode: 0 } : await ended;
  body.end();
  shell.discard(saveTo);
  const report = control.report();

  if (waited.how === "done" && !report.hasStarted) {
    await captured.end();
    if (report.isStateMissing) return "again";
    if (report.missingLevels !== undefined) return ok({ missingLevels: report.missingLevels });
    // The last status lines may have been lost with the connection.
    if (end.how === "broken") deps.orphans.remember(marker, undefined);
    return err(environmentError(end.how === "exit" ? notStarted(link.kind, end.exitCode, report.noise) : end));
  }
  const isLost = waited.how === "done" && report.status === undefined;
  if (isLost && end.how === "exit") await deps.orphans.add(marker, report.group);
  else if (isLost) deps.orphans.remember(marker, report.group);
  const left = report.isSame || report.dump !== undefined ? shell.read(report.dump, report.checksum) : undefined;
  const lostBy = end.how === "broken" ? end.message : "its watching shell was killed";
  const ending = commandEnding(link.kind, waited, { isEnded, told: report, lostBy });
  const isCutOff = !hasPrintedAll && closed.how !== "aborted" && ["exit", "signal"].includes(ending.ended);
  const result = {
    ...(closed.how === "aborted" ? ({ ended: "aborted" } as const) : ending),
    ...(await captured.end()),
    ...(isCutOff && { lostOutput: whyCutOff(link.kind, end) }),
    leftRunning: report.left.map((one) => describeLeftProcess(one, command)),
    waitedMs: begunAt - askedAt,
    durationMs: clock.elapsed() - begunAt,
  };
  return ok({ result, ...(left && waited.how === "done" && { left }) });
}

/**
 * Time without output after which a command counts as lost. Longer than the pauses between retries of a failing
 * service.
 */
const slowOutputMs = 60_000;
const outputWaitMs = 1_500;
const maxOutputRounds = 10;

function whyCutOff(kind: string, end: LinkEnd): string {
  if (end.how === "exit") return "the shell that watched the command was killed";
  return end.how === "aborted"
    ? `the ${kind} backend sent nothing more for ${slowOutputMs / 1_000} seconds`
    : end.message;
}

/**
 * Returns the code for the script: the start code itself if it may be visible in the process list, otherwise code that
 * reads it from a file that was sent before.
 */
export async function sendCode(
  { code, hasVariables }: Pick<StartCode, "code" | "hasVariables">,
  marker: string,
  { link, shell }: RemoteRunDeps,
  signal: AbortSignal,
): Promise<Result<SentCode, EnvironmentError>> {
  const text = asText(code);
  const isShort = code.length + 3 * (code.split("'").length - 1) <= maxInlineBytes;
  if (text !== undefined && isShort && !(hasVariables && link.showsScripts)) return ok({ text });
  const { folder } = shell.machine;
  const file = quoteForShell(`${folder}/code-${marker}`);
  const stdin = Buffer.from(code, "latin1");
  const script = `umask 077; cat >${file} && [ $(wc -c <${file}) -eq ${stdin.length} ] || { rm -f ${file}; exit 1; }`;
  const ran = await runScript(link, script, { signal, stdin });
  if (!ran.ok) return err(environmentError(ran.error));
  if (ran.value.exitCode !== 0) {
    return err({ kind: "unreachable", message: `the command could not be sent: ${ran.value.errorText}` });
  }
  return ok({ text: `prepare() { :; }\n. ${file}; rm -f ${file}` });
}

/** Like `sendCode`, for a script with its own input: sensitive code precedes that input. */
export async function sendCodeByInput(
  start: Pick<StartCode, "code" | "hasVariables">,
  marker: string,
  deps: RemoteRunDeps,
  signal: AbortSignal,
): Promise<Result<SentCode, EnvironmentError>> {
  const input = Buffer.from(`${start.code}\n#${marker}`, "latin1");
  const mayShow = !start.hasVariables || !deps.link.showsScripts;
  if (mayShow || input.length > maxInputBytes) return sendCode(start, marker, deps, signal);
  const text = [
    // Reads one byte at a time, so that on every system the rest of the input stays unread.
    `__hermes=$(dd bs=1 count=${input.length} 2>/dev/null)`,
    `case $__hermes in *"#${marker}") ;; *) echo "the command did not arrive" >&2; exit 1;; esac`,
    'eval "$__hermes"',
  ].join("\n");
  return ok({ text, input });
}

export interface SentCode {
  /** Shell code for the script. */
  readonly text: string;
  /** Precedes all other input of the script. */
  readonly input?: Uint8Array;
}

const maxInputBytes = 20_000;

/** Linux accepts no argument over 128 KiB, and the script is one argument. */
const maxInlineBytes = 90_000;

function inputOf({ stdin, sudoPassword }: ExecOptions, code: Uint8Array | undefined): Uint8Array | undefined {
  if (sudoPassword === undefined && code === undefined) return stdin;
  const password = sudoPassword === undefined ? "" : `${sudoPassword}\n`;
  return Buffer.concat([code ?? new Uint8Array(), Buffer.from(password), stdin ?? new Uint8Array()]);
}
