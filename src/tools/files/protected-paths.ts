import { join, sep } from "node:path";

import { isInside } from "../../base/files/path.ts";
import { homeFolder } from "../../base/this-user.ts";
import type { Environment } from "../../contracts/environment/environment.ts";
import type { FileReads } from "../../contracts/host/ports.ts";
import { fail, type ToolFailure } from "../../contracts/tool/tool-result.ts";

/**
 * Refuses to change files of the system, a user's keys, the settings of Hermes, or, unless allowed, another profile.
 * Expects real paths; ignores case, because some file systems do. Does not detect a hard link to such a file.
 */
export async function protectedRefusal(
  paths: readonly string[],
  { environment, fileReads, signal }: { environment: Environment; fileReads: FileReads; signal: AbortSignal },
  crossProfile: boolean,
): Promise<ToolFailure | undefined> {
  const isLocal = environment.kind === "local";
  const user = isLocal ? [homeFolder()] : [];
  const spelled = isLocal ? (fileReads.home ?? usualHome()) : undefined;
  const home = spelled && (await realHome(spelled, environment, signal));
  for (const path of paths) {
    const why = reasonFor(folded(path), user.map(folded)) ?? (home && hermesReason(path, home, crossProfile));
    if (why !== undefined) return fail(`${path} ${why} Nothing was written.`, "blocked").error;
  }
  return undefined;
}

function reasonFor(path: string, homes: readonly string[]): string | undefined {
  if (systemFolders.some((folder) => isInside(folder, path)))
    return "belongs to the system: file tools do not change it. A person can change it in the terminal.";
  const below = homes.find((home) => isInside(home, path)) ?? defaultUserFolder.exec(path)?.[0];
  if (below !== undefined && keptSecret.test(path.slice(below.length)))
    return "holds a person's keys or logins: file tools do not change it. A person can change it in the terminal.";
  return undefined;
}

interface HermesHome {
  readonly path: string;
  /** The home of the default profile; the others are below `profiles/`. */
  readonly root: string;
}

function hermesReason(path: string, home: HermesHome, crossProfile: boolean): string | undefined {
  const [index, own, root] = [folded(path), folded(home.path), folded(home.root)];
  const folder = profileAt(index, root);
  if (folder === undefined) return undefined;
  if (ownFiles.test(index.slice(folder.length)))
    return "belongs to Hermes itself: file tools do not change it. Settings are changed with `hermes config set`.";
  if (folder === own || crossProfile) return undefined;
  return "belongs to another profile. Set cross_profile to true if the user wants that.";
}

/** Returns the home of the profile that contains a path. */
function profileAt(path: string, root: string): string | undefined {
  if (!isInside(root, path)) return undefined;
  const [top, name] = path.slice(root.length + 1).split(sep);
  return top === "profiles" && name !== undefined && name !== "" ? join(root, top, name) : root;
}

function usualHome(): HermesHome {
  const path = join(homeFolder(), ".hermes");
  return { path, root: path };
}

async function realHome(home: HermesHome, environment: Environment, signal: AbortSignal): Promise<HermesHome> {
  const root = await real(home.root, environment, signal);
  return { root, path: home.path === home.root ? root : await real(home.path, environment, signal) };
}

async function real(path: string, { files }: Environment, signal: AbortSignal): Promise<string> {
  const match = await files.realPath(path, signal);
  return match.ok ? match.value : path;
}

function folded(path: string): string {
  return path.normalize("NFC").toLowerCase();
}

const systemFolders: readonly string[] = [
  "/etc",
  "/boot",
  "/usr/lib/systemd",
  "/private/etc",
  "/private/var/db",
  "/private/var/root",
  "/var/run/docker.sock",
  "/run/docker.sock",
];

const defaultUserFolder = /^\/(?:root|home\/[^/]+|users\/[^/]+)(?=\/)/u;

/** Protected paths below a user's home folder. The policy asks about `.ssh/config`. */
const keptSecret =
  /^\/(?:\.ssh\/(?!config$)|\.(?:netrc|pgpass|npmrc|pypirc|git-credentials)$|\.(?:aws|gnupg|kube|docker|azure)(?:\/|$)|\.config\/(?:gh|gcloud)(?:\/|$))/u;

/** Protected paths below the home of a profile: settings, keys, and files that only Hermes writes. */
const ownFiles =
  /^\/(?:config(?:\.edit)?\.yaml|\.env|trust\.json|credentials\.json|current-profile|active_profile|auth\.json|\.anthropic_oauth\.json|(?:sessions|state)\.db(?:-\w+)?|cache\/bws_cache\.enc\.json|(?:sessions|mcp-tokens|pairing)(?:\/.*)?)$/u;
