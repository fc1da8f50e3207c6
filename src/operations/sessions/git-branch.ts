import { open, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

/**
 * The branch of the repository around a folder, or the abbreviated detached commit. Reads a file, starts no program.
 */
export async function gitBranch(folder: string): Promise<string | undefined> {
  let current = resolve(folder);
  for (let level = 0; level < maxLevels; level++) {
    const branch = await branchIn(join(current, ".git"));
    if (branch !== undefined) return branch;
    const parent = dirname(current);
    if (parent === current) return undefined;
    current = parent;
  }
  return undefined;
}

const maxLevels = 64;
const maxBytes = 4_096;

/** `.git` is a folder, or in a worktree a file that names a folder. */
async function branchIn(path: string): Promise<string | undefined> {
  const info = await stat(path).catch(() => undefined);
  if (!info) return undefined;
  if (info.isDirectory()) return headOf(await startOf(join(path, "HEAD")));
  const target = /^gitdir: (?<target>.+)$/mu.exec((await startOf(path)) ?? "")?.groups?.["target"];
  return target === undefined ? undefined : headOf(await startOf(join(resolve(dirname(path), target), "HEAD")));
}

function headOf(text: string | undefined): string | undefined {
  const { branch, commit } =
    /^(?:ref: refs\/heads\/(?<branch>.+)|(?<commit>[\da-f]{40,64}))$/mu.exec(text ?? "")?.groups ?? {};
  return branch ?? commit?.slice(0, 8);
}

/** Reads only a plain file: reading a pipe would wait for its writer. */
async function startOf(path: string): Promise<string | undefined> {
  try {
    if (!(await stat(path)).isFile()) return undefined;
    await using file = await open(path, "r");
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } catch {
    return undefined;
  }
}
