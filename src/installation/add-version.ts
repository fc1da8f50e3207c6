import { copyFile, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";

import type { Clock } from "../base/clock.ts";
import { codeOf, describeFault } from "../base/files/file-fault.ts";
import { makeTempFolder, removeOrphanedFolders } from "../base/files/temp-folder.ts";
import { runProgram, type Variables } from "../base/process/run-program.ts";
import { err, ok, type Result } from "../base/result.ts";
import { checkVersion } from "./check-version.ts";
import { packageName, versionsFolder } from "./find-installation.ts";
import { type InstalledVersion, versionAt } from "./installed-versions.ts";
import { readPackageFile } from "./package-file.ts";
import { runNpm } from "./run-npm.ts";

export interface AddVersionOptions {
  readonly env: Variables;
  /** The options for the check; see `CheckOptions`. */
  readonly hasValidSettings: boolean;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  report(message: string): void;
}

/**
 * Installs a package file next to the other versions and checks it there. Running programs are not affected: the
 * version appears complete and checked, under its own name, or not at all. A killed run leaves a folder that the next
 * run removes.
 */
export async function addVersion(
  root: string,
  file: string,
  options: AddVersionOptions,
): Promise<Result<InstalledVersion>> {
  const versions = join(root, versionsFolder);
  let stage: string | undefined;
  try {
    await mkdir(versions, { recursive: true });
    removeOrphanedFolders(versions);
    stage = makeTempFolder(versions, "stage");
    return await install(root, file, stage, options);
  } catch (thrown) {
    const path =
      codeOf(thrown) === "EACCES" && thrown instanceof Error && thrown.message.includes(versions) ? versions : file;
    return err({ message: describeFault(thrown, path).message });
  } finally {
    if (stage !== undefined) await rm(stage, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function install(
  root: string,
  file: string,
  stage: string,
  options: AddVersionOptions,
): Promise<Result<InstalledVersion>> {
  // Works on a copy, because the file may change while npm reads it.
  const archive = join(stage, "package.tgz");
  await copyFile(file, archive);
  const described = await readPackageFile(archive);
  if (!described.ok) return err({ message: described.error.message.replace(archive, file) });
  const { name, version } = described.value;
  const tree = join(stage, "tree");
  const existing = versionAt(root, name);
  if (!existing) {
    options.report("Installing the new version beside the old one …");
    await mkdir(tree);
    await writeFile(join(tree, "package.json"), '{ "private": true }\n');
    const installed = await runNpm(["install", "--no-save", "--no-package-lock", archive], { ...options, cwd: tree });
    if (!installed.ok) return err({ message: `npm could not install ${basename(file)}: ${installed.error.message}` });
  }
  const folder = existing?.folder ?? join(tree, "node_modules", packageName);
  options.report(`Checking version ${version} …`);
  const checked = await checkVersion(folder, version, { ...options, scratch: join(stage, "check") });
  if (!checked.ok) return checked;
  if (existing) return ok(existing);
  await flush(tree, options);
  const target = join(root, versionsFolder, name);
  // An incomplete version of this name prevents the rename.
  await rm(target, { recursive: true, force: true, maxRetries: 3 });
  await rename(tree, target);
  const placed = versionAt(root, name);
  return placed ? ok(placed) : err({ message: `${target} is incomplete.` });
}

/** Syncs the files to disk, so that they survive a power failure after the switch. */
async function flush(folder: string, { env, signal, clock }: AddVersionOptions): Promise<void> {
  await runProgram({ program: "sync", args: ["-f", folder], env, signal, clock, timeoutMs: 120_000 });
}
