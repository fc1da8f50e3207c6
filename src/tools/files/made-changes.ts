import type { JsonObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { unifiedDiff } from "../../base/text/unified-diff.ts";
import type { ToolFailure } from "../../contracts/tool/tool-result.ts";
import type { ToolContext } from "../../contracts/tool/tool.ts";
import { seenAs } from "./file-at.ts";
import { lintDelta } from "./lint/lint-delta.ts";
import type { FileChange } from "./patch/apply-patch.ts";
import { protectedRefusal } from "./protected-paths.ts";
import { judgeContent } from "./refusals.ts";
import { type PlannedFileChange, writeChanges } from "./write-changes.ts";

/**
 * Writes changed texts, all or none, and tells what was done: the files by what happened to them, a diff, and the errors
 * that the change brought. Paths are real, and what was there before is UTF-8.
 */
export async function makeChanges(
  changes: readonly (FileChange & Pick<PlannedFileChange, "modifiedAt">)[],
  ctx: ToolContext<"environment" | "fileReads">,
  { crossProfile, notes }: { readonly crossProfile: boolean; readonly notes: readonly string[] },
): Promise<Result<JsonObject, ToolFailure>> {
  const { environment, fileReads, clock, signal } = ctx;
  const real = changes.filter(({ before, after }) => before !== after);
  if (real.length === 0)
    return ok({
      success: true,
      no_change: true,
      files_modified: [],
      backend: environment.kind,
      note: "The new text is the same as the old.",
    });
  const touched = real.map(({ path }) => path);
  const guarded = await protectedRefusal(touched, ctx, crossProfile);
  if (guarded) return err(guarded);
  const texts = real.flatMap(({ path, before, after, movedFrom }) => {
    const source = before ?? changes.find((other) => other.path === movedFrom)?.before;
    return after === undefined ? [] : [{ path, before: source, after }];
  });
  const odd: string[] = [];
  for (const { path, before, after } of texts) {
    const judged = await judgeContent(path, before, after);
    if (!judged.ok) return judged;
    if (judged.value.note !== undefined) odd.push(judged.value.note);
  }
  const planned = real.map(({ before, after, ...change }): PlannedFileChange => ({
    ...change,
    before: bytesOf(before),
    after: bytesOf(after),
  }));
  const written = await writeChanges(planned, environment.files, signal, fileReads.writeAlone);
  if (!written.ok) return written;
  for (const { path, after } of planned) {
    if (after === undefined) fileReads.forget(path);
    else fileReads.record(path, seenAs(after, clock.now()));
  }
  const lint = await lintDelta(texts, ctx);
  const note = [...notes, ...odd].join("\n");
  const paths = (matches: (change: FileChange) => boolean) => real.filter(matches).map(({ path }) => path);
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
    ...(lint.length > 0 && { lint }),
    ...(note && { note }),
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
