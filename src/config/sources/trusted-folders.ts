import { join } from "node:path";

import { isObject, parseJson } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { homeFiles } from "../home.ts";
import type { Problem } from "../problem.ts";
import { readBounded } from "../yaml/read-yaml.ts";

/** A folder whose project file the user accepted, by real path and exact content. */
export interface TrustedFolder {
  readonly path: string;
  readonly sha256: string;
  readonly trustedAt: number;
}

/** The folders that this home trusts. A file that cannot be parsed is an error and trusts nothing. */
export async function trustedFolders(home: string): Promise<Result<readonly TrustedFolder[], Problem>> {
  const file = join(home, homeFiles.trust);
  const bytes = await readBounded(file);
  if (!bytes.ok) return bytes;
  if (bytes.value === undefined) return ok([]);
  const json = parseJson(bytes.value.toString("utf8"), { maxChars: 1_000_000, maxDepth: 8 });
  const folders = json.ok && isObject(json.value) && json.value["version"] === 1 ? json.value["folders"] : undefined;
  if (Array.isArray(folders) && folders.every(isTrustedFolder)) return ok(folders);
  return err({
    file,
    message: "cannot be parsed, so no folder is trusted",
    hint: "remove the file, then run `hermes trust` in each project again",
  });
}

function isTrustedFolder(value: unknown): value is TrustedFolder {
  if (!isObject(value)) return false;
  return (
    typeof value["path"] === "string" && typeof value["sha256"] === "string" && typeof value["trustedAt"] === "number"
  );
}
