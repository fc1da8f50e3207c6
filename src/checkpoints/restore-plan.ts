import type { RestoreChange } from "../contracts/knowledge/checkpoint.ts";
import { bytesOf, type FileState, type KnownState, parseFileState, type UnstoredReason } from "./file-state.ts";
import type { Change, ChangeDoubt } from "./record-store.ts";
import type { RestoreStep } from "./scan.ts";

/** A change of a restore, with its old and new states. */
export interface RestorePlanChange extends RestoreChange {
  readonly now: FileState;
  readonly old: FileState;
}

export interface PlannedRestore {
  readonly changes: readonly RestorePlanChange[];
  readonly left: readonly { readonly path: string; readonly why: string }[];
}

/**
 * Plans how to return every path of these changes to its state before the first change. `current` is the present
 * state. Marks paths that were not recorded or that others changed; skips paths that cannot be restored.
 */
export function planRestore(changes: readonly Change[], current: (path: string) => FileState): PlannedRestore {
  const planned: RestorePlanChange[] = [];
  const left: { path: string; why: string }[] = [];
  for (const [path, rows] of byPath(changes)) {
    const old = rows[0]?.before ?? "";
    const now = current(path);
    if (now === old) continue;
    const [target, there] = [parseFileState(old), parseFileState(now)];
    const why = cannotRestore(target);
    if (why !== undefined) left.push({ path, why });
    else planned.push({ ...facts(path, target, there, now, old), ...doubtOf(rows, now, there, target) });
  }
  return { changes: planned.toSorted((a, b) => (a.path < b.path ? -1 : 1)), left };
}

/** Orders the steps: deletions from the innermost path outwards, creations from the outermost path inwards. */
export function stepsFor(changes: readonly RestorePlanChange[]): readonly RestoreStep[] {
  const goes = changes.filter(({ now, old }) => now !== "" && isGone(parseFileState(now), parseFileState(old)));
  const removes = goes.map(({ path, now }) => ({
    do: "remove" as const,
    path,
    isFolder: parseFileState(now).kind === "folder",
  }));
  const puts = changes.flatMap(({ path, old }): RestoreStep[] => {
    const target = parseFileState(old);
    if (target.kind === "link") return [{ do: "link", path, target: target.target }];
    return target.kind === "file" ? [{ do: "file", path, mode: target.mode, hash: target.hash }] : [];
  });
  const folders = changes.flatMap(({ path, old }) => {
    const target = parseFileState(old);
    return target.kind === "folder" ? [{ do: "folder" as const, path, mode: target.mode }] : [];
  });
  const inner = <T extends { readonly path: string }>(steps: readonly T[]) =>
    steps.toSorted((a, b) => depth(b.path) - depth(a.path));
  return [
    ...inner(removes),
    // The folder stays writable for this user until its content is complete.
    ...inner(folders)
      .toReversed()
      .map((step) => ({ ...step, mode: step.mode | 0o700 })),
    ...puts,
    ...inner(folders).filter(({ mode }) => (mode & 0o700) !== 0o700),
  ];
}

function byPath(changes: readonly Change[]): ReadonlyMap<string, readonly Change[]> {
  const matches = new Map<string, Change[]>();
  for (const change of changes) {
    const rows = matches.get(change.path);
    if (rows) rows.push(change);
    else matches.set(change.path, [change]);
  }
  return matches;
}

/** Whether the old entry must be deleted first. A file or link is replaced in one step. */
function isGone(now: KnownState, old: KnownState): boolean {
  if (old.kind === "absent") return true;
  if (old.kind === "folder") return now.kind !== "folder";
  return now.kind === "folder";
}

function facts(path: string, target: KnownState, there: KnownState, now: FileState, old: FileState) {
  const how = there.kind === "absent" ? "create" : target.kind === "absent" ? "remove" : "change";
  const { kind } = target.kind === "absent" ? there : target;
  return {
    path,
    how,
    kind: kind === "folder" || kind === "link" || kind === "other" ? kind : "file",
    bytesNow: bytesOf(now),
    bytesThen: bytesOf(old),
    now,
    old,
  } as const;
}

function doubtOf(
  rows: readonly Change[],
  now: FileState,
  there: KnownState,
  target: KnownState,
): { readonly doubt?: string } {
  const knownNames = new Set<FileState>();
  let wasOthers = false;
  for (const { before, after } of rows) {
    if (knownNames.size > 0 && !knownNames.has(before)) wasOthers = true;
    knownNames.add(before).add(after);
  }
  if (!knownNames.has(now)) return { doubt: "changed by somebody else since then" };
  if (there.kind === "unkept")
    return { doubt: `in its current state it ${unkeptWords[there.why]}: this cannot be undone` };
  if (there.kind === "other" && target.kind !== "other")
    return { doubt: "a pipe, socket or device: this cannot be undone" };
  if (wasOthers) return { doubt: "changed by somebody else in between" };
  const unsure = rows.find((row) => row.doubt !== undefined)?.doubt;
  return unsure === undefined ? {} : { doubt: unsureWords[unsure] };
}

const unsureWords: Readonly<Record<ChangeDoubt, string>> = {
  interrupted: "changed while or after a call was interrupted",
  background: "changed while a background process ran: by it, or by you",
};

const unkeptWords: Readonly<Record<UnstoredReason, string>> = {
  large: "is too large to be recorded",
  unreadable: "cannot be read",
  full: "did not fit into the checkpoints",
};

function cannotRestore(target: KnownState): string | undefined {
  if (target.kind === "other") return "a pipe, socket or device cannot be recorded";
  return target.kind === "unkept" ? `in its old state it ${past[target.why]}` : undefined;
}

const past: Readonly<Record<UnstoredReason, string>> = {
  large: "was too large to be recorded",
  unreadable: "could not be read",
  full: "did not fit into the checkpoints (checkpoints.max_total_size_mb)",
};

function depth(path: string): number {
  return path.split("/").length;
}
