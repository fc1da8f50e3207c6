import type { Clock } from "../../../base/clock.ts";
import { checkJson, isObject, type JsonLimits, type JsonObject } from "../../../base/json.ts";
import type { Logger } from "../../../base/log/log.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import type { HookBus } from "../../../contracts/host/hook.ts";
import type { ChangeNote, MiddlewareCall } from "../../../contracts/host/middleware.ts";
import type { ToolCall } from "../../../contracts/model/message.ts";
import type { CallScope, EffectResolver, PendingCall } from "../../../contracts/tool/dispatch.ts";
import type { ToolFailure } from "../../../contracts/tool/tool-result.ts";
import type { PreparedCall, Tool } from "../../../contracts/tool/tool.ts";
import { changeRequest } from "../../middleware.ts";
import { cancelled } from "../cancelled.ts";
import { describeToMiddleware, runBeforeHooks } from "../hooks.ts";
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
  /** The maximum size of the arguments. */
  readonly limits: JsonLimits;
}

/**
 * Turns a tool request into a call that can run: finds the tool, validates the arguments, lets middleware change them,
 * runs hooks and resolves effects. `changes`: the arguments come from middleware, which is not called again.
 */
export async function admitCall(
  request: ToolCall,
  scope: CallScope,
  deps: AdmissionDeps,
  changes?: readonly ChangeNote[],
): Promise<Result<PendingCall, Refusal>> {
  if (scope.signal.aborted) return err({ call: request, failure: cancelled(request.name) });
  const match = findTool(request, scope.catalog, scope.origin, deps.limits);
  if (!match.ok) return match;
  const { call, tool, args } = match.value;
  const refuse = (failure: ToolFailure) => err({ call, failure });
  const missing = missingNeeds(tool, scope, deps.secrets);
  if (missing) return refuse(missing);
  const preparing = prepareArguments(tool, args, scope.signal, deps);
  const requested = preparing instanceof Promise ? await preparing : preparing;
  if (!requested.ok) return refuse(requested.error);
  const isChangeable = !changes && deps.hooks.middleware("toolRequest").length > 0;
  const changed = isChangeable ? await changedByMiddleware(call, requested.value.args, scope, deps) : undefined;
  const given = changed ? await prepareAgain(tool, changed.args, scope, deps) : requested;
  if (!given.ok) return refuse(given.error);
  const trace = changed?.trace ?? changes ?? [];
  const asking = runBeforeHooks(deps.hooks, call, given.value.args, trace, scope);
  const replies = asking instanceof Promise ? await asking : asking;
  if (scope.signal.aborted) return refuse(cancelled(tool.name));
  if ("kind" in replies) return refuse(replies);
  const prepared = replies.args ? await prepareAgain(tool, replies.args, scope, deps) : given;
  if (!prepared.ok) return refuse(prepared.error);
  const resolving = resolveEffects(tool, prepared.value, scope, deps);
  const effects = resolving instanceof Promise ? await resolving : resolving;
  if (!effects.ok) return refuse(effects.error);
  const { services } = scope;
  return ok({
    call,
    tool,
    prepared: prepared.value,
    effects: effects.value,
    services,
    askedBy: replies.askedBy,
    trace,
    scope,
  });
}

/** The arguments after middleware. Undefined: middleware changed nothing. */
async function changedByMiddleware(
  call: ToolCall,
  args: JsonObject,
  scope: CallScope,
  deps: AdmissionDeps,
): Promise<{ readonly args: JsonObject; readonly trace: readonly ChangeNote[] } | undefined> {
  const list = deps.hooks.middleware("toolRequest");
  const about = describeToMiddleware(call, args, scope);
  const read = (answer: Record<string, unknown>, value: MiddlewareCall) =>
    isJsonObject(answer.args, deps.limits) ? { ...value, args: answer.args } : undefined;
  const { value, trace } = await changeRequest(list, about, read, scope.signal, deps);
  return trace.length > 0 ? { args: value.args, trace } : undefined;
}

function isJsonObject(value: unknown, limits: JsonLimits): value is JsonObject {
  return isObject(value) && checkJson(value, limits).ok;
}

/** Arguments from hooks and middleware pass the same checks as arguments from the model. */
async function prepareAgain(
  tool: Tool,
  args: JsonObject,
  scope: CallScope,
  deps: AdmissionDeps,
): Promise<Result<PreparedCall, ToolFailure>> {
  const read = readArguments(args, deps.limits);
  const prepared = read.ok ? await prepareArguments(tool, read.value, scope.signal, deps) : read;
  if (prepared.ok) return prepared;
  return err({ ...prepared.error, message: `${prepared.error.message} (a hook or middleware changed the arguments)` });
}
