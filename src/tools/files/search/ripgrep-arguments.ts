import { literalGlob } from "./glob.ts";
import { wantsCrlf } from "./pattern.ts";
import type { Query, Root, SearchScope } from "./search.ts";

/**
 * Selects the files: ignore files apply even without git, except the user's global ones, and a glob can only exclude
 * more files. Therefore names are filtered by a type, not by `--glob`, which would include ignored files.
 */
export function scopeArguments(scope: SearchScope, root: Root): string[] {
  const always = [
    "--no-config",
    "--color=never",
    "--no-ignore-global",
    "--no-require-git",
    "--no-ignore-messages",
    "--no-mmap",
  ];
  if (root.file !== undefined)
    return [...always, "--no-ignore", "--hidden", "--max-depth=1", `--glob=/${literalGlob(root.file)}`];
  const names = scope.filter.names?.filter((name) => !name.startsWith("include:")) ?? [];
  return [
    ...always,
    ...(scope.noIgnore ? ["--no-ignore"] : []),
    ...(scope.hidden ? ["--hidden"] : ["--glob=!.*"]),
    "--glob=!.git",
    ...names.map((name) => `--type-add=hermes:${name}`),
    ...(names.length > 0 ? ["--type=hermes"] : []),
  ];
}

export function queryArguments({ pattern, ignoreCase, multiline }: Query): string[] {
  return [
    ignoreCase ? "--ignore-case" : "--case-sensitive",
    ...(multiline ? ["--multiline"] : []),
    ...(wantsCrlf(pattern) ? ["--crlf"] : []),
    "-e",
    pattern,
  ];
}
