import { posix } from "node:path";

import { isObject, type JsonObject } from "../../../base/json.ts";
import { lineCheck } from "../../../contracts/host/line-check.ts";
import { applyPatch, type PatchTarget } from "./apply-patch.ts";
import { parsePatch } from "./parse-patch.ts";

/**
 * Handles one line of `hermes check patches`: `{id, files_before, patch}` in, `{id, ok, files, error?}` out. `files`
 * are all files afterwards, or the previous ones if the patch is rejected. Uses no disk: paths are relative to a
 * virtual folder that contains only these files. Never throws.
 */
export const checkPatchLine = lineCheck(
  "id, files_before and patch",
  ({ files_before: files, patch }) => {
    if (!isTexts(files)) return "files_before is an object from path to content";
    return typeof patch === "string" ? outcome(files, patch) : "patch is a text";
  },
  { ok: false, files: {} },
);

function outcome(files: Readonly<Record<string, string>>, text: string): JsonObject {
  const patch = parsePatch(text);
  if (!patch.ok) return { ok: false, files, error: `line ${patch.error.line}: ${patch.error.message}` };
  const applied = applyPatch(patch.value, folderOf(files));
  if (!applied.ok) {
    const { line, path, message } = applied.error;
    return { ok: false, files, error: `line ${line}: ${path}: ${message}` };
  }
  const after = new Map(Object.entries(files));
  const spelled = spellings(files);
  for (const change of applied.value.changes) {
    const name = spelled.get(change.path) ?? change.path;
    if (change.after === undefined) after.delete(name);
    else after.set(name, change.after);
  }
  return { ok: true, files: Object.fromEntries(after) };
}

/** A virtual folder with only these files. */
function folderOf(files: Readonly<Record<string, string>>): (path: string) => PatchTarget {
  const spelled = spellings(files);
  const folders = new Set<string>(["."]);
  for (const path of spelled.keys()) {
    for (let folder = posix.dirname(path); !folders.has(folder); folder = posix.dirname(folder)) folders.add(folder);
  }
  return (path) => {
    const name = spelled.get(path);
    const text = name === undefined ? undefined : files[name];
    if (text !== undefined) return { kind: "file", text };
    if (folders.has(path) || path.endsWith("/")) return { kind: "other", reason: "this is a folder" };
    if (path === ".." || path.startsWith("../")) return { kind: "other", reason: "the path leaves the folder" };
    return posix.isAbsolute(path) ? { kind: "other", reason: "the path is not relative" } : { kind: "free" };
  };
}

/** Maps the normalised path to the given path. */
function spellings(files: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.keys(files).map((name) => [posix.normalize(name), name]));
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  return isObject(value) && Object.values(value).every((text) => typeof text === "string");
}
