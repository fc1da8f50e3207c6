import { posix } from "node:path";

import type { Fact } from "../fact.ts";
import { type RuleId, rules } from "../rules.ts";
import { hole } from "../shell/field.ts";
import { matchesGlob } from "../text/glob.ts";
import { isHistoryFile, isSecretFile, specialFileRule, type PathPlace, wellKnownPaths } from "./known-paths.ts";

type PathFact = Extract<Fact, { readonly kind: "path" }>;

/** Returns the most severe rule that this use of a path triggers, if any. */
export function pathRule(fact: PathFact, cwd: string, place: PathPlace): RuleId | undefined {
  const path = resolvePathText(fact.path.text, cwd);
  const matchedRule = ruleOf(fact, path, place);
  const firstWildcard = fact.path.isPattern ? path.search(/[*?[]/u) : -1;
  if (firstWildcard < 0 || isHardline(matchedRule)) return matchedRule;
  const prefix = path.slice(0, firstWildcard);
  // A pattern is as dangerous as the worst path that it can match.
  const others = wellKnownPaths(place).flatMap((each) =>
    each.startsWith(prefix) && matchesGlob(path, each)
      ? [ruleOf(fact, each, place)].filter((rule) => rule !== undefined)
      : [],
  );
  return others.find(isHardline) ?? matchedRule ?? others[0];
}

function isHardline(rule: RuleId | undefined): boolean {
  return rule !== undefined && rules[rule].severity === "hardline";
}

function ruleOf(fact: PathFact, path: string, place: PathPlace): RuleId | undefined {
  switch (fact.how) {
    case "raw":
      return isDisk(path) ? "raw_disk" : undefined;
    case "delete":
      return deleteRule(fact, path, place);
    case "move":
      if (isGrave(path, place)) return "delete_root";
      return changeRule(path, place) ?? (startsUnknown(path) ? undefined : outsideRule(path, place));
    case "permission":
    case "owner":
      if (startsUnknown(path)) return "permission_unknown";
      return isGrave(path, place) ? "system_file" : changeRule(path, place);
    case "tighten": {
      const rule = ruleOf({ ...fact, how: "permission" }, path, place);
      return (rule === "user_secret" || rule === "project_config") && isBelow(path, place.home) ? undefined : rule;
    }
    case "read":
      if (isDisk(path)) return "read_disk";
      return isSecretFile(path, place) || (fact.isRecursive && isHome(path, place)) ? "secret_read" : undefined;
    case "link":
    case "make":
      return isDisk(path) ? "raw_disk" : changeRule(path, place);
    case "place":
    case "edit":
      if (isDisk(path)) return "raw_disk";
      return changeRule(path, place) ?? (startsUnknown(path) ? undefined : outsideRule(`${path}/.`, place));
    case "write":
    case "append":
      if (isDisk(path)) return "raw_disk";
      if (startsUnknown(path)) return "overwrite_unknown";
      return changeRule(path, place) ?? outsideRule(path, place);
  }
}

/** Makes a path absolute and removes `.`, `..` and doubled slashes. Unknown parts stay marked as holes. */
export function resolvePathText(text: string, cwd: string): string {
  if (text.startsWith(hole)) return text;
  const joined = text.startsWith("/") ? text : `${cwd}/${text}`;
  if (!/\/[/.]|\/$/u.test(joined)) return joined;
  return joined.startsWith("/")
    ? posix
        .normalize(joined)
        .replace(/^\/\//u, "/")
        .replace(/(?<=.)\/$/u, "")
    : joined;
}

/** Returns whether the path starts with an unknown part. */
function startsUnknown(path: string): boolean {
  return path.startsWith(hole) || path.startsWith(`/${hole}`);
}

function deleteRule({ path: field, isRecursive }: PathFact, path: string, place: PathPlace): RuleId | undefined {
  if (isDisk(path)) return "raw_disk";
  // `/home/$name` may be a file; deleting it as a folder would need `-r`.
  if (isGrave(path, place) && (isRecursive || path !== `/home/${hole}`)) return "delete_root";
  const protectedBy = changeRule(path, place);
  if (protectedBy !== undefined) return protectedBy;
  if (isRecursive) return "delete_recursive";
  if (isTemporary(path)) return isEverything(path) ? "delete_listed" : undefined;
  if (path.includes(hole)) return "delete_unknown";
  if (field.text.startsWith("/") || !isBelow(path, place.workspace)) return "delete_absolute";
  return field.isPattern && isEverything(path) ? "delete_listed" : undefined;
}

/** Matches patterns that select every entry of a folder: `/*`, `/.*` and similar patterns. */
const everythingIn = /\/(?:\*|\.\*|\{,\.\}\*|\.\[!\.\]\*|\.\?\?\*|\*\*|\*\*\/\*|\?\*|\*\.\*)$/u;

function isEverything(path: string): boolean {
  return everythingIn.test(path) && (!isTemporary(path) || /^\/(?:var\/)?tmp\/[^/]+$/u.test(path));
}

/**
 * Returns whether the path is the root folder, a system folder directly below it, a home folder, or the whole content
 * of one of them.
 */
function isGrave(path: string, { home }: PathPlace): boolean {
  const bare = path.replace(everythingIn, "") || "/";
  return (
    bare === "/" ||
    bare === home ||
    bare === `/home/${hole}` ||
    systemFolders.has(bare) ||
    systemFolders.has(bare.replace(/\/\*$/u, ""))
  );
}

/** Returns whether the path is a home folder, which contains keys. */
function isHome(path: string, { home }: PathPlace): boolean {
  return (
    path === home || (/^\/(?:home|root|Users)?(?:\/[^/]*)?$/u.test(path) && (home.startsWith(path) || path === "/root"))
  );
}

const systemFolders: ReadonlySet<string> = new Set(
  [
    [
      "home",
      "root",
      "etc",
      "usr",
      "var",
      "bin",
      "sbin",
      "boot",
      "lib",
      "lib32",
      "lib64",
      "libx32",
      "dev",
      "proc",
      "sys",
    ],
    ["Users", "System", "Library", "Applications", "private", "private/etc", "private/var"],
    ["usr/bin", "usr/sbin", "usr/lib", "usr/lib64"],
  ]
    .flat()
    .map((name) => `/${name}`),
);

function isDisk(path: string): boolean {
  return disk.test(path);
}

const disk =
  /^\/dev\/(?:sd[a-z*?]|sd\[|nvme[\d*?]|hd[a-z*?]|mmcblk[\d*?]|vd[a-z*?]|xvd[a-z*?]|r?disk\d|dm-\d|md\d|mapper\/(?!control)|disk\/by-|(?:sd|hd|vd|xvd|nvme|mmcblk)\u{10FFFD})/u;

/** Returns the rule for changing a path. Undefined: an ordinary file of the workspace. */
function changeRule(path: string, place: PathPlace): RuleId | undefined {
  if (path === "/proc/sysrq-trigger") return "power";
  if (path === "/") return "system_file";
  if (path.startsWith("/dev/") || path.startsWith("/proc/self/fd/")) return deviceRule(path);
  if (isHistoryFile(path, place)) return "logging_off";
  const own = specialFileRule(path, place);
  if (own !== undefined) return own;
  if (/^\/var\/log(?:\/|$)/u.test(path)) return "logging_off";
  if (isSystemFile(path, place)) return "system_file";
  return isProjectConfig(path) ? "project_config" : undefined;
}

const systemFile =
  /^\/(?:private\/)?(?:etc|boot|usr|bin|sbin|lib|lib32|lib64|sys|proc|System|Library)(?:\/|$)|^\/private\/(?:var|tmp|home)(?:\/|$)|^\/var\/(?:lib|spool|run|cache|backups|db|www|mail)(?:\/|$)|^\/(?:run|root)(?:\/|$)/u;

/**
 * A workspace in a system folder, such as `/usr/src/app`, is allowed, except where the system keeps its settings and
 * programs.
 */
function isSystemFile(path: string, { workspace }: PathPlace): boolean {
  if (!systemFile.test(path) || isTemporary(path)) return false;
  return coreFile.test(path) || !isBelow(path, workspace);
}

const coreFile = /^\/(?:private\/)?(?:etc|boot|bin|sbin|lib|lib32|lib64|sys|proc|usr\/(?:s?bin|lib\w*))(?:\/|$)/u;

function deviceRule(path: string): RuleId | undefined {
  return /^\/dev\/(?:mem|kmem|port|kvm|loop|ram|watchdog|efi|nvram|snapshot)/u.test(path) ? "system_file" : undefined;
}

function outsideRule(path: string, { workspace }: PathPlace): RuleId | undefined {
  const isAllowed = isBelow(path, workspace) || isTemporary(path) || /^\/(?:dev|proc\/self\/fd)\//u.test(path);
  return isAllowed ? undefined : "outside_workspace";
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

export function isTemporary(path: string): boolean {
  return /^\/(?:var\/)?tmp\/./u.test(path) || path.startsWith("/dev/shm/") || path.startsWith("/var/folders/");
}

function isProjectConfig(path: string): boolean {
  return (
    /\/(?:\.env(?:\.[\w.*?-]+)?|\.env[\w*?-]*|\.envrc|config\.yaml)$/u.test(path) &&
    !/\.(?:example|sample|template|dist|schema)$/u.test(path)
  );
}
