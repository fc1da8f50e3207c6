import { join } from "node:path";

import { writeFileAtomic } from "../base/files/atomic-file.ts";
import { isObject } from "../base/json.ts";
import type { SkillHead, SkillOrigin } from "../contracts/knowledge/skill.ts";
import { folderText, type SkillRoot } from "./skill-roots.ts";
import { readState, stateFiles } from "./state-files.ts";

/** What was learned of one skill, good for as long as its folder looks the same. */
export interface KnownCard {
  readonly stamp: string;
  readonly hash: string;
  readonly head: SkillHead;
  /** Empty: nothing was found. Left out: nobody looked. */
  readonly danger?: string;
  /** Bundled, or allowed by the person: what was found does not count. */
  readonly isTrusted?: true;
  readonly origin: SkillOrigin;
  readonly category?: string;
  /** Where it lies below its root, and what kind of root that is. */
  readonly path: string;
  readonly kind: SkillRoot["kind"];
}

export interface KnownCards {
  /** By folder. */
  readonly cards: Readonly<Record<string, KnownCard>>;
  /** What the folders above the skills of the settings held. */
  readonly folders: Readonly<Record<string, string>>;
}

const nothing: KnownCards = { cards: {}, folders: {} };

/** Of another version of the program: nothing. It may judge otherwise. */
export function readCards(home: string, version: string): KnownCards {
  const state = readState(home, stateFiles.cards);
  if (state?.["version"] !== version || !isObject(state["cards"]) || !isObject(state["folders"])) return nothing;
  // Written below by this version, in this shape.
  return state as unknown as KnownCards;
}

/** What cannot be kept is read again next time. */
export async function writeCards(home: string, version: string, known: KnownCards): Promise<void> {
  await writeFileAtomic(join(home, stateFiles.cards), JSON.stringify({ version, ...known }), { mode: 0o600 });
}

/**
 * The skills of the settings' folders as they were last time, from one file: nothing when one came or went since. What
 * was written into a skill meanwhile is not seen here: it is for a list, and whoever opens a skill reads it.
 */
export function skillsAsKnown(
  home: string,
  roots: readonly SkillRoot[],
  version: string,
): readonly KnownCard[] | undefined {
  const { cards, folders } = readCards(home, version);
  const known = Object.entries(folders);
  if (known.length === 0 || !roots.every(({ path }) => Object.hasOwn(folders, path))) return undefined;
  if (known.some(([folder, text]) => folderText(folder) !== text)) return undefined;
  return Object.values(cards).filter(({ kind }) => kind !== "project");
}
