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

/** For records and events of a nested call. */
export function parentIds({ parent }: Pick<CallScope, "parent">): { readonly parentCallId?: CallId } {
  return parent ? { parentCallId: parent.callId } : noParent;
}

const noParent = {};
