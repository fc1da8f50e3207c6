import { realpathSync } from "node:fs";
import { readlink, realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";

import { codeOf, describeFault } from "../base/files/file-fault.ts";
import { isInside, pathFault } from "../base/files/path.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { FileSystem } from "../contracts/environment/environment.ts";
import type { EffectResolver, UnresolvedEffect } from "../contracts/tool/dispatch.ts";
import type { Effect } from "../contracts/tool/effect.ts";
import type { Place } from "../contracts/tool/effect.ts";

/**
 * Effects of calls with paths as they really are: absolute, through every link, also a link whose target does not exist yet.
 * `..` is taken out by spelling first, as file tools do. Commands are left as they are. On another backend than this
 * machine its own files are asked.
 */
export function createRealPaths(elsewhere: Pick<FileSystem, "realPath">): EffectResolver {
  return {
    async resolve(effects, place, signal) {
      const resolved: Effect[] = [];
      const real = (path: string) => realIn(place, path, elsewhere, signal);
      for (const effect of effects) {
        if (signal.aborted) return err({ message: "interrupted" });
        const result = folderKnown(effect, place) ?? (await realEffect(effect, real));
        if (!result.ok) return result;
        resolved.push(result.value);
      }
      return ok(resolved);
    },
  };
}

/** Where a path leads. What does not exist yet is taken below the nearest folder that does. */
export async function resolveLinks(path: string): Promise<Result<string, UnresolvedEffect>> {
  const fault = pathFault(resolve(path));
  if (fault !== undefined) return err({ message: fault, invalid: true });
  try {
    return ok(await follow(resolve(path), 0));
  } catch (thrown) {
    const complaint = complaints.get(codeOf(thrown));
    if (complaint === undefined) return err({ message: describeFault(thrown, path).message });
    return err({ message: `${path}: ${complaint}`, invalid: true });
  }
}

/** Where a path leads, seen from a folder. `why` is for a person. */
export interface Location {
  readonly real: string;
  readonly inside: boolean;
  readonly why: string;
}

/**
 * Is a path, once every link is followed, in the folder `root`? Folders are compared by what they are, so that another
 * spelling of the same one (a file system without case, a second mount) is no way in or out. A hard link has no place of its
 * own: a file with one inside is inside.
 */
export async function locate(path: string, root: string): Promise<Result<Location, UnresolvedEffect>> {
  const real = await resolveLinks(path);
  if (!real.ok) return real;
  const folder = await resolveLinks(root);
  if (!folder.ok) return folder;
  const spelled = resolve(path);
  const inside = isInside(folder.value, real.value) || (await isBelow(real.value, folder.value));
  const way = real.value === spelled ? spelled : `${spelled} leads to ${real.value}, which`;
  return ok({ real: real.value, inside, why: `${way} is ${inside ? "in" : "outside"} ${folder.value}` });
}

/** As many as Linux follows. */
const maxLinks = 40;

const complaints: ReadonlyMap<string, string> = new Map([
  ["ELOOP", "links lead in a circle"],
  ["ENOTDIR", "a part of the path is a file, not a folder"],
  ["ENAMETOOLONG", "the path is too long"],
]);

type Real = (path: string) => Promise<Result<string, UnresolvedEffect>>;

async function realEffect(effect: Effect, real: Real): Promise<Result<Effect, UnresolvedEffect>> {
  switch (effect.kind) {
    case "read":
    case "write":
    case "delete": {
      const path = await real(effect.path);
      return path.ok ? ok({ ...effect, path: path.value }) : path;
    }
    case "move": {
      const from = await real(effect.from);
      if (!from.ok) return from;
      const to = await real(effect.to);
      return to.ok ? ok({ ...effect, from: from.value, to: to.value }) : to;
    }
    case "exec": {
      const cwd = await real(effect.cwd);
      return cwd.ok ? ok({ ...effect, cwd: cwd.value }) : cwd;
    }
    default:
      return ok(effect);
  }
}

/**
 * The folder of a command on this machine is looked at without a detour through another thread: it is about to be started
 * there. Undefined when that is not so easy.
 */
function folderKnown(effect: Effect, { cwd, backend }: Place): Result<Effect, never> | undefined {
  if (effect.kind !== "exec" || backend !== "local") return undefined;
  const full = seenFrom(cwd, effect.cwd);
  if (pathFault(resolve(full)) !== undefined) return undefined;
  try {
    return ok({ ...effect, cwd: realpathSync.native(resolve(full)) });
  } catch {
    return undefined;
  }
}

async function realIn(
  { cwd, backend }: Place,
  path: string,
  elsewhere: Pick<FileSystem, "realPath">,
  signal: AbortSignal,
): Promise<Result<string, UnresolvedEffect>> {
  const full = seenFrom(cwd, path);
  if (backend === "local") return resolveLinks(full);
  // Before the first command its folder may not be known; the backend takes what is relative from there.
  const real = await elsewhere.realPath(isAbsolute(full) ? resolve(full) : full === cwd ? "." : full, signal);
  if (real.ok) return real;
  const { kind, message } = real.error;
  return err({ message, ...(kind === "unreachable" && { unavailable: true }) });
}

function seenFrom(cwd: string, path: string): string {
  return isAbsolute(path) || !isAbsolute(cwd) ? path : join(cwd, path);
}

/** Is one of the folders above a path this very folder, whatever it is called? */
async function isBelow(path: string, root: string): Promise<boolean> {
  const rootIdentity = await identity(root);
  if (rootIdentity === undefined) return false;
  for (let folder = path; ; folder = dirname(folder)) {
    if ((await identity(folder)) === rootIdentity) return true;
    if (dirname(folder) === folder) return false;
  }
}

async function identity(path: string): Promise<string | undefined> {
  return stat(path, { bigint: true }).then(
    ({ dev, ino }) => `${dev}:${ino}`,
    () => undefined,
  );
}

async function follow(path: string, links: number): Promise<string> {
  try {
    return await realpath(path);
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT" || dirname(path) === path) throw thrown;
  }
  const target = await linkTarget(path);
  if (target === undefined) return join(await follow(dirname(path), links), basename(path));
  if (links >= maxLinks) throw Object.assign(new Error("too many links"), { code: "ELOOP" });
  return follow(resolve(await follow(dirname(path), links), target), links + 1);
}

/** Where a link points, also one whose target is missing; undefined for what is no link or is not there. */
async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch {
    return undefined;
  }
}
