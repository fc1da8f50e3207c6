import type { JsonObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { ToolContext, ToolFailure } from "../../contracts/tool.ts";
import { seenAs } from "./file-at.ts";
import type { FileChange } from "./patch/apply-patch.ts";
import { contentRefusal } from "./refusals.ts";
import { unifiedDiff } from "./unified-diff.ts";
import { type PlannedChange, writeChanges } from "./write-changes.ts";

/**
 * Writes changed texts, all or none, and tells what was done: the files by what happened to them, and a diff. Paths are
 * real, and what was there before is UTF-8.
 */
export async function makeChanges(
  changes: readonly FileChange[],
  { environment, fileReads, clock, signal }: ToolContext<"environment" | "fileReads">,
): Promise<Result<JsonObject, ToolFailure>> {
  const real = changes.filter(({ before, after }) => before !== after);
  if (real.length === 0) return ok({ success: true, no_change: true, files_modified: [], backend: environment.kind });
  for (const { path, before, after, movedFrom } of real) {
    if (after === undefined) continue;
    const source = before ?? changes.find((other) => other.path === movedFrom)?.before;
    const refusal = contentRefusal(path, source, after);
    if (refusal) return err(refusal);
  }
  const planned = real.map(({ before, after, ...change }): PlannedChange => ({
    ...change,
    before: bytesOf(before),
    after: bytesOf(after),
  }));
  const written = await writeChanges(planned, environment.files, signal);
  if (!written.ok) return written;
  for (const { path, after } of planned) {
    if (after === undefined) fileReads.forget(path);
    else fileReads.record(path, seenAs(after, clock.now()));
  }
  const paths = (wanted: (change: FileChange) => boolean) => real.filter(wanted).map(({ path }) => path);
  const created = paths(({ before }) => before === undefined);
  const deleted = paths(({ after }) => after === undefined);
  return ok({
    success: true,
    diff: diffOf(real, changes),
    files_modified: paths(({ before, after }) => before !== undefined && after !== undefined),
    ...(created.length > 0 && { files_created: created }),
    ...(deleted.length > 0 && { files_deleted: deleted }),
    verified: true,
    backend: environment.kind,
  });
}

function diffOf(real: readonly FileChange[], all: readonly FileChange[]): string {
  const sources = new Set(real.map(({ movedFrom }) => movedFrom));
  const parts: string[] = [];
  let room = maxDiffChars;
  for (const { path, before, after, movedFrom } of real) {
    if (after === undefined && sources.has(path)) continue;
    const old = before ?? all.find((change) => change.path === movedFrom)?.before;
    const diff = unifiedDiff(
      { name: before === undefined ? (movedFrom ?? "/dev/null") : path, text: old ?? "" },
      { name: after === undefined ? "/dev/null" : path, text: after ?? "" },
      Math.max(room, 0),
    );
    parts.push(diff || `${movedFrom === undefined ? "empty file" : `moved from ${movedFrom}`}: ${path}`);
    room -= diff.length;
  }
  return parts.join("\n");
}

function bytesOf(text: string | undefined): Uint8Array | undefined {
  return text === undefined ? undefined : Buffer.from(text);
}

const maxDiffChars = 10_000;
