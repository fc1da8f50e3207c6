import type { ChildProcess, ChildProcessWithoutNullStreams } from "node:child_process";
import type { Duplex, Readable, Writable } from "node:stream";

import { sleep } from "../async/abort.ts";
import { once } from "../async/once.ts";
import type { Clock } from "../clock.ts";
import { err, ok, reasonOf, type Result, valueOr } from "../result.ts";
import { plainText } from "../text/ansi.ts";
import type { Variables } from "./run-program.ts";
import { createWatchdog } from "./watchdog.ts";

/** A long-running program in its own process group, connected by its standard streams. */
export interface ChildProgram {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** UTF-8 text. */
  readonly stderr: Readable;
  /** The program's descriptor 3, in both directions, if `ChildStart.pipes` lists it. */
  readonly channel: Duplex | undefined;
  /** Another descriptor in `ChildStart.pipes`. */
  pipe(descriptor: number): Duplex | undefined;
  /** Resolves once the program has ended and its output was read. Never rejects. */
  readonly exited: Promise<ProgramExit>;
  /** The last part of the program's standard error, as plain text. */
  stderrTail(): string;
  /** Sets whether the program keeps this process alive. Initially true. */
  setKeepsAlive(keepsAlive: boolean): void;
  /** Sends a signal to the program and to all its descendants that can be identified. */
  signal(name: NodeJS.Signals): void;
  /** Asks the program to end, kills its whole group after a grace period, and resolves when it has ended. */
  end(): Promise<void>;
}

export interface ProgramExit {
  /** How the program ended, in words such as "ended with exit code 1". */
  readonly description: string;
  readonly isKilled: boolean;
  /** The exit code; undefined if a signal ended the program. */
  readonly code?: number;
}

export interface ChildStart {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Variables;
  /** Also kills processes that have left the group, if they can be identified. */
  readonly killerOf?: (pid: number) => ProgramKiller;
  /** Runs after the program has ended, and synchronously when this process exits. */
  readonly cleanUp?: () => void;
  /** A folder that is removed when the program ends, even if this process is killed. */
  readonly folder?: string;
  /** The user account of the program. Default: the account of this process. */
  readonly account?: { readonly uid: number; readonly gid: number };
  /** Additional descriptors that are connected to this process. */
  readonly pipes?: readonly number[];
  /** A descriptor for messages and sockets, for Node programs. */
  readonly messages?: number;
  /**
   * A word in the program's environment by which the watchdog finds processes that left the group. See
   * `Watchdog.watch`.
   */
  readonly marker?: string;
  /** Whether the system kills the program together with this process, so that no watchdog is needed. */
  readonly endsWithParent?: boolean;
  /**
   * Decides before the first use whether the program may continue. If it returns false, the program is killed. See
   * `notAdmitted`.
   */
  readonly admit?: (child: ChildProcess) => Promise<boolean>;
}

export interface ProgramKiller {
  end(): Promise<unknown>;
  /** Kills without waiting. */
  killNow(): void;
  /** Sends a signal to the program and all its descendants. */
  signal?(name: NodeJS.Signals): void;
}

export type StartChild = (start: ChildStart) => Promise<Result<ChildProgram, string>>;

/**
 * Starts programs that never outlive this process: they end when it exits, and a watchdog kills them if this process is
 * killed.
 */
export function createChildStarter(clock: Clock): StartChild {
  const running = new Set<() => void>();
  const watchdog = createWatchdog();
  const killAll = (): void => running.forEach((kill) => kill());

  return async (start) => {
    const spawned = await spawnPiped(start);
    if (!spawned.ok) return spawned;
    const child = spawned.value;
    const { pid } = child;
    const killer = start.killerOf?.(pid) ?? groupKiller(pid, clock);
    const watched = start.endsWithParent ? undefined : watchdog.watch(pid, start.marker);
    const removal = start.folder === undefined ? undefined : watchdog.removeAtEnd(start.folder);
    const stderrTail = keepTail(child.stderr);
    const cleanUp = (): void => {
      start.cleanUp?.();
      if (start.folder !== undefined) removeFolder(start.folder);
    };
    const killNow = (): void => {
      killer.killNow();
      cleanUp();
    };
    if (running.size === 0) process.on("exit", killAll);
    running.add(killNow);
    const end = once(async () => {
      await killer.end();
      running.delete(killNow);
      cleanUp();
      watched?.[Symbol.dispose]();
      removal?.[Symbol.dispose]();
      if (running.size === 0) {
        process.off("exit", killAll);
        watchdog[Symbol.dispose]();
      }
    });
    const exited = exitOf(child, clock);
    void exited.then(end);
    if (start.admit && !(await start.admit(child))) {
      killer.killNow();
      await end();
      await exited;
      return err(stderrTail().trim() || notAdmitted);
    }
    return ok({
      pid,
      stdin: child.stdin,
      stdout: child.stdout,
      stderr: child.stderr,
      // The cast is needed because the types cover only five descriptors.
      channel: start.pipes?.includes(3) ? (child.stdio[3] as unknown as Duplex) : undefined,
      pipe: (fd) => (start.pipes?.includes(fd) ? (child.stdio[fd] as unknown as Duplex) : undefined),
      exited,
      stderrTail,
      setKeepsAlive: keeperOf(child, exited),
      signal: (name) => (killer.signal ? killer.signal(name) : void signalGroup(pid, name)),
      end,
    });
  };
}

/** Programs start and stop being busy often, so one timer is shared by all handles. */
function keeperOf(child: ChildProcess, exited: Promise<unknown>): (keepsAlive: boolean) => void {
  let timer: NodeJS.Timeout | undefined;
  let hasExited = false;
  const stop = (): void => {
    hasExited = true;
    clearInterval(timer);
  };
  void exited.then(stop);
  return (keepsAlive) => {
    if (hasExited) return;
    if (timer) return void (keepsAlive ? timer.ref() : timer.unref());
    if (keepsAlive) return;
    timer = setInterval(() => {}, 2 ** 30).unref();
    // The cast is safe: pipes are sockets, which the types do not express.
    const pipes = child.stdio as unknown as readonly (Partial<Handle> | null)[];
    const handles: readonly (Partial<Handle> | null)[] = [child, ...pipes];
    for (const handle of handles) {
      // A closed socket must not be read, because reading would wait for a connection.
      if (handle && !handle.destroyed) handle.unref?.();
    }
  };
}

interface Handle {
  readonly destroyed: boolean;
  unref(): void;
}

type PipedChild = ChildProcessWithoutNullStreams & { readonly pid: number };

async function spawnPiped(start: ChildStart): Promise<Result<PipedChild, string>> {
  const { program, args, cwd, env, account, pipes = [], messages = 0 } = start;
  const { spawn } = process.getBuiltinModule("node:child_process");
  try {
    const kindOf = (_: unknown, fd: number) => (fd < 3 || pipes.includes(fd) ? "pipe" : "ignore");
    const stdio: ("pipe" | "ignore" | "ipc")[] = Array.from({ length: Math.max(2, messages, ...pipes) + 1 }, kindOf);
    if (messages > 0) stdio[messages] = "ipc";
    // The cast is safe: the first three descriptors are pipes.
    const child = spawn(program, args, {
      cwd,
      env: { ...env },
      ...account,
      detached: true,
      stdio,
    }) as ChildProcessWithoutNullStreams;
    // Write errors are ignored: a program that has ended does not read its input.
    child.stdin.on("error", () => {});
    const hasPid = (one: ChildProcessWithoutNullStreams): one is PipedChild => one.pid !== undefined;
    if (!hasPid(child)) return await new Promise<never>((_, reject) => child.once("error", reject));
    child.on("error", () => {});
    return ok(child);
  } catch (thrown) {
    return err(reasonOf(thrown));
  }
}

function groupKiller(pid: number, clock: Clock): ProgramKiller {
  return {
    async end() {
      const { signal } = new AbortController();
      const endBy = clock.elapsed() + graceMs;
      for (let isGone = !signalGroup(pid, "SIGTERM"); !isGone && clock.elapsed() < endBy; isGone = !signalGroup(pid, 0))
        await sleep(pollMs, signal, clock);
      signalGroup(pid, "SIGKILL");
    },
    killNow: () => void signalGroup(pid, "SIGKILL"),
  };
}

function removeFolder(folder: string): void {
  const { rmSync } = process.getBuiltinModule("node:fs");
  // The program's processes may still write for a moment after they were killed.
  valueOr(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }), undefined);
}

/** Returns false if the group is empty. */
function signalGroup(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, name);
  } catch {
    return false;
  }
}

async function exitOf(child: ChildProcess, clock: Clock): Promise<ProgramExit> {
  return new Promise((resolve) => {
    child.once("exit", (code, signal) => {
      const description = code === null ? `signal ${signal}` : `exit code ${code}`;
      const settle = () => resolve({ description, isKilled: code === null, ...(code !== null && { code }) });
      // A child of the program may hold the pipes open.
      const timer = clock.after(drainMs, settle);
      child.once("close", () => {
        timer[Symbol.dispose]();
        settle();
      });
    });
  });
}

function keepTail(stderr: Readable): () => string {
  let tail = "";
  stderr.setEncoding("utf8").on("data", (text: string) => {
    tail = (tail + text).slice(-maxTailChars);
  });
  return () => plainText(tail);
}

/** The failure of a program that `ChildStart.admit` rejected and that printed no reason. */
export const notAdmitted = "the program was not admitted";

const graceMs = 250;
const pollMs = 5;
const drainMs = 200;
const maxTailChars = 8_192;
