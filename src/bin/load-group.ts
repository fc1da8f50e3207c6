import { hash } from "node:crypto";
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { getCompileCacheDir } from "node:module";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";
import { crc32 } from "node:zlib";

type Exports = Readonly<Record<string, unknown>>;

/** A module of a group: the file of the group, and the name of each export there. */
export type GroupExports = readonly [group: string, names: Readonly<Record<string, string>>];

/**
 * Build-time facts of a group: the digest of its script, the modules that it requires, and the exports of other
 * groups that it uses.
 */
export type GroupFacts = readonly [
  digest: string,
  parts: readonly string[],
  doors: Readonly<Record<string, GroupExports>>,
];

/** Shared by all groups of a bundle, keyed by file names in one folder. */
interface Bundle {
  readonly folder: string;
  readonly groups: Readonly<Record<string, GroupFacts>>;
  readonly importModule: (name: string) => Promise<unknown>;
  /** Modules loaded by Node. */
  readonly parts: Readonly<Record<string, Exports>>;
  readonly loaded: LoadedGroups;
}

/** Loaded groups by file name. */
type LoadedGroups = Map<string, Loaded>;

interface Loaded {
  readonly exports: Exports;
  /** At the end of the process, saves the compiled code of all functions that ran. */
  keep(): void;
}

/**
 * Runs the script beside a module of the bundle. Node's cache keeps only functions that ran while a module was loaded;
 * for a script, it can keep everything that ran. Caches nothing if Node's own cache is off. `groups`: this group and
 * those that it may load on demand; they are loaded in the same way, because Node's module loader is slow. `parts`: the
 * modules that it requires; those of other groups tell which are already loaded.
 */
export function loadGroup(
  meta: Pick<ImportMeta, "filename">,
  groups: Bundle["groups"],
  importModule: Bundle["importModule"],
  parts: Readonly<Record<string, Exports & { readonly $loaded?: LoadedGroups }>>,
): { readonly exports: Exports; readonly loaded: LoadedGroups } {
  const loaded = Object.values(parts).find(({ $loaded }) => $loaded)?.$loaded ?? new Map<string, Loaded>();
  const bundle = { folder: dirname(meta.filename), groups, importModule, parts, loaded };
  return { exports: load(`./${basename(meta.filename)}`, bundle)?.exports ?? {}, loaded };
}

/** Undefined if the name is not one of the known groups. */
function load(name: string, bundle: Bundle): Loaded | undefined {
  const before = bundle.loaded.get(name);
  const [digest, parts, doors = {}] = bundle.groups[name] ?? [];
  if (before || digest === undefined) return before;
  const required = new Map(parts?.map((part) => [part, find(part, bundle)]));
  const file = join(bundle.folder, name);
  const { run, keep, isKept } = compile(file.replace(/\.js$/u, ".cjs"), digest);
  // Required groups run more of their code together with this one.
  if (!isKept) for (const part of required.keys()) bundle.loaded.get(part)?.keep();
  const module: { exports: Exports } = { exports: {} };
  const group: Loaded = {
    get exports() {
      return module.exports;
    },
    keep,
  };
  bundle.loaded.set(name, group);
  const meta = { filename: file, dirname: bundle.folder, url: pathToFileURL(file).href };
  try {
    run((part) => required.get(part), module, module.exports, meta, importOnce(doors, bundle));
  } catch (thrown) {
    bundle.loaded.delete(name);
    throw thrown;
  }
  return group;
}

function find(name: string, bundle: Bundle): Exports | undefined {
  if (!name.startsWith(".")) return process.getBuiltinModule(name) as Exports | undefined;
  return load(name, bundle)?.exports ?? bundle.parts[name];
}

/** Imports each module once; after a failure, the next caller tries again. */
function importOnce(doors: GroupFacts[2], bundle: Bundle): (name: string) => Promise<unknown> {
  const imported = new Map<string, Promise<unknown>>();
  const behind = ([group, names]: GroupExports): Exports | undefined => {
    const there = find(group, bundle);
    return there && Object.fromEntries(Object.entries(names).map(([each, name]) => [each, there[name]]));
  };
  return (name) => {
    const before = imported.get(name);
    if (before) return before;
    const door = doors[name];
    const importing = Promise.try(() => (door ? behind(door) : find(name, bundle)) ?? bundle.importModule(name));
    imported.set(name, importing);
    importing.catch(() => imported.delete(name));
    return importing;
  };
}

type GroupFunction = (
  require: (name: string) => unknown,
  module: { exports: Exports },
  exports: object,
  meta: object,
  importModule: (name: string) => Promise<unknown>,
) => void;

/**
 * `isKept` is false if the cached code lacks this use of the program; then the code is saved at the end of the
 * process.
 */
function compile(filename: string, digest: string) {
  const folder = getCompileCacheDir();
  const use = useOf(process.argv);
  const version = `${basename(filename)}-${digest}`;
  const keptFile = folder === undefined ? undefined : join(folder, `${version}${isOneShot(use) ? "-oneshot" : ""}`);
  // The bytes are released, because starting a program copies the page tables of all memory.
  const { code, uses = [] } = (keptFile !== undefined && readKept(keptFile)) || {};
  const text = readFileSync(filename, "utf8");
  const script = new Script(text, { filename, ...(code && { cachedData: code }) });
  const isKept = uses.includes(use) && script.cachedDataRejected !== true;
  let isWanted = !isKept;
  if (keptFile !== undefined) {
    process.on("exit", () => {
      // During a build the script and its facts can be of two versions. V8 accepts code of a script of the same length.
      if (isWanted && hash("sha256", text).startsWith(digest))
        writeKept(keptFile, version, [...new Set([...uses, use])], () => script.createCachedData());
    });
  }
  // The cast is safe: the build writes the script in this form.
  return { run: script.runInThisContext() as GroupFunction, keep: () => void (isWanted = true), isKept };
}

/** The name of the command or of the kind of request, without arguments. */
function useOf([, , first = ""]: readonly string[]): string {
  return /^-{0,2}[a-z-]{1,20}$/u.test(first) ? first : "-";
}

/** One-shot prompts have their own files: code of other uses would make their start slower. */
function isOneShot(use: string): boolean {
  return use === "-z" || use === "--oneshot";
}

/**
 * Cached code and the uses that compiled it. V8 crashes on damaged code, so a file with a wrong checksum is ignored. A
 * SHA-256 of this code would take 8 ms of a one-shot turn.
 */
function readKept(file: string): { readonly uses: readonly string[]; readonly code: Buffer } | undefined {
  try {
    const bytes = readFileSync(file);
    const data = bytes.subarray(checksumBytes);
    if (bytes.readUInt32LE() !== crc32(data)) return undefined;
    const end = data.indexOf("\n");
    return { uses: data.toString("utf8", 0, end).trimEnd().split(" "), code: data.subarray(end + 1) };
  } catch {
    return undefined;
  }
}

/** Writes atomically and removes the files of older builds. If writing fails, the next process compiles again. */
function writeKept(file: string, version: string, uses: readonly string[], makeCode: () => Buffer): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, "", { mode: 0o600 });
    const line = uses.slice(-maxUses).join(" ");
    // V8 copies code that does not start at a multiple of eight.
    const data = Buffer.concat([Buffer.from(`${line.padEnd(Math.ceil((line.length + 1) / 8) * 8 - 1)}\n`), makeCode()]);
    const checksum = Buffer.alloc(checksumBytes);
    checksum.writeUInt32LE(crc32(data));
    writeFileSync(temporary, Buffer.concat([checksum, data]));
    renameSync(temporary, file);
    const group = version.split("-", 1)[0] ?? "";
    for (const name of readdirSync(dirname(file)))
      if (name.startsWith(`${group}-`) && !name.startsWith(version)) rmSync(join(dirname(file), name), { force: true });
  } catch {
    rmSync(temporary, { force: true });
  }
}

const maxUses = 100;
const checksumBytes = 8;
