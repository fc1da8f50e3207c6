import type { CallId } from "../../base/ids.ts";
import type { Logger } from "../../base/log/log.ts";
import { reasonOf } from "../../base/result.ts";
import type { AgentEventBody } from "../../contracts/session/event.ts";
import type { CallScope } from "../../contracts/tool/dispatch.ts";

/** Emits an event. A listener that throws does not break the call. */
export function emit(scope: CallScope, event: AgentEventBody, log: Logger): void {
  try {
    scope.emit(event);
  } catch (thrown) {
    log.error("event.emit_failed", { type: event.type, error: reasonOf(thrown) });
  }
}

/**
 * Adds the id of the parent call to a record or an event of a nested call. `about` must be a new object: a copy of it
 * would take longer than most steps of a call.
 */
export function withParent<T extends object>(about: Parented<T>, { parent }: Pick<CallScope, "parent">): Parented<T> {
  if (parent) about.parentCallId = parent.callId;
  return about;
}

type Parented<T> = T & { parentCallId?: CallId };
