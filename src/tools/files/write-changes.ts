import { dirname } from "node:path";

import { ok, type Result } from "../../base/result.ts";
import type { FileSystem, FileSystemError } from "../../contracts/environment.ts";
import { fail, type ToolFailure } from "../../contracts/tool.ts";
import { fileFailure } from "./file-at.ts";

/** What happens to one path, which is real. Undefined bytes: there is no file. */
export interface PlannedChange {
  readonly path: string;
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array | undefined;
  readonly movedFrom?: string;
}

/**
 * Makes all changes or none: when one cannot be made, those before it are taken back, also after an interrupt. What was
 * written is read again and compared. A failure whose `effect` is not "none" names what is left.
 */
export async function writeChanges(
  changes: readonly PlannedChange[],
  files: FileSystem,
  signal: AbortSignal,
): Promise<Result<{ readonly madeFolders: boolean }, ToolFailure>> {
  const undo: Undo[] = [];
  let madeFolders = false;
  for (const step of stepsFor(changes, files)) {
    for (const folder of await missingFolders(step.target, files, signal)) {
      madeFolders = true;
      undo.push({ what: folder, run: (late) => files.delete(folder, late) });
    }
    const done = await step.run(signal);
    if (!done.ok) return takenBack(done.error, undo);
    undo.push(step.undo);
  }
  const odd = await notAsWritten(changes, files, signal);
  if (odd === undefined) return ok({ madeFolders });
  return fail(
    `${odd} was written, but reading it back gave something else or failed. Perhaps another program writes it too. Read it again.`,
    "failed",
    { effect: "done" },
  );
}

interface Undo {
  readonly what: string;
  readonly run: (signal: AbortSignal) => Promise<Result<void, FileSystemError>>;
}

interface Step {
  /** What will be there afterwards, if anything. */
  readonly target: string | undefined;
  readonly run: (signal: AbortSignal) => Promise<Result<void, FileSystemError>>;
  readonly undo: Undo;
}

/** A move is a move, so that the mode stays. Files go away last: what is gone cannot be put back as it was. */
function stepsFor(changes: readonly PlannedChange[], files: FileSystem): Step[] {
  const byPath = new Map(changes.map((change) => [change.path, change]));
  const leaves = (path: string) => byPath.has(path) && byPath.get(path)?.after === undefined;
  const moves = changes.filter(
    ({ before, movedFrom }) => movedFrom !== undefined && before === undefined && leaves(movedFrom),
  );
  const moved = new Set(moves.map(({ movedFrom }) => movedFrom));
  return [
    ...moves.map(({ path, movedFrom = path }) => moving(movedFrom, path, files)),
    ...changes.flatMap((change) => {
      const source = moves.includes(change) ? byPath.get(change.movedFrom ?? "") : change;
      return writing(change, source?.before, files);
    }),
    ...changes
      .filter(({ path, after }) => after === undefined && !moved.has(path))
      .flatMap((gone) => deleting(gone, files)),
  ];
}

function moving(from: string, to: string, files: FileSystem): Step {
  return {
    target: to,
    run: (signal) => files.move(from, to, signal),
    undo: { what: to, run: (signal) => files.move(to, from, signal) },
  };
}

function deleting({ path, before }: PlannedChange, files: FileSystem): Step[] {
  if (before === undefined) return [];
  return [
    {
      target: undefined,
      run: (signal) => files.delete(path, signal),
      undo: { what: path, run: (signal) => files.write(path, before, signal) },
    },
  ];
}

/** `there` is what is at the path by then. */
function writing({ path, after }: PlannedChange, there: Uint8Array | undefined, files: FileSystem): Step[] {
  if (after === undefined || (there !== undefined && Buffer.compare(there, after) === 0)) return [];
  return [
    {
      target: path,
      run: (signal) => files.write(path, after, signal),
      undo: {
        what: path,
        run: (signal) => (there === undefined ? files.delete(path, signal) : files.write(path, there, signal)),
      },
    },
  ];
}

/** The folders above a path that are not there, outermost first. */
async function missingFolders(path: string | undefined, files: FileSystem, signal: AbortSignal): Promise<string[]> {
  const missing: string[] = [];
  if (path === undefined) return missing;
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const found = await files.stat(folder, signal);
    if (found.ok || found.error.kind !== "missing") break;
    missing.unshift(folder);
  }
  return missing;
}

async function takenBack(error: FileSystemError, undo: readonly Undo[]): Promise<Result<never, ToolFailure>> {
  // The interrupt that may have led here does not stop the way back.
  const late = AbortSignal.timeout(undoMs);
  const left: string[] = [];
  for (const { what, run } of undo.toReversed()) {
    const done = await run(late);
    if (!done.ok && done.error.kind !== "missing") left.push(what);
  }
  const failure = fileFailure(error).error;
  if (left.length === 0) return fail(`${failure.message} Nothing was changed.`, failure.kind);
  return fail(`${failure.message} These could not be put back: ${left.join(", ")}. Look at them.`, failure.kind, {
    effect: "unknown",
  });
}

async function notAsWritten(
  changes: readonly PlannedChange[],
  files: FileSystem,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (const { path, after } of changes) {
    if (after === undefined) continue;
    const there = await files.read(path, signal);
    if (!there.ok || Buffer.compare(there.value, after) !== 0) return path;
  }
  return undefined;
}

const undoMs = 10_000;
