import { sleep } from "../../base/async/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { valueOr } from "../../base/result.ts";
import { oneLine } from "../../base/text/text.ts";
import { type MachineProcesses, commandLineOf } from "./machine-processes.ts";
import type { ProcessView, LiveProcess } from "./process-view.ts";

/**
 * All processes of one run: those of its group and session, those with its marker in their environment, and all their
 * children. A process escapes only if it leaves the session, clears its environment and loses its parent before the
 * next scan. Only a PID namespace can prevent that.
 */
export interface ProcessTree {
  readonly pid: number;
  /** The marker in the environment of its processes. */
  readonly marker: string;
  /** A quick check for a first process that ended within a second of its start; it has no false positives. */
  leftNow(): readonly LiveProcess[];
  /**
   * Records the current processes while the first process waits, so that later checks are as quick as for a new one.
   */
  settle(): void;
  /**
   * The processes that were alive at or after that clock time. An older time makes it more likely that the scan of
   * another run can be used.
   */
  alive(since: number): readonly LiveProcess[];
  /** True: the last scan saw a process that was just starting, whose run is not known yet. Scan again in a moment. */
  isUnsure(): boolean;
  /**
   * Sends SIGTERM to all, kills the rest after a grace period, and waits until all have ended. Returns those that
   * cannot be killed.
   */
  end(): Promise<readonly LiveProcess[]>;
  /** Kills all without waiting, for a program that exits. */
  killNow(): void;
  /** Sends a signal to all. */
  signal(name: NodeJS.Signals): void;
}

export interface TreeDeps {
  readonly table: MachineProcesses;
  readonly clock: Clock;
}

/** `startedTicks`: the start time of the process. If it is missing, the process must be alive or have just ended. */
export function processTree(
  pid: number,
  marker: string,
  { table, clock }: TreeDeps,
  startedTicks = table.find(pid)?.startedTicks ?? 0,
): ProcessTree {
  /** Processes stay in this list, so that a child is still known after its parent has ended. */
  const members = new Map<number, number>();
  let isUnsure = false;
  let oldest = pid;

  function among(view: ProcessView | undefined): readonly LiveProcess[] {
    if (!view) return groupIsAlive(pid) ? [{ pid: -pid, parent: 0, group: pid, session: pid, startedTicks: 0 }] : [];
    const matches = new Map<number, LiveProcess>();
    const add = (one: LiveProcess) => void matches.set(one.pid, one);
    const bound = [...view.ofGroup(pid), ...view.ofSession(pid), ...view.marked(marker, startedTicks)];
    for (const one of bound) if (one.startedTicks >= startedTicks) add(one);
    for (const [member, ticks] of members) {
      const one = view.find(member);
      if (one?.startedTicks === ticks) add(one);
    }
    // The loop also visits members that it adds.
    for (const one of matches.values()) view.childrenOf(one.pid).forEach(add);
    for (const one of matches.values()) members.set(one.pid, one.startedTicks);
    isUnsure = view.unsure(startedTicks).some((one) => !matches.has(one.pid));
    return [...matches.values()];
  }

  const alive = (since: number) => among(table.view(since));

  return {
    pid,
    marker,
    alive,
    isUnsure: () => isUnsure,
    leftNow: () => among(table.newerThan(oldest, members)),
    settle() {
      const newest = table.newest() || pid;
      among(table.newerThan(oldest, members));
      oldest = newest;
    },
    async end() {
      for (const { name, waitMs } of steps) {
        const toldAt = clock.elapsed();
        if (name) tell(pid, alive(toldAt - sharedLookMs), name);
        await pause(waitMs, clock);
        if (alive(toldAt).length > 0 || isUnsure) continue;
        // Scans twice, because one scan can miss a process that is just starting.
        const lookedAt = clock.elapsed();
        await pause(1, clock);
        if (alive(lookedAt).length === 0 && !isUnsure) return [];
      }
      return alive(clock.elapsed());
    },
    signal: (name) => tell(pid, alive(clock.elapsed()), name),
    killNow() {
      for (let round = 0; round < lastRounds; round++) {
        const left = alive(clock.elapsed());
        if (left.length === 0 && !isUnsure) return;
        tell(pid, left, "SIGKILL");
      }
    },
  };
}

/** A process name for users. `ours`: the shell's wrapper text, which is not shown. */
export function describeProcess({ pid }: LiveProcess, ours: string, command: string): string {
  const words = commandLineOf(pid);
  const line = words.includes(ours) ? `(part of) ${command}` : words.join(" ");
  return pid > 0 ? `${oneLine(line, 160) || "a process"} (pid ${pid})` : "background processes";
}

const steps: readonly { readonly name?: "SIGTERM" | "SIGKILL"; readonly waitMs: number }[] = [
  { name: "SIGTERM", waitMs: 3 },
  ...[5, 10, 20, 40, 60, 100].map((waitMs) => ({ waitMs })),
  ...[3, 5, 10, 20, 50, 100, 200, 400, 800].map((waitMs) => ({ name: "SIGKILL" as const, waitMs })),
];
/** Pause between scans, long enough for killed processes to disappear and for their new children to appear. */
const lastRounds = 10;
/** Maximum age of a scan that runs share when they end at the same moment. */
const sharedLookMs = 4;

function tell(group: number, members: readonly LiveProcess[], name: NodeJS.Signals): void {
  // Signals each process only once: a second signal would end a shell in the middle of its EXIT trap.
  const others = members.filter((member) => member.pid > 0 && member.group !== group);
  // Signals the whole group in one call, so that no member can start a process in between.
  sendTo(-group, name);
  for (const { pid } of others) sendTo(pid, name);
  if (name === "SIGKILL") return;
  // Continues stopped processes, because they cannot handle the signal.
  sendTo(-group, "SIGCONT");
  for (const { pid } of others) sendTo(pid, "SIGCONT");
}

/** Sends a signal. False: the process has already ended, or belongs to another user. */
function sendTo(pid: number, name: NodeJS.Signals | 0): boolean {
  return valueOr(() => process.kill(pid, name), false);
}

function groupIsAlive(group: number): boolean {
  return sendTo(-group, 0);
}

function pause(ms: number, clock: Clock): Promise<void> {
  return sleep(ms, new AbortController().signal, clock);
}
