import { open } from "node:fs/promises";
import { join } from "node:path";

import { codeOf, describeFault } from "../base/files/file-fault.ts";
import { err, ok, reasonOf, type Result } from "../base/result.ts";
import { archivePathFault } from "./backup-manifest.ts";
import { unpackLimit } from "./read-backup.ts";
import { BadArchive } from "./tar-stream.ts";
import { readZipDirectory, unpackZipEntry, type ZipEntry } from "./zip-file.ts";

export interface UnpackedOriginal {
  /** Names at the top of the backup that are not imported. */
  readonly other: readonly string[];
  /** Profiles in the backup. */
  readonly profiles: readonly string[];
}

/**
 * Unpacks the importable files of a Python Hermes backup into an empty folder: sessions, memories, skills and
 * settings. Rejects the whole archive if a path leaves the folder or occurs twice, or if it unpacks to far more than
 * its own size. Links are never written.
 */
export async function unpackOriginal(
  file: string,
  target: string,
  signal: AbortSignal,
): Promise<Result<UnpackedOriginal>> {
  const bad = (why: string) => err({ message: `${file} cannot be used: ${why}.` });
  try {
    await using handle = await open(file, "r");
    const entries = await readZipDirectory(handle);
    checkPaths(entries);
    const prefix = prefixOf(entries);
    if (prefix === undefined)
      return bad("it has no state.db, config.yaml or SOUL.md, so it is not a backup of Hermes in Python");
    const inside = entries.flatMap((entry) =>
      entry.path.startsWith(prefix) ? [{ entry, path: entry.path.slice(prefix.length) }] : [],
    );
    const importable = inside.filter(({ entry, path }) => !entry.isSpecial && isImportable(path));
    const { size } = await handle.stat();
    const total = importable.reduce((sum, { entry }) => sum + entry.size, 0);
    if (total > (await unpackLimit(size, target)))
      return bad("it unpacks to far more bytes than a backup has, or than the disk has free");
    for (const { entry, path } of importable) await unpackZipEntry(handle, entry, join(target, path), signal);
    const tops = new Set(inside.flatMap(({ path }) => (isImportable(path) ? [] : [path.split("/")[0] ?? ""])));
    const profiles = new Set(
      inside.flatMap(({ path }) => /^profiles\/(?<name>[^/]+)\//u.exec(path)?.groups?.["name"] ?? []),
    );
    tops.delete("profiles");
    return ok({ other: [...tops].toSorted(), profiles: [...profiles].toSorted() });
  } catch (thrown) {
    if (signal.aborted) return err({ message: "Interrupted; nothing was changed." });
    if (thrown instanceof BadArchive) return bad(thrown.message);
    if (codeOf(thrown).startsWith("Z_")) return bad("it is damaged");
    if (codeOf(thrown) !== "") return err({ message: describeFault(thrown, file).message });
    return bad(reasonOf(thrown));
  }
}

function checkPaths(entries: readonly ZipEntry[]): void {
  const names = new Set<string>();
  for (const { path } of entries) {
    const fault = archivePathFault(path);
    if (fault !== undefined) throw new BadArchive(`${JSON.stringify(path)} ${fault}`);
    // Compares names without case and accent normalisation, because some file systems ignore both.
    const key = path.normalize("NFC").toLowerCase();
    if (names.has(key)) throw new BadArchive(`it names ${JSON.stringify(path)} twice`);
    names.add(key);
  }
}

/** The home is at the top of the archive, or in its only folder. */
function prefixOf(entries: readonly ZipEntry[]): string | undefined {
  const match = entries
    .map(({ path }) => /^(?<prefix>(?:[^/]+\/)?)(?:state\.db|config\.yaml|SOUL\.md)$/u.exec(path)?.groups?.["prefix"])
    .filter((prefix) => prefix !== undefined);
  return match.toSorted((a, b) => a.length - b.length)[0];
}

function isImportable(path: string): boolean {
  return (
    ["state.db", "config.yaml", "SOUL.md", ".env", "memories/MEMORY.md", "memories/USER.md"].includes(path) ||
    path.startsWith("skills/")
  );
}
