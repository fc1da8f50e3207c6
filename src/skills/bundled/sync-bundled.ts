import { existsSync } from "node:fs";
import { chmod, cp, readdir, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { withFileLock, writeFileAtomic } from "../../base/files/atomic-file.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { isObject } from "../../base/json.ts";
import { err, ok, reasonOf, type Result, valueOr } from "../../base/result.ts";
import { hashOfEntries, readSkillEntries } from "../skill-folder.ts";
import { skillPlaces } from "../skill-roots.ts";
import { readStateFile, stateFiles } from "../state-files.ts";
import { type BundledIndex, type BundledSkill, hasOptedOut, readBundledIndex } from "./bundled-index.ts";

export interface SyncDeps {
  /** The folder of bundled skills. */
  readonly bundled: string;
  /** The skills folder of the Hermes home. */
  readonly home: string;
  /** Names of skills that other folders provide. They are not copied. */
  readonly supplied?: ReadonlySet<string>;
  readonly clock: Clock;
}

export interface SyncReport {
  readonly added: readonly string[];
  readonly updated: readonly string[];
  /** Skills that are kept because the user edited them. */
  readonly kept: readonly string[];
  readonly warnings: readonly string[];
}

/** The result of the last sync: content hash and path of each copied skill. */
type Manifest = Readonly<Record<string, { readonly hash: string; readonly path: string }>>;

/**
 * Copies the bundled skills to the home. Keeps skills that the user edited, does not restore deleted ones, and replaces
 * only unchanged copies. Several processes may run it at the same time.
 */
export async function syncBundled(deps: SyncDeps, signal: AbortSignal): Promise<Result<SyncReport, string>> {
  const { bundled, home, clock } = deps;
  const index = readBundledIndex(bundled);
  if (!index || hasOptedOut(home)) return ok(nothingDone);
  try {
    await makeFolder(home, 0o700);
    const held = await withFileLock(join(home, stateFiles.lock), () => bring(index, deps), {
      signal,
      clock,
      timeoutMs: 30_000,
    });
    return held.ok ? held.value : err(held.error.message);
  } catch (thrown) {
    return err(reasonOf(thrown));
  }
}

/** Removes a skill from the manifest, so that the next sync treats it as new. */
export async function forgetBundled(home: string, name: string): Promise<Result<boolean, string>> {
  const manifest = readManifest(home);
  if (!Object.hasOwn(manifest, name)) return ok(false);
  const { [name]: _, ...others } = manifest;
  const written = await writeManifest(home, "", others);
  return written.ok ? ok(true) : written;
}

/** Deletes the unchanged copies and returns their names. */
export async function removeUnchanged(home: string): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const [name, { hash, path }] of Object.entries(readManifest(home))) {
    const folder = join(home, path);
    if (hashAt(folder) !== hash) continue;
    await rm(folder, { recursive: true });
    removed.push(name);
  }
  return removed;
}

const nothingDone: SyncReport = { added: [], updated: [], kept: [], warnings: [] };

async function bring(index: BundledIndex, deps: SyncDeps): Promise<Result<SyncReport, string>> {
  const { home } = deps;
  await tidy(home);
  const manifest = readManifest(home);
  const there = new Map(skillPlaces([{ path: home, kind: "home" }]).map(({ folder }) => [basename(folder), folder]));
  const next: Record<string, { hash: string; path: string }> = {};
  const report = { added: [] as string[], updated: [] as string[], kept: [] as string[], warnings: [] as string[] };
  for (const skill of index.skills) {
    const { name, path, hash } = skill;
    const installed = manifest[name];
    const folder = there.get(basename(path));
    const now = folder === undefined ? undefined : hashAt(folder);
    if (installed === undefined) {
      if (deps.supplied?.has(name)) continue;
      if (folder === undefined) await copyIn(skill, deps);
      else if (now !== hash) {
        report.warnings.push(`Your own skill ${name} stays; Hermes does not use the bundled one with that name.`);
        continue;
      }
      if (folder === undefined) report.added.push(name);
      next[name] = { hash, path };
    } else if (folder === undefined) next[name] = installed;
    else if (now === hash) next[name] = { hash, path };
    else if (now === installed.hash) {
      await replace(skill, folder, deps);
      report.updated.push(name);
      next[name] = { hash, path };
    } else {
      report.kept.push(name);
      next[name] = installed;
    }
  }
  const names = new Set(index.skills.map(({ name }) => name));
  for (const [name, installed] of Object.entries(manifest))
    if (!names.has(name) && existsSync(join(home, installed.path))) next[name] = installed;
  const written = await writeManifest(home, index.stamp, next);
  return written.ok ? ok(report) : written;
}

async function copyIn({ path }: BundledSkill, { bundled, home }: SyncDeps): Promise<void> {
  const created = await freshCopy(join(bundled, path), home);
  await makeFolder(dirname(join(home, path)), 0o755);
  await rename(created, join(home, path));
}

/** The old copy is moved first, so that it can be restored after an error. */
async function replace({ path }: BundledSkill, old: string, { bundled, home }: SyncDeps): Promise<void> {
  const created = await freshCopy(join(bundled, path), home);
  const aside = join(home, `${asidePrefix}${basename(path)}`);
  await rm(aside, { recursive: true, force: true });
  await rename(old, aside);
  try {
    await makeFolder(dirname(join(home, path)), 0o755);
    await rename(created, join(home, path));
  } catch (thrown) {
    await rename(aside, old);
    throw thrown;
  }
  await rm(aside, { recursive: true, force: true });
}

async function freshCopy(from: string, home: string): Promise<string> {
  const created = join(home, `${newPrefix}${basename(from)}`);
  await rm(created, { recursive: true, force: true });
  await cp(from, created, { recursive: true });
  for (const entry of await readdir(created, { recursive: true, withFileTypes: true })) {
    const copied = join(entry.parentPath, entry.name);
    // Sets the modes, because the package may be read-only or its scripts not executable.
    if (entry.isDirectory()) await chmod(copied, 0o755);
    else await chmod(copied, (await readFile(copied)).subarray(0, 2).toString() === "#!" ? 0o755 : 0o644);
  }
  await chmod(created, 0o755);
  return created;
}

/** Cleans up after a killed sync. Restores an old copy that was not replaced. */
async function tidy(home: string): Promise<void> {
  const manifest = readManifest(home);
  for (const name of await readdir(home)) {
    if (name.startsWith(newPrefix)) await rm(join(home, name), { recursive: true, force: true });
    if (!name.startsWith(asidePrefix)) continue;
    const installed = manifest[name.slice(asidePrefix.length)];
    if (installed && !existsSync(join(home, installed.path))) {
      await makeFolder(dirname(join(home, installed.path)), 0o755);
      await rename(join(home, name), join(home, installed.path));
    } else await rm(join(home, name), { recursive: true, force: true });
  }
}

const newPrefix = ".hermes-new-";
const asidePrefix = ".hermes-old-";

function readManifest(home: string): Manifest {
  const skills = readStateFile(home, stateFiles.bundled)?.["skills"];
  if (!isObject(skills)) return {};
  const isEntry = (entry: unknown): entry is Manifest[string] =>
    isObject(entry) &&
    typeof entry["hash"] === "string" &&
    typeof entry["path"] === "string" &&
    !entry["path"].split("/").includes("..");
  return Object.fromEntries(
    Object.entries(skills).filter((pair): pair is [string, Manifest[string]] => isEntry(pair[1])),
  );
}

async function writeManifest(home: string, stamp: string, skills: Manifest): Promise<Result<void, string>> {
  const text = `${JSON.stringify({ version: 1, stamp, skills }, undefined, 1)}\n`;
  const written = await writeFileAtomic(join(home, stateFiles.bundled), text, { mode: 0o600 });
  return written.ok ? ok(undefined) : err(written.error.message);
}

function hashAt(folder: string): string | undefined {
  return valueOr(() => hashOfEntries(readSkillEntries(folder)), undefined);
}
