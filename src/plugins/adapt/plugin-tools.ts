import { once } from "../../base/async/once.ts";
import { isObject, type JsonObject, parsedJson } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { PluginClient, PluginFault } from "../../contracts/plugin/client.ts";
import type { PluginRegistration, ToolRegistration } from "../../contracts/plugin/registration.ts";
import { defaultTraits, defineTool } from "../../contracts/tool/define-tool.ts";
import type { Effect, Place } from "../../contracts/tool/effect.ts";
import { fromJsonSchema } from "../../contracts/tool/json-input.ts";
import type { RegisteredTool } from "../../contracts/tool/registry.ts";
import {
  type CallTool,
  fail,
  type FailureKind,
  type ToolFailure,
  type ToolResult,
} from "../../contracts/tool/tool-result.ts";
import type { CallContext, PreparedCall, Tool, ToolTraits, WideContext } from "../../contracts/tool/tool.ts";
import { declaredWithin, type EffectFacts, permittedEffects } from "./tool-effects.ts";

export interface PluginToolFacts extends EffectFacts {
  /** Whether the operator allows this plugin to replace tools of other plugins. */
  readonly mayOverride: boolean;
  /** The running calls of this plugin that may call other tools, by call id. */
  readonly runningCalls: Map<string, CallTool>;
  /** Saves the latest result of a tool's availability check for the next start. */
  readonly keepCheck: (tool: string, isAvailable: boolean) => void;
}

/**
 * The tools of one plugin. Their schemas come from the stored registration; the plugin's process starts at the first
 * call.
 */
export function pluginTools(
  { tools }: PluginRegistration,
  client: PluginClient,
  facts: PluginToolFacts,
): readonly RegisteredTool[] {
  return tools.map((registration) => ({
    tool: pluginTool(registration, client, facts),
    source: {
      kind: "plugin",
      plugin: client.key,
      overrides: facts.mayOverride && registration.overrides ? [registration.name] : [],
    },
  }));
}

/** The time that Python Hermes allows a handler to run. */
const defaultTimeoutMs = 300_000;
const effectsTimeoutMs = 5000;
const checkTimeoutMs = 10_000;
const checkEveryMs = 60_000;

function pluginTool(registration: ToolRegistration, client: PluginClient, facts: PluginToolFacts): Tool {
  const { name, toolset, description, inputSchema, requiresEnv, emoji, declaresEffects } = registration;
  const check = createCheck(registration, client, facts);
  const header = {
    name,
    toolset,
    description,
    needs: facts.permissions.tools.length > 0 ? (["call"] as const) : [],
    requiresEnv,
    traits: { ...defaultTraits, ...traitsOf(registration, facts) },
    emoji: emoji ?? "⚡",
    ...(check && { check: check.answer }),
  };
  // Most tools of a session are never called.
  const definition = once(() =>
    defineTool({
      ...header,
      input: fromJsonSchema(inputSchema),
      run: async (args, context) => {
        const result = await runTool(name, args, context, client, facts);
        check?.refreshAt(context.clock.elapsed());
        return result;
      },
    }),
  );
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
    inputSchema,
    prepare(args) {
      const prepared = definition().prepare(args);
      return prepared instanceof Promise ? prepared.then(withEffects) : withEffects(prepared);
    },
  };
}

/** Without write permissions, a call has no side effects and needs no approval. */
function traitsOf(
  { isForScripts, timeoutMs, maxResultChars }: ToolRegistration,
  { permissions }: EffectFacts,
): ToolTraits {
  const { write, net, exec, tools } = permissions;
  return {
    readOnly: write.length === 0 && net.length === 0 && !exec && tools.length === 0,
    parallel: !exec && tools.length === 0,
    callers: isForScripts ? "both" : "model",
    untrusted: net.length > 0,
    timeoutMs: timeoutMs ?? defaultTimeoutMs,
    ...(maxResultChars !== undefined && { maxResultChars }),
  };
}

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
