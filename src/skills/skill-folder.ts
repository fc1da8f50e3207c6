import { readdirSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";

import { sha256 } from "../base/digest.ts";
import { readFileBeneath } from "../base/files/open-beneath.ts";
import type { SkillEntry } from "../contracts/knowledge/skill.ts";

/** Listing of a skill's folder, without file contents. */
export interface FolderListing {
  /** A value that changes when a file is added, removed or written. */
  readonly stamp: string;
  /** Sorted paths of regular files, relative to the folder, with `/`. */
  readonly files: readonly string[];
}

/** Names that are ignored in skills and while searching for them. */
export const ignoredNames: ReadonlySet<string> = new Set([
  ".git",
  ".svn",
  ".hg",
  "node_modules",
  "__pycache__",
  "venv",
  ".venv",
  ".DS_Store",
  ".mypy_cache",
  ".pytest_cache",
]);

/** The maximum size of a skill folder. */
const maxEntries = 500;
const maxBytes = 20_000_000;

/** Lists a folder. Throws errors of the file system. */
export function listSkillFolder(folder: string): FolderListing {
  const files: string[] = [];
  const stamps: string[] = [];
  for (const { path, kind } of entriesBelow(folder)) {
    if (kind !== "file") {
      stamps.push(`${path}>`);
      continue;
    }
    const { size, ctimeMs, mode } = statSync(join(folder, path));
    files.push(path);
    stamps.push(`${path}:${size}:${Math.round(ctimeMs * 1000)}:${mode & 0o111 ? "x" : ""}`);
  }
  return { files, stamp: stamps.join("|") };
}

/**
 * All files of a real folder, for a scan or a copy. A file over the size limit is returned empty, which the scan
 * reports. Throws errors of the file system.
 */
export function readSkillEntries(folder: string): readonly SkillEntry[] {
  let bytesLeft = maxBytes;
  return entriesBelow(folder).map(({ path, kind }): SkillEntry => {
    const fullPath = join(folder, path);
    if (kind === "link") return { kind, path, target: readlinkSync(fullPath) };
    if (kind === "other") return { kind, path };
    bytesLeft -= statSync(fullPath).size;
    if (bytesLeft < 0) return { kind: "other", path };
    const { bytes, mode } = readFileBeneath(fullPath);
    return { kind, path, bytes, isExecutable: (mode & 0o111) !== 0 };
  });
}

/** Digest of paths and contents, independent of the location. */
export function hashOfEntries(entries: readonly SkillEntry[]): string {
  const lines = entries.map((entry) => {
    const what = entry.kind === "file" ? sha256(entry.bytes) : entry.kind === "link" ? `link ${entry.target}` : "other";
    return `${entry.path}\0${what}\n`;
  });
  return sha256(lines.toSorted().join(""));
}

function entriesBelow(folder: string): readonly { readonly path: string; readonly kind: SkillEntry["kind"] }[] {
  const matches: { readonly path: string; readonly kind: SkillEntry["kind"] }[] = [];
  const walk = (below: string, depth: number): void => {
    for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
      if (ignoredNames.has(entry.name) || /^\.hermes-.*\.tmp$/u.test(entry.name)) continue;
      if (matches.length >= maxEntries) return;
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory() && depth < 6) walk(path, depth + 1);
      else matches.push({ path, kind: entry.isFile() ? "file" : entry.isSymbolicLink() ? "link" : "other" });
    }
  };
  walk("", 0);
  return matches.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
