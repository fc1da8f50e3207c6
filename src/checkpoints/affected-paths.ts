import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { oneLine } from "../base/text/text.ts";
import type { CheckpointCall } from "../contracts/knowledge/checkpoint.ts";
import { describeEffect, type Effect, type ResolvedEffect } from "../contracts/tool/effect.ts";
import type { AffectedPaths } from "./workspace-checkpoints.ts";

/** The files that a call can change, derived from its resolved effects. */
export async function affectedPaths({ effects, place }: CheckpointCall): Promise<AffectedPaths> {
  const isLocal = place.backend === "local";
  const each = await Promise.all(effects.map((effect) => changedBy(effect, isLocal)));
  return {
    paths: each.flatMap(({ paths }) => paths),
    isWhole: each.some(({ isWhole }) => isWhole),
    label: effects.map(labelOf).join("; "),
  };
}

async function changedBy(effect: ResolvedEffect, isLocal: boolean): Promise<Omit<AffectedPaths, "label">> {
  switch (effect.kind) {
    case "write":
    case "delete":
      return { paths: [effect.path], isWhole: false };
    case "move":
      return { paths: [effect.from, effect.to], isWhole: false };
    case "exec": {
      const { paths, isAll, folders } = effect.analysis?.changes ?? unknown;
      const named = [...paths, ...folders];
      const real = isLocal ? (await Promise.all(named.map(realPlaces))).flat() : named;
      return { paths: real, isWhole: !isAll };
    }
    case "opaque":
      // The tool runs on this machine, whatever the backend for commands is.
      return { paths: [], isWhole: isLocal };
    default:
      return { paths: [], isWhole: effect.kind === "process" };
  }
}

const unknown = { paths: [], isAll: false, folders: [] };

function labelOf(effect: Effect): string {
  return effect.kind === "exec" ? oneLine(effect.command, 400) : describeEffect(effect);
}

/** The path and its link target, because a link can be replaced or written through. */
async function realPlaces(path: string): Promise<readonly string[]> {
  const folder = await realpath(dirname(path)).catch(() => dirname(path));
  const own = join(folder, basename(path));
  const target = await realpath(own).catch(() => own);
  return target === own ? [own] : [own, target];
}
