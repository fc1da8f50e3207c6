import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

import { randomHex } from "../../base/digest.ts";
import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";

/** Saves audio in a folder; beyond the limit its oldest files are deleted. Never rejects. */
export async function saveInCache(
  folder: string,
  bytes: Uint8Array,
  name: { readonly extension: string; readonly now: number },
  maxBytes: number,
): Promise<Result<string>> {
  const stamp = new Date(name.now).toISOString().replaceAll(/[-:]/gu, "").replace("T", "_").slice(0, 15);
  const file = join(folder, `tts_${stamp}_${randomHex(3)}.${name.extension}`);
  try {
    await makeFolder(folder, 0o700);
    if ((await lstat(folder)).isSymbolicLink()) return err({ message: `${folder} is a link; it must be a folder.` });
    const written = await writeFileAtomic(file, bytes, { mode: 0o600 });
    if (!written.ok) return err({ message: written.error.message });
    await prune(folder, maxBytes, file);
    return ok(file);
  } catch (thrown) {
    return err({ message: `${folder}: ${reasonOf(thrown)}` });
  }
}

const maxFiles = 1_000;

/** Other files in the folder are not deleted. */
async function prune(folder: string, maxBytes: number, newest: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /^tts_\d{8}_\d{6}_[0-9a-f]{6}\.\w+$/u.test(name));
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const stats = await lstat(path).catch(() => undefined);
      return { path, size: stats?.size ?? 0, changedAt: stats?.mtimeMs ?? 0 };
    }),
  );
  const rank = (path: string) => (path === newest ? 1 : 0);
  files.sort((a, b) => rank(b.path) - rank(a.path) || b.changedAt - a.changedAt);
  let bytes = 0;
  for (const [index, { path, size }] of files.entries()) {
    bytes += size;
    if (index > 0 && (bytes > maxBytes || index >= maxFiles)) await rm(path, { force: true });
  }
}
