import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";

/** Lists every file, folder and link with its mode and content; git's own data appears only by name. */
export async function treeOf(folder: string, below = ""): Promise<Readonly<Record<string, string>>> {
  const matches: Record<string, string> = {};
  for (const name of (await readdir(join(folder, below))).toSorted()) {
    if (name === ".git") continue;
    const path = below === "" ? name : `${below}/${name}`;
    const stats = await lstat(join(folder, path));
    const mode = (stats.mode & 0o777).toString(8);
    if (stats.isDirectory()) Object.assign(matches, { [`${path}/`]: mode }, await treeOf(folder, path));
    else if (stats.isSymbolicLink()) matches[path] = `→ ${await readlink(join(folder, path))}`;
    else if (stats.isFile()) matches[path] = `${mode} ${(await readFile(join(folder, path))).toString("latin1")}`;
    else matches[path] = "other";
  }
  return matches;
}
