import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";

import type { Clock } from "../../base/clock.ts";
import { runMarker } from "../child-environment.ts";
import { type ProcessView, processView, type LiveProcess } from "./process-view.ts";

/** The machine's processes, looked at no more often than needed: many runs that end at once share one look. */
export interface MachineProcesses {
  /** A view taken at or after this moment of the clock. Undefined where there is no /proc. */
  view(notBefore: number): ProcessView | undefined;
  /** The newest processes alone, for a process that has just ended: what was started after `pid`, and those `members`. */
  newerThan(pid: number, members: ReadonlyMap<number, unknown>): ProcessView | undefined;
  /** The number of the process that was started last, 0 when the system does not say. */
  newest(): number;
  /** Undefined when it is gone or a zombie. */
  find(pid: number): LiveProcess | undefined;
  /** A shell that leads a run of its own until this is disposed: it is nothing that another run left behind. */
  leads(pid: number): Disposable;
}

export function createMachineProcesses(clock: Clock): MachineProcesses {
  /** One line of a few hundred bytes is read for every process of the machine. */
  const line = Buffer.alloc(4096);
  let last: { readonly at: number; readonly view: ProcessView } | undefined;
  const leaders = new Set<number>();
  /** Leaders that are gone, and since when: nobody else has their numbers yet. */
  const endedLeaders = new Map<number, number>();
  const identities = new Map<number, { readonly startedTicks: number; readonly markers: readonly string[] }>();
  /** Since when a process has been seen without any environment. */
  const bare = new Map<number, { readonly startedTicks: number; readonly since: number }>();

  /** What fits into a line, of a file that the system makes up. Throws when there is none. */
  function firstOf(path: string): string {
    const file = openSync(path, "r");
    try {
      return line.toString("latin1", 0, readSync(file, line));
    } finally {
      closeSync(file);
    }
  }

  function find(pid: number): LiveProcess | undefined {
    try {
      return parseStat(pid, firstOf(`/proc/${pid}/stat`));
    } catch {
      return undefined;
    }
  }

  /** The number that was given out last, 0 when the system does not say. */
  function newestPid(): number {
    try {
      return Number(/(\d+)\s*$/u.exec(firstOf("/proc/loadavg"))?.[1] ?? 0);
    } catch {
      return 0;
    }
  }

  function look(isWanted: (pid: number) => boolean): LiveProcess[] | undefined {
    let names: string[];
    try {
      names = readdirSync("/proc");
    } catch {
      return undefined;
    }
    const seen: LiveProcess[] = [];
    for (const name of names) {
      const pid = Number(name);
      const result = Number.isInteger(pid) && isWanted(pid) ? find(pid) : undefined;
      if (result) seen.push(result);
    }
    return seen;
  }

  /**
   * The runs that the process was started in, outermost first: a runtime can run in a command of another. Undefined: it is
   * just putting another program in its own place and has no environment for a moment; look again.
   */
  function markersOf({ pid, startedTicks, group }: LiveProcess): readonly string[] | undefined {
    const read = identities.get(pid);
    if (read?.startedTicks === startedTicks) return read.markers;
    const environment = readOf(pid, "environ", "latin1");
    // Threads of the kernel have no group and never have an environment.
    if (environment === "" && group !== 0) {
      const before = bare.get(pid);
      const now = clock.elapsed();
      if (before?.startedTicks !== startedTicks) bare.set(pid, { startedTicks, since: now });
      if (before?.startedTicks !== startedTicks || now - before.since < bareMs) return undefined;
    }
    bare.delete(pid);
    const markers = markersIn(environment ?? "");
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
      // Numbers are given out in order until they start again from below.
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

/** So many numbers are asked for one by one: that is quicker than the list of all processes. */
const fewNumbers = 64;
/** Numbers do not start over within this time. */
const goneMs = 1_000;

/** The command line of a process, words apart; empty when it is gone. */
export function commandLineOf(pid: number): string[] {
  const text = readOf(pid, "cmdline") ?? "";
  return text.split("\0").slice(0, -1);
}

function parseStat(pid: number, stat: string): LiveProcess | undefined {
  // The name before it may contain anything, brackets included.
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

/** Who has none for longer was started without one. */
const bareMs = 100;

function markersIn(text: string): readonly string[] {
  const environment = `\0${text}`;
  const index = environment.indexOf(`\0${runMarker}=`);
  if (index === -1) return [];
  const from = index + runMarker.length + 2;
  return environment.slice(from, environment.indexOf("\0", from)).split(" ");
}

function readOf(pid: number, file: string, encoding: BufferEncoding = "utf8"): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, encoding);
  } catch {
    // Gone meanwhile, or somebody else's.
    return undefined;
  }
}
