import { randomBytes } from "node:crypto";
import { closeSync, constants, openSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { sleep } from "../../base/async/abort.ts";
import { type WaitOutcome, waitFor } from "../../base/async/bounded-wait.ts";
import type { Clock } from "../../base/clock.ts";
import { randomHex } from "../../base/digest.ts";
import { describeFault } from "../../base/files/file-fault.ts";
import type { Logger } from "../../base/log/log.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { quoteForShell } from "../../base/text/shell-quote.ts";
import type { EnvironmentError, ExecOptions, ExecResult } from "../../contracts/environment/environment.ts";
import type { Isolation } from "../../contracts/safety/isolation.ts";
import { captureOutput, type OutputLimits } from "../output/captured-output.ts";
import { outputListener } from "../output/output-listener.ts";
import { type OutputArrivals, waitForRest } from "../output/rest-of-output.ts";
import type { SpillFolder } from "../output/spill-folder.ts";
import { terminalVariables } from "../pty/terminal-variables.ts";
import { typedInput } from "../pty/typed-input.ts";
import { abortedBeforeStart, type RunResult } from "../run-failures.ts";
import type { CarriedState } from "../shell/carried-state.ts";
import { shouldRetry } from "../start-program.ts";
import type { Exit } from "../start-program.ts";
import type { ExitCleanup } from "./exit-cleanup.ts";
import type { LocalShell, StartedShell } from "./local-shell.ts";
import type { Pipe, Pipes } from "./pipes.ts";
import type { ReadyShell } from "./ready-shell.ts";
import type { PtyChannel, ShellChannel } from "./shell-process.ts";

export interface LocalRunDeps {
  readonly shell: LocalShell;
  readonly pipes: Pipes;
  readonly ready: ReadyShell;
  readonly exitCleanup: ExitCleanup;
  readonly spills: SpillFolder;
  /** A private folder. */
  readonly folder: string;
  readonly limits: OutputLimits;
  readonly clock: Clock;
  readonly log: Logger;
}

/** How a command ended, before its shell state is accepted or dropped. */
export interface LocalRun {
  readonly result: RunResult;
  readonly left?: CarriedState;
}

/**
 * Runs a command, including the short wait for leftover processes. When this resolves, none of its processes is
 * running, its pipes are closed, and its output is complete.
 */
export async function runLocalCommand(
  command: string,
  cwd: string,
  options: ExecOptions & { readonly isolation?: Isolation | undefined; readonly isKept: boolean },
  deps: LocalRunDeps,
): Promise<Result<LocalRun, EnvironmentError>> {
  const { clock } = deps;
  const askedAt = clock.elapsed();
  const ready = options.signal.aborted ? undefined : deps.ready.take(command, cwd, options);
  const opened = ready ? ok(channelOf(ready.pipe)) : await openChannel(options, deps);
  if (!opened.ok) return opened;
  let { channel, env: terminal, giveBack } = opened.value;
  if (options.signal.aborted) {
    giveBack(true);
    return ok({ result: abortedBeforeStart(clock.elapsed() - askedAt) });
  }
  const askPass = options.sudoPassword === undefined ? undefined : createAskPass(options.sudoPassword, deps.folder);
  if (askPass && !askPass.ok) {
    giveBack(true);
    return askPass;
  }
  using asking = askPass?.value;

  const captured = captureOutput(deps.spills, deps.limits, () => running.output.resume());
  const show = outputListener(options.onOutput, deps.log);
  const take = (chunk: Uint8Array) => {
    show(chunk);
    return captured.add(chunk);
  };
  const startedAt = clock.elapsed();
  const { isolation, isKept } = options;
  const start = () => {
    const env = { ...terminal, ...options.env, ...asking?.env };
    return deps.shell.start(command, { cwd, env, channel, take, isolation, isKept });
  };
  deps.exitCleanup.prepare();
  let started = ready ? ok(ready.run(take)) : await start();
  for (let tries = 1; shouldRetry(started, tries) && !options.signal.aborted; tries++) {
    const reopened = await openChannel(options, deps);
    if (!reopened.ok) return reopened;
    ({ channel, env: terminal, giveBack } = reopened.value);
    started = await start();
  }
  if (!started.ok) return started;
  const running = started.value;
  using _held = deps.exitCleanup.hold(running.tree);
  const waited = await waitFor(running.exited, { signal: options.signal, ms: options.timeoutMs, clock });
  const leftRunning = waited.how === "done" ? await drain(running, startedAt, clock) : [];
  if (waited.how !== "done") await running.tree.end();
  await waitForOutput(running, captured, clock);
  giveBack(running.output.isAtEnd);
  const left = running.leftState();
  const result = {
    ...endingOf(waited),
    ...(await captured.end()),
    leftRunning,
    ...(running.confined && { confined: running.confined }),
    waitedMs: startedAt - askedAt,
    durationMs: clock.elapsed() - startedAt,
  };
  return ok({ result, ...(left && waited.how === "done" && { left }) });
}

interface OpenedChannel {
  readonly channel: ShellChannel;
  readonly env: Readonly<Record<string, string>>;
  /** Whether the channel's pipe can be reused. */
  giveBack(isFree: boolean): void;
}

async function openChannel(
  { pty, stdin }: ExecOptions,
  { pipes, folder }: LocalRunDeps,
): Promise<Result<OpenedChannel, EnvironmentError>> {
  if (pty) {
    const channel: { pty: PtyChannel } = { pty: { ...pty, typed: typedInput(stdin ?? new Uint8Array()) } };
    return ok({ channel, env: terminalVariables, giveBack() {} });
  }
  const pipe = await pipes.take();
  if (!pipe.ok) return err({ kind: "unreachable", message: pipe.error.message });
  const { value } = pipe;
  const input = stdin && openInput(stdin, folder);
  if (input && !input.ok) {
    value.giveBack(true);
    return input;
  }
  return ok(channelOf(value, input?.value));
}

function channelOf(pipe: Pipe, stdin?: number): OpenedChannel {
  const channel = { pipe, ...(stdin !== undefined && { stdin }) };
  return { channel, env: {}, giveBack: (isFree) => pipe.giveBack(isFree) };
}

/** Gives processes that outlive the shell a moment to finish, then kills them and returns their names. */
async function drain(running: StartedShell, startedAt: number, clock: Clock): Promise<readonly string[]> {
  const { tree } = running;
  const endedAt = clock.elapsed();
  let left = endedAt - startedAt < quickMs ? tree.leftNow() : tree.alive(endedAt);
  const mayGoOn = () => !running.isOver(left) || tree.isUnsure();
  for (let waitMs = 5; mayGoOn() && clock.elapsed() - endedAt < drainMs; waitMs = Math.min(40, waitMs * 2)) {
    const since = clock.elapsed();
    await sleep(waitMs, new AbortController().signal, clock);
    left = tree.alive(since);
  }
  if (running.isOver(left)) return [];
  const names = left.flatMap((one) => running.describeProcess(one) ?? []);
  await tree.end();
  return names;
}

const drainMs = 250;
/** Within this time pids do not wrap around, so the quick check for leftover processes is sufficient. */
const quickMs = 1_000;

/** No process of the command can still write, so there is no need to wait for other holders of the pipe. */
async function waitForOutput({ output }: StartedShell, arrivals: OutputArrivals, clock: Clock): Promise<void> {
  const waited = await waitForRest(output.ended, arrivals, {
    quietMs: quietOutputMs,
    maxRounds: maxOutputRounds,
    clock,
  });
  if (waited.how !== "done") output.stop();
  await output.ended;
}

const quietOutputMs = 1_000;
const maxOutputRounds = 5;

function endingOf(waited: WaitOutcome<Exit>): Pick<ExecResult, "ended" | "exitCode" | "signal"> {
  if (waited.how !== "done") return { ended: waited.how };
  return "signal" in waited.value
    ? { ended: "signal", signal: waited.value.signal }
    : { ended: "exit", exitCode: waited.value.exitCode };
}

interface AskPass extends Disposable {
  /** Variables for this command only. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Creates a program that prints the password for `sudo -A` and exists until it is disposed. `folder` is private. The
 * password never appears in an argument or variable, because `printf` is a shell built-in.
 */
function createAskPass(password: string, folder: string): Result<AskPass, EnvironmentError> {
  const path = join(folder, `ask-${randomHex(8)}`);
  try {
    writeFileSync(path, `#!/bin/sh\nprintf '%s\\n' ${quoteForShell(password)}\n`, { mode: 0o700, flag: "wx" });
  } catch (thrown) {
    rmSync(path, { force: true });
    return err({ kind: "unreachable", message: describeFault(thrown, folder).message });
  }
  return ok({ env: { SUDO_ASKPASS: path }, [Symbol.dispose]: () => rmSync(path, { force: true }) });
}

/**
 * A descriptor to read these bytes from: an unlinked file, so that no writer is needed and the command can open
 * `/dev/stdin`. Short input, which may be a password, stays off the disk where the system allows that.
 */
function openInput(bytes: Uint8Array, folder: string): Result<number, EnvironmentError> {
  if (bytes.length <= maxInMemoryBytes && process.platform === "linux") {
    const inMemory = opened(() => openInMemory(bytes), "/dev/shm");
    if (inMemory.ok) return inMemory;
  }
  return opened(() => openUnlinked(bytes, folder), folder);
}

function opened(open: () => number, folder: string): Result<number, EnvironmentError> {
  try {
    return ok(open());
  } catch (thrown) {
    return err({ kind: "unreachable", message: describeFault(thrown, folder).message });
  }
}

/** The file never has a path, because confined programs could open one. */
function openInMemory(bytes: Uint8Array): number {
  const withoutName = constants.O_DIRECTORY | 0o20000000;
  const writing = openSync("/dev/shm", withoutName | constants.O_RDWR, 0o600);
  try {
    writeFileSync(writing, bytes);
    return openSync(`/proc/self/fd/${writing}`, "r");
  } finally {
    closeSync(writing);
  }
}

const maxInMemoryBytes = 1024 * 1024;

/** `folder` is private. */
function openUnlinked(bytes: Uint8Array, folder: string): number {
  const path = join(folder, `hermes-input-${randomBytes(8).toString("hex")}`);
  const writing = openSync(path, "wx", 0o600);
  try {
    writeFileSync(writing, bytes);
    return openSync(path, "r");
  } finally {
    closeSync(writing);
    rmSync(path, { force: true });
  }
}
