import { readdirSync } from "node:fs";
import { join } from "node:path";

import { once } from "../../base/async/once.ts";
import { err, ok } from "../../base/result.ts";
import type { EnvironmentError } from "../../contracts/environment/environment.ts";
import type { Isolation, OwnFiles } from "../../contracts/safety/isolation.ts";
import { bubblewrapArguments, innerVariables } from "./bubblewrap-arguments.ts";
import { foundPath, isLedElsewhere, likelyIn, realPath, rememberSecrets } from "./disk-paths.ts";
import { gitFolders } from "./git-folders.ts";
import { hiddenPaths, type PersonFacts } from "./hidden-paths.ts";
import { isBelow, mountPlan, type Wish } from "./mount-plan.ts";
import { packageCaches } from "./package-caches.ts";

export interface IsolationRules {
  /** The program bubblewrap. */
  readonly program: string;
  readonly person: PersonFacts;
  /** The folder of the project, real. Left out: there is none. */
  readonly workspace?: string;
  readonly tempFolders: readonly string[];
  /** Homes of Hermes: hidden, but for what has these names in them now. */
  readonly hermes: readonly { readonly home: string; readonly visible: () => readonly string[] }[];
  readonly hasNetwork: boolean;
  /** The user's own additions. Absolute. */
  readonly writable: readonly string[];
  readonly visible: readonly string[];
  readonly hidden: readonly string[];
}

/** The sandbox as the settings describe it. */
export function createIsolation(rules: IsolationRules): Isolation {
  const person = { ...rules.person, home: realPath(rules.person.home) ?? rules.person.home };
  const hasSecretNow = rememberSecrets();
  const devices = once(usefulDevices);
  const caches = packageCaches(person.home, person.env);
  const secrets = hiddenPaths(person);
  const writable = rules.writable.filter((path) => !unbindable.has(path));

  /** Of two about the same path the later one counts. */
  function wishes(own: OwnFiles): readonly Wish[] {
    const { workspace } = rules;
    // One that leads elsewhere by now is not the folder that was meant.
    const work = workspace !== undefined && realPath(workspace) === workspace ? [workspace] : [];
    const git = work.map(gitFolders);
    const open = [...rules.tempFolders.flatMap((folder) => realPath(folder) ?? []), ...work];
    const isSafe = (path: string) => !isLedElsewhere(path, open);
    const isHidden = (path: string) => !secrets.mixed.has(path) || hasSecretNow(path);
    return [
      ...all("write", [...open, ...likelyIn(person.home, caches).filter(isSafe)]),
      ...git.flatMap(({ elsewhere, hooks }) => [...all("write", elsewhere), ...all("read", hooks)]),
      ...all("hide", likelyIn(person.home, secrets.paths).filter(isHidden)),
      ...all("write", writable.filter(isSafe)),
      ...all("read", rules.visible),
      ...all("hide", rules.hidden),
      ...rules.hermes.flatMap(hermesHome),
      ...all("hide", [own.folder]),
      ...all("read", own.visible),
      ...all("write", own.writable),
    ];
  }

  return {
    confine({ program, args, env, cwd, own }) {
      const mounts = mountPlan(wishes(own));
      const folder = realPath(cwd) ?? cwd;
      const around = mounts.findLast(({ path }) => path === folder || isBelow(folder, path));
      if (around?.how === "hide") return err(hiddenFolder(cwd));
      const shape = {
        mounts,
        hasNetwork: rules.hasNetwork,
        isRoot: person.userId === 0,
        emptyFile: own.emptyFile,
        devices: devices(),
      };
      const inner = innerVariables(env);
      const hidden = mounts.filter(({ path, how }) => how === "hide" && path !== own.folder);
      return ok({
        program: rules.program,
        args: [...bubblewrapArguments(shape), ...inner.args, "--chdir", cwd, "--", program, ...args],
        env: inner.env,
        confined: { hasNetwork: rules.hasNetwork, hidden: hidden.map(({ path }) => path) },
      });
    },
  };
}

/** Mounts of their own stand there. */
const unbindable: ReadonlySet<string> = new Set(["/", "/dev", "/proc"]);

function all(how: Wish["how"], paths: readonly string[]): readonly Wish[] {
  return paths.flatMap((path) => {
    const target = foundPath(path);
    return target ? [{ ...target, how }] : [];
  });
}

/** A folder in it that is a link is seen in its place. */
function hermesHome({ home, visible }: IsolationRules["hermes"][number]): readonly Wish[] {
  const real = realPath(home);
  if (real === undefined) return [];
  return [
    ...all("hide", [real]),
    ...visible().flatMap((name): readonly Wish[] => {
      const target = foundPath(join(real, name));
      return target ? [{ path: join(real, name), from: target.path, isFolder: target.isFolder, how: "read" }] : [];
    }),
  ];
}

/** Beyond the few that every program needs: shared memory, graphics and other processors, virtual machines, sound. */
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
