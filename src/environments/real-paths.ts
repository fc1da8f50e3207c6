import { realpathSync } from "node:fs";
import { readlink, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";

import { codeOf, describeFault } from "../base/files/file-fault.ts";
import { isInside, pathFault } from "../base/files/path.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { FileSystem } from "../contracts/environment/environment.ts";
import type { ChangedPaths } from "../contracts/safety/command-analysis.ts";
import type { EffectResolver, UnresolvedEffect } from "../contracts/tool/dispatch.ts";
import type { ChangedPlace, Effect, Place } from "../contracts/tool/effect.ts";

/**
 * Resolves the paths in effects of calls: absolute, through every link, even a link whose target does not exist yet.
 * `..` is removed lexically first, as file tools do. Commands stay unchanged. On a backend its own file system resolves
 * the paths.
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

/** Resolves a path. A missing path is resolved below its nearest existing folder. */
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

/** The real paths that a command on this machine changes. A path that does not resolve, such as one through a file, stays unchanged. */
export async function changedPlaces({ paths, contents = [] }: ChangedPaths): Promise<readonly ChangedPlace[]> {
  const outermost = paths.filter((path) => !paths.some((other) => other !== path && isInside(other, path)));
  return Promise.all(
    outermost.map(async (path) => {
      const [folder, target] = [await resolveLinks(dirname(path)), await resolveLinks(path)];
      const entry = folder.ok ? join(folder.value, basename(path)) : path;
      return { path, entry, target: target.ok ? target.value : entry, isContent: contents.includes(path) };
    }),
  );
}

/** The target of a path relative to a folder. `why` is for users. */
export interface Location {
  readonly real: string;
  readonly inside: boolean;
  readonly why: string;
}

/**
 * Whether a path, with every link followed, is in the folder `root`. Folders are compared by identity, so that another
 * spelling of the same folder (a case-insensitive file system, a second mount) changes nothing. A hard link has no
 * location of its own: a file with a hard link inside counts as inside.
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

/** Maximum number of links in a path, as in Linux. */
const maxLinks = 40;

const complaints: ReadonlyMap<string, string> = new Map([
  ["ELOOP", "links form a circle"],
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
 * Checks the folder of a local command synchronously, because the command is about to start there. Undefined when that
 * is not possible.
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
  // Before the first command the folder may be unknown; the backend resolves relative paths.
  const real = await elsewhere.realPath(isAbsolute(full) ? resolve(full) : full === cwd ? "." : full, signal);
  if (real.ok) return real;
  const { kind, message } = real.error;
  return err({ message, ...(kind === "unreachable" && { unavailable: true }) });
}

function seenFrom(cwd: string, path: string): string {
  return isAbsolute(path) || !isAbsolute(cwd) ? path : join(cwd, path);
}

/** Whether one of the parents of a path is this folder, under any name. */
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
    // Synchronous, because the thread pool takes many times longer than the call.
    return realpathSync.native(path);
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT" || dirname(path) === path) throw thrown;
  }
  const target = await linkTarget(path);
  if (target === undefined) return join(await follow(dirname(path), links), basename(path));
  if (links >= maxLinks) throw Object.assign(new Error("too many links"), { code: "ELOOP" });
  return follow(resolve(await follow(dirname(path), links), target), links + 1);
}

/** The target of a link, even if the target is missing; undefined for a path that is missing or not a link. */
async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch {
    return undefined;
  }
}
