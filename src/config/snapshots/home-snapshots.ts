import { type Dirent, lstatSync, readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { randomHex } from "../../base/digest.ts";
import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import { codeOf, describeFault } from "../../base/files/file-fault.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { parsedObject } from "../../base/json.ts";
import { err, ok, type Result, valueOr } from "../../base/result.ts";
import { byText } from "../../base/text/order.ts";
import { type Home, homeFiles } from "../home.ts";

/** A copy of the files of a home that a person edits. Sessions, secrets and skills are not part of it. */
export interface HomeSnapshot {
  readonly id: string;
  readonly label: string;
  readonly createdAt: number;
  /** Paths in the home. */
  readonly files: readonly string[];
}

/** Files and folders of the home that a snapshot contains. */
const covered: readonly string[] = [
  homeFiles.config,
  homeFiles.soul,
  homeFiles.memories,
  homeFiles.skins,
  homeFiles.skillBundles,
  homeFiles.agents,
];

const maxBytes = 50_000_000;
const facts = "snapshot.json";

type Fault = { readonly message: string };

export async function createSnapshot(home: Home, label: string, clock: Clock): Promise<Result<HomeSnapshot, Fault>> {
  const files = coveredFiles(home.path);
  const createdAt = clock.now();
  const stamp = new Date(createdAt).toISOString().slice(0, 19).replaceAll(/[-:]/gu, "").replace("T", "-");
  const snapshot: HomeSnapshot = { id: `${stamp}-${randomHex(2)}`, label, createdAt, files };
  const folder = join(folderOf(home), snapshot.id);
  let bytes = 0;
  try {
    for (const file of files) {
      const content = readFileSync(join(home.path, file));
      bytes += content.length;
      if (bytes > maxBytes) throw new Error(`the files have more than ${maxBytes / 1_000_000} MB`);
      const written = await writeInto(folder, file, content);
      if (!written.ok) throw new Error(written.error.message);
    }
    // Written last: a folder without this file is not a snapshot.
    const written = await writeInto(folder, facts, Buffer.from(`${JSON.stringify(snapshot)}\n`));
    if (!written.ok) throw new Error(written.error.message);
    return ok(snapshot);
  } catch (thrown) {
    await rm(folder, { recursive: true, force: true }).catch(() => {});
    return err({ message: `The snapshot was not created: ${describeFault(thrown, folder).message}` });
  }
}

/** Snapshots, newest first. */
export function listSnapshots(home: Home): readonly HomeSnapshot[] {
  const names = valueOr(() => readdirSync(folderOf(home)), []);
  return names
    .toSorted(byText)
    .toReversed()
    .flatMap((id) => readFacts(join(folderOf(home), id, facts)) ?? []);
}

/**
 * Restores the files of a snapshot and removes covered files that it does not contain. Saves the current state in
 * another snapshot.
 */
export async function restoreSnapshot(
  home: Home,
  id: string,
  clock: Clock,
): Promise<Result<{ readonly restored: HomeSnapshot; readonly before: HomeSnapshot }, Fault>> {
  const matches = listSnapshots(home).filter((each) => each.id.startsWith(id));
  const [snapshot, other] = matches;
  if (!snapshot || id === "") return err({ message: `There is no snapshot ${id}.` });
  if (other && snapshot.id !== id) return err({ message: `Several snapshots start with ${id}.` });
  const before = await createSnapshot(home, `before the restore of ${snapshot.id}`, clock);
  if (!before.ok) return before;
  const folder = join(folderOf(home), snapshot.id);
  const failed = (why: string) =>
    err({ message: `The restore stopped: ${why} The state before is in the snapshot ${before.value.id}.` });
  try {
    for (const file of snapshot.files) {
      const written = await writeInto(home.path, file, readFileSync(join(folder, file)));
      if (!written.ok) return failed(written.error.message);
    }
    for (const file of before.value.files)
      if (!snapshot.files.includes(file)) await rm(join(home.path, file), { force: true });
    return ok({ restored: snapshot, before: before.value });
  } catch (thrown) {
    return failed(`${describeFault(thrown, folder).message}.`);
  }
}

/** Deletes all but the newest snapshots, and unfinished ones. Returns the number of deleted snapshots. */
export async function pruneSnapshots(home: Home, keep: number): Promise<number> {
  const snapshots = listSnapshots(home);
  const kept = new Set(snapshots.slice(0, keep).map(({ id }) => id));
  for (const name of valueOr(() => readdirSync(folderOf(home)), []))
    if (!kept.has(name)) await rm(join(folderOf(home), name), { recursive: true, force: true });
  return Math.max(0, snapshots.length - keep);
}

function folderOf({ path }: Home): string {
  return join(path, homeFiles.snapshots);
}

/** Regular files; links are not followed. */
function coveredFiles(home: string): readonly string[] {
  const within = (path: string): readonly string[] => {
    const entries = valueOr((): readonly Dirent[] => readdirSync(join(home, path), { withFileTypes: true }), []);
    return entries.flatMap((entry) => {
      const inner = `${path}/${entry.name}`;
      if (entry.isDirectory()) return within(inner);
      return entry.isFile() ? [inner] : [];
    });
  };
  return covered.flatMap((path) => {
    try {
      const stats = lstatSync(join(home, path));
      if (stats.isDirectory()) return within(path);
      return stats.isFile() ? [path] : [];
    } catch (thrown) {
      if (codeOf(thrown) === "ENOENT") return [];
      throw thrown;
    }
  });
}

async function writeInto(folder: string, file: string, content: Uint8Array): Promise<Result<unknown, Fault>> {
  const path = join(folder, file);
  await makeFolder(dirname(path), 0o700);
  return writeFileAtomic(path, content, { mode: 0o600 });
}

function readFacts(path: string): HomeSnapshot | undefined {
  const { id, label, createdAt, files } = parsedObject(valueOr(() => readFileSync(path, "utf8"), ""));
  if (typeof id !== "string" || typeof label !== "string" || typeof createdAt !== "number" || !Array.isArray(files))
    return undefined;
  const isCovered = (file: unknown): file is string =>
    typeof file === "string" &&
    !file.split("/").includes("..") &&
    covered.some((each) => file === each || file.startsWith(`${each}/`));
  return files.every(isCovered) ? { id, label, createdAt, files } : undefined;
}
