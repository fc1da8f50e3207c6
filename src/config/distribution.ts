import { lstat, readdir, readFile, cp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describeFault } from "../base/files/file-fault.ts";
import { isObject } from "../base/json.ts";
import { err, ok, type Result } from "../base/result.ts";
import { homeFiles } from "./home.ts";
import { type Problem, problemText } from "./problem.ts";
import { readYaml } from "./yaml/read-yaml.ts";

/** A profile that others created, described by `distribution.yaml` in its folder. */
export interface Distribution {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** The minimum version of Hermes. */
  readonly requires: string;
  readonly author: string;
  readonly license: string;
  /** Environment variables that it needs. */
  readonly variables: readonly string[];
  /** Files and folders of the distribution, which an update replaces. */
  readonly owned: readonly string[];
}

const distributionFile = "distribution.yaml";

const defaultOwned: readonly string[] = [
  homeFiles.soul,
  homeFiles.config,
  "mcp.json",
  homeFiles.skills,
  homeFiles.agents,
  "cron",
];

/** Entries of a home that are never part of a distribution, even if it lists them. */
const neverOwned: ReadonlySet<string> = new Set([
  homeFiles.env,
  homeFiles.credentials,
  homeFiles.trust,
  homeFiles.approvals,
  homeFiles.hookConsents,
  homeFiles.mcpConsents,
  homeFiles.mcpSignIns,
  homeFiles.sessions,
  homeFiles.audit,
  homeFiles.profileFacts,
  homeFiles.profiles,
  "auth.json",
]);

/** Settings sections that decide what may run. Only the user can set them; a distribution cannot. */
export const ownerSections: readonly string[] = [
  "approvals",
  "command_allowlist",
  "isolation",
  "security",
  "hooks",
  "hooks_auto_accept",
  "plugins",
];

export async function readDistribution(folder: string): Promise<Result<Distribution, Problem>> {
  const file = join(folder, distributionFile);
  const read = await readYaml(file);
  if (!read.ok) return err({ message: read.error.map(problemText).join("; ") });
  const value = read.value?.tree;
  if (!isObject(value))
    return err({ message: `${folder} has no ${distributionFile}`, hint: "docs/guide/configuration.md describes it" });
  const plain = (entry: unknown) => (typeof entry === "string" || typeof entry === "number" ? String(entry) : "");
  const text = (name: string) => plain(value[name]);
  const list = (name: string) => {
    const entries: unknown = value[name];
    return Array.isArray(entries) ? entries.map((each) => plain(isObject(each) ? each["name"] : each)) : undefined;
  };
  const name = text("name");
  if (name === "") return err({ message: `${file}: name is missing` });
  const owned = (list("distribution_owned") ?? defaultOwned).map((path) => path.replace(/\/+$/u, ""));
  const bad = owned.find(
    (path) => path === "" || path.includes("/") || path.includes("\\") || path.startsWith(".") || neverOwned.has(path),
  );
  if (bad !== undefined) return err({ message: `${file}: distribution_owned must not name ${JSON.stringify(bad)}` });
  return ok({
    name,
    version: text("version"),
    description: text("description"),
    requires: text("hermes_requires").replace(/^[>=\s]+/u, ""),
    author: text("author"),
    license: text("license"),
    variables: list("env_requires") ?? [],
    owned,
  });
}

/** The reason why a tree must not be copied: links, special files, or its size. Undefined: it can be copied. */
export async function treeFault(folder: string, paths: readonly string[]): Promise<string | undefined> {
  let [files, bytes] = [0, 0];
  const walk = async (path: string): Promise<string | undefined> => {
    const stats = await lstat(join(folder, path)).catch(() => undefined);
    if (!stats) return undefined;
    if (stats.isFile()) {
      [files, bytes] = [files + 1, bytes + stats.size];
      return files > maxFiles || bytes > maxBytes ? "it has too many files or files that are too large" : undefined;
    }
    if (!stats.isDirectory()) return `${path} is a link or a special file`;
    for (const name of await readdir(join(folder, path))) {
      const fault = await walk(`${path}/${name}`);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
  for (const path of paths) {
    const fault = await walk(path);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

const maxFiles = 5_000;
const maxBytes = 100 * 2 ** 20;

/** Copies the files of a distribution. Settings of `ownerSections` are left out; returns their names. */
export async function copyDistribution(
  from: string,
  to: string,
  owned: readonly string[],
): Promise<Result<readonly string[], Problem>> {
  try {
    let removed: readonly string[] = [];
    for (const path of [...owned, distributionFile]) {
      const stats = await lstat(join(from, path)).catch(() => undefined);
      if (!stats) continue;
      if (path === homeFiles.config) {
        const config = await withoutOwnerSections(join(from, path));
        if (!config.ok) return config;
        removed = config.value.removed;
        await writeFile(join(to, path), config.value.text, { mode: 0o600 });
        continue;
      }
      await rm(join(to, path), { recursive: true, force: true });
      await cp(join(from, path), join(to, path), { recursive: true, dereference: false });
    }
    return ok(removed);
  } catch (thrown) {
    return err({ message: describeFault(thrown, to).message });
  }
}

async function withoutOwnerSections(
  file: string,
): Promise<Result<{ readonly text: string; readonly removed: readonly string[] }, Problem>> {
  const read = await readYaml(file);
  if (!read.ok) return err({ message: read.error.map(problemText).join("; ") });
  const value = read.value?.tree;
  const removed = isObject(value) ? ownerSections.filter((name) => Object.hasOwn(value, name)) : [];
  if (removed.length === 0 || !isObject(value)) return ok({ text: await readFile(file, "utf8"), removed });
  const { stringify } = await import("yaml");
  return ok({
    text: stringify(Object.fromEntries(Object.entries(value).filter(([name]) => !removed.includes(name)))),
    removed,
  });
}
