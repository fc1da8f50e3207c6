import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";

import { describeFault } from "../../base/files/file-fault.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { PluginLanguage } from "../../contracts/plugin/manifest.ts";
import { isPluginName } from "../find/read-manifest.ts";
import { authorTypesFile } from "../sources/runner-files.ts";
import { pluginTemplate } from "../templates/plugin-template.ts";
import { writePluginTree } from "./plugin-tree.ts";

/** Writes a new plugin into its own folder. Never overwrites a file. */
export async function createPlugin(wish: {
  readonly name: string;
  readonly language: PluginLanguage;
  readonly parent: string;
}): Promise<Result<{ readonly folder: string; readonly files: readonly string[] }>> {
  const { name, language, parent } = wish;
  if (!isPluginName(name) || !/^[A-Za-z0-9]/u.test(name))
    return err({
      message: `${JSON.stringify(name)} cannot be the name of a plugin. Use letters, digits, ".", "_" and "-", at most 64, and no reserved word of JavaScript.`,
    });
  const folder = join(parent, name);
  if (existsSync(folder)) return err({ message: `${folder} exists already. Choose another name, or remove it first.` });
  const template = pluginTemplate({ name, language, typesFile: authorTypesFile() });
  const paths = Object.keys(template).toSorted();
  const files = paths.map((path) => ({ path, bytes: Buffer.from(template[path] ?? ""), isExecutable: false }));
  const draft = join(parent, `.${name}.new`);
  try {
    await rm(draft, { recursive: true, force: true });
    await writePluginTree(draft, files);
    await rename(draft, folder);
  } catch (thrown) {
    await rm(draft, { recursive: true, force: true });
    return err({ message: describeFault(thrown, folder).message });
  }
  return ok({ folder, files: paths });
}
