import { isAbsolute, join, relative, sep } from "node:path";

import { isInside } from "../base/files/path.ts";

/** The path in the form that records use: relative below the root, empty for the root itself, otherwise absolute. */
export function recordPath(root: string, path: string): string {
  const absolute = isAbsolute(path) ? path : join(root, path);
  return isInside(root, absolute) ? relative(root, absolute) : absolute;
}

export function absolutePath(root: string, path: string): string {
  return isAbsolute(path) ? path : join(root, path);
}

/** Returns a test whether a record path is equal to or below one of these. */
export function createScopeMatcher(scope: readonly string[]): (path: string) => boolean {
  const named = new Set(scope);
  return (path) => {
    if (named.has("") && !path.startsWith(sep)) return true;
    for (let index = path; index !== ""; index = index.slice(0, Math.max(0, index.lastIndexOf(sep))))
      if (named.has(index)) return true;
    return false;
  };
}

export function isBelowOrSame(path: string, folder: string): boolean {
  if (folder === "") return !path.startsWith(sep);
  return path === folder || path.startsWith(`${folder}${sep}`);
}

/** The paths without those that are below another path of the list. */
export function outermost(paths: readonly string[]): readonly string[] {
  const unique = Array.from(new Set(paths));
  const above = (path: string) => (path.includes(sep) ? path.slice(0, path.lastIndexOf(sep)) : "");
  const covers = createScopeMatcher(unique);
  return unique.filter((path) => path === "" || !(above(path) === "" ? isTop(path, unique) : covers(above(path))));
}

/** Whether the path is a direct child of a workspace that is requested as a whole. */
function isTop(path: string, requested: readonly string[]): boolean {
  return !path.startsWith(sep) && requested.includes("");
}

/** Whether the path is part of a repository's own data, which is never recorded or restored. */
export function isRepositoryData(path: string): boolean {
  return path.split(sep).some((name) => name === ".git" || name === ".hg" || name === ".svn" || name === ".jj");
}
