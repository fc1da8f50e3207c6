import { lstatSync, readdirSync, realpathSync } from "node:fs";
import { lstat, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { withFileLock } from "../../base/files/atomic-file.ts";
import { codeOf, describeFault } from "../../base/files/file-fault.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { parsedObject } from "../../base/json.ts";
import { err, ok, reasonOf, type Result, valueOr } from "../../base/result.ts";
import { noPermissions, type FoundPlugin } from "../../contracts/plugin/manifest.ts";
import { isPluginName } from "../find/read-manifest.ts";
import { readPlugin } from "../find/read-plugin.ts";
import { grantsOf } from "../permissions.ts";
import { type FetchDeps, fetchPlugin } from "./fetch-plugin.ts";
import { changePin, type PluginPin, readPins } from "./plugin-pins.ts";
import { hashOfFolder, hashOfTree, type PluginFile, readPluginTree, writePluginTree } from "./plugin-tree.ts";
import { type PluginScan, type ScanFiles, scanTree } from "./scan-tree.ts";
import { type TreeDiff, diffTrees } from "./tree-diff.ts";

/** A fetched plugin in quarantine, with the facts that the user sees before installing. None of its code has run. */
export interface InspectedPlugin {
  readonly source: string;
  readonly revision: string;
  /** Identifies this content: `install` installs exactly the plugin with this hash. */
  readonly hash: string;
  readonly plugin: FoundPlugin;
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
  readonly scan: PluginScan;
  /** Facts about the plugin that its manifest does not mention, such as install scripts. */
  readonly notes: readonly string[];
  /** The installed version that this plugin would replace. */
  readonly installed?: InstalledVersion;
}

interface InstalledVersion {
  readonly version: string;
  readonly hash: string;
  readonly isEdited: boolean;
  /** Permissions and variables that only the new version needs, and those that only the installed version needed. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly diff: TreeDiff;
}

export interface PluginInstaller {
  /** Fetches a plugin into quarantine and scans it. */
  inspect(source: string, cwd: string, signal: AbortSignal): Promise<Result<InspectedPlugin>>;
  /** Moves an inspected plugin into place and pins it. Replaces an installed plugin, never a hand-written one. */
  install(hash: string, signal: AbortSignal): Promise<Result<PluginPin>>;
  pins(): Result<ReadonlyMap<string, PluginPin>>;
  /** Whether the folder of an installed plugin changed since the installation. */
  isEdited(key: string, folder: string): boolean;
  /** Deletes a plugin's folder in the Hermes home, and its pin. */
  remove(plugin: Pick<FoundPlugin, "key" | "folder">, signal: AbortSignal): Promise<Result<void>>;
}

export interface InstallerDeps extends FetchDeps {
  readonly home: string;
  /** The folder `<home>/plugins`. */
  readonly plugins: string;
  readonly scan: ScanFiles;
}

export function createPluginInstaller(deps: InstallerDeps): PluginInstaller {
  const { home, plugins, clock } = deps;
  const quarantine = join(plugins, ".quarantine");
  const pins = () => readPins(home);
  const pinOf = (key: string) => {
    const recorded = pins();
    return recorded.ok ? recorded.value.get(key) : undefined;
  };

  /** Serializes changes: only one at a time may change the folder. */
  async function alone<T>(signal: AbortSignal, run: () => Promise<Result<T>>): Promise<Result<T>> {
    try {
      await makeFolder(quarantine, 0o700);
      const locked = await withFileLock(
        join(quarantine, "install"),
        async () => {
          await finishInterrupted(plugins, quarantine);
          return run();
        },
        { signal, clock, timeoutMs: lockTimeoutMs },
      );
      return locked.ok ? locked.value : locked;
    } catch (thrown) {
      return err({ message: describeFault(thrown, plugins).message });
    }
  }

  async function inspect(source: string, cwd: string, signal: AbortSignal): Promise<Result<InspectedPlugin>> {
    const fetched = await fetchPlugin(source, cwd, deps, signal);
    if (!fetched.ok) return fetched;
    const { files, folderName, revision, source: origin } = fetched.value;
    const hash = hashOfTree(files);
    const place = join(quarantine, hash);
    const folder = join(place, isInstallable(folderName) ? folderName : "plugin");
    try {
      await makeFolder(quarantine, 0o700);
      await sweep(quarantine);
      await rm(place, { recursive: true, force: true });
      await writePluginTree(folder, files);
      await writeFile(join(place, originFile), JSON.stringify({ source: origin, revision }), { mode: 0o600 });
    } catch (thrown) {
      return err({ message: describeFault(thrown, place).message });
    }
    const plugin = await readInstallable(folder);
    if (!plugin.ok) {
      await rm(place, { recursive: true, force: true });
      return err({ message: `${source} cannot be installed: ${plugin.error.replaceAll(folder, source)}` });
    }
    const installed = await installedVersion(plugin.value, files);
    return ok({
      source: origin,
      revision,
      hash,
      plugin: plugin.value,
      files: files.map(({ path, bytes }) => ({ path, bytes: bytes.length })),
      scan: await scanTree(files, deps.scan, signal),
      notes: notesOn(files),
      ...(installed && { installed }),
    });
  }

  async function installedVersion(
    next: FoundPlugin,
    files: readonly PluginFile[],
  ): Promise<InstalledVersion | undefined> {
    const pin = pinOf(next.key);
    const folder = join(plugins, next.key);
    const [tree, now] = [readPluginTree(folder), await readPlugin(folder, "home", ({ name }) => name)];
    if (!pin || !tree.ok) return undefined;
    const before = now.ok ? now.value : undefined;
    const [old, latest] = [rightsOf(before), rightsOf(next)];
    return {
      version: before?.manifest.version ?? "",
      hash: pin.hash,
      isEdited: hashOfTree(tree.value) !== pin.hash,
      added: latest.filter((right) => !old.includes(right)),
      removed: old.filter((right) => !latest.includes(right)),
      diff: diffTrees(tree.value, files),
    };
  }

  return {
    inspect,
    install: (hash, signal) =>
      alone(signal, async () => {
        const place = join(quarantine, hash);
        const names = valueOr(() => readdirSync(place), []).filter((name) => name !== originFile);
        const folder = join(place, names[0] ?? "");
        const unknown = err({
          message: "This plugin is no longer in quarantine, or it changed there. Inspect it again.",
        });
        if (!/^[0-9a-f]{64}$/u.test(hash) || names.length !== 1 || hashOfFolder(folder) !== hash) return unknown;
        const plugin = await readInstallable(folder);
        if (!plugin.ok) return err({ message: plugin.error });
        const { key } = plugin.value;
        const target = join(plugins, key);
        const recorded = pins();
        if (!recorded.ok) return recorded;
        const before = recorded.value.get(key);
        const isThere = lstatSync(target, { throwIfNoEntry: false }) !== undefined;
        if (isThere && !before)
          return err({
            message: `${target} exists already, but not from an installation. Move or remove it, then install again.`,
          });
        const { source, revision } = parsedObject(await readFile(join(place, originFile), "utf8"));
        const pin = { source: String(source), revision: String(revision), hash, installedAt: clock.now() };
        // If Hermes crashes after this line, the folder differs from its pin, so the plugin is not loaded.
        const pinned = await changePin(home, key, pin, { signal, clock });
        if (!pinned.ok) return pinned;
        try {
          if (isThere) await setAside(target, key);
          await rename(folder, target);
        } catch (thrown) {
          await finishInterrupted(plugins, quarantine);
          await changePin(home, key, before, { signal, clock });
          return err({ message: describeFault(thrown, target).message });
        }
        await finishInterrupted(plugins, quarantine);
        await rm(place, { recursive: true, force: true });
        return ok({ key, ...pin });
      }),
    pins,
    isEdited: (key, folder) => {
      const pin = pinOf(key);
      return pin !== undefined && hashOfFolder(folder) !== pin.hash;
    },
    remove: ({ key, folder }, signal) =>
      alone(signal, async () => {
        const path = entryOf(plugins, folder);
        if (path === undefined) return err({ message: `${folder} is not in ${plugins}.` });
        const recorded = pins();
        if (!recorded.ok) return recorded;
        try {
          // If the folder is a link, only the link is deleted: its target belongs to the user.
          if (lstatSync(path).isSymbolicLink()) await rm(path);
          else await setAside(path, undefined);
        } catch (thrown) {
          return err({ message: describeFault(thrown, path).message });
        }
        const unpinned = await changePin(home, key, undefined, { signal, clock });
        await finishInterrupted(plugins, quarantine);
        return unpinned;
      }),
  };

  /** Moves a folder into quarantine in one step. With a `key`, the folder is restored if nothing replaces it. */
  async function setAside(path: string, key: string | undefined): Promise<void> {
    const place = join(quarantine, key === undefined ? `${removed}${clock.now()}` : `${replaced}${key}`);
    await rm(place, { recursive: true, force: true });
    await rename(path, place);
  }
}

const originFile = "origin.json";
const lockTimeoutMs = 30_000;
const replaced = "replaced-";
const removed = "removed-";
const maxKept = 8;

/** The plugin in a fetched folder, with the facts that it will have after the installation. */
async function readInstallable(folder: string): Promise<Result<FoundPlugin, string>> {
  const read = await readPlugin(folder, "home", ({ name }) => name);
  if (!read.ok) return read;
  if (!read.value)
    return err(
      "the plugin has no plugin.yaml. Ask its author for one with name and version, or name the folder that contains it.",
    );
  const { key } = read.value;
  return isInstallable(key) ? ok(read.value) : err(`the plugin's name ${key} must start with a letter or a digit.`);
}

/** The search for plugins skips folders with other names. */
function isInstallable(name: string): boolean {
  return isPluginName(name) && /^[A-Za-z0-9]/u.test(name) && name !== originFile;
}

/** Permissions and required variables as text lines, to compare two versions. */
function rightsOf(plugin: FoundPlugin | undefined): readonly string[] {
  if (!plugin) return [];
  const { permissions = noPermissions, requiresEnv } = plugin.manifest;
  return [...grantsOf(permissions), ...requiresEnv.map(({ name }) => `env:${name}`)];
}

function notesOn(files: readonly PluginFile[]): readonly string[] {
  const file = files.find(({ path }) => path === "package.json");
  const { scripts, dependencies } = parsedObject(Buffer.from(file?.bytes ?? []).toString("utf8"));
  const names = (value: unknown) => Object.keys(parsedObject(JSON.stringify(value ?? {})));
  const own = names(scripts).filter((name) => /^(?:pre|post)?(?:install|prepare)$/u.test(name));
  const missing = names(dependencies).filter(
    (name) => !files.some(({ path }) => path.startsWith(`node_modules/${name}/`)),
  );
  const isListing = files.some(({ path }) => path === "requirements.txt");
  return [
    ...(isListing ? ["The plugin lists Python packages in requirements.txt. They are not installed."] : []),
    ...(own.length > 0 ? [`The plugin's install scripts (${own.join(", ")}) do not run.`] : []),
    ...(missing.length > 0
      ? [`The plugin needs packages that it does not include: ${missing.join(", ")}. They are not installed.`]
      : []),
  ];
}

/** The entry in `<home>/plugins`, or in one of its categories, that is this folder or a link to it. */
function entryOf(plugins: string, folder: string): string | undefined {
  const entries = (below: string) => valueOr(() => readdirSync(below), []).map((name) => join(below, name));
  const isFolder = (path: string) => valueOr(() => realpathSync(path), "") === folder;
  const top = entries(plugins);
  return top.find(isFolder) ?? top.flatMap(entries).find(isFolder);
}

/** Cleans up after a crash: restores a replaced version if its place is empty, and deletes everything else. */
async function finishInterrupted(plugins: string, quarantine: string): Promise<void> {
  for (const name of await readdir(quarantine)) {
    const path = join(quarantine, name);
    if (name.startsWith(replaced)) {
      const target = join(plugins, name.slice(replaced.length));
      const isEmpty = await lstat(target).then(
        () => false,
        (thrown: unknown) => codeOf(thrown) === "ENOENT",
      );
      if (isEmpty) await rename(path, target);
      else await rm(path, { recursive: true, force: true });
    }
    if (name.startsWith(removed)) await rm(path, { recursive: true, force: true });
  }
}

/** Keeps only the newest plugins that wait for the user's decision. */
async function sweep(quarantine: string): Promise<void> {
  const names = (await readdir(quarantine)).filter((name) => /^[0-9a-f]{64}$/u.test(name));
  const dated = await Promise.all(
    names.map(async (name) => {
      const stats = await lstat(join(quarantine, name)).catch((thrown: unknown) => void reasonOf(thrown));
      return { name, writtenAt: stats?.mtimeMs ?? 0 };
    }),
  );
  const old = dated.toSorted((one, other) => other.writtenAt - one.writtenAt).slice(maxKept - 1);
  await Promise.all(old.map(({ name }) => rm(join(quarantine, name), { recursive: true, force: true })));
}
