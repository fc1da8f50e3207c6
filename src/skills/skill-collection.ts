import { statSync } from "node:fs";
import { basename, join } from "node:path";

import { readFileBeneath } from "../base/files/open-beneath.ts";
import { isInside } from "../base/files/path.ts";
import { reasonOf } from "../base/result.ts";
import { oneLine } from "../base/text/text.ts";
import type { FoundSkill, SkillHead, SkillJudge } from "../contracts/knowledge/skill.ts";
import { type CachedCard, type CardCache, readCards, writeCards } from "./card-cache.ts";
import { readSkillText, skillFile, skillLimits } from "./frontmatter.ts";
import { readProvenance } from "./provenance.ts";
import { hashOfEntries, listSkillFolder, readSkillEntries } from "./skill-folder.ts";
import { type SkillPlace, type SkillRoot, skillPlaces, walkSkills } from "./skill-roots.ts";

/** A skill in one of the folders, whether loadable or not. */
export interface CollectedSkill extends FoundSkill {
  readonly place: SkillPlace;
  /** The path below its folder, including SKILL.md. */
  readonly files: readonly string[];
  /** Why Hermes does not load the skill. */
  readonly danger?: string;
}

export interface SkillCollection {
  readonly skills: readonly CollectedSkill[];
  /** Folders with a SKILL.md that cannot be used, and why. */
  readonly broken: readonly { readonly name: string; readonly folder: string; readonly why: string }[];
}

export interface CollectionDeps {
  /** The skills folder of the home, which also contains the cache. */
  readonly home: string;
  /** The roots; the home comes first. */
  readonly roots: readonly SkillRoot[];
  readonly judge: SkillJudge;
  /** Skills of plugins. */
  readonly contributed?: readonly SkillPlace[];
  /** Program version; another version scans again. */
  readonly version: string;
}

/**
 * Finds every skill below the roots. Unchanged folders come from the cache, so that they cost only a directory scan
 * and one file.
 */
export async function collectSkills({
  home,
  roots,
  judge,
  version,
  contributed = [],
}: CollectionDeps): Promise<SkillCollection> {
  const cards = readCards(home, version);
  const provenance = readProvenance(home);
  const own = walkSkills(roots.filter(({ kind }) => kind !== "project"));
  const ofProject = skillPlaces(roots.filter(({ kind }) => kind === "project"));
  const places = [...own.places, ...ofProject, ...contributed];
  const isBelowRoot = (folder: string) => roots.some(({ path }) => isInside(path, folder));
  const elsewhere = Object.entries(cards.cards).filter(([folder]) => !isBelowRoot(folder));
  const next: Record<string, CachedCard> = Object.fromEntries(elsewhere.slice(-maxOutsideEntries));
  const skills: CollectedSkill[] = [];
  const broken: SkillCollection["broken"][number][] = [];
  for (const place of places) {
    try {
      const look = listSkillFolder(place.folder);
      const before = cards.cards[place.folder];
      const read = before?.stamp === look.stamp ? before : await readSkill(place, look.files);
      if ("why" in read) {
        broken.push({ name: basename(place.folder), folder: place.folder, why: read.why });
        continue;
      }
      const { head, hash } = read;
      const name = place.name ?? head.name;
      const origin = provenance.originOf({ name, hash, place });
      const isTrusted = origin === "bundled" || provenance.isAllowed(name, hash);
      const danger = isTrusted ? read.danger : (read.danger ?? (await judge(readSkillEntries(place.folder))) ?? "");
      const isDangerous = danger !== undefined && danger !== "" && !isTrusted;
      const category = head.category ?? categoryIn(place);
      const shared = { head, hash, origin, ...(category !== undefined && { category }) };
      next[place.folder] = {
        ...shared,
        stamp: look.stamp,
        path: place.path,
        kind: place.root.kind,
        ...(danger !== undefined && { danger }),
        ...(isTrusted && { isTrusted }),
      };
      skills.push({
        ...shared,
        name,
        description: head.description,
        tags: head.tags,
        folder: place.folder,
        place,
        files: look.files,
        ...(isDangerous && { danger }),
      });
    } catch (thrown) {
      broken.push({ name: basename(place.folder), folder: place.folder, why: oneLine(reasonOf(thrown), 200) });
    }
  }
  const now: CardCache = { cards: next, folders: Object.fromEntries(own.folders) };
  if (skills.some(({ place }) => place.root.kind === "home") && JSON.stringify(now) !== JSON.stringify(keptOf(cards)))
    await writeCards(home, version, now);
  return { skills, broken };
}

/** The maximum number of entries in folders outside the home. */
const maxOutsideEntries = 500;

function keptOf({ cards, folders }: CardCache): CardCache {
  return { cards, folders };
}

interface ReadSkill {
  readonly head: SkillHead;
  readonly hash: string;
  readonly danger?: string;
}

async function readSkill(place: SkillPlace, files: readonly string[]): Promise<ReadSkill | { readonly why: string }> {
  // Only regular files are read: a pipe would block, and a link could lead anywhere.
  if (!files.includes(skillFile)) return { why: "its SKILL.md is not a regular file" };
  const { size } = statSync(join(place.folder, skillFile));
  if (size > skillLimits.fileBytes) return { why: `its SKILL.md has ${size} bytes` };
  const text = readFileBeneath(join(place.folder, skillFile)).bytes.toString("utf8");
  const read = await readSkillText(text, basename(place.folder));
  if (!read.ok) return { why: read.error };
  const { head } = read.value;
  if (head.description === "") return { why: "it has no description" };
  return { hash: hashOfEntries(readSkillEntries(place.folder)), head };
}

function categoryIn({ path }: SkillPlace): string | undefined {
  const above = path.split("/").slice(0, -1);
  return above.length === 0 ? undefined : above.join("/");
}
