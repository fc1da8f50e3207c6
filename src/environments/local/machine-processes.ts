import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";

import type { Clock } from "../../base/clock.ts";
import { valueOr } from "../../base/result.ts";
import { runMarker } from "../child-environment.ts";
import { markerOfLimits } from "./limit-marker.ts";
import { type ProcessView, processView, type LiveProcess } from "./process-view.ts";

/** Lists the processes of this machine. Runs that end at the same time share one scan of /proc. */
export interface MachineProcesses {
  /** A list of all processes that is not older than this clock time. Undefined on systems without /proc. */
  view(notBefore: number): ProcessView | undefined;
  /** Lists only `members` and processes that started after `pid`. Used when a process has just ended. */
  newerThan(pid: number, members: ReadonlyMap<number, unknown>): ProcessView | undefined;
  /** The pid that was assigned last, 0 when the system does not report it. */
  newest(): number;
  /** The process with this pid. Undefined if it has ended or is a zombie. */
  find(pid: number): LiveProcess | undefined;
  /**
   * Registers the first process of a run until the result is disposed, so that other runs do not count it as a
   * leftover.
   */
  leads(pid: number): Disposable;
}

/** `readsLimits`: also finds the marker of a process that cleared its environment, see `LimitMarker`. */
export function createMachineProcesses(clock: Clock, { readsLimits = false } = {}): MachineProcesses {
  /** Buffer for one line of a few hundred bytes per process. */
  const line = Buffer.alloc(4096);
  let last: { readonly at: number; readonly view: ProcessView } | undefined;
  const leaders = new Set<number>();
  /** First processes of runs that have ended, with their end times. Their pids are not reused yet. */
  const endedLeaders = new Map<number, number>();
  const identities = new Map<number, { readonly startedTicks: number; readonly markers: readonly string[] }>();
  /** When a process was first seen without an environment. */
  const bare = new Map<number, { readonly startedTicks: number; readonly since: number }>();

  /** Reads the first line of a file in /proc. Throws if there is none. */
  function firstOf(path: string): string {
    const file = openSync(path, "r");
    try {
      return line.toString("latin1", 0, readSync(file, line));
    } finally {
      closeSync(file);
    }
  }

  function find(pid: number): LiveProcess | undefined {
    return valueOr(() => parseStat(pid, firstOf(`/proc/${pid}/stat`)), undefined);
  }

  /** The pid that was assigned last, 0 when the system does not report it. */
  function newestPid(): number {
    return valueOr(() => Number(/(\d+)\s*$/u.exec(firstOf("/proc/loadavg"))?.[1] ?? 0), 0);
  }

  function look(isWanted: (pid: number) => boolean): LiveProcess[] | undefined {
    const names = valueOr(() => readdirSync("/proc"), undefined);
    if (!names) return undefined;
    const seen: LiveProcess[] = [];
    for (const name of names) {
      const pid = Number(name);
      const result = Number.isInteger(pid) && isWanted(pid) ? find(pid) : undefined;
      if (result) seen.push(result);
    }
    return seen;
  }

  /**
   * The markers of the runs that started the process, outermost first, because Hermes can run inside a command of
   * another Hermes. Undefined: the process is just executing another program and has no environment for a moment; check
   * again.
   */
  function markersOf({ pid, startedTicks, group }: LiveProcess): readonly string[] | undefined {
    const read = identities.get(pid);
    if (read?.startedTicks === startedTicks) return read.markers;
    const environment = readOf(pid, "environ", "latin1");
    // Kernel threads have no group and no environment.
    if (environment === "" && group !== 0) {
      const before = bare.get(pid);
      const now = clock.elapsed();
      if (before?.startedTicks !== startedTicks) bare.set(pid, { startedTicks, since: now });
      if (before?.startedTicks !== startedTicks || now - before.since < bareMs) return undefined;
    }
    bare.delete(pid);
    const named = markersIn(environment ?? "");
    const limit = readsLimits && named.length === 0 ? markerOfLimits(readOf(pid, "limits", "latin1") ?? "") : undefined;
    const markers = limit === undefined ? named : [limit];
    identities.set(pid, { startedTicks, markers });
    return markers;
  }

  return {
    find,
    newest: newestPid,
    view(notBefore) {
      if (last && last.at >= notBefore) return last.view;
      const takenAt = clock.elapsed();
      const seen = look(() => true);
      if (!seen) return undefined;
      last = { at: takenAt, view: processView(seen, markersOf) };
      for (const pid of identities.keys()) if (!last.view.find(pid)) identities.delete(pid);
      for (const pid of bare.keys()) if (!last.view.find(pid)) bare.delete(pid);
      return last.view;
    },
    newerThan(pid, members) {
      const newest = newestPid();
      // Pids are assigned in order until they wrap around.
      const since = clock.elapsed() - goneMs;
      const isLeader = (other: number) => leaders.has(other) || (endedLeaders.get(other) ?? -Infinity) > since;
      const isNewer = (other: number) => (newest < pid || other > pid) && !isLeader(other);
      const isWanted = (other: number) => isNewer(other) || members.has(other);
      if (newest < pid || newest - pid > fewNumbers) {
        const seen = look(isWanted);
        return seen && processView(seen, markersOf);
      }
      const numbers = new Set(members.keys());
      for (let other = pid + 1; other <= newest; other++) if (isNewer(other)) numbers.add(other);
      const seen = [...numbers].flatMap((each) => (existsSync(`/proc/${each}`) ? (find(each) ?? []) : []));
      return processView(seen, markersOf);
    },
    leads(pid) {
      leaders.add(pid);
      endedLeaders.delete(pid);
      return {
        [Symbol.dispose]() {
          leaders.delete(pid);
          const now = clock.elapsed();
          for (const [other, endedAt] of endedLeaders) if (now - endedAt > goneMs) endedLeaders.delete(other);
          endedLeaders.set(pid, now);
        },
      };
    },
  };
}

/** Up to this many pids are checked one by one, which is faster than listing all processes. */
const fewNumbers = 64;
/** Pids do not wrap around within this time. */
const goneMs = 1_000;

/** The words of a process's command line; empty if it has ended. */
export function commandLineOf(pid: number): string[] {
  const text = readOf(pid, "cmdline") ?? "";
  return text.split("\0").slice(0, -1);
}

function parseStat(pid: number, stat: string): LiveProcess | undefined {
  // Searches for the last bracket, because the program name before it may contain brackets.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ", 20);
  if (fields[0] === "Z" || fields[0] === "X") return undefined;
  return {
    pid,
    parent: Number(fields[1]),
    group: Number(fields[2]),
    session: Number(fields[3]),
    startedTicks: Number(fields[19]),
  };
}

/** A process without an environment for longer than this was started without one. */
const bareMs = 100;

function markersIn(text: string): readonly string[] {
  const environment = `\0${text}`;
  const index = environment.indexOf(`\0${runMarker}=`);
  if (index === -1) return [];
  const from = index + runMarker.length + 2;
  return environment.slice(from, environment.indexOf("\0", from)).split(" ");
}

function readOf(pid: number, file: string, encoding: BufferEncoding = "utf8"): string | undefined {
  // The process has ended, or belongs to another user.
  return valueOr(() => readFileSync(`/proc/${pid}/${file}`, encoding), undefined);
}
