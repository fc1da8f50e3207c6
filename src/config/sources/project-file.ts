import { realpathSync, statSync } from "node:fs";
import { dirname, join, sep } from "node:path";

import { sha256 } from "../../base/digest.ts";
import { valueOr } from "../../base/result.ts";
import type { Home } from "../home.ts";
import { userFolder, type Env } from "../home.ts";
import type { Problem } from "../problem.ts";
import { readBounded } from "../yaml/read-yaml.ts";
import { trustedFolders } from "./trusted-folders.ts";

/** The settings file of the workspace, and whether the user accepted it. Only trusted bytes are ever parsed. */
export type ProjectFile =
  | { readonly state: "absent" }
  | { readonly state: "untrusted" | "changed"; readonly file: string; readonly folder: string; readonly why?: string }
  | { readonly state: "trusted"; readonly file: string; readonly folder: string; readonly bytes: Buffer };

/** Searches for `.hermes/config.yaml` from `cwd` up to the top of the repository. Creates nothing and never throws. */
export async function findProjectFile(
  env: Env,
  cwd: string,
  home: Home,
): Promise<{ file: ProjectFile; warning?: Problem }> {
  const result = await nearestFile(env, cwd, home);
  if (result === undefined) return { file: { state: "absent" } };
  const { file, folder } = result;
  const inside = await realFile(file, folder);
  if (inside !== undefined) return { file: { state: "untrusted", file, folder, why: inside } };
  const trusted = await trustedFolders(home.path);
  if (!trusted.ok) return { file: { state: "untrusted", file, folder }, warning: trusted.error };
  const trustedFolder = trusted.value.find(({ path }) => path === folder);
  if (trustedFolder === undefined) return { file: { state: "untrusted", file, folder } };
  const bytes = await readBounded(file);
  if (!bytes.ok || bytes.value === undefined) return { file: { state: "changed", file, folder } };
  const same = sha256(bytes.value) === trustedFolder.sha256;
  return { file: same ? { state: "trusted", file, folder, bytes: bytes.value } : { state: "changed", file, folder } };
}

/** Folder and file of the nearest project file, by real path. A Hermes home does not count as a project. */
export async function nearestFile(
  env: Env,
  cwd: string,
  home: Home,
): Promise<{ readonly folder: string; readonly file: string } | undefined> {
  const start = real(cwd);
  if (start === undefined) return undefined;
  const isHome = (path: string): boolean =>
    [home.root, home.path, join(userFolder(env), ".hermes")].some(
      (each) => (real(each) ?? each) === (real(path) ?? path),
    );
  let below: { folder: string; file: string } | undefined;
  for (let folder = start; ; folder = dirname(folder)) {
    const settings = join(folder, ".hermes");
    const file = join(settings, "config.yaml");
    if (below === undefined && exists(file) && !isHome(settings) && !isHome(folder)) below = { folder, file };
    if (exists(join(folder, ".git"))) return below;
    if (folder === dirname(folder)) break;
  }
  // Outside of a repository, only the folder itself is searched.
  return below?.folder === start ? below : undefined;
}

/** The reason why the file must not be trusted: it is a broken link, or a link that leaves the folder. */
export async function realFile(file: string, folder: string): Promise<string | undefined> {
  const target = real(file);
  if (target === undefined) return "is a symlink to a missing file";
  return target.startsWith(folder.endsWith(sep) ? folder : folder + sep)
    ? undefined
    : "is a symlink that leaves the folder";
}

/** The real path; undefined if nothing exists. */
function real(path: string): string | undefined {
  return valueOr(() => realpathSync.native(path), undefined);
}

function exists(path: string): boolean {
  return valueOr(() => statSync(path, { throwIfNoEntry: false }) !== undefined, false);
}
