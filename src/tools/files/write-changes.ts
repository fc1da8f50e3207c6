import { dirname, join } from "node:path";

import { randomHex } from "../../base/digest.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { FileSystem, FileSystemError } from "../../contracts/environment/environment.ts";
import type { FileReads } from "../../contracts/host/ports.ts";
import { fail, type ToolFailure } from "../../contracts/tool/tool-result.ts";
import { fileFailure } from "./file-on-disk.ts";

/** The planned change of one real path. Undefined bytes mean that there is no file. */
export interface PlannedFileChange {
  readonly path: string;
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array | undefined;
  readonly movedFrom?: string;
  /** The modification time of the previous content, if known. */
  readonly modifiedAt?: number;
}

/**
 * Makes all changes or none: a failure undoes the earlier ones, even after an abort. A path whose target changed, or
 * whose file another program changed meanwhile, is neither written nor removed. Reads written files back and compares
 * them. If the `effect` of a failure is not "none", the failure lists what remains changed.
 */
export async function writeChanges(
  changes: readonly PlannedFileChange[],
  files: FileSystem,
  signal: AbortSignal,
  writeAlone: NonNullable<FileReads["writeAlone"]> = async (work) => ok(await work()),
): Promise<Result<{ readonly madeFolders: boolean }, ToolFailure>> {
  const written = await writeAlone(() => writeAll(changes, files, signal), signal);
  if (written.ok) return written.value;
  return fail(`${written.error}. Nothing was changed.`, signal.aborted ? "aborted" : "failed");
}

async function writeAll(
  changes: readonly PlannedFileChange[],
  files: FileSystem,
  signal: AbortSignal,
): Promise<Result<{ readonly madeFolders: boolean }, ToolFailure>> {
  const undo: Undo[] = [];
  const { steps, leavings } = stepsFor(changes, files);
  let madeFolders = false;
  for (const step of steps) {
    for (const folder of await missingFolders(step.target, files, signal)) {
      madeFolders = true;
      undo.push({ what: folder, run: (late) => files.delete(folder, late) });
    }
    const done = await step.run(signal);
    if (!done.ok) return undoChanges(done.error, undo);
    undo.push(step.undo);
  }
  const left = await leftOver(leavings, files);
  if (left.length > 0)
    return fail(`All was changed, but ${left.join(", ")} could not be removed.`, "failed", { effect: "done" });
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
  /** Returns the path of the file after the change, if any. */
  readonly target: string | undefined;
  readonly run: (signal: AbortSignal) => Promise<Result<void, FileSystemError>>;
  readonly undo: Undo;
}

/**
 * Orders the steps. A move keeps the mode. Deletions come last, because a deleted file cannot be restored exactly.
 * Several deletions are first moved aside; `leavings` are these files, which are removed when everything else is done.
 */
function stepsFor(
  changes: readonly PlannedFileChange[],
  files: FileSystem,
): { readonly steps: readonly Step[]; readonly leavings: readonly string[] } {
  const byPath = new Map(changes.map((change) => [change.path, change]));
  const leaves = (path: string) => byPath.has(path) && byPath.get(path)?.after === undefined;
  const moves = changes.filter(
    ({ before, movedFrom }) => movedFrom !== undefined && before === undefined && leaves(movedFrom),
  );
  const moved = new Set(moves.map(({ movedFrom }) => movedFrom));
  const removed = changes.filter(
    ({ path, before, after }) => before !== undefined && after === undefined && !moved.has(path),
  );
  const aside =
    removed.length > 1
      ? removed.map((change) => [change, join(dirname(change.path), `.hermes-gone-${randomHex(8)}`)] as const)
      : [];
  const steps = [
    ...moves.map(({ path, movedFrom = path }) => moving(movedFrom, path, files)),
    ...changes.flatMap((change) => {
      const source = moves.includes(change) ? byPath.get(change.movedFrom ?? "") : change;
      return writing(change, source?.before, files);
    }),
    ...aside.map(([change, name]) => unlessChanged(change, moving(change.path, name, files), files)),
    ...(aside.length > 0 ? [] : removed.map((change) => unlessChanged(change, deleting(change, files), files))),
  ];
  return { steps, leavings: aside.map(([, name]) => name) };
}

function moving(from: string, to: string, files: FileSystem): Step {
  return {
    target: to,
    run: (signal) => files.move(from, to, signal),
    undo: { what: to, run: (signal) => files.move(to, from, signal) },
  };
}

/** This is the last step. Nothing after it can fail, so it is never undone. */
function deleting({ path }: PlannedFileChange, files: FileSystem): Step {
  return {
    target: undefined,
    run: (signal) => files.delete(path, signal),
    undo: { what: path, run: async () => ok(undefined) },
  };
}

/** `there` is the content at the path at that point. */
function writing(change: PlannedFileChange, there: Uint8Array | undefined, files: FileSystem): Step[] {
  const { path, after } = change;
  if (after === undefined || (there !== undefined && Buffer.compare(there, after) === 0)) return [];
  const step: Step = {
    target: path,
    run: (signal) => files.write(path, after, signal),
    undo: {
      what: path,
      run: (signal) => (there === undefined ? files.delete(path, signal) : files.write(path, there, signal)),
    },
  };
  return [unlessChanged({ ...change, before: there }, step, files)];
}

/** Runs the step only if the file is unchanged since the change was planned. */
function unlessChanged({ path, before, modifiedAt }: PlannedFileChange, step: Step, files: FileSystem): Step {
  return {
    ...step,
    async run(signal) {
      const changed = await changedMeanwhile({ path, there: before, modifiedAt }, files, signal);
      return changed ? err(changed) : step.run(signal);
    },
  };
}

/**
 * Checks directly before the write, because other programs may change the file at any time. Only the write itself is
 * unprotected.
 */
async function changedMeanwhile(
  { path, there, modifiedAt }: { path: string; there: Uint8Array | undefined; modifiedAt: number | undefined },
  files: FileSystem,
  signal: AbortSignal,
): Promise<FileSystemError | undefined> {
  // Short files are read again, because some file systems store times in seconds.
  if (there !== undefined && there.length > longBytes && modifiedAt !== undefined) {
    const stat = await files.stat(path, signal);
    if (stat.ok && stat.value.modifiedAt === modifiedAt && stat.value.bytes === there.length) return undefined;
  }
  const now = await files.read(path, signal);
  if (!now.ok && now.error.kind !== "missing") return now.error;
  const isSame = now.ok ? there !== undefined && Buffer.compare(now.value, there) === 0 : there === undefined;
  if (isSame) return undefined;
  return {
    kind: "failed",
    message: `${path} was changed by somebody else just now; read it again, then make your change`,
  };
}

/** Returns the missing parent folders of a path, outermost first. */
async function missingFolders(path: string | undefined, files: FileSystem, signal: AbortSignal): Promise<string[]> {
  const missing: string[] = [];
  if (path === undefined) return missing;
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const match = await files.stat(folder, signal);
    if (match.ok || match.error.kind !== "missing") break;
    missing.unshift(folder);
  }
  return missing;
}

async function undoChanges(error: FileSystemError, undo: readonly Undo[]): Promise<Result<never, ToolFailure>> {
  // The interrupt that may have caused this must not stop the undo.
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

/** Returns old files that cannot be removed. An abort has no effect here, because all changes are done. */
async function leftOver(leavings: readonly string[], files: FileSystem): Promise<readonly string[]> {
  const late = AbortSignal.timeout(undoMs);
  const left: string[] = [];
  for (const path of leavings) {
    const removed = await files.delete(path, late);
    if (!removed.ok && removed.error.kind !== "missing") left.push(path);
  }
  return left;
}

async function notAsWritten(
  changes: readonly PlannedFileChange[],
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
const longBytes = 1_000_000;
