import { plural } from "../../base/text/text.ts";
import type { Repaired } from "./repair-store.ts";

/** Text for the user: what was recovered, what is lost, and where the damaged file is. */
export function describeRepair(path: string, { sessions, entries, harmed, keptAs, missingWrites }: Repaired): string {
  const there = `${path} was damaged; ${plural(entries, "entry")} of ${plural(sessions, "session")} were recovered.`;
  const lost = harmed.reduce((sum, session) => sum + session.lost, 0);
  const names = harmed.slice(0, maxNamed).map(({ id, title, lost: count }) => {
    const name = title === undefined ? id : `${id} "${title}"`;
    return `  ${name}: ${count}`;
  });
  const more = harmed.length > maxNamed ? [`  and ${plural(harmed.length - maxNamed, "session")} more`] : [];
  const unwritten =
    missingWrites === 0 ? [] : [`Lost: the last ${plural(missingWrites, "write")}, together with the write-ahead log.`];
  const removed =
    lost === 0
      ? unwritten.length > 0
        ? []
        : ["As far as Hermes can tell, nothing is missing."]
      : [`Lost: ${plural(lost, "entry")} of ${plural(harmed.length, "session")}.`, ...names, ...more];
  return [there, ...unwritten, ...removed, `The damaged file was kept as ${keptAs}.`].join("\n");
}

const maxNamed = 10;
