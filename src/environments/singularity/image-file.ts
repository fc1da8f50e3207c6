import { access, constants, rename, rm, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { sha256 } from "../../base/digest.ts";
import { describeFault } from "../../base/files/file-fault.ts";
import { withFileLock } from "../../base/files/file-lock.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import type { Logger } from "../../base/log/log.ts";
import type { Variables } from "../../base/process/run-program.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { LinkFault } from "../remote/link.ts";
import { reasonIn, type RuntimeProgram, runtimeFault } from "./runtime-program.ts";

export interface ImageDeps {
  /** Folder of built images. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onProgress?: (line: string) => void;
}

/** The folder for images and overlays: large, and on a local disk if possible. */
export async function scratchFolder(chosen: string, env: Variables, sandboxFolder: string): Promise<string> {
  const user = env["USER"] ?? "";
  const places = [
    chosen,
    env["APPTAINER_CACHEDIR"] ?? "",
    env["SINGULARITY_CACHEDIR"] ?? "",
    /^[\w.-]+$/u.test(user) ? join("/scratch", user) : "",
  ];
  for (const place of places) if (isAbsolute(place) && (place === chosen || (await isWritable(place)))) return place;
  return join(sandboxFolder, "singularity");
}

/** The image file that instances start from. For a remote image, the first caller builds the file. */
export async function imageFile(
  runtime: RuntimeProgram,
  image: string,
  { folder, clock, log, onProgress }: ImageDeps,
  signal: AbortSignal,
): Promise<Result<string, LinkFault>> {
  if (!image.includes("://")) return (await isThere(image)) ? ok(image) : err(noImage(image));
  const file = join(folder, `${plainPart(image)}-${sha256(image).slice(0, 12)}.sif`);
  if (await isThere(file)) return ok(file);
  try {
    await makeFolder(folder, 0o700);
  } catch (thrown) {
    return err({ how: "misconfigured", message: describeFault(thrown, folder).message });
  }
  const build = async (): Promise<Result<string, LinkFault>> => {
    if (await isThere(file)) return ok(file);
    log.info("singularity.image.building", { image, file });
    onProgress?.(`Building the image ${image}`);
    const unfinished = `${file}.new`;
    const built = await runtime.call(["build", "--force", unfinished, image], { signal, timeoutMs: buildMs });
    if (built.how === "exit" && built.code === 0) {
      await rename(unfinished, file);
      return ok(file);
    }
    await rm(unfinished, { recursive: true, force: true });
    if (built.how !== "exit") return err(runtimeFault(built, runtime.program, "build"));
    return err({
      how: "broken",
      message: `the image ${image} could not be built: ${reasonIn(built.stderr)}`,
      hint: "Check terminal.singularity_image and the network, or build a .sif file by hand and name that.",
    });
  };
  const locked = await withFileLock(file, build, { signal, timeoutMs: buildMs + 30_000, clock });
  if (locked.ok) return locked.value;
  return err(signal.aborted ? { how: "aborted" } : { how: "broken", message: locked.error.message });
}

const buildMs = 600_000;

function plainPart(image: string): string {
  return image
    .replace(/^\w+:\/\//u, "")
    .replaceAll(/[^A-Za-z0-9]+/gu, "-")
    .slice(0, 60);
}

function noImage(image: string): LinkFault {
  return {
    how: "misconfigured",
    message: `the image ${image} does not exist`,
    hint: "Set terminal.singularity_image to a .sif file or to an address such as docker://debian:12.",
  };
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function isWritable(path: string): Promise<boolean> {
  return access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
}
