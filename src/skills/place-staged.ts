import { existsSync, readFileSync, realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";

import { writeFileAtomic } from "../base/files/atomic-file.ts";
import { makeFolder } from "../base/files/make-folder.ts";
import { parsedObject } from "../base/json.ts";
import { reasonOf, valueOr } from "../base/result.ts";
import type { SkillEntry, SkillJudge } from "../contracts/knowledge/skill.ts";
import { type FileStates, writeStates, stateOfBytes } from "./file-states.ts";
import { readSkillText, skillFile } from "./frontmatter.ts";
import { hashOfEntries, readSkillEntries } from "./skill-folder.ts";
import { type SkillPlace, skillPlaces } from "./skill-roots.ts";

export interface StagedSkills {
  /** The folder that the plugin saw as the skills folder of the home. */
  readonly staging: string;
  /** The file that records the hash of each placed skill, by path. */
  readonly recordFile: string;
  /** The skills folder of the home. */
  readonly home: string;
  /** Names of all skills with their folders. */
  readonly names: () => Promise<ReadonlyMap<string, string>>;
  readonly judge: SkillJudge;
}

/**
 * Copies skills that a plugin wrote into the home, after a scan of each. Skills of the same name, edited copies and
 * copies that the user deleted are left alone. Returns sentences for the user. Never rejects.
 */
export async function placeStagedSkills(staged: StagedSkills): Promise<readonly string[]> {
  const all = skillPlaces([{ path: staged.staging, kind: "project" }]);
  const places = all.slice(0, maxPlaced);
  if (places.length === 0) return [];
  const record = parsedObject(valueOr(() => readFileSync(staged.recordFile, "utf8"), ""));
  const notes: string[] = all.length > maxPlaced ? [`Only the first ${maxPlaced} of its skills are placed.`] : [];
  const next: Record<string, unknown> = { ...record };
  for (const place of places) {
    try {
      const outcome = await placeOne(place, record[place.path], staged);
      if ("hash" in outcome) next[place.path] = outcome.hash;
      if (outcome.note !== undefined) notes.push(`The skill ${place.path} ${outcome.note}`);
    } catch (thrown) {
      notes.push(`The skill ${place.path} was not placed: ${reasonOf(thrown)}`);
    }
  }
  if (JSON.stringify(next) !== JSON.stringify(record))
    await writeFileAtomic(staged.recordFile, JSON.stringify(next), { mode: 0o600 });
  return notes;
}

/** The number of skills is limited, because a library that a plugin fills is useless to the user. */
const maxPlaced = 50;

/** Deletes the copies that the user did not edit, and the record. Returns their paths. Never rejects. */
export async function removePlacedSkills({
  recordFile,
  home,
}: Pick<StagedSkills, "recordFile" | "home">): Promise<readonly string[]> {
  const record = parsedObject(valueOr(() => readFileSync(recordFile, "utf8"), ""));
  const removed: string[] = [];
  for (const [path, hash] of Object.entries(record)) {
    const target = join(home, path);
    if (valueOr(() => hashOfEntries(readSkillEntries(realpathSync(target))), undefined) !== hash) continue;
    await rm(target, { recursive: true, force: true }).then(
      () => removed.push(path),
      () => undefined,
    );
  }
  await rm(recordFile, { force: true }).catch(() => undefined);
  return removed;
}

interface Outcome {
  readonly hash?: string;
  readonly note?: string;
}

async function placeOne({ folder, path }: SkillPlace, placed: unknown, staged: StagedSkills): Promise<Outcome> {
  const entries = readSkillEntries(folder);
  const hash = hashOfEntries(entries);
  if (placed === hash) return {};
  await makeFolder(staged.home, 0o755);
  const target = join(realpathSync(staged.home), path);
  const current = existsSync(target) ? readSkillEntries(target) : undefined;
  // The user edited or deleted the copy.
  if (placed !== undefined && (!current || hashOfEntries(current) !== placed)) return { hash };
  if (placed === undefined && current)
    return hashOfEntries(current) === hash ? { hash } : { note: "exists and stays." };
  const name = await nameOf(entries, path);
  const holder = (await staged.names()).get(name);
  if (holder !== undefined && holder !== target)
    return { hash, note: `was not placed: ${holder} has the name ${name} already.` };
  const danger = await staged.judge(entries);
  if (danger !== undefined && danger !== "") return { hash, note: `was not placed: ${danger}` };
  const written = await writeStates(target, statesOf(entries, current ?? []));
  if (!written.ok) return { note: `was not placed: ${written.error.message}` };
  return { hash, note: `was placed in ${target}.` };
}

async function nameOf(entries: readonly SkillEntry[], path: string): Promise<string> {
  const folderName = path.split("/").at(-1) ?? path;
  const file = entries.find((entry) => entry.path === skillFile);
  const read =
    file?.kind === "file" ? await readSkillText(Buffer.from(file.bytes).toString("utf8"), folderName) : undefined;
  return read?.ok ? read.value.head.name : folderName;
}

/** The files, and null for those that only an older copy had. */
function statesOf(entries: readonly SkillEntry[], older: readonly SkillEntry[]): FileStates {
  const states: Record<string, FileStates[string]> = Object.fromEntries(older.map(({ path }) => [path, null]));
  for (const entry of entries)
    if (entry.kind === "file") states[entry.path] = stateOfBytes(entry.bytes, entry.isExecutable === true);
  return states;
}
