import { chmodSync, readFileSync, statSync } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

import { codeOf, describeFault } from "../base/files/file-fault.ts";
import { makeFolder } from "../base/files/make-folder.ts";
import { err, ok, type Result } from "../base/result.ts";
import { nearest } from "../base/text/nearest.ts";
import { homeFolder } from "../base/this-user.ts";
import { statSettingsFile } from "./keys/stat-settings-file.ts";
import type { Problem } from "./problem.ts";

export type Env = Readonly<Record<string, string | undefined>>;

/** The folder with all files of a profile. It may not exist: only writing creates it. */
export interface Home {
  readonly path: string;
  /** The home of the default profile; the other profiles are below `profiles/`. */
  readonly root: string;
  readonly profile: string;
}

/** Names of files in a home. */
export const homeFiles = {
  config: "config.yaml",
  editedConfig: "config.edit.yaml",
  lastConfig: "config.last-good.yaml",
  soul: "SOUL.md",
  harmlessTexts: "harmless-texts",
  env: ".env",
  trust: "trust.json",
  currentProfile: "current-profile",
  profiles: "profiles",
  logs: "logs",
  debugShares: "debug-share",
  completions: "completions",
  browser: "browser",
  tools: "tools",
  skills: "skills",
  skillBundles: "skill-bundles",
  skins: "skins",
  agents: "agents",
  memories: "memories",
  learnings: "learnings.db",
  plugins: "plugins",
  pluginIndex: "plugin-index.json",
  pluginData: "plugin-data",
  pluginCode: "plugin-code",
  mcp: "mcp",
  results: "results",
  outputs: "outputs",
  audit: "audit",
  auditHead: "audit-head.json",
  approvals: "approvals",
  hookConsents: "hook-consents.json",
  hookFolders: "hooks",
  sessions: "sessions.db",
  typedLines: "typed-lines",
  credentials: "credentials.json",
  mcpSignIns: "mcp-sign-ins",
  modelFacts: "model-facts.json",
  modelLists: "model-lists",
  recordings: "recordings",
  moaTraces: "moa-traces",
  trajectories: "trajectories",
  mcpServeToken: "mcp-serve-token",
  fileWrites: "file-writes",
  isolation: "isolation.json",
  scriptPython: "script-python.json",
  fileCheckpoints: "file-checkpoints",
  worktrees: "worktrees",
  patches: "patches",
  sessionMail: "session-mail",
  mcpConsents: "mcp-consents.json",
  backups: "backups",
  snapshots: "snapshots",
  profileFacts: "profile.json",
  cache: "cache",
  audioCache: "audio_cache",
  voice: "voice",
} as const;

/** Files and folders of the Python version in its home. Hermes never writes, repairs or moves them. */
export const originalFiles: readonly string[] = [
  "state.db",
  "state.db-wal",
  "state.db-shm",
  "auth.json",
  "auth.lock",
  ".anthropic_oauth.json",
  "processes.json",
  "active_profile",
  "gateway.json",
  "gateway.lock",
  "gateway.pid",
  "gateway.sock",
  "gateway_state.json",
  "channel_directory.json",
  "webhook_subscriptions.json",
  "shell-hooks-allowlist.json",
  "kanban.db",
  "notepad.db",
  "executions.db",
  "memory_store.db",
  "response_store.db",
  ".update_check",
  "skills/.bundled_manifest",
  "skills/.usage.json",
  "skills/.hub",
  "cron/jobs.json",
  "mcp-tokens",
  "pairing",
  "checkpoints",
  "sandboxes",
];

export const defaultProfile = "default";

export function isProfileName(name: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,63}$/u.test(name);
}

/** `HERMES_HOME`, or `.hermes` in the user's folder. A home below `profiles/` names its profile. */
export function rootHome(env: Env, cwd: string): { readonly root: string; readonly named: string | undefined } {
  const request = env["HERMES_HOME"]?.trim();
  if (request === undefined || request === "") return { root: join(userFolder(env), ".hermes"), named: undefined };
  const path = resolve(
    cwd,
    request.replace(/^~(?=$|[/\\])/u, () => userFolder(env)),
  );
  const name = basename(path);
  return basename(dirname(path)) === homeFiles.profiles && isProfileName(name) && name !== defaultProfile
    ? { root: dirname(dirname(path)), named: name }
    : { root: path, named: undefined };
}

/** The requested profile, the one in `HERMES_HOME`, the one chosen by `hermes profile use`, or the default. */
export async function resolveHome(env: Env, cwd: string, request?: string): Promise<Result<Home, Problem>> {
  const { root, named } = rootHome(env, cwd);
  const folder = checkFolder(root);
  if (!folder.ok) return folder;
  const remembered = request === undefined && named === undefined ? currentProfile(root) : ok(undefined);
  if (!remembered.ok) return remembered;
  const profile = request ?? named ?? remembered.value ?? defaultProfile;
  if (profile === defaultProfile) return ok({ path: root, root, profile });
  if (!isProfileName(profile)) return err({ message: badName(profile), hint: "`hermes profile list` shows the names" });
  const path = profilePath(root, profile);
  const result = checkFolder(path);
  if (!result.ok) return result;
  if (result.value === "there" || named === profile) return ok({ path, root, profile });
  const close = nearest(profile, await profileNames(root), 1)[0];
  const instead =
    remembered.value === profile ? "run `hermes profile use default` to return to the default profile" : undefined;
  return err({
    message: `there is no profile ${profile}${close === undefined ? "" : `; did you mean ${close}?`}`,
    hint: instead ?? `\`hermes profile create ${profile}\` makes it`,
  });
}

export function profilePath(root: string, name: string): string {
  return name === defaultProfile ? root : join(root, homeFiles.profiles, name);
}

/** The profile chosen with `hermes profile use`, if any. */
export function currentProfile(root: string): Result<string | undefined, Problem> {
  const file = join(root, homeFiles.currentProfile);
  try {
    const result = statSettingsFile(file);
    if (result === "nothing") return ok(undefined);
    if (result === "broken link" || !result.isFile())
      return err({ file, message: "is not a regular file", hint: "remove it" });
    const name = readFileSync(file, "utf8").trim();
    if (name === "") return ok(undefined);
    return isProfileName(name) ? ok(name) : err({ file, message: badName(name), hint: "remove the file" });
  } catch (thrown) {
    return codeOf(thrown) === "ENOENT" ? ok(undefined) : err({ message: describeFault(thrown, file).message });
  }
}

/** Sorted names of the profiles below `profiles/`, without the default one. */
export async function profileNames(root: string): Promise<string[]> {
  try {
    const entries = await readdir(join(root, homeFiles.profiles), { withFileTypes: true });
    const names = entries.filter((entry) => !entry.isFile() && isProfileName(entry.name)).map((entry) => entry.name);
    return names.filter((name) => name !== defaultProfile).toSorted();
  } catch {
    return [];
  }
}

/**
 * Creates the home with mode 0700, or removes the access of other users from an existing one. For commands that write;
 * reading commands create nothing.
 */
export async function ensureHome(path: string): Promise<Result<void, Problem>> {
  const result = checkFolder(path);
  if (!result.ok) return result;
  if (result.value === "there") {
    tightenMode(path, 0o700);
    return ok(undefined);
  }
  try {
    await makeFolder(path, 0o700);
    return ok(undefined);
  } catch (thrown) {
    const { message } = describeFault(thrown, path);
    return err({ message, hint: "set HERMES_HOME to use another folder" });
  }
}

/**
 * Removes the access of group and others from a file or folder of the user, and reports that. Files of other users stay
 * unchanged.
 */
export function tightenMode(path: string, mode: 0o600 | 0o700): string | undefined {
  if (process.platform === "win32") return undefined;
  try {
    const result = statSync(path);
    const loose = (result.mode & 0o077) !== 0 && (result.mode & 0o1000) === 0;
    if (!loose) return undefined;
    const was = (result.mode & 0o777).toString(8).padStart(4, "0");
    const now = mode.toString(8).padStart(4, "0");
    if (result.uid !== process.getuid?.()) return `${path} has mode ${was} and another owner: others may read it`;
    chmodSync(path, mode);
    return `${path} could be read by others (mode ${was}); it is ${now} now`;
  } catch {
    return undefined;
  }
}

/** The files of the Python version in this home. Empty: the Python version does not use it. */
export async function filesOfOriginal(home: string): Promise<readonly string[]> {
  const matches = await Promise.all(
    originalFiles.map((name) =>
      lstat(join(home, name)).then(
        () => true,
        () => false,
      ),
    ),
  );
  return originalFiles.filter((_, index) => matches[index]);
}

/** Checks whether the path is a folder or absent. Anything else there is a problem. */
export function checkFolder(path: string): Result<"there" | "absent", Problem> {
  const hint = "set HERMES_HOME to use another folder";
  try {
    const result = statSettingsFile(path);
    if (result === "nothing") return ok("absent");
    if (result === "broken link") return err({ message: `${path} is a symlink to a missing folder`, hint });
    if (result.isDirectory()) return ok("there");
    return err({ message: `${path} is a file; the home must be a folder`, hint });
  } catch (thrown) {
    const isBelowFile = codeOf(thrown) === "ENOTDIR";
    const message = isBelowFile
      ? `part of the path ${path} is a file; the home must be a folder`
      : describeFault(thrown, path).message;
    return err({ message, hint });
  }
}

export function userFolder(env: Env): string {
  return env["HOME"] || env["USERPROFILE"] || homeFolder();
}

function badName(name: string): string {
  return `${JSON.stringify(name)} is not a profile name: small letters, digits, - and _, at most 64`;
}
