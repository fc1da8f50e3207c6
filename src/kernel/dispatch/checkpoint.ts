import { waitFor } from "../../base/bounded-wait.ts";
import type { Clock } from "../../base/clock.ts";
import { reasonOf } from "../../base/result.ts";
import type { Checkpointer } from "../../contracts/checkpoint.ts";
import type { DispatchStep } from "../../contracts/dispatch.ts";
import type { Effect } from "../../contracts/effect.ts";
import { fail } from "../../contracts/tool.ts";
import { cancelled } from "./cancelled.ts";

/** Keeps the state that a call will change. What cannot be kept is not changed. */
export function checkpointStep(checkpoints: Pick<Checkpointer, "before">, clock: Clock): DispatchStep {
  return async ({ tool, effects, scope: { signal } }, next) => {
    const changes = effects.filter(changesFiles);
    if (changes.length === 0) return next();
    let why: string | undefined;
    try {
      const waited = await waitFor(checkpoints.before(changes, signal), { signal, ms: checkpointMs, clock });
      if (waited.how === "aborted") return { ok: false, error: cancelled(tool.name) };
      if (waited.how !== "done") why = `no answer within ${checkpointMs / 1000} s`;
      else if (!waited.value.ok) why = waited.value.error.message;
    } catch (thrown) {
      why = reasonOf(thrown);
    }
    return why === undefined
      ? next()
      : fail(`${tool.name} was not run: its changes could not be made undoable (${why})`);
  };
}

/** A large folder takes a while to copy; a checkpointer that hangs must not hang the turn. */
const checkpointMs = 120_000;

function changesFiles(effect: Effect): boolean {
  switch (effect.kind) {
    case "write":
    case "delete":
    case "move":
    case "opaque":
      return true;
    case "exec":
      return effect.leavesNoTrace !== true;
    case "process":
      return effect.action === "type";
    default:
      return false;
  }
}
