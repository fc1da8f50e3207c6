import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

import { sha256 } from "../base/digest.ts";
import { describeFault } from "../base/files/file-fault.ts";
import { parsedObject } from "../base/json.ts";
import { err, ok, type Result, valueOr } from "../base/result.ts";
import { packageName } from "./find-installation.ts";

/** Facts about a package file (`npm pack`) that can be read without unpacking it. */
export interface PackageFile {
  readonly version: string;
  /**
   * The version name, VERSION-DIGEST. Two package files with the same version number but different content count as
   * different versions.
   */
  readonly name: string;
}

export async function readPackageFile(file: string): Promise<Result<PackageFile>> {
  try {
    const bytes = await readFile(file);
    const { gunzip } = process.getBuiltinModule("node:zlib");
    const tar = await promisify(gunzip)(bytes, { maxOutputLength: maxTarBytes }).catch(() => undefined);
    const manifest = tar && manifestIn(tar);
    const version = manifest?.["name"] === packageName ? manifest["version"] : undefined;
    if (typeof version !== "string" || !/^\d+\.\d+\.\d+[\w.+-]{0,40}$/u.test(version))
      return err({ message: `${file} is not a package file of Hermes.` });
    return ok({ version, name: `${version}-${sha256(bytes).slice(0, 8)}` });
  } catch (thrown) {
    return err({ message: describeFault(thrown, file).message });
  }
}

const maxTarBytes = 500 * 2 ** 20;
const blockBytes = 512;

/** The package.json in the top folder of the archive. */
function manifestIn(tar: Buffer): Record<string, unknown> | undefined {
  for (let offset = 0; offset + blockBytes <= tar.length;) {
    const field = (start: number, length: number) =>
      tar.toString("latin1", offset + start, offset + start + length).replace(/\0.*$/su, "");
    const size = Number.parseInt(field(124, 12).trim() || "0", 8);
    if (!Number.isSafeInteger(size) || size < 0) return undefined;
    const start = offset + blockBytes;
    if (/^[^/]+\/package\.json$/u.test(field(0, 100)))
      return valueOr(() => parsedObject(tar.toString("utf8", start, start + size)), undefined);
    offset = start + Math.ceil(size / blockBytes) * blockBytes;
  }
  return undefined;
}
