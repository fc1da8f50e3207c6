import { waitFor } from "../../base/async/bounded-wait.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import type { Allowed, PolicyRequest } from "../../contracts/safety/approval.ts";
import type { PendingCall, Policy } from "../../contracts/tool/dispatch.ts";
import { fail, type ToolFailure } from "../../contracts/tool/tool-result.ts";
import { servicesFor } from "./admission/needs.ts";
import { cancelled } from "./cancelled.ts";
import { isRecordedLate } from "./ledger.ts";
import { foreseenFailure, type LiveCallDeps } from "./run/run.ts";

/**
 * Returns the approval of the policy, or the failure of a denied call. Any answer that is not a clear approval denies
 * the call.
 */
export async function approve(
  pending: PendingCall,
  deps: LiveCallDeps & { readonly policy: Policy },
): Promise<Result<Allowed, ToolFailure>> {
  const { call, tool, prepared, effects, services, askedBy, scope } = pending;
  const { policy, clock, log } = deps;
  let refusal: ToolFailure | undefined;
  const { preview } = prepared;
  // Optional fields are assigned: spreads take longer than most other steps of a call.
  const request: { -readonly [Key in keyof PolicyRequest]: PolicyRequest[Key] } = {
    sessionId: scope.sessionId,
    callId: call.id,
    principal: scope.principal,
    tool: tool.name,
    readOnly: tool.traits.readOnly,
    args: prepared.args,
    effects,
    origin: scope.origin,
    place: scope.place,
    tainted: scope.taint?.sources() ?? [],
  };
  if (scope.turnId !== undefined) request.turnId = scope.turnId;
  if (scope.parent) request.parentCallId = scope.parent.callId;
  if (isRecordedLate(pending)) request.isRecordedLate = true;
  if (scope.services.environment) request.environment = scope.services.environment;
  if (preview) request.preview = async (signal) => preview({ ...servicesFor(tool, services), effects, signal });
  if (askedBy.length > 0) request.askedBy = askedBy;
  if (prepared.refuses) {
    request.isRefused = async () => (refusal = await foreseenFailure(pending, deps)) !== undefined;
  }
  try {
    const deciding = policy.decide(request, scope.signal);
    const waited =
      deciding instanceof Promise
        ? await waitFor(deciding, {
            signal: scope.signal,
            ms: Infinity,
            clock,
            // Waiting for a person counts against no time limit, including those of the parent calls.
            whileWaiting: () => scope.parent?.pause(),
          })
        : ({ how: "done", value: deciding } as const);
    if (waited.how !== "done" || scope.signal.aborted) return err(cancelled(tool.name));
    const verdict = waited.value;
    if (verdict.decision === "allow") return ok(verdict);
    const { reason, rule, cause, asks } = verdict;
    if (typeof reason !== "string") throw new TypeError("it gave no verdict");
    if (cause === "refused" && refusal) return err(refusal);
    if (cause === "unavailable") return fail(reason, "unavailable");
    const data = {
      ...(rule !== undefined && { rule }),
      ...(cause !== undefined && { cause }),
      ...(asks && { asks: asks.map((ask) => ({ ...ask })) }),
    };
    return fail(reason, "denied", Object.keys(data).length === 0 ? {} : { data });
  } catch (thrown) {
    if (scope.signal.aborted) return err(cancelled(tool.name));
    log.error("policy.failed", { tool: tool.name, error: reasonOf(thrown) });
    return fail(`${tool.name} was not run: the policy could not decide (${reasonOf(thrown)})`, "denied");
  }
}
