import { abortable } from "../../base/abort.ts";
import { reasonOf } from "../../base/result.ts";
import type { Checkpointer } from "../../contracts/checkpoint.ts";
import type { DispatchStep } from "../../contracts/dispatch.ts";
import type { Effect } from "../../contracts/effect.ts";
import { fail } from "../../contracts/tool.ts";
import { cancelled } from "./cancelled.ts";

/** Keeps the state that a call will change. What cannot be kept is not changed. */
export function checkpointStep(checkpoints: Pick<Checkpointer, "before">): DispatchStep {
  return async ({ tool, effects, scope: { signal } }, next) => {
    const changes = effects.filter(changesFiles);
    if (changes.length === 0) return next();
    let why: string | undefined;
    try {
      const kept = await abortable(checkpoints.before(changes, signal), signal);
      if (!kept.ok) why = kept.error.message;
    } catch (thrown) {
      if (signal.aborted) return { ok: false, error: cancelled(tool.name) };
      why = reasonOf(thrown);
    }
    return why === undefined
      ? next()
      : fail(`${tool.name} was not run: its changes could not be made undoable (${why})`);
  };
}

function changesFiles(effect: Effect): boolean {
  switch (effect.kind) {
    case "write":
    case "delete":
    case "move":
    case "opaque":
      return true;
    case "exec":
      return effect.leavesNoTrace !== true;
    default:
      return false;
  }
}
