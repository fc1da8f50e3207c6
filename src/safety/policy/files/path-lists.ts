import { isInside } from "../../../base/files/path.ts";
import type { Reason } from "../../../contracts/safety/approval.ts";
import type { PathPlace } from "../../command/checks/known-paths.ts";
import { pathRule } from "../../command/checks/path-rules.ts";
import { rules } from "../../command/rules.ts";
import { knownField } from "../../command/shell/field.ts";

/** Locations of files, including those of Hermes. */
export interface FilePlace extends PathPlace {
  /** The homes of Hermes: the active profile and the default one. */
  readonly hermes: readonly string[];
  /** The folders that may be written; writes elsewhere are denied. Undefined: writes elsewhere need approval. */
  readonly safeRoots?: readonly string[];
}

export type PathVerdict = { readonly deny: Reason } | { readonly ask: Reason } | undefined;

export type FileUse = "read" | "write" | "delete";

/**
 * Returns the rule for using a file, by its real path. It is the same for file tools and redirections. Undefined if the
 * use is allowed.
 */
export function judgePath(use: FileUse, path: string, place: FilePlace): PathVerdict {
  const listed = use === "read" ? readDenied(path, place) : writeDenied(path, place);
  if (listed !== undefined)
    return { deny: { rule: use === "read" ? "read_denied" : "write_denied", message: `${path} ${listed}` } };
  if (use !== "read" && place.safeRoots && !place.safeRoots.some((root) => isInside(root, path)))
    return { deny: { rule: "safe_root", message: `${path} is outside the folders that may be written` } };
  const isOwn =
    use !== "read" && place.hermes.some((home) => isInside(home, path) && !isWorkspaceIn(home, path, place));
  const how = use === "read" ? "read" : "write";
  const fact = { kind: "path", path: knownField(path), isRecursive: false } as const;
  const grave = use === "delete" ? pathRule({ ...fact, how: "delete", isRecursive: true }, "/", place) : undefined;
  const matchedRule = grave === "delete_root" ? grave : isOwn ? "own_files" : pathRule({ ...fact, how }, "/", place);
  if (matchedRule === undefined) return undefined;
  const reason = { rule: matchedRule, message: `${rules[matchedRule].sentence}: ${path}` };
  return rules[matchedRule].severity === "hardline" ? { deny: reason } : { ask: reason };
}

/** Returns whether the user works in a folder of the home, such as a worktree, and the path is there. */
function isWorkspaceIn(home: string, path: string, { workspace }: FilePlace): boolean {
  return workspace !== home && isInside(home, workspace) && isInside(workspace, path);
}

function writeDenied(path: string, place: FilePlace): string | undefined {
  if (/^\/(?:private\/)?etc\/(?:sudoers(?:\.d(?:\/|$)|$)|passwd$|shadow$|gshadow$|systemd(?:\/|$))/u.test(path))
    return "decides who may do what on this machine";
  const own = belowHome(path, place.home);
  if (own !== undefined && deniedBelowHome.test(own) && own !== ".ssh/config") return "holds keys";
  if (/\/(?:\.netrc|\.pgpass|\.pypirc|\.git-credentials)$/u.test(path)) return "holds passwords";
  return inHermes(path, place, hermesWrites) ? "is kept by Hermes itself" : undefined;
}

function readDenied(path: string, place: FilePlace): string | undefined {
  if (/\/(?:\.env(?:\.(?:local|development|production|test|staging))?|\.envrc)$/u.test(path)) return "holds secrets";
  return inHermes(path, place, hermesReads) ? "is kept by Hermes itself" : undefined;
}

const deniedBelowHome =
  /^(?:\.(?:ssh|aws|gnupg|kube|docker|azure)(?:\/|$)|\.config\/(?:gh|gcloud)(?:\/|$)|\.(?:netrc|pgpass|npmrc|pypirc|git-credentials)$)/u;

const hermesReads =
  /^(?:auth\.(?:json|lock)|\.env|\.anthropic_oauth\.json|webhook_subscriptions\.json|auth\/google_oauth\.json|cache\/bws_cache(?:\.enc)?\.json|credentials\.json|(?:sessions|sessions-search|learnings)\.db|(?:mcp-tokens|skills\/\.hub|audit|approvals|recordings|moa-traces|file-checkpoints|memories\/people)(?:\/|$)|audit-head\.json)/u;

const hermesWrites =
  /^(?:auth\.(?:json|lock)|\.env|\.anthropic_oauth\.json|cache\/bws_cache(?:\.enc)?\.json|credentials\.json|state\.db|(?:sessions|sessions-search|learnings)\.db|(?:trust|plugin-index|plugin-pins|hook-consents)\.json|(?:plugin-code|sessions|mcp|mcp-tokens|pairing|audit|approvals|recordings|moa-traces|file-checkpoints|memories\/people)(?:\/|$)|audit-head\.json)/u;

function inHermes(path: string, { hermes }: FilePlace, list: RegExp): boolean {
  return hermes.some((home) => {
    if (!isInside(home, path)) return false;
    const own = path.slice(home.length + 1);
    return list.test(own) || list.test(own.replace(/^profiles\/[^/]+\//u, ""));
  });
}

function belowHome(path: string, home: string): string | undefined {
  if (path.startsWith(`${home}/`)) return path.slice(home.length + 1);
  return /^\/(?:root|(?:home|Users)\/[^/]+)\/(.+)$/u.exec(path)?.[1];
}
