import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

import { expandHome, isInside } from "../../base/files/path.ts";
import { valueOr } from "../../base/result.ts";
import { homeFiles, userFolder } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { trustedFolders } from "../../config/sources/trusted-folders.ts";
import type { SkillContribution } from "../../contracts/plugin/plugin.ts";
import { workspaceOf } from "../../environments/workspace.ts";
import { skillFile } from "../../skills/frontmatter.ts";
import { skillPlaces, type SkillPlace, type SkillRoot } from "../../skills/skill-roots.ts";

const projectSkillFolders: readonly string[] = [join(".hermes", "skills"), join(".agents", "skills")];

export function bundledSkills(): string {
  return bundledFolder("skills");
}

/** A folder of the installation: next to `src` when running from source, next to `dist` in a package. */
export function bundledFolder(name: "skills" | "plugins" | "agents"): string {
  const { filename, dirname } = import.meta;
  if (filename.endsWith(".ts")) return join(dirname, "..", "..", "..", name);
  return join(dirname, basename(dirname) === "chunks" ? join("..", "..") : "..", name);
}

/** The folders of the settings, in order; the home comes first. */
export function ownSkillRoots({ values, home, env }: LoadedConfig): readonly SkillRoot[] {
  const folder = (path: string) => resolve(home.path, expandHome(path, userFolder(env)));
  return [
    { path: join(home.path, homeFiles.skills), kind: "home" },
    ...values.skills.external_dirs.map((path): SkillRoot => ({ path: folder(path), kind: "external" })),
  ];
}

/** The folders of skills that plugins registered. A path may name the folder or its SKILL.md. */
export function pluginSkillPlaces(skills: readonly SkillContribution[]): readonly SkillPlace[] {
  return skills.flatMap(({ name, path }): readonly SkillPlace[] => {
    const folder = realOf(basename(path) === skillFile ? dirname(path) : path);
    return existsSync(join(folder, skillFile))
      ? [{ root: { path: folder, kind: "plugin" }, folder, path: basename(folder), name }]
      : [];
  });
}

/** Skills of the workspace, if the user trusts it; `untrusted`: there are some, but the workspace is not trusted. */
export async function projectSkillRoots(
  { values, home, projectFile }: LoadedConfig,
  workspace: string | undefined,
): Promise<{ readonly roots: readonly SkillRoot[]; readonly untrusted?: string }> {
  if (!values.skills.project || workspace === undefined) return { roots: [] };
  const there = projectSkillFolders.map((name) => join(workspace, name)).filter((path) => existsSync(path));
  const roots = there.filter((path) => {
    const real = realOf(path);
    return isInside(realOf(workspace), real) && !isInside(realOf(home.root), real);
  });
  if (roots.length === 0) return { roots: [] };
  if (!(await isTrusted(home.path, projectFile, realOf(workspace)))) return { roots: [], untrusted: workspace };
  return { roots: roots.map((path) => ({ path, kind: "project" })) };
}

/** The skills of a project, for the user who decides whether to trust them. */
export async function projectSkills(
  { home, env }: LoadedConfig,
  path: string,
): Promise<{ readonly folder: string | undefined; readonly names: readonly string[] }> {
  const { root: folder } = await workspaceOf(path, userFolder(env));
  if (folder === undefined) return { folder, names: [] };
  const roots = projectSkillFolders
    .map((name) => join(folder, name))
    .filter((each) => isInside(folder, realOf(each)) && !isInside(realOf(home.root), realOf(each)));
  const places = skillPlaces(roots.map((each) => ({ path: each, kind: "project" })));
  return { folder, names: places.map((each) => each.path) };
}

/** Whether the user trusts the folder with its current settings. */
export async function isTrusted(home: string, file: LoadedConfig["projectFile"], workspace: string): Promise<boolean> {
  if (file.state === "trusted" && file.folder === workspace) return true;
  if (file.state !== "absent" && file.folder === workspace) return false;
  const trusted = await trustedFolders(home);
  return trusted.ok && trusted.value.some(({ path }) => path === workspace);
}

function realOf(path: string): string {
  return valueOr(() => realpathSync(path), path);
}
