import { type Dirent, existsSync } from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import { basename, join } from "node:path";

import { codeOf, describeFault } from "../../base/files/file-fault.ts";
import { isInside } from "../../base/files/path.ts";
import { err, type Result } from "../../base/result.ts";
import type { FoundPlugin } from "../../contracts/plugin/manifest.ts";
import { stampFirstExisting, takeStamp } from "../fingerprint.ts";
import type { PlaceScan, PluginProblem } from "./plugin-place.ts";
import { hookFiles, isPluginName, manifestFiles } from "./read-manifest.ts";
import { readPlugin } from "./read-plugin.ts";

/**
 * Finds plugins in the subfolders of `root`. A subfolder without a manifest is a category: its own subfolders are
 * searched, and its name becomes part of the key.
 */
export async function scanFolders(root: string, source: "bundled" | "home" | "project"): Promise<PlaceScan> {
  const plugins: FoundPlugin[] = [];
  const problems: PluginProblem[] = [];
  const stamps = [takeStamp(root)];

  async function read(path: string, category: string | undefined): Promise<Result<FoundPlugin | undefined, string>> {
    stamps.push(takeStamp(path), ...stampFirstExisting(path, manifestFiles));
    if (source === "project" && !isInside(await realOf(root), await realOf(path)))
      return err(`${path} is a link to a place outside the project; copy the plugin into the project`);
    const name = basename(path);
    if (category !== undefined && !isPluginName(name))
      return err(`${path}: this folder name cannot be a plugin name; rename the folder`);
    return readPlugin(path, source, (manifest) => (category === undefined ? manifest.name : `${category}/${name}`));
  }

  async function scan(folder: string, category?: string): Promise<void> {
    for (const path of await foldersIn(folder, problems)) {
      const result = await read(path, category);
      if (!result.ok) problems.push({ path, message: result.error });
      else if (result.value) {
        stamps.push(takeStamp(result.value.entry));
        plugins.push(result.value);
      } else if (codeNames.some((name) => existsSync(join(path, name))))
        problems.push({ path, message: `${path} has no plugin.yaml; write one with its name and version` });
      else if (category === undefined && isPluginName(basename(path)) && (await realOf(path)) !== (await realOf(root)))
        await scan(path, basename(path));
    }
  }

  await scan(root);
  return { plugins, problems, stamps };
}

/** Folders with a HOOK.yaml: each is a plugin whose key begins with `hooks/`. */
export async function scanHookFolders(root: string): Promise<PlaceScan> {
  const plugins: FoundPlugin[] = [];
  const problems: PluginProblem[] = [];
  const stamps = [takeStamp(root)];
  for (const path of await foldersIn(root, problems)) {
    stamps.push(takeStamp(path), ...stampFirstExisting(path, hookFiles));
    const result = await readPlugin(path, "home", () => `hooks/${basename(path)}`, hookFiles);
    if (!result.ok) problems.push({ path, message: result.error });
    else if (!result.value)
      problems.push({ path, message: `${path} has no HOOK.yaml; write one with name and events` });
    else {
      stamps.push(takeStamp(result.value.entry));
      plugins.push(result.value);
    }
  }
  return { plugins, problems, stamps };
}

/** A folder that contains one of these files is probably meant to be a plugin. */
const codeNames: readonly string[] = ["__init__.py", "handler.py", "index.ts", "plugin.ts"];
const maxFolders = 1_000;

async function foldersIn(folder: string, problems: PluginProblem[]): Promise<readonly string[]> {
  let entries: Dirent[];
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT") problems.push({ path: folder, message: describeFault(thrown, folder).message });
    return [];
  }
  const names = entries
    .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && /^[^._]/u.test(entry.name))
    .map(({ name }) => name)
    .filter((name) => name !== "node_modules");
  if (names.length > maxFolders)
    problems.push({
      path: folder,
      message: `${folder} has ${names.length} folders; only the first ${maxFolders} are read`,
    });
  return names
    .toSorted()
    .slice(0, maxFolders)
    .map((name) => join(folder, name));
}

function realOf(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}
