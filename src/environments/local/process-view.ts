import { once } from "../../base/async/once.ts";

/** One running process. Zombies are excluded. */
export interface LiveProcess {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** The start in clock ticks since boot: identifies a process together with its pid. */
  readonly startedTicks: number;
}

/**
 * The processes at one moment, indexed by their relations, so that lookups do not slow down with the number of
 * processes.
 */
export interface ProcessView {
  find(pid: number): LiveProcess | undefined;
  ofGroup(group: number): readonly LiveProcess[];
  ofSession(session: number): readonly LiveProcess[];
  childrenOf(pid: number): readonly LiveProcess[];
  /** Processes with this marker that started at or after this tick. */
  marked(marker: string, sinceTicks: number): readonly LiveProcess[];
  /** Processes that started at or after this tick and whose owner is still unknown. */
  unsure(sinceTicks: number): readonly LiveProcess[];
}

type Markers = (seen: LiveProcess) => readonly string[] | undefined;

export function processView(seen: readonly LiveProcess[], markersOf: Markers): ProcessView {
  const byPid = new Map(seen.map((one) => [one.pid, one]));
  const indexed = once(() => ({
    groups: Map.groupBy(seen, ({ group }) => group),
    sessions: Map.groupBy(seen, ({ session }) => session),
    parents: Map.groupBy(seen, ({ parent }) => parent),
  }));
  const byMarker = new Map<string, LiveProcess[]>();
  let unread = seen;
  const unsure: LiveProcess[] = [];

  /** Reads the environment only of processes that are young enough to matter. */
  function readMarkers(sinceTicks: number): void {
    const young = unread.filter(({ startedTicks }) => startedTicks >= sinceTicks);
    if (young.length === 0) return;
    unread = unread.filter(({ startedTicks }) => startedTicks < sinceTicks);
    for (const one of young) {
      const markers = markersOf(one);
      if (!markers) unsure.push(one);
      for (const marker of markers ?? []) {
        const others = byMarker.get(marker);
        if (others) others.push(one);
        else byMarker.set(marker, [one]);
      }
    }
  }

  const isSince = (sinceTicks: number) => (one: LiveProcess) => one.startedTicks >= sinceTicks;
  return {
    find: (pid) => byPid.get(pid),
    ofGroup: (group) => indexed().groups.get(group) ?? [],
    ofSession: (session) => indexed().sessions.get(session) ?? [],
    childrenOf: (pid) => indexed().parents.get(pid) ?? [],
    marked(marker, sinceTicks) {
      readMarkers(sinceTicks);
      return (byMarker.get(marker) ?? []).filter(isSince(sinceTicks));
    },
    unsure(sinceTicks) {
      readMarkers(sinceTicks);
      return unsure.filter(isSince(sinceTicks));
    },
  };
}
