import { join } from "node:path";

import { isInside } from "../../../base/files/path.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { globPattern } from "./glob.ts";

/** Selects paths below a root. It only narrows: it never includes ignored or hidden files. */
export interface FileFilter {
  /** Returns whether the filter accepts a path below the root. */
  takes(path: string): boolean;
  /** Globs for file names. Every accepted file matches one of them, so a directory walk can filter early. */
  readonly names?: readonly string[];
  /** True if the pattern explicitly matches names that start with a dot. */
  readonly namesHidden: boolean;
}

export const everyFile: FileFilter = { takes: () => true, namesHidden: false };

/**
 * Creates a filter for a caller's glob: `*.ts`, `src/**`, `{a,b}.md`, `!*.min.js`. Without `/` it matches only the
 * name.
 */
export function globFilter(glob: string, options: { readonly ignoreCase: boolean }): Result<FileFilter, string> {
  const isNegated = glob.startsWith("!");
  const plain = (isNegated ? glob.slice(1) : glob).replace(/^(?:\.\/)+/u, "");
  const isAnchored = plain.startsWith("/");
  const own = isAnchored ? plain.slice(1) : plain.includes("/") ? plain : `**/${plain}`;
  const whole = own.endsWith("/") ? `${own}**` : own;
  const pattern = globPattern(whole, options);
  if (!pattern.ok) return err(`${JSON.stringify(glob)} is not a glob: ${pattern.error}. ${globHelp}`);
  const name = isNegated ? undefined : lastName(whole);
  return ok({
    takes: (path) => pattern.value.test(path) !== isNegated,
    ...(name !== undefined && !options.ignoreCase && { names: [name] }),
    namesHidden: !isNegated && /(?:^|[/{,])\.(?![./])/u.test(plain),
  });
}

/**
 * Creates a filter for a caller's file name. Text without a wildcard matches part of a name: `config` matches
 * `config.yaml`. After a slash it matches the start of a name: `src/conf` matches `lib/src/config.yaml` and all files
 * in a folder `src/conf`.
 */
export function nameFilter(name: string, options: { readonly ignoreCase: boolean }): Result<FileFilter, string> {
  const plain = name.trim().replace(/^(?:\.\/)+/u, "");
  if (plain === "" || plain === "." || plain === "*") return ok(everyFile);
  if (/[*?[{]/u.test(plain)) return globFilter(plain, options);
  const trimmed = plain.replace(/^\/+|\/+$/gu, "");
  const globs = trimmed.includes("/")
    ? [`**/${trimmed}*`, `**/${trimmed}/**`]
    : plain.endsWith("/")
      ? [`**/${trimmed}/**`]
      : [`**/*${trimmed}*`];
  const filters: FileFilter[] = [];
  for (const glob of globs) {
    const filter = globFilter(glob.replaceAll("!", String.raw`\!`), options);
    if (!filter.ok) return filter;
    filters.push(filter.value);
  }
  return ok({
    takes: (path) => filters.some((filter) => filter.takes(path)),
    namesHidden: filters.some((filter) => filter.namesHidden) || /^\.(?![./])/u.test(trimmed),
  });
}

export function bothFilters(a: FileFilter, b: FileFilter): FileFilter {
  const names = a.names ?? b.names;
  return {
    takes: (path) => a.takes(path) && b.takes(path),
    ...(names && { names }),
    namesHidden: a.namesHidden || b.namesHidden,
  };
}

/** Returns the part of a glob that matches the file name. Undefined if it matches any name or is ambiguous. */
function lastName(glob: string): string | undefined {
  const name = glob.slice(glob.lastIndexOf("/") + 1);
  const isWhole = !name.includes("\\") && count(name, "{") === count(name, "}");
  // In this case, `?` and `[…]` match bytes in ripgrep.
  return isWhole && !/\*\*|[?[]/u.test(name) && name !== "*" ? name : undefined;
}

function count(text: string, char: string): number {
  return text.split(char).length;
}

const globHelp = "Write *.ts, src/**/*.md, {a,b}.json or !*.min.js; \\ before a character means it literally.";

/**
 * Excludes files that are denied by name: searching their folder would bypass the denial. A file that is named directly
 * has already been checked. `homes`: Hermes homes.
 */
export function withoutSecrets(
  { folder, file }: { readonly folder: string; readonly file?: string },
  homes: readonly string[],
): FileFilter {
  const isSecret = (path: string) => {
    const whole = join(folder, path);
    const home = homes.find((each) => isInside(each, whole));
    return ofPeople.test(path) || (home !== undefined && ofHermes.test(whole.slice(home.length)));
  };
  return { takes: (path) => file !== undefined || !isSecret(path), namesHidden: false };
}

const ofPeople =
  /(?:^|\/)(?:\.env(?:\.(?:local|development|production|test|staging))?|\.envrc|\.netrc|\.pgpass|\.pypirc|\.git-credentials)$|(?:^|\/)(?:\.(?:ssh|aws|gnupg|kube|docker|azure)|\.config\/(?:gh|gcloud))\//u;

const ofHermes =
  /^(?:\/profiles\/[^/]+)?\/(?:auth\.|\.anthropic_oauth|webhook_subscriptions|credentials\.json|audit-head|cache\/bws_cache|(?:auth|mcp-tokens|skills\/\.hub|audit|approvals)\/)/u;
