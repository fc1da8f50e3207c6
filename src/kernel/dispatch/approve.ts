import { waitFor } from "../../base/bounded-wait.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log.ts";
import { reasonOf } from "../../base/result.ts";
import type { PendingCall, Policy } from "../../contracts/dispatch.ts";
import { fail, type ToolFailure } from "../../contracts/tool.ts";
import { cancelled } from "./cancelled.ts";

/** The failure of a call that may not run, or nothing. Anything but a clear yes of the policy is a no. */
export async function approve(
  { call, tool, prepared, effects, askedBy, scope }: PendingCall,
  { policy, clock, log }: { readonly policy: Policy; readonly clock: Clock; readonly log: Logger },
): Promise<ToolFailure | undefined> {
  const request = {
    sessionId: scope.sessionId,
    ...(scope.turnId !== undefined && { turnId: scope.turnId }),
    callId: call.id,
    principal: scope.principal,
    tool: tool.name,
    readOnly: tool.traits.readOnly,
    args: prepared.args,
    effects,
    origin: scope.origin,
    place: scope.place,
    ...(scope.services.environment && { environment: scope.services.environment }),
    tainted: scope.tainted ?? [],
    ...(askedBy.length > 0 && { askedBy }),
  };
  try {
    const waited = await waitFor(policy.decide(request, scope.signal), { signal: scope.signal, ms: Infinity, clock });
    if (waited.how !== "done" || scope.signal.aborted) return cancelled(tool.name);
    const verdict = waited.value;
    if (verdict.decision === "allow") return undefined;
    const { reason, rule, cause } = verdict;
    if (typeof reason !== "string") throw new TypeError("it gave no verdict");
    if (cause === "unavailable") return fail(reason, "unavailable").error;
    const data = { ...(rule !== undefined && { rule }), ...(cause !== undefined && { cause }) };
    return fail(reason, "denied", Object.keys(data).length === 0 ? {} : { data }).error;
  } catch (thrown) {
    if (scope.signal.aborted) return cancelled(tool.name);
    log.error("policy.failed", { tool: tool.name, error: reasonOf(thrown) });
    return fail(`${tool.name} was not run: the policy could not decide (${reasonOf(thrown)})`, "denied").error;
  }
}
