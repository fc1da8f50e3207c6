import { hash } from "node:crypto";
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { getCompileCacheDir } from "node:module";
import { basename, dirname, join } from "node:path";
import { Script } from "node:vm";

/** A group of modules that was loaded as one script. */
export interface LoadedGroup {
  readonly exports: Readonly<Record<string, unknown>>;
  /** At the end of the process its compiled code is written down, with all functions that ran until then. */
  keep(): void;
}

/** What is read besides the exports of the groups that a group builds on. */
type Part = Readonly<Record<string, unknown>> & { readonly $keep?: () => void };

/** A module that is in a group: the file of the group, and under which name it has each export there. */
export type Door = readonly [group: string, names: Readonly<Record<string, string>>];

/**
 * Runs the script that stands beside a module of the bundle. Node keeps of a module only the code of functions that ran
 * while it was loaded, and compiles all others again in every process; of a script it can keep whatever ran. Nothing is
 * kept where Node keeps nothing. `digest` is that of the script. What it imports on demand and is there already is not
 * asked of Node, which takes its time also for what it has.
 */
export function loadGroup(
  meta: Pick<ImportMeta, "filename">,
  digest: string,
  importModule: (name: string) => Promise<unknown>,
  parts: Readonly<Record<string, Part>>,
  doors: Readonly<Record<string, Door>> = {},
): LoadedGroup {
  const filename = `${meta.filename.slice(0, -".js".length)}.cjs`;
  const folder = getCompileCacheDir();
  const keptFile = folder === undefined ? undefined : join(folder, `${basename(filename)}-${digest}`);
  const kept = keptFile === undefined ? undefined : readKept(keptFile);
  const script = new Script(readFileSync(filename, "utf8"), { filename, ...(kept && { cachedData: kept.code }) });
  /** Another one runs other functions: what it compiles is kept besides. */
  const use = useOf(process.argv);
  let isWanted = false;
  const keep = () => void (isWanted = true);
  if (!kept?.uses.includes(use) || script.cachedDataRejected === true) {
    // Those that it builds on run more of their code with it than they ever did.
    for (const { $keep } of Object.values(parts)) $keep?.();
    keep();
  }
  if (keptFile !== undefined) {
    process.on("exit", () => {
      const { user, system } = process.cpuUsage();
      const cpuMs = Math.round((user + system) / 1000);
      if (!isWanted && !isBusier(cpuMs, kept?.cpuMs ?? 0)) return;
      const uses = [...new Set([...(kept?.uses ?? []), use])].slice(-mostUses);
      const busiestMs = Math.max(cpuMs, kept?.cpuMs ?? 0);
      write(keptFile, () => ({ cpuMs: busiestMs, uses, code: script.createCachedData() }));
    });
  }
  const module: { exports: Readonly<Record<string, unknown>> } = { exports: {} };
  const own = `./${basename(meta.filename)}`;
  const find = (name: string): Readonly<Record<string, unknown>> | undefined => {
    if (name === own) return module.exports;
    const [group, names] = doors[name] ?? [];
    if (group === undefined || names === undefined) return parts[name];
    const behind = find(group);
    return behind && Object.fromEntries(Object.entries(names).map(([each, there]) => [each, behind[there]]));
  };
  const imported = new Map<string, Promise<unknown>>();
  const importOnce = (name: string): Promise<unknown> => {
    const before = imported.get(name);
    if (before) return before;
    const there = find(name);
    const importing = there ? Promise.resolve(there) : importModule(name);
    imported.set(name, importing);
    // The next who asks tries again.
    importing.catch(() => imported.delete(name));
    return importing;
  };
  // The build writes it so.
  const run = script.runInThisContext() as GroupFunction;
  run((name) => parts[name], module, module.exports, meta, importOnce);
  return { exports: module.exports, keep };
}

type GroupFunction = (
  require: (name: string) => unknown,
  module: { exports: Readonly<Record<string, unknown>> },
  exports: object,
  meta: object,
  importModule: (name: string) => Promise<unknown>,
) => void;

/** Compiled code, and what the processes that it comes from were started for. */
interface Kept {
  /** How much the busiest of them did. */
  readonly cpuMs: number;
  readonly uses: readonly string[];
  readonly code: Buffer;
}

/** The command, or the way of asking, without what is asked. */
function useOf([, , first = ""]: readonly string[]): string {
  return /^-{0,2}[a-z-]{1,20}$/u.test(first) ? first : "-";
}

/**
 * V8 keeps with the code which functions were worth optimising: of a process that did more, the next ones are faster from
 * their first call on. One that runs for long has thrown code of its start away.
 */
function isBusier(cpuMs: number, before: number): boolean {
  return cpuMs >= before * 1.5 + muchMs && cpuMs <= longestMs;
}

/** The same work takes more time on one day than on another. */
const muchMs = 100;
const longestMs = 5_000;
const mostUses = 100;
const digestBytes = 32;

/** Damaged code would end the process without a word: it is as if it were not there. */
function readKept(file: string): Kept | undefined {
  try {
    const bytes = readFileSync(file);
    const data = bytes.subarray(digestBytes);
    if (!hash("sha256", data, "buffer").equals(bytes.subarray(0, digestBytes))) return undefined;
    const end = data.indexOf("\n");
    const [cpuMs = "", ...uses] = data.toString("utf8", 0, end).trimEnd().split(" ");
    return { cpuMs: Number(cpuMs), uses, code: data.subarray(end + 1) };
  } catch {
    return undefined;
  }
}

/** In one step, and in place of those of older builds. Where nothing can be written nothing is made. */
function write(file: string, make: () => Kept): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, "", { mode: 0o600 });
    const { cpuMs, uses, code } = make();
    const line = [cpuMs, ...uses].join(" ");
    // Code that does not begin at a multiple of eight is copied first.
    const data = Buffer.concat([Buffer.from(`${line.padEnd(Math.ceil((line.length + 1) / 8) * 8 - 1)}\n`), code]);
    writeFileSync(temporary, Buffer.concat([hash("sha256", data, "buffer"), data]));
    renameSync(temporary, file);
    const group = basename(file).split("-", 1)[0] ?? "";
    for (const name of readdirSync(dirname(file)))
      if (name.startsWith(`${group}-`) && name !== basename(file)) rmSync(join(dirname(file), name), { force: true });
  } catch {
    // It is compiled again next time.
    rmSync(temporary, { force: true });
  }
}
