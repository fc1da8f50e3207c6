import { basename, dirname, join } from "node:path";

import { nearest } from "../../base/nearest.ts";
import type { FileSystem } from "../../contracts/environment.ts";

/** What there is in place of a file that is not there. */
export interface LookAlikes {
  /** The same name in another Unicode form: what the caller means. A file itself, never a link to somewhere else. */
  readonly same?: string;
  readonly similar: readonly string[];
}

/** Names in the folder of a missing file. A folder that cannot be listed has none. */
export async function lookAlikes(path: string, files: FileSystem, signal: AbortSignal): Promise<LookAlikes> {
  const folder = dirname(path);
  const listed = await files.list(folder, signal);
  if (!listed.ok) return { similar: [] };
  const name = basename(path);
  const equal = listed.value.filter((entry) => entry.name.normalize("NFC") === name.normalize("NFC"));
  const [same] = equal;
  if (same?.kind === "file" && equal.length === 1) return { same: join(folder, same.name), similar: [] };
  const names = listed.value.map((entry) => entry.name);
  return { similar: nearest(name, names, mostSimilar).map((each) => join(folder, each)) };
}

const mostSimilar = 5;
