import { realpathSync } from "node:fs";
import { delimiter } from "node:path";

import { isInside } from "../base/files/path.ts";
import { valueOr } from "../base/result.ts";

/**
 * PATH for programs that Hermes itself starts outside every sandbox: without project folders such as
 * `node_modules/.bin`, where a sandboxed command could place a program of the same name.
 */
export function trustedSearchPath(path: string | undefined, workspace: string | undefined): string {
  const folders = (path ?? "").split(delimiter);
  if (workspace === undefined) return folders.join(delimiter);
  return folders.filter((folder) => !isInside(workspace, real(folder))).join(delimiter);
}

function real(path: string): string {
  return valueOr(() => realpathSync(path), path);
}
