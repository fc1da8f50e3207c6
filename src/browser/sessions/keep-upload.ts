import { chown, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { randomHex } from "../../base/digest.ts";
import type { BrowserUploads } from "./browser-source.ts";
import { downloadName } from "./page-downloads.ts";

/** Stores bytes in a folder that the browser can read, for a file chooser. Returns the path. */
export async function keepUpload(place: BrowserUploads, name: string, bytes: Uint8Array): Promise<string> {
  const folder = join(place.folder, `hermes-upload-${randomHex(8)}`);
  const file = join(folder, downloadName(name));
  await mkdir(folder, { mode: 0o700 });
  await writeFile(file, bytes, { mode: 0o600, flag: "wx" });
  // The browser of root runs as another account.
  if (place.owner) for (const each of [file, folder]) await chown(each, place.owner.uid, place.owner.gid);
  return file;
}
