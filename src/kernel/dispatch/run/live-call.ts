import { type AbortLink, linkAbort } from "../../../base/async/abort.ts";
import type { Clock } from "../../../base/clock.ts";
import type { Logger } from "../../../base/log/log.ts";
import { oneLine } from "../../../base/text/text.ts";
import type { PendingCall, Redactor } from "../../../contracts/tool/dispatch.ts";
import type { Services } from "../../../contracts/tool/services.ts";
import type { WideContext } from "../../../contracts/tool/tool.ts";
import { type SecretLookup, secretsFor, servicesFor } from "../admission/needs.ts";
import { emit, withParent } from "../emit.ts";

export interface LiveCallDeps {
  readonly secrets: SecretLookup;
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A call while it runs. */
export interface LiveCall {
  /** The context that the handler gets. */
  readonly context: WideContext;
  /** Aborts the handler's signal. */
  stop(reason: unknown): void;
  /** Lets go of the conversation; progress from now on is of no interest to anyone. */
  end(): void;
}

/** The handler's signal follows the conversation's. It is made when first asked for: most handlers never do. */
export function liveCall(
  { call, tool, effects, scope }: PendingCall,
  services: Partial<Services>,
  deps: LiveCallDeps,
): LiveCall {
  let link: AbortLink | undefined;
  let stopped: { readonly reason: unknown } | undefined;
  let isOver = false;
  const context: WideContext = {
    sessionId: scope.sessionId,
    callId: call.id,
    origin: scope.origin,
    principal: scope.principal,
    effects,
    secrets: secretsFor(tool, deps.secrets),
    get signal() {
      link ??= linkAbort(scope.signal);
      if (stopped) link.abort(stopped.reason);
      return link.signal;
    },
    clock: deps.clock,
    log: deps.log.with({ tool: tool.name, callId: call.id }),
    progress: (note) => {
      if (isOver || typeof note !== "string") return;
      const shown = oneLine(deps.redactor.redact(note), noteChars);
      emit(scope, withParent({ type: "tool.progressed", callId: call.id, note: shown } as const, scope), deps.log);
    },
  };
  return {
    context: tool.needs.length > 0 ? Object.assign(context, servicesFor(tool, services)) : context,
    stop(reason) {
      stopped = { reason };
      link?.abort(reason);
    },
    end() {
      isOver = true;
      link?.[Symbol.dispose]();
    },
  };
}

const noteChars = 500;
