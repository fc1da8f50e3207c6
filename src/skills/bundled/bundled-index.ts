import { existsSync } from "node:fs";
import { join } from "node:path";

import type { SkillHead } from "../../contracts/knowledge/skill.ts";
import { readState, stateFiles } from "../state-files.ts";

/** What the program brings along, written down when it is built: a start need not read the skills themselves. */
export interface BundledIndex {
  /** Changes with any of them. */
  readonly stamp: string;
  readonly skills: readonly BundledSkill[];
}

export interface BundledSkill {
  readonly name: string;
  /** Below the folder of bundled skills: `development/code-review`. */
  readonly path: string;
  readonly hash: string;
  readonly head: SkillHead;
}

export const bundledIndexFile = "index.json";

/** Nothing where the program came without skills. */
export function readBundledIndex(folder: string): BundledIndex | undefined {
  const state = readState(folder, bundledIndexFile);
  if (typeof state?.["stamp"] !== "string" || !Array.isArray(state["skills"])) return undefined;
  // Made by `makeBundledIndex`, and part of the program.
  return state as unknown as BundledIndex;
}

/** Is there anything to do? Reads two small files. */
export function needsSync(bundled: BundledIndex | undefined, home: string): boolean {
  return (
    bundled !== undefined && !hasOptedOut(home) && readState(home, stateFiles.bundled)?.["stamp"] !== bundled.stamp
  );
}

/** The person wants no bundled skills. */
export function hasOptedOut(home: string): boolean {
  return existsSync(join(home, stateFiles.optOut));
}
