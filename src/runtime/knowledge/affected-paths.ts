import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { isInside } from "../../base/files/path.ts";
import { oneLine } from "../../base/text/text.ts";
import { homeFolder } from "../../base/this-user.ts";
import type { Affected } from "../../checkpoints/workspace-checkpoints.ts";
import type { Environment } from "../../contracts/environment/environment.ts";
import type { CheckpointCall } from "../../contracts/knowledge/checkpoint.ts";
import { describeEffect, type Effect } from "../../contracts/tool/effect.ts";

/** What a call can change, from its effects; commands are read for it. */
export async function affectedBy(
  { effects, place }: CheckpointCall,
  environment: Pick<Environment, "state">,
  user: string,
  signal: AbortSignal,
): Promise<Affected> {
  const isLocal = place.backend === "local";
  const each = await Promise.all(
    effects.map(async (effect): Promise<Omit<Affected, "label">> => {
      switch (effect.kind) {
        case "write":
        case "delete":
          return { paths: [effect.path], isWhole: false };
        case "move":
          return { paths: [effect.from, effect.to], isWhole: false };
        case "exec":
          return commandPaths(effect, isLocal, environment, user, signal);
        case "opaque":
          // It runs on this machine, wherever commands do.
          return { paths: [], isWhole: isLocal };
        default:
          return { paths: [], isWhole: effect.kind === "process" };
      }
    }),
  );
  return {
    paths: each.flatMap(({ paths }) => paths),
    isWhole: each.some(({ isWhole }) => isWhole),
    label: effects.map(labelOf).join("; "),
  };
}

function labelOf(effect: Effect): string {
  return effect.kind === "exec" ? oneLine(effect.command, 400) : describeEffect(effect);
}

async function commandPaths(
  { command, cwd }: Extract<Effect, { readonly kind: "exec" }>,
  isLocal: boolean,
  environment: Pick<Environment, "state">,
  user: string,
  signal: AbortSignal,
): Promise<Omit<Affected, "label">> {
  const { changedPaths } = await import("../../safety/policy/changed-paths.ts");
  const shell = await environment.state(signal);
  const at = { cwd, home: shell.home ?? homeFolder(), user, shell };
  const { paths, isAll, folders } = changedPaths(command, at);
  // Other folders than the project that something unknown runs in.
  const other = folders.filter((folder) => !isInside(folder, at.home) && folder.split("/").length > 2);
  const real = isLocal ? await Promise.all([...paths, ...other].map(realPlaces)) : [paths, other];
  return { paths: real.flat(), isWhole: !isAll };
}

/** A link can be replaced, or written through. */
async function realPlaces(path: string): Promise<readonly string[]> {
  const folder = await realpath(dirname(path)).catch(() => dirname(path));
  const own = join(folder, basename(path));
  const target = await realpath(own).catch(() => own);
  return target === own ? [own] : [own, target];
}
