import { readlinkSync } from "node:fs";

import { valueOr } from "../../base/result.ts";
import { words } from "../../base/text/words.ts";
import { type ExistingPath, existingCandidates, existingPath } from "./disk-paths.ts";
import { hiddenPaths, type PersonFacts } from "./hidden-paths.ts";
import { isBelow, type Mount, mountPlan, type MountRequest } from "./mount-plan.ts";

/** The only files that a program sees. Paths are absolute; missing paths are skipped. */
export interface VisibleFiles {
  /** The program, its libraries and its code. */
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  /** Paths that the user granted. Keys in them stay hidden, unless a grant explicitly includes them. */
  readonly granted: { readonly read: readonly string[]; readonly write: readonly string[] };
  /** Paths that stay hidden even inside granted folders. */
  readonly hidden?: readonly string[];
  /** Files and folders of Hermes that appear at another path. */
  readonly placed: readonly { readonly path: string; readonly from: string; readonly how: "read" | "write" }[];
}

export interface VisiblePlaces {
  readonly person: PersonFacts;
  /** The homes of Hermes, which are hidden even in granted folders. */
  readonly hermesHomes: readonly string[];
}

/** The mounts of an allow list. No other files exist in the sandbox. */
export function visibleMounts(files: VisibleFiles, { person, hermesHomes }: VisiblePlaces): readonly Mount[] {
  const isTrusted = ({ linksIn }: ExistingPath) => linksIn.every((folder) => isOutOfReach(folder, person.home));
  const granted = (paths: readonly string[]) => find(paths).filter(isTrusted);
  const [read, write] = [granted(files.granted.read), granted(files.granted.write)];
  const trees = [...read, ...write].map(({ path }) => path);
  const secrets = existingCandidates(person.home, hiddenPaths(person).paths);
  const isInTree = ({ path }: ExistingPath) => trees.some((tree) => tree === "/" || isBelow(path, tree));
  const links = new Set(systemLinks().map(([, path]) => path));
  const plan = mountPlan([
    { path: "/", isFolder: true, how: "hide" },
    ...systemFiles.filter((path) => !links.has(path)).flatMap(asTheyAre),
    ...all("hide", find(secrets).filter(isInTree)),
    ...all("read", read),
    ...all("write", write),
    ...all("hide", find(files.hidden ?? [])),
    ...all(
      "hide",
      find(hermesHomes).filter((home) => trees.includes(home.path) || isInTree(home)),
    ),
    // The plan contains real paths, but programs use the paths that they were given.
    ...files.readable.flatMap(asTheyAre),
    ...all("write", find(files.writable)),
  ]).slice(1);
  // These paths are not part of the plan, because they have other content outside.
  const placed = files.placed.map((mount) => ({ ...mount, isFolder: existingPath(mount.from)?.isFolder ?? false }));
  return [...plan, ...placed].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Links of the system to folders in `/usr`, such as `/lib`, with target and path. */
export function systemLinks(): readonly (readonly [target: string, path: string])[] {
  return rootNames.flatMap((path) => {
    const target = valueOr(() => readlinkSync(path), undefined);
    return target === undefined || !/^(?:\.\.)?\/?usr\//u.test(target) ? [] : [[target, path] as const];
  });
}

const rootNames: readonly string[] = words("/bin /sbin /lib /lib32 /lib64 /libx32 /etc/localtime");

/**
 * Programs, libraries and certificates, in few mounts, because each mount takes time. Excludes settings of services,
 * and keys.
 */
const systemFiles: readonly string[] = words(`
  /usr /nix/store /gnu/store /lib /lib32 /lib64 /libx32 /bin /sbin
  /System /Library/Apple /Library/Frameworks /Library/Developer /opt/homebrew /private/var/db/dyld /private/var/db/timezone
  /etc/ssl/certs /etc/ssl/cert.pem /etc/pki/tls/certs /etc/pki/ca-trust /etc/ld.so.cache /etc/hosts /etc/passwd
`);

function find(paths: readonly string[]): readonly ExistingPath[] {
  return paths.flatMap((path) => existingPath(path) ?? []);
}

/** If the path is a symbolic link, its target appears at the path. */
function asTheyAre(path: string): readonly MountRequest[] {
  const target = existingPath(path);
  if (!target) return [];
  const { path: from, isFolder } = target;
  return [{ path, isFolder, how: "read", ...(from !== path && { from }) }];
}

function all(how: MountRequest["how"], targets: readonly ExistingPath[]): readonly MountRequest[] {
  return targets.map(({ path, isFolder }) => ({ path, isFolder, how }));
}

/**
 * Returns whether no sandboxed program can replace a link in the folder: the home itself, its settings, and their
 * parents.
 */
function isOutOfReach(folder: string, home: string): boolean {
  return folder === home || folder === "/" || isBelow(home, folder) || folder.lastIndexOf("/") === 0;
}
