import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

import { codeOf } from "../base/files/file-fault.ts";

/**
 * Decides which files of a Hermes home belong to a backup. Names are those of the top folder of a home; every profile
 * is such a home.
 */
export interface BackupRules {
  /** Caches, logs and copies that Hermes rebuilds or that belong to one machine. */
  readonly skipped: ReadonlySet<string>;
  /** Large entries that are not needed to continue. A quick backup skips them too. */
  readonly skippedIfQuick: ReadonlySet<string>;
  /** Files and folders with keys and tokens. */
  readonly secrets: ReadonlySet<string>;
  /** The folder with the other profiles. */
  readonly profiles: string;
  /** Paths that belong to another program. */
  readonly foreign: ReadonlySet<string>;
}

export interface BackupFiles {
  /** Paths below the home, with slashes, sorted. */
  readonly files: readonly string[];
  readonly secrets: readonly string[];
  /** Links and special files, which are not part of a backup. */
  readonly omitted: readonly string[];
}

export async function listBackupFiles(home: string, rules: BackupRules, isQuick: boolean): Promise<BackupFiles> {
  const files: string[] = [];
  const secrets: string[] = [];
  const omitted: string[] = [];
  const walk = async (folder: string, isHome: boolean, isSecret: boolean): Promise<void> => {
    for (const entry of await entriesOf(join(home, folder))) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (rules.foreign.has(path) || isSideFile(entry.name)) continue;
      if (isHome && !isInScope(entry.name, rules, isQuick)) continue;
      const isSecretHere = isSecret || (isHome && rules.secrets.has(entry.name));
      if (entry.isDirectory()) {
        const isProfiles = folder === "" && entry.name === rules.profiles;
        if (isProfiles)
          for (const each of await entriesOf(join(home, path)))
            await visitProfile(`${path}/${each.name}`, each.isDirectory());
        else await walk(path, false, isSecretHere);
      } else if (!entry.isFile()) {
        if (!entry.isSocket()) omitted.push(path);
      } else (isSecretHere ? secrets : files).push(path);
    }
  };
  const visitProfile = async (path: string, isFolder: boolean) => {
    if (isFolder && !path.includes("/.")) await walk(path, true, false);
  };
  await walk("", true, false);
  return { files: files.toSorted(), secrets: secrets.toSorted(), omitted };
}

/** Whether an entry in the top folder of a home is part of backups. */
function isInScope(name: string, { skipped, skippedIfQuick }: BackupRules, isQuick: boolean): boolean {
  return !skipped.has(name) && !(isQuick && skippedIfQuick.has(name)) && !isPassing(name);
}

/** Whether an entry exists only while a program runs: a restore, or the pipes of shells. */
export function isPassing(name: string): boolean {
  return [restorePrefix, ".hermes-", "hermes-shells-"].some((prefix) => name.startsWith(prefix));
}

/** Folders in a home that a restore uses. */
export const restorePrefix = "restore-";

/**
 * Lock files, and files that SQLite and the store keep next to a database. The copy of the database includes their
 * content.
 */
function isSideFile(name: string): boolean {
  return /(?:\.db(?:-wal|-shm|-journal|\.users|\.writes)|\.lock(?:-wal|-shm|-journal)?|\.holder|\.tmp|\.sock)$/u.test(
    name,
  );
}

async function entriesOf(folder: string) {
  try {
    return (await readdir(folder, { withFileTypes: true })).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT" || (await lstat(folder).catch(() => undefined)) === undefined) return [];
    throw thrown;
  }
}
