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

/**
 * Runs the script that stands beside a module of the bundle. Node keeps of a module only the code of functions that ran
 * while it was loaded, and compiles all others again in every process; of a script it can keep whatever ran. Nothing is
 * kept where Node keeps nothing. `digest` is that of the script.
 */
export function loadGroup(
  meta: Pick<ImportMeta, "filename">,
  digest: string,
  importModule: (name: string) => Promise<unknown>,
  parts: Readonly<Record<string, Part>>,
): LoadedGroup {
  const filename = `${meta.filename.slice(0, -".js".length)}.cjs`;
  const folder = getCompileCacheDir();
  const keptFile = folder === undefined ? undefined : join(folder, `${basename(filename)}-${digest}`);
  const kept = keptFile === undefined ? undefined : readKept(keptFile);
  const script = new Script(readFileSync(filename, "utf8"), { filename, ...(kept && { cachedData: kept }) });
  let isKept = keptFile === undefined;
  const keep = () => {
    if (isKept || keptFile === undefined) return;
    isKept = true;
    process.on("exit", () => write(keptFile, () => script.createCachedData()));
  };
  if (!kept || script.cachedDataRejected === true) {
    // Those that it builds on run more of their code with it than they ever did.
    for (const { $keep } of Object.values(parts)) $keep?.();
    keep();
  }
  const module = { exports: {} };
  // The build writes it so.
  const run = script.runInThisContext() as GroupFunction;
  run((name) => parts[name], module, module.exports, meta, importModule);
  return { exports: module.exports, keep };
}

type GroupFunction = (
  require: (name: string) => unknown,
  module: { exports: Readonly<Record<string, unknown>> },
  exports: object,
  meta: object,
  importModule: (name: string) => Promise<unknown>,
) => void;

const digestBytes = 32;

/** Damaged code would end the process without a word: it is as if it were not there. */
function readKept(file: string): Buffer | undefined {
  try {
    const bytes = readFileSync(file);
    const data = bytes.subarray(digestBytes);
    return hash("sha256", data, "buffer").equals(bytes.subarray(0, digestBytes)) ? data : undefined;
  } catch {
    return undefined;
  }
}

/** In one step, and in place of those of older builds. Where nothing can be written nothing is made. */
function write(file: string, make: () => Buffer): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, "", { mode: 0o600 });
    const data = make();
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
