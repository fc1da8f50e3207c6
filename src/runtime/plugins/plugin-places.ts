import { existsSync } from "node:fs";
import { join } from "node:path";

import { isInside } from "../../base/files/path.ts";
import { homeFiles, userFolder } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { workspaceOf } from "../../environments/workspace.ts";
import { globalNodeModules, sitePackages } from "../../plugins/find/package-folders.ts";
import type { PluginPlace } from "../../plugins/find/plugin-place.ts";
import { bundledFolder, isTrusted } from "../knowledge/skill-folders.ts";

/**
 * Where to search for plugins, in the order of the sources. A project is searched only if the user trusts it.
 * `packages`: includes the folders of npm and Python, which are large.
 */
export async function pluginPlaces(
  config: LoadedConfig,
  cwd: string,
  { packages }: { readonly packages: boolean },
): Promise<readonly PluginPlace[]> {
  const { env, home } = config;
  const person = userFolder(env);
  const own = join(home.path, homeFiles.plugins);
  const bundled = env["HERMES_BUNDLED_PLUGINS"]?.trim() || bundledFolder("plugins");
  const project = await trustedProject(config, cwd);
  const manifest = join(project ?? "", "package.json");
  const global = packages ? globalNodeModules(env, person) : undefined;
  return [
    { source: "bundled", folder: bundled },
    { source: "home", folder: own },
    { source: "hooks", folder: join(home.path, homeFiles.hookFolders) },
    ...(project === undefined ? [] : [{ source: "project" as const, folder: join(project, ".hermes", "plugins") }]),
    ...(packages
      ? [
          ...(global === undefined ? [] : [{ source: "npm" as const, folder: global }]),
          { source: "npm" as const, folder: join(own, "node_modules") },
          ...(project === undefined || !existsSync(manifest)
            ? []
            : [{ source: "npm" as const, folder: join(project, "node_modules"), manifest }]),
          ...sitePackages(env, person).map((folder) => ({ source: "python" as const, folder })),
        ]
      : []),
  ];
}

/** The workspace, if it can have plugins and the user trusts it. */
async function trustedProject(config: LoadedConfig, cwd: string): Promise<string | undefined> {
  const { root } = await workspaceOf(cwd, userFolder(config.env));
  if (root === undefined) return undefined;
  if (isInside(config.home.root, join(root, ".hermes"))) return undefined;
  const canHavePlugins = [".hermes/plugins", "package.json"].some((name) => existsSync(join(root, name)));
  return canHavePlugins && (await isTrusted(config.home.path, config.projectFile, root)) ? root : undefined;
}
