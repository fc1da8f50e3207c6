import { existsSync, readdirSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

import { once } from "../base/async/once.ts";
import { makeFolder } from "../base/files/make-folder.ts";
import { err, ok } from "../base/result.ts";
import type { EnvironmentError } from "../contracts/environment/environment.ts";
import type {
  ConfinedProgram,
  ConfinedStart,
  Isolation,
  OwnFiles,
  PlannedMount,
} from "../contracts/safety/isolation.ts";
import {
  bubblewrapArguments,
  gateArguments,
  innerVariables,
  type SandboxShape,
} from "./isolation/bubblewrap-arguments.ts";
import {
  type ExistingPath,
  existingPath,
  existingCandidates,
  realPath,
  cacheSecretFiles,
} from "./isolation/disk-paths.ts";
import { gitFolders } from "./isolation/git-folders.ts";
import { hiddenPaths, type PersonFacts } from "./isolation/hidden-paths.ts";
import {
  hasLandlockScript,
  landlockArguments,
  type LandlockShape,
  prefixedVariables,
} from "./isolation/landlock-arguments.ts";
import { mountsForChanges } from "./isolation/limited-changes.ts";
import { isBelow, type Mount, mountPlan, type MountRequest } from "./isolation/mount-plan.ts";
import { firstCaches, packageCaches } from "./isolation/package-caches.ts";
import { seatbeltProfile } from "./isolation/seatbelt-profile.ts";

export interface IsolationRules {
  readonly sandbox: SandboxProgram;
  readonly person: PersonFacts;
  /** The real path of the project folder. Undefined if there is no project. */
  readonly workspace?: string;
  readonly tempFolders: readonly string[];
  /** Real paths of folders that no command may change, regardless of other rules. Default: none. */
  readonly untouched?: readonly string[];
  /** The homes of Hermes. They are hidden, except for entries with these names. */
  readonly hermes: readonly { readonly home: string; readonly visible: () => readonly string[] }[];
  readonly hasNetwork: boolean;
  /** Absolute paths that the user's settings add. */
  readonly writable: readonly string[];
  readonly visible: readonly string[];
  readonly hidden: readonly string[];
}

/** A program of this machine that can start others in a sandbox. */
export interface SandboxProgram {
  readonly kind: "bubblewrap" | "landlock" | "seatbelt";
  /** The program: Bubblewrap, Perl or sandbox-exec. */
  readonly program: string;
  /** The Landlock version of the kernel. */
  readonly abi?: number;
}

/** Creates the sandbox that the settings describe. */
export function createIsolation(rules: IsolationRules): Isolation {
  const person = { ...rules.person, home: realPath(rules.person.home) ?? rules.person.home };
  const hasSecretNow = cacheSecretFiles();
  const devices = once(usefulDevices);
  const caches = packageCaches(person.home, person.env);
  const secrets = hiddenPaths(person);
  const { untouched = [] } = rules;
  const ownTree = rules.workspace === undefined ? [] : [rules.workspace];
  const isSpared = (path: string) => isIn(path, untouched) && !isIn(path, ownTree);
  const writable = rules.writable.filter((path) => !unbindable.has(path));

  /**
   * Collects mount requests; a later request for the same path replaces an earlier one. Each path is resolved once, so
   * that the checked path is the mounted one.
   */
  function wishes(own: OwnFiles): readonly MountRequest[] {
    const { workspace } = rules;
    const isFree = ({ path }: ExistingPath) => !isSpared(path);
    const defaults = find([...rules.tempFolders, ...existingCandidates(person.home, caches)]).filter(isFree);
    const added = find(writable).filter(isFree);
    // A workspace path that has become a symbolic link is not the intended folder.
    const work = workspace === undefined ? [] : findExact([workspace]);
    const git = work.map(({ path }) => gitFolders(path));
    const elsewhere = findExact(git.flatMap((folders) => folders.elsewhere));
    const trees = pathsOf([...defaults, ...added, ...work, ...elsewhere]);
    const isHeld = ({ linksIn }: ExistingPath) =>
      linksIn.every((folder) => !isIn(folder, trees) && isOutOfReach(folder));
    const isHidden = (path: string) => !secrets.mixed.has(path) || hasSecretNow(path);
    const hidden = find(existingCandidates(person.home, secrets.paths).filter(isHidden));
    const alsoHidden = find(rules.hidden);
    const covered = pathsOf([...hidden, ...alsoHidden]);
    const isOpen = ({ path }: ExistingPath) => isIn(path, trees) && !isIn(path, covered);
    return [
      ...all("write", [...defaults.filter(isHeld), ...work, ...elsewhere]),
      ...all("read", find(git.flatMap(({ hooks }) => hooks)).filter(isOpen)),
      ...all("hide", hidden),
      ...all("write", added.filter(isHeld)),
      ...spared(),
      ...all("read", find(rules.visible).filter(isHeld)),
      ...all("hide", alsoHidden),
      ...rules.hermes.flatMap((home) => hermesHome(home, isHeld)),
      ...all("hide", find([own.folder])),
      ...all("read", find(own.visible)),
      ...all("write", find(own.writable)),
    ];
  }

  function spared(): readonly MountRequest[] {
    return all("read", findExact(untouched.filter((path) => path !== rules.workspace)));
  }

  /**
   * Returns whether no sandbox can write to the folder. Any other folder may be the workspace of another running
   * session.
   */
  function isOutOfReach(folder: string): boolean {
    const isWide = folder === person.home || isBelow(person.home, folder) || folder.lastIndexOf("/") === 0;
    return isWide || folder.startsWith(`${person.home}/.`) || rules.hermes.some(({ home }) => isIn(folder, [home]));
  }

  const shape = { hasNetwork: rules.hasNetwork, isRoot: person.userId === 0 };
  const startWith: Readonly<Record<SandboxProgram["kind"], StartInSandbox>> = {
    bubblewrap: (start, mounts) => inBubblewrap(start, { ...shape, mounts, devices: devices() }),
    landlock({ program, args, env }, mounts) {
      const doors = pathsOf(find(secrets.doors));
      const limits = landlockArguments({ ...shape, mounts, abi: rules.sandbox.abi ?? 1, doors });
      return { args: [...limits, program, ...args], env: prefixedVariables(env) };
    },
    seatbelt: ({ program, args, env }, mounts) => ({
      args: ["-p", seatbeltProfile(mounts, rules.hasNetwork), program, ...args],
      env,
    }),
  };

  const confine: Isolation["confine"] = ({ program, args, env, cwd, own }) => {
    const mounts = mountPlan(wishes(own));
    const folder = realPath(cwd) ?? cwd;
    const around = mounts.findLast(({ path }) => path === folder || isBelow(folder, path));
    if (around?.how === "hide") return err(hiddenFolder(cwd));
    const hidden = mounts.filter(({ path, how }) => how === "hide" && path !== own.folder);
    const { hasNetwork } = rules;
    const refusal = refusals[rules.sandbox.kind];
    const start = { program, args, env, cwd, own };
    return ok({
      ...startWith[rules.sandbox.kind](start, mounts),
      program: rules.sandbox.program,
      confined: { hasNetwork, hidden: pathsOf(hidden), ...(refusal !== undefined && { refusal }) },
    });
  };

  return {
    confine,
    onlyChanging(places) {
      if (rules.sandbox.kind !== "bubblewrap" || !mountsForChanges(places)) return undefined;
      const confined = { hasNetwork: true, hidden: [], changesOnly: places };
      const changed = () => (mountsForChanges(places) ?? []).filter(({ path }) => !isSpared(path));
      return approved(() => [...changed(), ...spared()], confined);
    },
    ...(untouched.length > 0 && { sparing: sparing() }),
  };

  /** Runs a program with these mounts and with network access. */
  function approved(mounts: () => readonly MountRequest[], confined: ConfinedProgram["confined"]): Isolation {
    return {
      confine(start) {
        const plan = mountPlan([...mounts(), ...all("write", find(start.own.writable))]);
        const open = { ...shape, hasNetwork: true, devices: ["/dev"] };
        return ok({ ...inBubblewrap(start, { ...open, mounts: plan }), program: rules.sandbox.program, confined });
      },
    };
  }

  function sparing(): Isolation {
    if (rules.sandbox.kind !== "bubblewrap") return { confine };
    const confined = { hasNetwork: true, hidden: [] };
    return approved(
      () => [...all("write", find(topFolders())), ...spared(), ...all("write", findExact(ownTree))],
      confined,
    );
  }
}

/** The folders in `/` whose content is files. */
function topFolders(): readonly string[] {
  return readdirSync("/", { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !systemTrees.has(entry.name))
    .map(({ name }) => `/${name}`);
}

const systemTrees: ReadonlySet<string> = new Set(["dev", "proc", "sys"]);

const refusals = {
  bubblewrap: undefined,
  landlock: "Permission denied",
  seatbelt: "Operation not permitted",
} as const;

type StartInSandbox = (
  start: ConfinedStart,
  mounts: readonly Mount[],
) => Pick<ConfinedProgram, "args" | "env" | "mounts">;

function inBubblewrap(
  { program, args, env, cwd, own: { emptyFile } }: ConfinedStart,
  shape: Omit<SandboxShape, "emptyFile">,
): ReturnType<StartInSandbox> {
  const inner = innerVariables(env);
  const limits = bubblewrapArguments({ ...shape, emptyFile });
  return {
    args: [...limits, ...gateArguments, ...inner.args, "--chdir", cwd, "--", program, ...args],
    env: inner.env,
    mounts: shape.mounts.map((mount) => plannedMount(mount, emptyFile)),
  };
}

function plannedMount({ path, from = path, isFolder, how }: Mount, emptyFile: string): PlannedMount {
  if (how !== "hide") return { path, from };
  return isFolder ? { path } : { path, from: emptyFile };
}

/** A minimal sandbox that tests whether bubblewrap works on this machine. */
export function trialSandbox(options: Pick<SandboxShape, "hasNetwork" | "isRoot">) {
  const mounts = [{ path: "/tmp", isFolder: true, how: "hide" }] as const;
  const args = bubblewrapArguments({ ...options, mounts, emptyFile: "/dev/null", devices: [] });
  return { args, gateArguments, mounts: [{ path: "/tmp" }] };
}

/**
 * A minimal sandbox that tests whether Perl and Landlock work. Undefined if the script does not support this processor.
 */
export function trialLandlock(
  options: Pick<LandlockShape, "abi" | "hasNetwork" | "isRoot">,
): readonly string[] | undefined {
  return hasLandlockScript(process.arch) ? landlockArguments({ ...options, mounts: [], doors: [] }) : undefined;
}

/**
 * Creates the caches of installed package managers, whose first run would fail in the sandbox. Ignores a read-only
 * home.
 */
export async function makeFirstCaches(home: string, searchPath: string): Promise<void> {
  const folders = searchPath.split(delimiter).filter(isAbsolute);
  for (const { program, name } of firstCaches) {
    if (existsSync(join(home, name)) || !existsSync(home)) continue;
    if (!folders.some((folder) => existsSync(join(folder, program)))) continue;
    await makeFolder(join(home, name), 0o755).catch(() => {});
  }
}

/** Folders that get their own mounts. */
const unbindable: ReadonlySet<string> = new Set(["/", "/dev", "/proc"]);

function find(paths: readonly string[]): readonly ExistingPath[] {
  return paths.flatMap((path) => existingPath(path) ?? []);
}

/** Returns the existing paths that contain no symbolic link. */
function findExact(paths: readonly string[]): readonly ExistingPath[] {
  return find(paths).filter(({ linksIn }) => linksIn.length === 0);
}

function pathsOf(targets: readonly { readonly path: string }[]): readonly string[] {
  return targets.map(({ path }) => path);
}

function isIn(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path === folder || isBelow(path, folder));
}

function all(how: MountRequest["how"], targets: readonly ExistingPath[]): readonly MountRequest[] {
  return targets.map(({ path, isFolder }) => ({ path, isFolder, how }));
}

/** If a folder of the home is a symbolic link, its target is mounted. */
function hermesHome(
  { home, visible }: IsolationRules["hermes"][number],
  isHeld: (target: ExistingPath) => boolean,
): readonly MountRequest[] {
  return find([home]).flatMap((real): readonly MountRequest[] => [
    ...all("hide", [real]),
    ...visible().flatMap((name): readonly MountRequest[] =>
      find([join(real.path, name)])
        .filter(isHeld)
        .map(({ path: from, isFolder }) => ({ path: join(real.path, name), from, isFolder, how: "read" })),
    ),
  ]);
}

/** Devices in addition to the standard ones: shared memory, graphics and other processors, virtual machines, sound. */
function usefulDevices(): readonly string[] {
  try {
    return readdirSync("/dev")
      .filter((name) => /^(?:shm|dri|kfd|kvm|snd|nvidia.*)$/u.test(name))
      .map((name) => join("/dev", name));
  } catch {
    return [];
  }
}

function hiddenFolder(cwd: string): EnvironmentError {
  return {
    kind: "refused",
    message: `the folder ${cwd} cannot be seen in the sandbox`,
    hint: "Start in another one (workdir), or ask for the command to run outside (outside: true).",
  };
}
