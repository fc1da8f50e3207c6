import { waitFor } from "../../base/async/bounded-wait.ts";
import type { Clock } from "../../base/clock.ts";
import { isObject, type JsonObject } from "../../base/json.ts";
import type { CallStatus, HookRequests, Observed } from "../../contracts/host/hook-events.ts";
import type { HookBus } from "../../contracts/host/hook.ts";
import type { ChangeNote, MiddlewareCall } from "../../contracts/host/middleware.ts";
import type { ToolCall } from "../../contracts/model/message.ts";
import type { CallScope, DispatchStep, PendingCall } from "../../contracts/tool/dispatch.ts";
import { fail, json, type ToolFailure, type ToolResult } from "../../contracts/tool/tool-result.ts";
import { withParent } from "./emit.ts";

/** Runs the hooks before a call with a copy of its arguments. Returns a failure if a hook blocks the call. */
export function runBeforeHooks(
  hooks: HookBus,
  call: ToolCall,
  args: JsonObject,
  trace: readonly ChangeNote[],
  scope: CallScope,
): Promise<HookRequests | ToolFailure> | HookRequests {
  return hooks.has("beforeToolCall") ? askHooks(hooks, call, args, trace, scope) : unasked;
}

async function askHooks(
  hooks: HookBus,
  call: ToolCall,
  args: JsonObject,
  trace: readonly ChangeNote[],
  scope: CallScope,
): Promise<HookRequests | ToolFailure> {
  const event = { call: copyCall(call), args: copyOf(args), trace, ...idsOf(scope) };
  const outcome = (await hooks.ask("beforeToolCall", event, scope.signal)) ?? unasked;
  return "block" in outcome ? fail(outcome.block, "blocked").error : outcome;
}

/** Lets hooks replace a result. A replacement is validated like a tool's result. */
export function transformStep(hooks: HookBus, clock: Clock): DispatchStep {
  return (pending, next) =>
    hooks.has("transformToolResult") || hooks.has("transformTerminalOutput") ? transformed(pending, next) : next();
  async function transformed(
    { call, prepared, scope }: PendingCall,
    next: () => Promise<ToolResult>,
  ): Promise<ToolResult> {
    const startedAt = clock.elapsed();
    const result = await transformOutput(await next(), call.name, prepared.args, scope, hooks);
    if (!hooks.has("transformToolResult")) return result;
    const event = {
      call: copyCall(call),
      args: copyOf(prepared.args),
      result: copyOf(result),
      status: statusOf(result),
      durationMs: clock.elapsed() - startedAt,
      ...idsOf(scope),
    };
    return (await hooks.ask("transformToolResult", event, scope.signal)) ?? result;
  }
}

/** Lets hooks replace the output of a command. */
async function transformOutput(
  result: ToolResult,
  tool: string,
  { command }: JsonObject,
  scope: CallScope,
  hooks: HookBus,
): Promise<ToolResult> {
  const data = result.ok ? result.value.data : undefined;
  if (tool !== "terminal" || !hooks.has("transformTerminalOutput") || !isObject(data)) return result;
  const { output, exit_code: exitCode, backend } = data;
  if (typeof output !== "string" || typeof command !== "string") return result;
  const event = {
    ...idsOf(scope),
    command,
    output,
    backend: typeof backend === "string" ? backend : "local",
    ...(typeof exitCode === "number" && { exitCode }),
  };
  const changed = await hooks.ask("transformTerminalOutput", event, scope.signal);
  return changed === undefined ? result : json({ ...data, output: changed });
}

/**
 * Notifies the observers and waits for them briefly, so that a slow observer does not fall behind. After that time, or
 * on interrupt, the call continues without them.
 */
export async function notifyAfter(
  hooks: HookBus,
  {
    call,
    args,
    result,
    durationMs,
    trace,
  }: Pick<Observed["afterToolCall"], "call" | "args" | "result" | "durationMs" | "trace">,
  scope: CallScope,
  clock: Clock,
): Promise<void> {
  const event = {
    call: copyCall(call),
    args: copyOf(args),
    result: copyOf(result),
    status: statusOf(result),
    durationMs,
    trace,
    ...idsOf(scope),
  };
  await waitFor(hooks.notify("afterToolCall", event, scope.signal), { signal: scope.signal, ms: paceMs, clock });
}

const unasked: HookRequests = { askedBy: [] };
const paceMs = 1000;

/** The call as middleware gets it, with a copy of its arguments. */
export function describeToMiddleware(call: ToolCall, args: JsonObject, scope: CallScope): MiddlewareCall {
  const copy = copyOf(args);
  return { ...idsOf(scope), callId: call.id, tool: call.name, args: copy, originalArgs: copy };
}

function idsOf(
  scope: CallScope,
): Pick<Observed["afterToolCall"], "sessionId" | "turnId" | "parentCallId" | "requestId"> {
  const { sessionId, turnId, requestId } = scope;
  const ids = {
    sessionId,
    ...(turnId !== undefined && { turnId }),
    ...(requestId !== undefined && { requestId }),
  };
  return withParent(ids, scope);
}

function statusOf(result: ToolResult): CallStatus {
  if (result.ok) return "ok";
  switch (result.error.kind) {
    case "denied":
    case "blocked":
      return "blocked";
    case "aborted":
      return "cancelled";
    case "timeout":
      return "timeout";
    default:
      return "error";
  }
}

function copyCall({ id, name, args }: ToolCall): ToolCall {
  return Object.freeze({ id, name, args: copyOf(args) });
}

/** A frozen copy of plain data, so that no hook can change a call or its result for others. */
function copyOf<T>(value: T): T;
function copyOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map((item: unknown) => copyOf(item)));
  // `Object.entries` is avoided: this code runs for every call, and creating the pairs would take longer than the copy.
  const from = value as Readonly<Record<string, unknown>>;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(from)) copy[key] = copyOf(from[key]);
  return Object.freeze(copy);
}
