import { existsSync, statSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { removeTree } from "../../base/files/remove-tree.ts";
import { isObject, parsedObject } from "../../base/json.ts";
import { runProgram, type Variables } from "../../base/process/run-program.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { oneLine } from "../../base/text/text.ts";
import { byPath, type PluginFile, readPluginTree } from "./plugin-tree.ts";
import { readTarball } from "./read-tarball.ts";

/** The source of a plugin, in the forms that `hermes plugins install` accepts. */
type PluginPlace =
  | { readonly kind: "folder"; readonly source: string; readonly path: string }
  | { readonly kind: "archive"; readonly source: string; readonly path: string }
  | { readonly kind: "git"; readonly source: string; readonly url: string; readonly below: string }
  | { readonly kind: "npm"; readonly source: string; readonly name: string };

/** The files of a plugin in memory, before anything is written to disk. */
export interface FetchedPlugin {
  /** The source in a form that works from any folder. */
  readonly source: string;
  /** The commit or version; empty if the source is a folder. */
  readonly revision: string;
  /** The name for the plugin's folder if its manifest has none. */
  readonly folderName: string;
  readonly files: readonly PluginFile[];
}

/** A fresh clone of the newest commit of a repository. */
export interface PluginClone extends AsyncDisposable {
  readonly folder: string;
  readonly commit: string;
}

export interface FetchDeps {
  clone(url: string, signal: AbortSignal): Promise<Result<PluginClone>>;
  /** Creates an empty folder that no untrusted program can change. */
  makeFolder(kind: string): string;
  readonly env: Variables;
  readonly clock: Clock;
}

/** Fetches a plugin into memory. None of its code runs, not even an install script. */
export async function fetchPlugin(
  source: string,
  cwd: string,
  deps: FetchDeps,
  signal: AbortSignal,
): Promise<Result<FetchedPlugin>> {
  const place = placeOf(source, cwd);
  if (!place) {
    const forms = "a folder, a .tgz file, a git URL, owner/repository, or npm:NAME";
    return err({ message: `${JSON.stringify(source)} is not a plugin source. Use ${forms}.` });
  }
  if (place.kind === "folder") {
    const files = readPluginTree(place.path, { forCopy: true });
    return files.ok ? inItsFolder({ ...place, revision: "", folderName: basename(place.path) }, files.value) : files;
  }
  if (place.kind === "archive") {
    const files = await readTarball(await readFile(place.path));
    const folderName = basename(place.path).replace(/(?:-\d[\w.-]*)?\.(?:tgz|tar\.gz)$/u, "");
    return files.ok ? inItsFolder({ ...place, revision: "", folderName }, files.value) : atSource(place.source, files);
  }
  return place.kind === "npm" ? fromNpm(place, deps, signal) : fromGit(place, deps, signal);
}

/** Returns undefined if the text is not a plugin source. */
function placeOf(source: string, cwd: string): PluginPlace | undefined {
  const npm = /^npm:((?:@[\w.~-]+\/)?[\w.~-]+)(@[\w.^~*<>=+-]+)?$/u.exec(source);
  if (npm) {
    const name = npm[1] ?? "";
    return /(?:^|\/)[-.]/u.test(name) ? undefined : { kind: "npm", source, name: `${name}${npm[2] ?? ""}` };
  }
  const path = resolve(cwd, source);
  if (existsSync(path)) {
    if (statSync(path).isDirectory()) return { kind: "folder", source: path, path };
    return /\.(?:tgz|tar\.gz)$/u.test(path) ? { kind: "archive", source: path, path } : undefined;
  }
  const git = /^(?:git:|git\+)?((?:https?|ssh|git|file):\/\/[^#]+|[\w.-]+@[\w.-]+:[^#]+)(?:#(.*))?$/u.exec(source);
  if (git) return { kind: "git", source, url: git[1] ?? "", below: git[2] ?? "" };
  const github = /^([\w-][\w.-]*\/[\w.-]+)((?:\/[\w.-]+)*)$/u.exec(source);
  if (!github) return undefined;
  return { kind: "git", source, url: `https://github.com/${github[1]}.git`, below: (github[2] ?? "").slice(1) };
}

async function fromGit(
  { source, url, below }: Extract<PluginPlace, { readonly kind: "git" }>,
  { clone }: FetchDeps,
  signal: AbortSignal,
): Promise<Result<FetchedPlugin>> {
  const cloned = await clone(url, signal);
  if (!cloned.ok) return err({ message: `${source} cannot be fetched. ${cloned.error.message}` });
  await using copy = cloned.value;
  const files = readPluginTree(copy.folder, { forCopy: true });
  if (!files.ok) return err({ message: files.error.message.replace(copy.folder, source) });
  const prefix = below === "" ? "" : `${below.replace(/\/+$/u, "")}/`;
  const inside = files.value.filter(({ path }) => path.startsWith(prefix));
  if (inside.length === 0) return err({ message: `${source}: the repository has no folder ${JSON.stringify(below)}.` });
  const folderName = basename(prefix) || basename(url).replace(/\.git$/u, "");
  const whole = inside.map((file) => ({ ...file, path: file.path.slice(prefix.length) }));
  return inItsFolder({ source, revision: copy.commit, folderName }, whole);
}

/** `npm pack` verifies the package and runs none of its scripts. */
async function fromNpm(
  { source, name }: Extract<PluginPlace, { readonly kind: "npm" }>,
  { env, clock, makeFolder }: FetchDeps,
  signal: AbortSignal,
): Promise<Result<FetchedPlugin>> {
  const folder = makeFolder("npm");
  try {
    const quiet = ["--ignore-scripts", "--json", "--loglevel=error", "--no-update-notifier"];
    const retries = ["--fetch-retries=1", "--fetch-retry-mintimeout=500", "--fetch-retry-maxtimeout=2000"];
    const ran = await runProgram({
      program: "npm",
      args: ["pack", ...quiet, ...retries, "--pack-destination", folder, "--", name],
      // npm runs outside the project, because the project's .npmrc could name another registry.
      cwd: folder,
      env,
      signal,
      clock,
      timeoutMs: npmTimeoutMs,
    });
    const failed = (why: string) => err({ message: `${source} cannot be fetched: ${why}` });
    if (ran.how === "unstarted")
      return failed("npm could not be started. Install Node.js with npm, or give a folder or a git URL.");
    if (ran.how !== "exit") return failed(ran.how === "aborted" ? "interrupted." : "npm did not answer in time.");
    if (ran.code !== 0) {
      const { error } = parsedObject(ran.stdout);
      const summary = isObject(error) && typeof error["summary"] === "string" ? error["summary"] : ran.stderr;
      return failed(oneLine(summary, 500) || `npm ended with code ${ran.code}.`);
    }
    const archive = (await readdir(folder)).find((each) => each.endsWith(".tgz"));
    if (archive === undefined) return failed("npm wrote no package.");
    const files = await readTarball(await readFile(join(folder, archive)));
    if (!files.ok) return atSource(source, files);
    const manifest = files.value.find(({ path }) => path === "package.json");
    const { name: called, version } = parsedObject(Buffer.from(manifest?.bytes ?? []).toString("utf8"));
    const folderName = typeof called === "string" ? called.replace(/^@[^/]*\//u, "") : "";
    return inItsFolder({ source, revision: typeof version === "string" ? version : "", folderName }, files.value);
  } finally {
    await removeTree(folder);
  }
}

const npmTimeoutMs = 120_000;

/** A repository or package may contain the plugin in a subfolder. */
function inItsFolder(about: Omit<FetchedPlugin, "files">, files: readonly PluginFile[]): Result<FetchedPlugin> {
  const { source, revision } = about;
  const folders = files.flatMap(({ path }) => /^((?:[^/]+\/){0,2})plugin\.ya?ml$/u.exec(path)?.[1] ?? []);
  const [only] = folders;
  if (only === undefined || folders.includes("")) {
    const manifest = only === undefined ? manifestFromPackage(files) : [];
    return ok({ source, revision, folderName: about.folderName, files: [...manifest, ...files].toSorted(byPath) });
  }
  const names = [...new Set(folders)].map((folder) => folder.slice(0, -1));
  if (names.length > 1) {
    const separator = source.includes(":") ? "#" : "/";
    const shown = names.slice(0, 20).join(", ");
    return err({
      message: `${source} holds several plugins: ${shown}. Name one, as in ${source}${separator}${names[0]}`,
    });
  }
  return ok({
    source,
    revision,
    folderName: basename(only),
    files: files.flatMap((file) =>
      file.path.startsWith(only) ? [{ ...file, path: file.path.slice(only.length) }] : [],
    ),
  });
}

/**
 * Creates a plugin.yaml for an npm package that is described only in its package.json: an installed plugin needs one.
 */
function manifestFromPackage(files: readonly PluginFile[]): readonly PluginFile[] {
  const file = files.find(({ path }) => path === "package.json");
  const { name, version, description, author, main, keywords, hermes } = parsedObject(
    Buffer.from(file?.bytes ?? []).toString("utf8"),
  );
  if (!Array.isArray(keywords) || !keywords.includes("hermes-plugin") || typeof name !== "string") return [];
  const own = isObject(hermes) ? hermes : {};
  const plain = name.replace(/^@/u, "").replace("/", "-");
  const manifest = { name: plain, version, description, author, entry: main, ...own };
  // JSON is YAML.
  const bytes = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  return [{ path: "plugin.yaml", bytes, isExecutable: false }];
}

function atSource(source: string, { error }: { readonly error: { readonly message: string } }) {
  return err({ message: `${source}: ${error.message}` });
}
