import { type AbortLink, linkAbort } from "../../../base/async/abort.ts";
import { onDispose } from "../../../base/async/on-dispose.ts";
import { once } from "../../../base/async/once.ts";
import type { Clock } from "../../../base/clock.ts";
import { asId, type CallId, newId } from "../../../base/ids.ts";
import type { ToolCall } from "../../../contracts/model/message.ts";
import type { Origin } from "../../../contracts/safety/principal.ts";
import type { CallScope, ParentCall, PendingCall } from "../../../contracts/tool/dispatch.ts";
import type { Services } from "../../../contracts/tool/services.ts";
import { type CallTool, fail, type ToolResult } from "../../../contracts/tool/tool-result.ts";
import { recordRefused, type LedgerDeps } from "../ledger.ts";
import { createBatch, type Stages } from "./batch.ts";

export interface NestingDeps extends LedgerDeps {
  readonly stages: Stages;
  readonly clock: Clock;
  /** The untrusted tools whose results a running call received. */
  readonly foreign: WeakMap<PendingCall, ReadonlySet<string>>;
  readonly limits: {
    readonly parallel: number;
    readonly nestedChars: number;
    /** The maximum depth of nested calls. */
    readonly nestingDepth: number;
    /** The maximum number of nested calls within one call of the model. */
    readonly nestedCalls: number;
  };
}

/** The nested calls of one running call. */
export interface NestedCalls {
  readonly call: CallTool;
  /** Aborts the running nested calls and waits for their outcomes. */
  end(): Promise<void>;
}

/** The running call that makes the nested calls. */
export interface Caller {
  signal(): AbortSignal;
  /** Pauses the time limit of the running call. */
  pause(): Disposable;
}

/**
 * Runs nested calls with the same conflict rules as the calls of a turn. They never wait for their parent calls, which
 * hold the same paths. A call that can make nested calls runs alone in its own batch, so no deadlock is possible.
 */
export function nestCalls(pending: PendingCall, caller: Caller, deps: NestingDeps): NestedCalls {
  const { call, tool, scope: above } = pending;
  const { stages, clock, limits, recorded } = deps;
  const batch = createBatch(stages, { parallel: limits.parallel, clock });
  let running = 0;
  let idle: PromiseWithResolvers<void> | undefined;
  let link: AbortLink | undefined;
  const scopes = new Map<Origin, CallScope>();
  let isOver = false;
  let started = 0;
  // One random prefix for the ids of all nested calls, because generating a random value takes longer than most other
  // steps of a call.
  const ids = once(() => newId<CallId>("call"));
  const depth = (above.parent?.depth ?? 0) + 1;
  const budget = above.parent?.budget ?? { calls: limits.nestedCalls, chars: limits.nestedChars };
  const foreign = new Set<string>();
  deps.foreign.set(pending, foreign);
  const parent: ParentCall = {
    callId: call.id,
    depth,
    budget,
    foreign,
    pause() {
      const [own, higher] = [caller.pause(), above.parent?.pause()];
      return onDispose(() => {
        own[Symbol.dispose]();
        higher?.[Symbol.dispose]();
      });
    },
  };

  async function run(nested: ToolCall, scope: CallScope): Promise<ToolResult> {
    running += 1;
    try {
      const reason = overLimit();
      const { callId, result } = await (reason
        ? stages.refuse(nested, fail(reason, "blocked").error, scope)
        : batch.add(nested, scope));
      if (!recorded.has(result)) {
        recordRefused({ callId, parentCallId: call.id, tool: nested.name, result }, scope, deps);
      }
      return result;
    } finally {
      running -= 1;
      if (running === 0) idle?.resolve();
    }
  }

  function overLimit(): string | undefined {
    if (depth > limits.nestingDepth) return `Calls can be nested at most ${limits.nestingDepth} levels deep`;
    if (budget.calls <= 0) return `One call can make at most ${limits.nestedCalls} nested calls`;
    budget.calls -= 1;
    return undefined;
  }

  /** All calls of the same origin share one scope. */
  function scopeFor(by: Origin): CallScope {
    link ??= linkAbort(caller.signal());
    const scope = scopes.get(by) ?? nestedScope(above, parent, link.signal, by);
    scopes.set(by, scope);
    return scope;
  }

  return {
    async call(name, args, by): Promise<ToolResult> {
      if (isOver) return fail(`${name} was not called: ${tool.name} has ended`, "aborted");
      return run({ id: asId<CallId>(`${ids()}_${++started}`), name, args }, scopeFor(by ?? "script"));
    },
    async end() {
      isOver = true;
      link?.abort(new DOMException(`${tool.name} has ended`, "AbortError"));
      if (running === 0) return;
      idle = Promise.withResolvers();
      await idle.promise;
    },
  };
}

function nestedScope(above: CallScope, parent: ParentCall, signal: AbortSignal, by: Origin): CallScope {
  return { ...above, parent, signal, origin: nestedOrigin(above.origin, by), services: nestedServices(above.services) };
}

/**
 * A script or a plugin makes the call, not the user or the model. A scheduled call stays scheduled, so that its
 * approval mode applies.
 */
function nestedOrigin(origin: Origin, by: Origin): Origin {
  return origin === "user" || origin === "model" ? by : origin;
}

/** The model does not see the output of a nested call, so a tool must not answer that a text was shown before. */
function nestedServices(services: Partial<Services>): Partial<Services> {
  const { fileReads } = services;
  return fileReads ? { ...services, fileReads: { ...fileReads, repeats: () => false } } : services;
}
