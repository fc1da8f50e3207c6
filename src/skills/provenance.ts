import { join } from "node:path";

import { writeFileAtomic } from "../base/files/atomic-file.ts";
import { isObject, type JsonObject } from "../base/json.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { SkillAuthor, SkillOrigin } from "../contracts/knowledge/skill.ts";
import type { SkillPlace } from "./skill-roots.ts";
import { readStateFile, stateFiles } from "./state-files.ts";

/** Records who created the skills of a Hermes home. */
export interface Provenance {
  originOf(skill: { readonly name: string; readonly hash: string; readonly place: SkillPlace }): SkillOrigin;
  /** Whether the user allowed exactly this content despite the scan. */
  isAllowed(name: string, hash: string): boolean;
}

/** If the file cannot be read, every skill counts as the user's own, which is the safe assumption. */
export function readProvenance(folder: string): Provenance {
  const bundled = mapIn(readStateFile(folder, stateFiles.bundled), "skills");
  const hub = mapIn(readStateFile(folder, stateFiles.hubLock), "skills");
  const origins = readStateFile(folder, stateFiles.origins);
  const object = mapIn(origins, "made");
  const allowed = mapIn(origins, "allowed");
  return {
    originOf({ name, hash, place }) {
      if (place.root.kind !== "home") return place.root.kind;
      if (fieldOf(bundled[name], "hash") === hash) return "bundled";
      if (Object.hasOwn(hub, name)) return "hub";
      const isMade = fieldOf(object[name], "hash") === hash || fieldOf(object[name], "previous") === hash;
      return isMade ? "agent" : "user";
    },
    isAllowed: (name, hash) => fieldOf(allowed[name], "hash") === hash,
  };
}

/** Records that the agent created this content, or its `previous` version. The caller must hold the lock. */
export function recordMaker(
  folder: string,
  name: string,
  created:
    | { readonly hash: string; readonly previous?: string; readonly by: SkillAuthor; readonly at: number }
    | undefined,
): Promise<Result<void>> {
  return changeOrigins(folder, "made", name, created && { ...created });
}

/** Records that the user allowed this content. The caller must hold the lock. */
export function recordApproval(
  folder: string,
  name: string,
  allowed: { readonly hash: string; readonly at: number },
): Promise<Result<void>> {
  return changeOrigins(folder, "allowed", name, { ...allowed });
}

async function changeOrigins(
  folder: string,
  part: "made" | "allowed",
  name: string,
  entry: JsonObject | undefined,
): Promise<Result<void>> {
  const before = readStateFile(folder, stateFiles.origins);
  const { [name]: _, ...others } = mapIn(before, part);
  const next = { made: {}, allowed: {}, ...before, version: 1, [part]: entry ? { ...others, [name]: entry } : others };
  const written = await writeFileAtomic(join(folder, stateFiles.origins), `${JSON.stringify(next)}\n`, { mode: 0o600 });
  return written.ok ? ok(undefined) : err({ message: written.error.message });
}

function mapIn(state: JsonObject | undefined, key: string): JsonObject {
  const value = state?.[key];
  return isObject(value) ? value : {};
}

function fieldOf(value: unknown, key: string): unknown {
  return isObject(value) ? value[key] : undefined;
}
