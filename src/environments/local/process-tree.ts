import { sleep } from "../../base/async/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { oneLine } from "../../base/text/text.ts";
import { type MachineProcesses, commandLineOf } from "./process-table.ts";
import type { ProcessView, LiveProcess } from "./process-view.ts";

/**
 * All processes of one run: those of its group and session, those that carry its marker in their environment, and the
 * children of all these. What escapes is a process that leaves the session, clears its environment and loses its parent, all
 * three, before anybody looks; holding that one takes a PID namespace.
 */
export interface ProcessTree {
  readonly pid: number;
  /** Quick, for the moment after the first process has ended within a second of its start; it has no false alarms. */
  leftNow(): readonly LiveProcess[];
  /** The first process waits: takes note of who is there, so that later looks are as quick as for one just started. */
  settle(): void;
  /** Who was alive at or after that moment of the clock. The older the moment, the likelier another's look serves. */
  alive(since: number): readonly LiveProcess[];
  /** The last look met a process that was just being started: whether it is one of ours shows in a moment. */
  isUnsure(): boolean;
  /** Asks all to end, kills who has not after a grace, and waits until none is left. Returns those that cannot be killed. */
  end(): Promise<readonly LiveProcess[]>;
  /** Kills all without waiting for anything, for a program that is being left. */
  killNow(): void;
}

export interface TreeDeps {
  readonly table: MachineProcesses;
  readonly clock: Clock;
}

/** `startedTicks`: when it is known from before; else the process must be alive, or have just been. */
export function processTree(
  pid: number,
  marker: string,
  { table, clock }: TreeDeps,
  startedTicks = table.find(pid)?.startedTicks ?? 0,
): ProcessTree {
  /** Once a member, always one: a child stays known after its parent is gone. */
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
    // What is added on the way is visited too.
    for (const one of matches.values()) view.childrenOf(one.pid).forEach(add);
    for (const one of matches.values()) members.set(one.pid, one.startedTicks);
    isUnsure = view.unsure(startedTicks).some((one) => !matches.has(one.pid));
    return [...matches.values()];
  }

  const alive = (since: number) => among(table.view(since));

  return {
    pid,
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
        // Twice: a process that is just being started can be missed once.
        const lookedAt = clock.elapsed();
        await pause(1, clock);
        if (alive(lookedAt).length === 0 && !isUnsure) return [];
      }
      return alive(clock.elapsed());
    },
    killNow() {
      for (let round = 0; round < lastRounds; round++) {
        const left = alive(clock.elapsed());
        if (left.length === 0 && !isUnsure) return;
        tell(pid, left, "SIGKILL");
      }
    },
  };
}

/** As a person would name it. `ours`: the text of the shell's own wrapping, which nobody wants to read. */
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
/** Each is a look at the machine: long enough for the killed to be gone, and for what they were just starting to be seen. */
const lastRounds = 10;
/** Runs that are ended in the same moment share a look at the machine. */
const sharedLookMs = 4;

function tell(group: number, members: readonly LiveProcess[], name: "SIGTERM" | "SIGKILL"): void {
  // Each once: a shell that hears it twice ends in the middle of its EXIT trap.
  const others = members.filter((member) => member.pid > 0 && member.group !== group);
  // The group in one step: nothing in it can start another process in between.
  sendTo(-group, name);
  for (const { pid } of others) sendTo(pid, name);
  if (name === "SIGKILL") return;
  // One that is stopped cannot hear.
  sendTo(-group, "SIGCONT");
  for (const { pid } of others) sendTo(pid, "SIGCONT");
}

function sendTo(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Gone already, or not ours to signal.
  }
}

function groupIsAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}

function pause(ms: number, clock: Clock): Promise<void> {
  return sleep(ms, new AbortController().signal, clock);
}
