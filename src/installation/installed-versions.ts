import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, join } from "node:path";

import { writeFileAtomic } from "../base/files/atomic-file.ts";
import { parsedObject } from "../base/json.ts";
import { err, ok, type Result, valueOr } from "../base/result.ts";
import { packageName, versionsFolder } from "./find-installation.ts";

/**
 * The name of the version that npm installed, together with the launcher. That version is kept, and starts if the
 * active one is missing.
 */
const firstVersionName = "base";

export interface InstalledVersion {
  /** The version name: `base`, or VERSION-DIGEST. */
  readonly name: string;
  readonly version: string;
  readonly folder: string;
}

/** The installed versions, and the one that the launcher starts. */
export interface InstalledVersions {
  readonly active: InstalledVersion;
  /** The version that a rollback activates, if it still exists. */
  readonly previous: InstalledVersion | undefined;
  readonly all: readonly InstalledVersion[];
}

export function readVersions(root: string): InstalledVersions {
  const [active, previous] = pointerOf(root);
  const first: InstalledVersion = { name: firstVersionName, version: versionIn(root) ?? "?", folder: root };
  const names = valueOr(() => readdirSync(join(root, versionsFolder)), []).filter(isVersionName);
  const others = names.flatMap((name) => versionAt(root, name) ?? []);
  const all = [first, ...others.toSorted((a, b) => (a.name < b.name ? -1 : 1))];
  const find = (name: string | undefined) => all.find((each) => each.name === name);
  const started = find(active) ?? first;
  const target = find(previous);
  return { active: started, previous: target?.name === started.name ? undefined : target, all };
}

/**
 * Switches in one step: the launcher reads the first line of one file, which is replaced atomically. The second line
 * names the previous version.
 */
export async function activateVersion(root: string, name: string): Promise<Result<void>> {
  const { active } = readVersions(root);
  const [, before = firstVersionName] = pointerOf(root);
  const previous = active.name === name ? before : active.name;
  const written = await writeFileAtomic(pointerFile(root), `${name}\n${previous}\n`, { mode: 0o644 });
  return written.ok ? ok(undefined) : err({ message: written.error.message });
}

/** The version of this name; undefined if it is missing or incomplete. */
export function versionAt(root: string, name: string): InstalledVersion | undefined {
  if (!isVersionName(name)) return undefined;
  const folder = join(root, versionsFolder, name, "node_modules", packageName);
  const version = versionIn(folder);
  const isComplete =
    version !== undefined && ["hermes", "dist/hermes.js"].every((file) => existsSync(join(folder, file)));
  return isComplete ? { name, version, folder } : undefined;
}

/**
 * Removes versions that are neither active nor the target of a rollback. A version that a process may still be running
 * is kept, because it loads its parts on demand.
 */
export async function pruneVersions(root: string, now: number, isRunning: (folder: string) => boolean | undefined) {
  const { active, previous } = readVersions(root);
  const removed: string[] = [];
  for (const name of valueOr(() => readdirSync(join(root, versionsFolder)), []).filter(isVersionName)) {
    if (name === active.name || name === previous?.name) continue;
    const folder = join(root, versionsFolder, name);
    const isUsed = isRunning(folder) ?? now - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0) < weekMs;
    if (isUsed) continue;
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    removed.push(name);
  }
  return removed;
}

/** Whether a process was started from this folder. Undefined where processes cannot be listed. */
export function hasProcesses(folder: string): boolean | undefined {
  const pids = valueOr(() => readdirSync("/proc"), []).filter((name) => /^\d+$/u.test(name));
  if (pids.length === 0) return undefined;
  return pids.some((pid) => valueOr(() => readFileSync(`/proc/${pid}/cmdline`, "utf8"), "").includes(`${folder}/`));
}

/** The version in the manifest of the folder. */
function versionIn(folder: string): string | undefined {
  const text = valueOr(() => readFileSync(join(folder, "package.json"), "utf8"), "");
  const manifest = valueOr(() => parsedObject(text), undefined);
  return manifest?.["name"] === packageName && typeof manifest["version"] === "string"
    ? manifest["version"]
    : undefined;
}

/** Applies the launcher's rule: no parent folder and no hidden folder. */
function isVersionName(name: string): boolean {
  return /^\d[\w.+-]{0,100}$/u.test(name) && basename(name) === name;
}

function pointerOf(root: string): readonly string[] {
  return valueOr(() => readFileSync(pointerFile(root), "utf8"), "").split("\n");
}

function pointerFile(root: string): string {
  return join(root, versionsFolder, "active");
}

const weekMs = 7 * 86_400_000;
