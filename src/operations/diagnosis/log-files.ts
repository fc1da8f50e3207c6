import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";

import { codeOf } from "../../base/files/file-fault.ts";

/** A log of this home. A rotated log has several files. */
export interface NamedLog {
  readonly name: string;
  /** Newest first. */
  readonly files: readonly { readonly path: string; readonly bytes: number; readonly changedAt: number }[];
}

/**
 * The log of this program has the same name as the main log of the Python version, so that the same command lines work.
 */
const ownLog = "agent";
const ownFile = /^hermes(?:\.(\d+))?\.jsonl$/u;
const otherFile = /^([\w-]+)\.(?:log|jsonl)(?:\.(\d+))?$/u;

export async function findLogs(folder: string): Promise<readonly NamedLog[]> {
  const names = await readdir(folder).catch((thrown: unknown) => {
    if (codeOf(thrown) === "ENOENT") return [];
    throw thrown;
  });
  const parts: { name: string; part: number; path: string; bytes: number; changedAt: number }[] = [];
  for (const name of names) {
    const own = ownFile.exec(name);
    const other = own ? null : otherFile.exec(name);
    if (!own && !other) continue;
    const path = join(folder, name);
    const stats = await stat(path).catch(() => undefined);
    if (!stats?.isFile()) continue;
    const part = Number((own ? own[1] : other?.[2]) ?? 0);
    parts.push({ name: own ? ownLog : (other?.[1] ?? name), part, path, bytes: stats.size, changedAt: stats.mtimeMs });
  }
  const groups = Map.groupBy(parts, ({ name }) => name);
  return Array.from(groups, ([name, files]) => ({
    name,
    files: files
      .toSorted((a, b) => a.part - b.part)
      .map(({ path, bytes, changedAt }) => ({ path, bytes, changedAt: Math.round(changedAt) })),
  })).toSorted((a, b) => a.name.localeCompare(b.name));
}

/** A position in a log that is still written to. */
export interface LogCursor {
  readonly file: string;
  readonly inode: number;
  readonly offset: number;
}

/** Whole lines from an offset to the end. If there are more than `maxBytes`, only the end is read. */
export async function readLogLines(
  path: string,
  from: number,
  maxBytes: number = maxReadBytes,
): Promise<{ readonly lines: readonly string[]; readonly cursor: LogCursor }> {
  await using file = await open(path, "r");
  const { size, ino } = await file.stat();
  const start = Math.max(from > size ? 0 : from, size - maxBytes);
  const buffer = Buffer.alloc(size - start);
  const { bytesRead } = await file.read(buffer, 0, buffer.length, start);
  const bytes = buffer.subarray(0, bytesRead);
  const end = bytes.lastIndexOf(newline) + 1;
  // The part starts in the middle of a line, unless it starts at the requested offset.
  const first = start === from || start === 0 ? 0 : bytes.indexOf(newline) + 1;
  const text = bytes.subarray(first, Math.max(first, end)).toString();
  return {
    lines: text.split("\n").filter((line) => line !== ""),
    cursor: { file: path, inode: ino, offset: start + end },
  };
}

const newline = 10;
const maxReadBytes = 16_000_000;
