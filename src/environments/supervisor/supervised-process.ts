import { closeSync, rmSync } from "node:fs";
import { join } from "node:path";

import { sleep } from "../../base/async/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { describeFault } from "../../base/files/file-fault.ts";
import { err, ok, type Result, type Failure, valueOr } from "../../base/result.ts";
import type { EnvironmentError, ProcessEnding, PtySize, Screen } from "../../contracts/environment/environment.ts";
import type { MachineProcesses } from "../local/machine-processes.ts";
import { type OutputReader, readPipe } from "../local/output-reader.ts";
import { type ProcessTree, processTree } from "../local/process-tree.ts";
import { waitForRest } from "../output/rest-of-output.ts";
import type { Ptys } from "../pty/ptys.ts";
import type { ScreenEmulator } from "../pty/screen.ts";
import { type Exit, startProgram } from "../start-program.ts";
import { type NamedPipes, openForInput, openForOutput, openPipeToRead, openPipeToWrite } from "./named-pipes.ts";
import { openOutputRing, type OutputRing } from "./output-ring.ts";
import { pipeInput, type ProcessInput, terminalInput } from "./process-input.ts";
import type { ProcessRecord, ProcessRecords } from "./process-record.ts";
import type { SupervisedStart } from "./supervisor.ts";

/**
 * A running process in the supervisor. Its record is on disk; this object has the operations that only the parent
 * process can do.
 */
export interface SupervisedProcess {
  readonly id: string;
  /** Resolves when none of its processes is running, its output is complete and its ending is saved. */
  readonly ended: Promise<ProcessEnding>;
  readonly input: ProcessInput;
  kill(): Promise<ProcessEnding>;
  screen(): Promise<Result<Screen>>;
  resize(size: PtySize): Result<void>;
}

export interface SupervisedDeps {
  readonly store: ProcessRecords;
  readonly pipes: NamedPipes;
  readonly ptys: Ptys;
  readonly table: MachineProcesses;
  readonly clock: Clock;
  readonly maxOutputBytes: number;
  /** All pipes are read into this buffer. */
  readonly buffer: Buffer;
}

/** Starts a program whose record exists already. */
export async function startSupervised(
  record: ProcessRecord,
  start: SupervisedStart,
  deps: SupervisedDeps,
): Promise<Result<SupervisedProcess, EnvironmentError>> {
  const folder = deps.store.folderOf(record.id);
  let ring: OutputRing;
  try {
    ring = openOutputRing(join(folder, "output"), deps.maxOutputBytes);
  } catch (thrown) {
    return err({ kind: "unreachable", message: describeFault(thrown, folder).message });
  }
  const launched = start.pty
    ? await inTerminal(start, start.pty, ring, deps)
    : await withPipes(start, folder, ring, deps);
  if (!launched.ok) {
    ring.close();
    return launched;
  }
  const { pid } = launched.value;
  const startedTicks = deps.table.find(pid)?.startedTicks;
  const started = { ...record, pid, ...(startedTicks !== undefined && { startedTicks }) };
  attempt(() => deps.store.update(started));
  return ok(watchOver(started, { ...launched.value, ring, tree: processTree(pid, start.marker, deps) }, deps));
}

/** Adopts a process of an earlier supervisor. Its exit code is unknown; its output continues where it stopped. */
export function adoptSupervised(record: ProcessRecord, deps: SupervisedDeps): SupervisedProcess | undefined {
  const { pid, startedTicks } = record;
  const { table, clock } = deps;
  if (pid === undefined || startedTicks === undefined) return undefined;
  const folder = deps.store.folderOf(record.id);
  const tree = processTree(pid, record.marker, deps, startedTicks);
  /** The pid may belong to another process now. */
  const isGone = () => {
    const now = table.find(pid);
    return now ? now.startedTicks !== startedTicks : tree.alive(clock.elapsed()).length === 0 && !tree.isUnsure();
  };
  if (isGone()) return undefined;
  const ring = openOutputRing(join(folder, "output"), deps.maxOutputBytes);
  const reading = orUndefined(() => openPipeToRead(join(folder, "out")));
  const writing = orUndefined(() => openPipeToWrite(join(folder, "in")));
  const exited = (async () => {
    while (!isGone()) await sleep(pollMs, new AbortController().signal, clock);
    return undefined;
  })();
  const started = {
    pid,
    exited,
    tree,
    ring,
    input: writing === undefined ? closedInput : pipeInput(writing),
    ...(reading !== undefined && { output: readPipe(reading, deps.buffer, takeInto(ring)) }),
  };
  return watchOver(record, started, deps);
}

interface Begun {
  readonly pid: number;
  /** How the process exited. Undefined: it has ended, but its exit was not observed. */
  readonly exited: Promise<Exit | undefined>;
  readonly output?: OutputReader;
  readonly input: ProcessInput;
  readonly terminal?: { readonly screen: ScreenEmulator; resize(size: PtySize): Result<void> };
}

async function withPipes(
  start: SupervisedStart,
  folder: string,
  ring: OutputRing,
  { pipes, ptys, buffer }: SupervisedDeps,
): Promise<Result<Begun, EnvironmentError>> {
  const paths = [join(folder, "out"), join(folder, "in")] as const;
  const result = await pipes.make(paths);
  if (!result.ok) return err({ kind: "unreachable", message: result.error.message });
  const open: number[] = [];
  try {
    const out = openForOutput(paths[0]);
    open.push(out.ours, out.childs);
    const into = openForInput(paths[1]);
    open.push(into.ours, into.childs);
    const stdio = ptys.shielded([into.childs, out.childs, out.childs]);
    const started = await startProgram({ ...start, stdio });
    if (!started.ok) {
      open.forEach(closeSync);
      return started;
    }
    closeSync(out.childs);
    closeSync(into.childs);
    const output = readPipe(out.ours, buffer, takeInto(ring));
    return ok({ ...started.value, output, input: pipeInput(into.ours) });
  } catch (thrown) {
    open.forEach(closeSync);
    return err({ kind: "unreachable", message: describeFault(thrown, folder).message });
  }
}

async function inTerminal(
  start: SupervisedStart,
  size: PtySize,
  ring: OutputRing,
  { ptys }: SupervisedDeps,
): Promise<Result<Begun, EnvironmentError>> {
  // Enables the optimizing compiler, because rendering a screen needs it.
  process.getBuiltinModule("node:v8").setFlagsFromString("--opt");
  const { createScreen } = await import("../pty/screen.ts");
  const screen = await createScreen(size, {
    answer: (bytes) => void (opened.ok && opened.value.write(bytes)),
    onReady: () => void (opened.ok && opened.value.output.resume()),
  });
  const take = (chunk: Uint8Array) => {
    ring.add(chunk);
    return screen.add(chunk);
  };
  const opened = await ptys.open({ ...start, size, take });
  if (!opened.ok) {
    screen.close();
    return opened;
  }
  const pty = opened.value;
  const terminal = {
    screen,
    resize(size: PtySize) {
      const resized = pty.resize(size);
      if (resized.ok) screen.resize(size);
      return resized;
    },
  };
  return ok({ ...pty, input: terminalInput(pty), terminal });
}

function watchOver(
  record: ProcessRecord,
  started: Begun & { readonly tree: ProcessTree; readonly ring: OutputRing },
  { store, clock }: SupervisedDeps,
): SupervisedProcess {
  const { tree, ring, output, input, terminal } = started;
  let isKilled = false;
  let hasExited = false;

  async function end(): Promise<ProcessEnding> {
    const exit = await started.exited;
    hasExited = true;
    const exitedAt = clock.elapsed();
    // Gives child processes a moment to finish. Processes that end at the same time share one scan of the process list.
    await sleep(drainMs, new AbortController().signal, clock);
    if (tree.alive(exitedAt).length > 0 || tree.isUnsure()) await tree.end();
    if (output) {
      const patience = { quietMs: outputWaitMs, maxRounds: maxOutputRounds, clock };
      const waited = await waitForRest(output.ended, ring, patience);
      if (waited.how !== "done") output.stop();
      await output.ended;
    }
    input.close();
    ring.close();
    if (terminal) {
      const screen = await terminal.screen.read();
      attempt(() => store.keepScreen(record.id, screen));
      terminal.screen.close();
    }
    const ending: ProcessEnding = { how: howOf(exit, isKilled), ...exit, endedAt: clock.now() };
    const folder = store.folderOf(record.id);
    for (const path of [join(folder, "out"), join(folder, "in"), ...record.files])
      attempt(() => rmSync(path, { force: true }));
    attempt(() => store.end(record.id, ending));
    return ending;
  }

  const ended = end();
  return {
    id: record.id,
    ended,
    input,
    async kill() {
      if (!hasExited) {
        isKilled = true;
        await tree.end();
      }
      return ended;
    },
    async screen() {
      return terminal ? ok(await terminal.screen.read()) : err(noTerminal);
    },
    resize: (size) => (terminal ? terminal.resize(size) : err(noTerminal)),
  };
}

const drainMs = 10;
const outputWaitMs = 1_000;
const maxOutputRounds = 5;
const pollMs = 250;
const noTerminal: Failure = { message: "it has no terminal" };
const closedInput: ProcessInput = {
  write: async () => err({ message: "its input is closed" }),
  end: async () => ok(undefined),
  close() {},
};

function howOf(exit: Exit | undefined, isKilled: boolean): ProcessEnding["how"] {
  if (isKilled || (exit && "signal" in exit)) return "killed";
  return exit ? "exited" : "lost";
}

function takeInto(ring: OutputRing): (chunk: Uint8Array) => boolean {
  return (chunk) => {
    ring.add(chunk);
    return true;
  };
}

function orUndefined<T>(open: () => T): T | undefined {
  return valueOr(() => open(), undefined);
}

/** Ignores errors: on a full disk or a removed folder the process still continues. */
function attempt(write: () => void): void {
  valueOr(write, undefined);
}
