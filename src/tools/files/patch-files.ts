import { basename, dirname, join } from "node:path";

import { err, ok, type Result } from "../../base/result.ts";
import type { Environment } from "../../contracts/environment/environment.ts";
import type { FileReads } from "../../contracts/host/ports.ts";
import type { Effect } from "../../contracts/tool/effect.ts";
import type { Place } from "../../contracts/tool/effect.ts";
import { fail, type ToolFailure } from "../../contracts/tool/tool-result.ts";
import { classifyContent, decode } from "./file-content.ts";
import { type FileOnDisk, type FileCall, realPathOf, wholeFile } from "./file-on-disk.ts";
import { lookAlikes } from "./look-alikes.ts";
import { type AppliedPatch, applyPatch, type PatchTarget } from "./patch/apply-patch.ts";
import { parsePatch } from "./patch/parse-patch.ts";
import { type Patch, pathsOf, type PatchSection } from "./patch/patch.ts";
import { staleRefusal } from "./refusals.ts";
import { effectPath, toolPath } from "./tool-path.ts";

/** A patch with the real path for each path in it. */
export interface PlacedPatch {
  readonly patch: Patch;
  readonly realPaths: ReadonlyMap<string, string>;
  /** Real paths that cannot be used, with the reason. */
  readonly blocked: ReadonlyMap<string, string>;
}

export async function readPatch(text: string, call: FileCall): Promise<Result<PlacedPatch, ToolFailure>> {
  const parsed = parsePatch(text);
  if (!parsed.ok)
    return fail(`Line ${parsed.error.line} of the patch: ${parsed.error.message}. ${nothing}`, "invalid_args");
  const leaving = new Set(parsed.value.sections.filter(leaves).map(({ path }) => path));
  const realPaths = new Map<string, string>();
  const blocked = new Map<string, string>();
  for (const path of pathsOf(parsed.value)) {
    const real = await realPathOf(path, call);
    if (!real.ok) return fail(`${real.error.message} ${nothing}`, real.error.kind);
    realPaths.set(path, real.value);
    if (leaving.has(path) && (await isLink(path, call))) blocked.set(real.value, linked);
  }
  return ok({ patch: parsed.value, realPaths, blocked });
}

/** Reads and checks all files of a patch and computes the result. Writes nothing. */
export async function patchedFiles(
  { patch, realPaths, blocked }: PlacedPatch,
  { environment, fileReads, signal }: { environment: Environment; fileReads: FileReads; signal: AbortSignal },
): Promise<Result<AppliedPatch, ToolFailure>> {
  const targets = new Map<string, PatchTarget>();
  const deletions = patch.sections.filter(({ kind }) => kind === "delete");
  const deleted = new Set(deletions.map(({ path }) => realPaths.get(path)));
  for (const path of realPaths.values()) {
    const match = await wholeFile(path, environment.files, signal);
    if (!match.ok && match.error.kind === "aborted") return match;
    const change = deleted.has(path) ? "replaced" : "edited";
    const stale = match.ok && staleRefusal(match.value, fileReads, change);
    if (stale) return err(stale);
    const reason = blocked.get(path) ?? (match.ok ? undefined : match.error.message);
    if (reason !== undefined) targets.set(path, { kind: "other", reason });
    else if (match.ok) targets.set(path, targetOf(match.value));
  }
  const applied = applyPatch(withPaths(patch, realPaths), (path) => targets.get(path) ?? { kind: "free" });
  if (applied.ok) return ok(applied.value);
  const { line, path, message } = applied.error;
  const { similar } =
    targets.get(path)?.kind === "free" ? await lookAlikes(path, environment.files, signal) : { similar: [] };
  const others = similar.filter((name) => basename(name) !== basename(path));
  const hint = others.length > 0 ? ` There is: ${others.join(", ")}.` : "";
  return fail(`Line ${line} of the patch, ${path}: ${message}. ${nothing}${hint}`);
}

/** The effects of a patch; none for a malformed patch. */
export function patchEffects(text: string, place: Place): readonly Effect[] {
  const parsed = parsePatch(text);
  if (!parsed.ok) return [];
  return parsed.value.sections.flatMap((section): readonly Effect[] => {
    const path = effectPath(section.path, place);
    if (section.kind === "add") return [{ kind: "write", path }];
    if (section.kind === "delete") return [{ kind: "delete", path }];
    if (section.kind === "replace" || section.moveTo === undefined)
      return [
        { kind: "read", path },
        { kind: "write", path },
      ];
    const to = effectPath(section.moveTo.path, place);
    if (section.moveTo.isCopy)
      return [
        { kind: "read", path },
        { kind: "write", path: to },
      ];
    return [
      { kind: "read", path },
      { kind: "move", from: path, to },
      ...(section.hunks.length > 0 ? [{ kind: "write", path: to } as const] : []),
    ];
  });
}

function leaves(section: PatchSection): boolean {
  return (
    section.kind === "delete" || (section.kind === "update" && section.moveTo !== undefined && !section.moveTo.isCopy)
  );
}

/** Deleting through a symbolic link would delete its target. */
async function isLink(path: string, { environment, signal }: FileCall): Promise<boolean> {
  const full = toolPath(path, { cwd: (await environment.state(signal)).cwd, backend: environment.kind });
  if (!full.ok) return false;
  const folder = await environment.files.realPath(dirname(full.value), signal);
  const match = folder.ok && (await environment.files.stat(join(folder.value, basename(full.value)), signal));
  return match && match.ok && match.value.kind === "link";
}

function targetOf(file: FileOnDisk): PatchTarget {
  if (file.kind === "missing") return { kind: "free" };
  const content = classifyContent(file.bytes);
  if (content.kind === "binary") return { kind: "other", reason: `this is ${content.description}, not text` };
  if (content.damaged) return { kind: "other", reason: "it has bytes that are not UTF-8, which an edit would damage" };
  return { kind: "file", text: decode(file.bytes) };
}

function withPaths(patch: Patch, real: ReadonlyMap<string, string>): Patch {
  const path = (spelled: string) => real.get(spelled) ?? spelled;
  return {
    ...patch,
    sections: patch.sections.map((section) => {
      if (section.kind !== "update" || section.moveTo === undefined) return { ...section, path: path(section.path) };
      return { ...section, path: path(section.path), moveTo: { ...section.moveTo, path: path(section.moveTo.path) } };
    }),
  };
}

const linked = "this is a link; name the file that it leads to, or remove the link in the terminal";
const nothing = "Nothing was changed.";
