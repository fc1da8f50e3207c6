import { chmod, copyFile, cp, lstat, mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { writeFileAtomic } from "../base/files/atomic-file.ts";
import { codeOf, describeFault } from "../base/files/file-fault.ts";
import { newId, type Id } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import { nearest } from "../base/text/nearest.ts";
import {
  checkFolder,
  currentProfile,
  defaultProfile,
  ensureHome,
  type Home,
  homeFiles,
  isProfileName,
  originalFiles,
  profileNames,
  profilePath,
} from "./home.ts";
import type { Problem } from "./problem.ts";

export interface Profile {
  readonly name: string;
  readonly path: string;
  /** True: used for calls without `-p`. */
  readonly current: boolean;
}

/** Every profile, the default one first. */
export async function listProfiles(root: string): Promise<Result<readonly Profile[], Problem>> {
  const current = currentProfile(root);
  if (!current.ok) return current;
  const names = [defaultProfile, ...(await profileNames(root))];
  const chosen = current.value ?? defaultProfile;
  return ok(names.map((name) => ({ name, path: profilePath(root, name), current: name === chosen })));
}

/** Entries of a home that a new profile copies. */
export interface CloneScope {
  /** True: copies everything except the history. Otherwise copies settings, keys, SOUL.md and skills. */
  readonly isAll?: boolean;
  readonly withoutSkills?: boolean;
}

/** Creates a profile, blank or with the settings and keys of `clone`. It appears complete or not at all. */
export async function createProfile(
  root: string,
  name: string,
  clone: Home | undefined,
  scope: CloneScope = {},
): Promise<Result<Profile, Problem>> {
  const usable = checkName(name);
  if (!usable.ok) return usable;
  const path = profilePath(root, name);
  const result = checkFolder(path);
  if (!result.ok) return result;
  if (result.value === "there")
    return err({ message: `the profile ${name} exists already`, hint: `\`hermes profile use ${name}\` chooses it` });
  for (const folder of [root, join(root, homeFiles.profiles)]) {
    const result = await ensureHome(folder);
    if (!result.ok) return result;
  }
  const draft = join(root, homeFiles.profiles, `.${newId<Id<"draft">>("draft")}`);
  try {
    await mkdir(draft, { mode: 0o700 });
    if (clone !== undefined)
      for (const entry of await clonedEntries(clone.path, scope))
        await copyIfThere(join(clone.path, entry), join(draft, entry));
    // A folder cannot be renamed onto one that contains a file, so exactly one of several creators succeeds.
    await writeFile(join(draft, homeFiles.config), "", { flag: "a", mode: 0o600 });
    await rename(draft, path);
    return ok({ name, path, current: false });
  } catch (thrown) {
    await rm(draft, { recursive: true, force: true });
    if (codeOf(thrown) === "ENOTEMPTY" || codeOf(thrown) === "EEXIST")
      return err({ message: `the profile ${name} exists already` });
    return err({ message: describeFault(thrown, path).message });
  }
}

/** Chooses the profile for calls without `-p`. */
export async function useProfile(root: string, name: string): Promise<Result<void, Problem>> {
  const exists = await checkProfile(root, name);
  if (!exists.ok) return exists;
  const file = join(root, homeFiles.currentProfile);
  if (name === defaultProfile) {
    return rm(file, { force: true }).then(
      () => ok(undefined),
      (thrown: unknown) => err({ message: describeFault(thrown, file).message }),
    );
  }
  const written = await writeFileAtomic(file, `${name}\n`, { mode: 0o600 });
  return written.ok ? written : err({ message: written.error.message });
}

/** Deletes a profile with all its data. Refuses the default profile and the current one. */
export async function deleteProfile(
  root: string,
  name: string,
  inUse: string | undefined,
): Promise<Result<void, Problem>> {
  if (name === defaultProfile) return err({ message: "the default profile cannot be deleted" });
  const exists = await checkProfile(root, name);
  if (!exists.ok) return exists;
  const current = currentProfile(root);
  if (name === inUse || (current.ok && current.value === name)) {
    return err({ message: `the profile ${name} is in use`, hint: "`hermes profile use default` first" });
  }
  const path = profilePath(root, name);
  const removed = join(root, homeFiles.profiles, `.${newId<Id<"gone">>("gone")}`);
  try {
    await rename(path, removed);
    await rm(removed, { recursive: true, force: true });
    return ok(undefined);
  } catch (thrown) {
    return err({ message: describeFault(thrown, path).message });
  }
}

/** Fails with the nearest name if there is no such profile. */
export async function checkProfile(root: string, name: string): Promise<Result<void, Problem>> {
  if (name === defaultProfile) return ok(undefined);
  const names = await profileNames(root);
  if (names.includes(name)) return ok(undefined);
  const close = nearest(name, [defaultProfile, ...names], 1)[0];
  const hint = close === undefined ? "`hermes profile list` shows all profiles" : `did you mean ${close}?`;
  return err({ message: `there is no profile ${name}`, hint });
}

function checkName(name: string): Result<void, Problem> {
  if (name === defaultProfile)
    return err({ message: "the default profile always exists", hint: "choose another name" });
  if (isProfileName(name)) return ok(undefined);
  return err({
    message: `${JSON.stringify(name)} is not a profile name`,
    hint: "small letters, digits, - and _, at most 64",
  });
}

async function clonedEntries(
  home: string,
  { isAll = false, withoutSkills = false }: CloneScope,
): Promise<readonly string[]> {
  const { config, env, credentials, soul, skills } = homeFiles;
  const names = isAll
    ? (await readdir(home)).filter(
        (name) =>
          !historyEntries.some((each) => name === each || name.startsWith(`${each}.`) || name.startsWith(`${each}-`)),
      )
    : [config, env, credentials, soul, skills];
  return names.filter((name) => !(withoutSkills && name === skills) && !originalFiles.includes(name));
}

/** Sessions, records and caches, which a clone never copies. A name includes its side files, such as locks. */
const historyEntries: readonly string[] = [
  homeFiles.sessions,
  "sessions-search.db",
  "session-locks",
  homeFiles.sessionMail,
  homeFiles.typedLines,
  homeFiles.logs,
  homeFiles.results,
  homeFiles.outputs,
  homeFiles.audit,
  homeFiles.auditHead,
  homeFiles.recordings,
  homeFiles.moaTraces,
  homeFiles.audioCache,
  homeFiles.voice,
  homeFiles.trajectories,
  homeFiles.fileWrites,
  homeFiles.fileCheckpoints,
  homeFiles.worktrees,
  homeFiles.patches,
  homeFiles.profiles,
  homeFiles.currentProfile,
  homeFiles.backups,
  homeFiles.profileFacts,
  "restore",
  "versions",
];

/** Links are not copied: changing one profile must not change another. */
async function copyIfThere(from: string, to: string): Promise<void> {
  const result = await lstat(from).catch(() => undefined);
  if (result?.isDirectory()) {
    const isPlain = async (source: string) => {
      const stats = await lstat(source);
      return stats.isFile() || stats.isDirectory();
    };
    return cp(from, to, { recursive: true, filter: isPlain });
  }
  // Copies the target of a symbolic link, not the link.
  const stats = await stat(from).catch(() => undefined);
  if (stats?.isFile() !== true) return;
  await copyFile(from, to);
  await chmod(to, 0o600);
}
