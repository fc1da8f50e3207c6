import { chmod, lstat, mkdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";

import { writeFileAtomic } from "../base/files/atomic-file.ts";
import { codeOf, describeFault } from "../base/files/file-fault.ts";
import { isObject, parsedObject } from "../base/json.ts";
import { err, ok, type Result, valueOr } from "../base/result.ts";
import { quoteForShell } from "../base/text/shell-quote.ts";
import { currentProfile, defaultProfile, homeFiles, isProfileName, profilePath } from "./home.ts";
import type { Problem } from "./problem.ts";
import { checkProfile, useProfile } from "./profiles.ts";

/** Facts about a profile that are not settings, in `profile.json` of its home. */
export interface ProfileFacts {
  readonly description?: string;
  /** The source of the profile for `hermes profile update`: a git URL or a folder. */
  readonly source?: string;
  /** The version of the distribution. */
  readonly version?: string;
}

/** Empty if the file is missing or damaged. */
export async function readProfileFacts(home: string): Promise<ProfileFacts> {
  const text = await readFile(join(home, homeFiles.profileFacts), "utf8").catch(() => "{}");
  const value = valueOr(() => parsedObject(text), {});
  const field = (name: keyof ProfileFacts) => {
    const entry = isObject(value) ? value[name] : undefined;
    return typeof entry === "string" ? { [name]: entry } : {};
  };
  return { ...field("description"), ...field("source"), ...field("version") };
}

export async function writeProfileFacts(home: string, facts: ProfileFacts): Promise<Result<void, Problem>> {
  const file = join(home, homeFiles.profileFacts);
  const written = await writeFileAtomic(file, `${JSON.stringify(facts, null, 2)}\n`, { mode: 0o600 });
  return written.ok ? written : err({ message: written.error.message });
}

/** Renames a profile with everything in it. The default profile keeps its name. */
export async function renameProfile(
  root: string,
  from: string,
  to: string,
  inUse: string | undefined,
): Promise<Result<void, Problem>> {
  if (from === defaultProfile) return err({ message: "the default profile cannot be renamed" });
  if (to === defaultProfile) return err({ message: "the default profile always exists", hint: "choose another name" });
  if (!isProfileName(to))
    return err({
      message: `${JSON.stringify(to)} is not a profile name`,
      hint: "small letters, digits, - and _, at most 64",
    });
  const exists = await checkProfile(root, from);
  if (!exists.ok) return exists;
  if (from === inUse) return err({ message: `the profile ${from} is in use`, hint: "run this without -p" });
  const target = profilePath(root, to);
  if (await lstat(target).catch(() => undefined)) return err({ message: `the profile ${to} exists already` });
  try {
    await rename(profilePath(root, from), target);
  } catch (thrown) {
    return err({ message: describeFault(thrown, target).message });
  }
  const current = currentProfile(root);
  return current.ok && current.value === from ? useProfile(root, to) : ok(undefined);
}

const wrapperMark = "# Made by `hermes profile alias`.";

/** Writes the command of a profile, such as `work` for `hermes -p work`. Does not replace files of other programs. */
export async function writeAlias(file: string, profile: string, launcher: string): Promise<Result<void, Problem>> {
  const existing = await readFile(file, "utf8").catch((thrown: unknown) =>
    codeOf(thrown) === "ENOENT" ? undefined : "",
  );
  if (existing !== undefined && !existing.includes(wrapperMark))
    return err({ message: `${file} is a file of another program`, hint: "choose another name with --name" });
  try {
    await mkdir(join(file, ".."), { recursive: true });
  } catch (thrown) {
    return err({ message: describeFault(thrown, file).message });
  }
  const text = `#!/bin/sh\n${wrapperMark}\nexec ${quoteForShell(launcher)} -p ${profile} "$@"\n`;
  const written = await writeFileAtomic(file, text, { mode: 0o755 });
  if (!written.ok) return err({ message: written.error.message });
  await chmod(file, 0o755).catch(() => undefined);
  return ok(undefined);
}

/** Whether the file was an alias of this profile and has been removed. */
export async function removeAlias(file: string, profile: string): Promise<boolean> {
  if (!(await isAliasOf(file, profile))) return false;
  await rm(file, { force: true });
  return true;
}

export async function isAliasOf(file: string, profile: string): Promise<boolean> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.includes(wrapperMark) && text.includes(` -p ${profile} `);
}
