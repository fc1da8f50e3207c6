import { err, ok, type Result } from "../../base/result.ts";
import type { Git } from "./git.ts";

/** Files and the private repository that describes them. Git reads only the settings of that repository. */
export interface DescribedTree {
  readonly repository: string;
  readonly index: string;
  readonly tree: string;
}

/**
 * Stores the current files of a tree and returns the id of the stored tree: tracked files, and new files that are not
 * ignored. Nested repositories are skipped, because their settings may name programs.
 */
export async function storeTree(
  { repository, index, tree }: DescribedTree,
  git: Git,
  signal: AbortSignal,
): Promise<Result<string, string>> {
  const place = { repository, index, tree, cwd: tree, signal };
  const changed = await git.run(["diff-files", "--name-only", "--ignore-submodules=all", "-z"], place);
  if (!changed.ok) return err(changed.error.message);
  const added = await git.run(["ls-files", "--others", "--exclude-standard", "-z"], place);
  if (!added.ok) return err(added.error.message);
  const paths = [...split(changed.value), ...split(added.value).filter((path) => path.at(-1) !== slash)];
  const list = Buffer.concat(paths.flatMap((path) => [path, Buffer.of(0)]));
  const updated = await git.run(["update-index", "--add", "--remove", "--replace", "-z", "--stdin"], {
    ...place,
    stdin: list,
  });
  if (!updated.ok) return err(updated.error.message);
  const stored = await git.run(["write-tree", "--missing-ok"], place);
  return stored.ok ? ok(stored.value.toString().trim()) : err(stored.error.message);
}

/** Parts between NUL bytes. Names need not be UTF-8. */
export function split(bytes: Buffer): readonly Buffer[] {
  const parts: Buffer[] = [];
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf(0, from);
    parts.push(bytes.subarray(from, end < 0 ? bytes.length : end));
    from = end < 0 ? bytes.length : end + 1;
  }
  return parts;
}

const slash = 0x2f;
