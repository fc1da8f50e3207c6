import { overlaps } from "../../../base/files/path.ts";
import type { PendingCall } from "../../../contracts/tool/dispatch.ts";

/** The paths and stores that a call needs for itself while it runs. */
export interface Claim {
  /** Runs alone: nothing before it is still running, nothing after it has begun. */
  readonly alone: boolean;
  readonly runs: boolean;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly stores: readonly string[];
}

export function claimOf({ tool, effects }: PendingCall): Claim {
  const reads: string[] = [];
  const writes: string[] = [];
  const stores: string[] = [];
  let runs = false;
  let leavesTraces = false;
  for (const effect of effects) {
    if (effect.kind === "read") reads.push(effect.path);
    else if (effect.kind === "write" || effect.kind === "delete") writes.push(effect.path);
    else if (effect.kind === "move") writes.push(effect.from, effect.to);
    else if (effect.kind === "state") stores.push(effect.store);
    else if (effect.kind === "exec") {
      runs = true;
      leavesTraces ||= effect.leavesNoTrace !== true;
    }
  }
  // Its effects do not contain those of its nested calls.
  const nests = tool.needs.includes("call");
  const alone = nests || !tool.traits.parallel || leavesTraces || (runs && writes.length > 0);
  return { alone, runs, reads, writes, stores };
}

/** Must one of the two wait for the other? A command may read anything, so it runs beside no writer. */
export function conflicts(a: Claim, b: Claim): boolean {
  return (
    a.alone ||
    b.alone ||
    (a.runs && b.writes.length > 0) ||
    (b.runs && a.writes.length > 0) ||
    a.stores.some((store) => b.stores.includes(store)) ||
    touches(a.writes, b.writes) ||
    touches(a.writes, b.reads) ||
    touches(b.writes, a.reads)
  );
}

function touches(paths: readonly string[], others: readonly string[]): boolean {
  return paths.some((path) => others.some((other) => overlaps(path, other)));
}
