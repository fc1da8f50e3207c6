import { join } from "node:path";

import { writeFileAtomic } from "../base/files/atomic-file.ts";
import { isObject } from "../base/json.ts";
import type { SkillHead, SkillOrigin } from "../contracts/knowledge/skill.ts";
import { folderText, type SkillRoot } from "./skill-roots.ts";
import { readStateFile, stateFiles } from "./state-files.ts";

/** Cached facts about a skill, valid while its folder is unchanged. */
export interface CachedCard {
  readonly stamp: string;
  readonly hash: string;
  readonly head: SkillHead;
  /** Empty if the scan had no findings; undefined if the skill was not scanned. */
  readonly danger?: string;
  /** True for bundled skills and those that the user allowed: findings are ignored. */
  readonly isTrusted?: true;
  readonly origin: SkillOrigin;
  readonly category?: string;
  /** The path below the skill's root folder, and the kind of the root. */
  readonly path: string;
  readonly kind: SkillRoot["kind"];
}

export interface CardCache {
  /** Cards by folder. */
  readonly cards: Readonly<Record<string, CachedCard>>;
  /** The contents of the folders above the skills, by folder. */
  readonly folders: Readonly<Record<string, string>>;
}

const nothing: CardCache = { cards: {}, folders: {} };

/** Empty for a cache of another program version, whose scan may differ. */
export function readCards(home: string, version: string): CardCache {
  const state = readStateFile(home, stateFiles.cards);
  if (state?.["version"] !== version || !isObject(state["cards"]) || !isObject(state["folders"])) return nothing;
  // The cast is safe: `writeCards` of this version wrote the file.
  return state as unknown as CardCache;
}

/** If the cache cannot be written, the next start reads the skills again. */
export async function writeCards(home: string, version: string, cards: CardCache): Promise<void> {
  await writeFileAtomic(join(home, stateFiles.cards), JSON.stringify({ version, ...cards }), { mode: 0o600 });
}

/**
 * The cached skills of the configured folders. Undefined if a skill was added or removed since. Edits inside a skill
 * are not noticed here: the cards are for lists, and opening a skill reads it again.
 */
export function cachedSkills(
  home: string,
  roots: readonly SkillRoot[],
  version: string,
): readonly CachedCard[] | undefined {
  const { cards, folders } = readCards(home, version);
  const knownNames = Object.entries(folders);
  if (knownNames.length === 0 || !roots.every(({ path }) => Object.hasOwn(folders, path))) return undefined;
  if (knownNames.some(([folder, text]) => folderText(folder) !== text)) return undefined;
  return Object.values(cards).filter(({ kind }) => kind !== "project" && kind !== "plugin");
}
