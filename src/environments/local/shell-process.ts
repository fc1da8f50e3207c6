import { closeSync, readSync } from "node:fs";

import { once } from "../../base/async/once.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { oneLine } from "../../base/text/text.ts";
import type { EnvironmentError } from "../../contracts/environment/environment.ts";
import type { PlannedMount } from "../../contracts/safety/isolation.ts";
import type { Ptys } from "../pty/ptys.ts";
import { type Exit, type StartedProgram, startProgram } from "../start-program.ts";
import { type OutputReader, readPipe } from "./output-reader.ts";
import { type Pipe, pipeFault } from "./pipes.ts";
import { type ProcessTree, processTree, type TreeDeps } from "./process-tree.ts";

/** One shell that runs one command, in its own session and process group, with both outputs in one pipe or terminal. */
export interface ShellProcess {
  readonly tree: ProcessTree;
  /** The exit of the shell itself, not of processes that it left running. */
  readonly exited: Promise<Exit>;
  readonly output: OutputReader;
  /** Passes the command to a waiting shell. */
  feed?(input: string): void;
}

export interface ShellProcessStart {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Mounts of a sandbox to verify before it runs anything. */
  readonly mounts?: readonly PlannedMount[];
  readonly marker: string;
  readonly channel: ShellChannel;
  readonly take: (chunk: Uint8Array) => boolean;
}

/** Standard input and output of the shell. */
export type ShellChannel =
  /** The process gets no input, and its output is discarded. */
  | "none"
  /**
   * `stdin`: a descriptor to use as standard input; it is closed after the start. Default: no input. `isFed`: the shell
   * gets its command later; while it waits, this process can exit.
   */
  | { readonly pipe: Pipe; readonly stdin?: number; readonly isFed?: boolean }
  | { readonly pty: PtyChannel };

export interface PtyChannel {
  readonly columns: number;
  readonly rows: number;
  /** Text to type, followed by the end of input. */
  readonly typed: Uint8Array;
}

export interface ShellProcessDeps extends TreeDeps {
  readonly ptys: Ptys;
}

export async function startShell(
  start: ShellProcessStart,
  deps: ShellProcessDeps,
): Promise<Result<ShellProcess, EnvironmentError>> {
  const started = await startIn(start.channel, start, deps);
  if (!started.ok) return started;
  const { pid, exited, output, feed } = started.value;
  const leading = deps.table.leads(pid);
  void exited.then(() => leading[Symbol.dispose]());
  return ok({ tree: processTree(pid, start.marker, deps), exited, output, ...(feed && { feed }) });
}

function startIn(
  channel: ShellChannel,
  start: ShellProcessStart,
  deps: ShellProcessDeps,
): Promise<Result<Begun, EnvironmentError>> {
  if (channel === "none") return unheard(start, deps);
  return "pty" in channel ? inTerminal(start, channel.pty, deps) : withPipe(start, channel, deps);
}

interface Begun extends StartedProgram {
  readonly output: OutputReader;
}

async function unheard(start: ShellProcessStart, { ptys }: ShellProcessDeps): Promise<Result<Begun, EnvironmentError>> {
  const stdio = ptys.shielded(["ignore", "ignore", "ignore"]);
  const started = await startProgram({ ...start, folder: start.cwd, stdio });
  return started.ok ? ok({ ...started.value, output: noOutput }) : started;
}

const noOutput: OutputReader = { ended: Promise.resolve(), resume() {}, stop() {}, isAtEnd: true };

async function withPipe(
  start: ShellProcessStart,
  { pipe, stdin, isFed = false }: { readonly pipe: Pipe; readonly stdin?: number; readonly isFed?: boolean },
  { ptys }: ShellProcessDeps,
): Promise<Result<Begun, EnvironmentError>> {
  let ends: { readonly ours: number; readonly childs: number };
  try {
    ends = pipe.forOutput();
  } catch (thrown) {
    if (stdin !== undefined) closeSync(stdin);
    return err({ kind: "unreachable", message: pipeFault(thrown, "the pipe for output") });
  }
  const stdio = ptys.shielded([stdin ?? "ignore", ends.childs, ends.childs]);
  const started = await startProgram({ ...start, folder: start.cwd, stdio, isFed });
  closeSync(ends.childs);
  if (stdin !== undefined) closeSync(stdin);
  if (!started.ok) {
    const reason = started.error.isRace ? waitingText(ends.ours) : "";
    closeSync(ends.ours);
    return reason === "" ? started : err({ ...started.error, message: `${started.error.message} (${reason})` });
  }
  const read = once(() => readPipe(ends.ours, pipe.buffer, start.take));
  const { feed } = started.value;
  return ok(feed ? { ...started.value, ...readWhenFed(read, feed) } : { ...started.value, output: read() });
}

/** Reads the first line from a pipe: the reason why bubblewrap failed. */
function waitingText(fd: number): string {
  const buffer = Buffer.alloc(1_000);
  try {
    return oneLine(buffer.toString("utf8", 0, readSync(fd, buffer)), 200);
  } catch {
    return "";
  }
}

/** A waiting shell is read only when it gets its command, so it does not keep this process alive. */
function readWhenFed(read: () => OutputReader, feed: (input: string) => void): Pick<Begun, "output" | "feed"> {
  return {
    output: {
      get ended() {
        return read().ended;
      },
      resume: () => read().resume(),
      stop: () => read().stop(),
      get isAtEnd() {
        return read().isAtEnd;
      },
    },
    feed(input) {
      read();
      feed(input);
    },
  };
}

async function inTerminal(
  start: ShellProcessStart,
  { columns, rows, typed }: PtyChannel,
  { ptys }: ShellProcessDeps,
): Promise<Result<Begun, EnvironmentError>> {
  const opened = await ptys.open({ ...start, folder: start.cwd, size: { columns, rows } });
  if (!opened.ok) return opened;
  void opened.value.write(typed);
  return opened;
}
