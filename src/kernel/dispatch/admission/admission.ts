import type { Clock } from "../../../base/clock.ts";
import type { JsonLimits, JsonObject } from "../../../base/json.ts";
import type { Logger } from "../../../base/log/log.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import type { HookBus } from "../../../contracts/host/hook.ts";
import type { ToolCall } from "../../../contracts/model/message.ts";
import type { CallScope, EffectResolver, PendingCall } from "../../../contracts/tool/dispatch.ts";
import type { ToolFailure } from "../../../contracts/tool/tool-result.ts";
import type { PreparedCall, Tool } from "../../../contracts/tool/tool.ts";
import { cancelled } from "../cancelled.ts";
import { runBeforeHooks } from "../hooks.ts";
import { prepareArguments, readArguments } from "./arguments.ts";
import { findTool, type Refusal } from "./find-tool.ts";
import { missingNeeds, type SecretLookup } from "./needs.ts";
import { resolveEffects } from "./resolve.ts";

export interface AdmissionDeps {
  readonly hooks: HookBus;
  readonly resolver: EffectResolver;
  readonly secrets: SecretLookup;
  readonly clock: Clock;
  readonly log: Logger;
  /** Limits of the arguments. */
  readonly limits: JsonLimits;
}

/** Turns a request into a call that can run: finds the tool, validates arguments, runs hooks, resolves effects. */
export async function admitCall(
  request: ToolCall,
  scope: CallScope,
  deps: AdmissionDeps,
): Promise<Result<PendingCall, Refusal>> {
  if (scope.signal.aborted) return err({ call: request, failure: cancelled(request.name) });
  const match = findTool(request, scope.catalog, scope.origin, deps.limits);
  if (!match.ok) return match;
  const { call, tool, args } = match.value;
  const refuse = (failure: ToolFailure) => err({ call, failure });
  const missing = missingNeeds(tool, scope, deps.secrets);
  if (missing) return refuse(missing);
  const given = await prepareArguments(tool, args, scope.signal, deps);
  if (!given.ok) return refuse(given.error);
  const replies = await runBeforeHooks(deps.hooks, call, given.value.args, scope);
  if (scope.signal.aborted) return refuse(cancelled(tool.name));
  if ("kind" in replies) return refuse(replies);
  const prepared = replies.args ? await prepareAgain(tool, replies.args, scope, deps) : given;
  if (!prepared.ok) return refuse(prepared.error);
  const effects = await resolveEffects(tool, prepared.value, scope, deps);
  if (!effects.ok) return refuse(effects.error);
  const { services } = scope;
  return ok({
    call,
    tool,
    prepared: prepared.value,
    effects: effects.value,
    services,
    askedBy: replies.askedBy,
    scope,
  });
}

/** Arguments from hooks pass the same checks as arguments from the model. */
async function prepareAgain(
  tool: Tool,
  args: JsonObject,
  scope: CallScope,
  deps: AdmissionDeps,
): Promise<Result<PreparedCall, ToolFailure>> {
  const read = readArguments(args, deps.limits);
  const prepared = read.ok ? await prepareArguments(tool, read.value, scope.signal, deps) : read;
  if (prepared.ok) return prepared;
  return err({ ...prepared.error, message: `${prepared.error.message} (a hook changed the arguments)` });
}
