import { readdir, realpath } from "node:fs/promises";
import { join } from "node:path";

import { isObject, parsedObject } from "../../base/json.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import type { FoundPlugin } from "../../contracts/plugin/manifest.ts";
import { takeStamp } from "../fingerprint.ts";
import type { PlaceScan, PluginProblem } from "./plugin-place.ts";
import { manifestOf } from "./read-manifest.ts";
import { foundIn, readPlugin, readText } from "./read-plugin.ts";

const pluginKeyword = "hermes-plugin";

/**
 * Finds npm packages with the keyword `hermes-plugin`. For a package without plugin.yaml, package.json supplies the
 * name, version, description, author and `main`, and the other plugin.yaml fields under `hermes`.
 */
export async function scanNodeModules(folder: string, manifest: string | undefined): Promise<PlaceScan> {
  const plugins: FoundPlugin[] = [];
  const problems: PluginProblem[] = [];
  // npm rewrites its hidden lock file at every install, so the state of that file shows changes.
  const stamps = [takeStamp(manifest ?? folder), takeStamp(join(folder, ".package-lock.json"))];
  const names = manifest === undefined ? await packageNames(folder) : await dependencyNames(manifest);
  for (const name of names) {
    const path = join(folder, name);
    const own = ["package.json", "plugin.yaml"].map((file) => takeStamp(join(path, file)));
    const result = await readPackage(path, name);
    if (!result.ok) problems.push({ path, message: result.error });
    else if (result.value) plugins.push(result.value);
    if (!result.ok || result.value) stamps.push(...own);
  }
  return { plugins, problems, stamps };
}

async function readPackage(path: string, name: string): Promise<Result<FoundPlugin | undefined, string>> {
  try {
    const json = parsedObject((await readText(join(path, "package.json"), maxPackageBytes)) ?? "");
    const keywords: unknown = json["keywords"];
    if (!Array.isArray(keywords) || !keywords.includes(pluginKeyword)) return ok(undefined);
    // The package `@scope/name` has the plugin key `scope/name`.
    const key = name.replace(/^@/u, "");
    const plugin = await readPlugin(path, "npm", () => key);
    if (!plugin.ok || plugin.value) return plugin;
    const { version, description, author, main: entry } = json;
    const own = isObject(json["hermes"]) ? json["hermes"] : {};
    const read = manifestOf({ version, description, author, entry, ...own, name: key.replace("/", "-") }, "");
    return read.ok ? await foundIn(await realpath(path), "npm", key, read.value) : err(`${path} ${read.error}`);
  } catch (thrown) {
    return err(`${path}: ${reasonOf(thrown)}`);
  }
}

const maxPackageBytes = 1_048_576;
const maxPackages = 5_000;

async function packageNames(folder: string): Promise<readonly string[]> {
  const names = (await namesIn(folder)).filter((name) => !name.startsWith("."));
  const scoped = await Promise.all(
    names
      .filter((name) => name.startsWith("@"))
      .map(async (scope) => (await namesIn(join(folder, scope))).map((name) => `${scope}/${name}`)),
  );
  return [...names.filter((name) => !name.startsWith("@")), ...scoped.flat()].toSorted().slice(0, maxPackages);
}

async function dependencyNames(manifest: string): Promise<readonly string[]> {
  const json = parsedObject((await readText(manifest, maxPackageBytes).catch(() => undefined)) ?? "");
  const lists = [json["dependencies"], json["devDependencies"], json["optionalDependencies"]];
  const names = lists.flatMap((list) => (isObject(list) ? Object.keys(list) : []));
  return names
    .filter((name) => packageName.test(name))
    .toSorted()
    .slice(0, maxPackages);
}

const packageName = /^(?:@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*$/u;

function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
