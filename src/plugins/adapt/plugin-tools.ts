import { isObject, type JsonObject, parsedJson } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { PluginClient, PluginFault } from "../../contracts/plugin/client.ts";
import type { ToolRegistration } from "../../contracts/plugin/registration.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import type { Effect, Place } from "../../contracts/tool/effect.ts";
import { fromJsonSchema } from "../../contracts/tool/json-input.ts";
import {
  type CallTool,
  fail,
  type FailureKind,
  type ToolFailure,
  type ToolResult,
} from "../../contracts/tool/tool-result.ts";
import type { CallContext, PreparedCall, Tool, WideContext } from "../../contracts/tool/tool.ts";
import { declaredWithin, type EffectFacts, permittedEffects } from "./tool-effects.ts";
import { pluginToolHeader } from "./tool-header.ts";

export interface PluginToolFacts extends EffectFacts {
  /** The running calls of this plugin that may call other tools, by call id. */
  readonly runningCalls: Map<string, CallTool>;
  /** Saves the latest result of a tool's availability check for the next start. */
  readonly keepCheck: (tool: string, isAvailable: boolean) => void;
}

/** A tool of a plugin, whose process starts at the first call. */
export function pluginTool(registration: ToolRegistration, client: PluginClient, facts: PluginToolFacts): Tool {
  const { name, declaresEffects } = registration;
  const check = createCheck(registration, client, facts);
  const header = pluginToolHeader(registration, facts.permissions);
  const definition = defineTool({
    ...header,
    input: fromJsonSchema(header.inputSchema),
    run: async (args, context) => {
      const result = await runTool(name, args, context, client, facts);
      check?.refreshAt(context.clock.elapsed());
      return result;
    },
  });
  const effectsOf = (args: JsonObject, place: Place) => {
    const all = permittedEffects(facts, args, place);
    return declaresEffects && all.length > 0 ? narrowed(all, name, args, place, client, facts) : all;
  };
  const withEffects = (prepared: Result<PreparedCall, ToolFailure>): Result<PreparedCall, ToolFailure> => {
    if (!prepared.ok) return prepared;
    const { value: call } = prepared;
    return ok({ ...call, effects: (place) => effectsOf(call.args, place) });
  };
  return {
    ...header,
    ...(check && { check: check.answer }),
    prepare(args) {
      const prepared = definition.prepare(args);
      return prepared instanceof Promise ? prepared.then(withEffects) : withEffects(prepared);
    },
  };
}

const effectsTimeoutMs = 5000;
const checkTimeoutMs = 10_000;
const checkEveryMs = 60_000;

/**
 * If a plugin declares more effects than its permissions allow, or the declaration fails, all of its permissions
 * count as effects.
 */
async function narrowed(
  all: readonly Effect[],
  name: string,
  args: JsonObject,
  place: Place,
  client: PluginClient,
  facts: EffectFacts,
): Promise<readonly Effect[]> {
  const limits = { signal: new AbortController().signal, timeoutMs: effectsTimeoutMs };
  const declared = await client.request("tool.effects", { name, args, cwd: place.cwd }, limits);
  return (declared.ok ? declaredWithin(declared.value, facts, args, place) : undefined) ?? all;
}

async function runTool(
  name: string,
  args: JsonObject,
  context: CallContext & Partial<Pick<WideContext, "call">>,
  client: PluginClient,
  { runningCalls }: PluginToolFacts,
): Promise<ToolResult> {
  const { sessionId, callId, turnId, parentCallId, cwd, signal } = context;
  const call = {
    sessionId,
    callId,
    cwd,
    ...(turnId !== undefined && { turnId }),
    ...(parentCallId !== undefined && { parentCallId }),
  };
  if (context.call) runningCalls.set(callId, context.call);
  try {
    const limits = { signal, onProgress: context.progress };
    const answer = await client.request("tool.run", { name, args, call }, limits);
    return answer.ok ? readAnswer(answer.value, name, client.key) : err(failureOf(answer.error));
  } finally {
    runningCalls.delete(callId);
  }
}

function failureOf({ kind, message }: PluginFault) {
  const hasStarted = kind !== "unavailable" && kind !== "refused";
  return fail(message, failureKinds[kind], { effect: hasStarted ? "unknown" : "none" }).error;
}

const failureKinds: Readonly<Record<PluginFault["kind"], FailureKind>> = {
  unavailable: "unavailable",
  refused: "denied",
  failed: "failed",
  crashed: "crashed",
  timeout: "timeout",
  aborted: "aborted",
};

/**
 * The dispatcher validates the parts of the result. Python Hermes reports a failure as JSON text with the key
 * `error`.
 */
function readAnswer(value: unknown, tool: string, plugin: string): ToolResult {
  if (!isObject(value) || typeof value["ok"] !== "boolean") {
    return fail(`Plugin ${plugin}: the tool ${tool} returned something that is not a tool result`, "crashed", {
      effect: "unknown",
    });
  }
  // The cast is safe: the dispatcher validates every field again.
  const result = value as unknown as ToolResult;
  if (!result.ok) return result;
  const content: readonly unknown[] = Array.isArray(result.value?.content) ? result.value.content : [];
  const [part, ...rest] = content;
  const text = rest.length === 0 && isObject(part) && typeof part["text"] === "string" ? part["text"] : "";
  const data = text.startsWith("{") && text.includes('"error"') ? parsedJson(text) : undefined;
  if (!isObject(data) || typeof data["error"] !== "string" || data["error"] === "") return result;
  const { error, ...more } = data;
  // The cast is safe: the value was parsed from JSON.
  return fail(error, "failed", { effect: "unknown", data: more as JsonObject });
}

/**
 * The tool's own availability check. Listing tools never waits for the plugin's process: it uses the last result,
 * which is refreshed after a call, and once while the tool is unavailable.
 */
function createCheck({ name, isAvailable }: ToolRegistration, client: PluginClient, facts: PluginToolFacts) {
  if (isAvailable === undefined) return undefined;
  let last = isAvailable;
  let isTriedAgain = false;
  const refresh = async () => {
    const limits = { signal: new AbortController().signal, timeoutMs: checkTimeoutMs };
    const answer = await client.request("tool.check", { name }, limits);
    if (!answer.ok || typeof answer.value !== "boolean" || answer.value === last) return;
    last = answer.value;
    facts.keepCheck(name, last);
  };
  let refreshedAt = -Infinity;
  return {
    refreshAt(now: number) {
      if (now - refreshedAt < checkEveryMs) return;
      refreshedAt = now;
      void refresh();
    },
    answer: () => {
      if (!last && !isTriedAgain) {
        isTriedAgain = true;
        void refresh();
      }
      return last;
    },
  };
}
