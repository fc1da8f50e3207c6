import { readlink, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";

import { err, ok, reasonOf, type Result } from "../base/result.ts";
import type { EffectResolver, UnresolvedEffect } from "../contracts/dispatch.ts";
import type { Effect } from "../contracts/effect.ts";
import type { Place } from "../contracts/tool.ts";

/**
 * Effects of calls on this machine, with paths as they really are: absolute, through every link, also a link whose
 * target does not exist yet. `..` is taken out by spelling first, as file tools do. Commands are left as they are.
 */
export const realPaths: EffectResolver = {
  async resolve(effects, place, signal) {
    const resolved: Effect[] = [];
    for (const effect of effects) {
      if (signal.aborted) return err({ message: "interrupted" });
      const real = await realEffect(effect, place);
      if (!real.ok) return real;
      resolved.push(real.value);
    }
    return ok(resolved);
  },
};

/** Where a path leads. What does not exist yet is taken below the nearest folder that does. */
export async function realPath(path: string): Promise<Result<string, UnresolvedEffect>> {
  try {
    return ok(await follow(resolve(path), 0));
  } catch (thrown) {
    const complaint = complaints.get(codeOf(thrown));
    return err({ message: `${path}: ${complaint ?? reasonOf(thrown)}`, invalid: complaint !== undefined });
  }
}

/** As many as Linux follows. */
const maxLinks = 40;

const complaints: ReadonlyMap<string, string> = new Map([
  ["ELOOP", "links lead in a circle"],
  ["ENOTDIR", "a part of the path is a file, not a folder"],
  ["ENAMETOOLONG", "the path is too long"],
  ["ERR_INVALID_ARG_VALUE", "a path cannot contain NUL"],
]);

async function realEffect(effect: Effect, place: Place): Promise<Result<Effect, UnresolvedEffect>> {
  switch (effect.kind) {
    case "read":
    case "write":
    case "delete": {
      const path = await realPath(inPlace(effect.path, place));
      return path.ok ? ok({ ...effect, path: path.value }) : path;
    }
    case "move": {
      const from = await realPath(inPlace(effect.from, place));
      if (!from.ok) return from;
      const to = await realPath(inPlace(effect.to, place));
      return to.ok ? ok({ ...effect, from: from.value, to: to.value }) : to;
    }
    case "exec": {
      const cwd = await realPath(inPlace(effect.cwd, place));
      return cwd.ok ? ok({ ...effect, cwd: cwd.value }) : cwd;
    }
    default:
      return ok(effect);
  }
}

function inPlace(path: string, { cwd }: Place): string {
  return isAbsolute(path) ? path : join(cwd, path);
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

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
}
