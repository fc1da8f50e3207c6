import type { JsonObject } from "../../../base/json.ts";
import type { ModelRequest } from "../../../contracts/model/model.ts";
import type { Quirks } from "../../endpoint.ts";
import type { RequestContext } from "../adapter.ts";
import { wellFormed } from "../conversation.ts";
import { thinkingBudgets, nearestEffort, supportsReasoning } from "../reasoning.ts";
import type { ListedTool } from "../wire-tools.ts";
import { anthropicMessages, canThink } from "./messages.ts";

export function anthropicBody(request: ModelRequest, context: RequestContext): JsonObject {
  const { quirks = {} } = context.endpoint;
  const { model, toolChoice } = request;
  const hasTools = context.tools.list.length > 0;
  const maxTokens = request.maxTokens ?? quirks.defaultMaxTokens ?? usualMaxTokens(model);
  const choice = toolChoice ?? "auto";
  const single = quirks.parallelToolCalls === false && choice === "auto" ? { disable_parallel_tool_use: true } : {};
  const isExplicit = choice === "none" || quirks.parallelToolCalls === false;
  const mark = cacheMark(request, quirks);
  const system = systemBlocks(request, mark);
  const free = maxMarks - system.filter((block) => "cache_control" in block).length;
  const marks = mark === undefined ? [] : (request.cacheMarks ?? []).slice(-Math.max(0, free));
  return {
    model,
    max_tokens: maxTokens,
    stream: quirks.streaming !== false,
    ...(hasTools ? { tools: context.tools.list.map(toolJson) } : {}),
    ...(system.length > 0 ? { system } : {}),
    messages: anthropicMessages(request, context, mark === undefined || free <= 0 ? undefined : { marks, mark }),
    ...(hasTools && isExplicit ? { tool_choice: { type: choice, ...single } } : {}),
    ...thinking(request, context, maxTokens),
    ...(quirks.temperature === undefined ? {} : { temperature: quirks.temperature }),
  };
}

/** The maximum number of cache marks that the API accepts. */
const maxMarks = 4;

function toolJson({ name, description, schema }: ListedTool): JsonObject {
  return { name, description, input_schema: schema };
}

function systemBlocks({ system }: ModelRequest, mark: JsonObject | undefined): readonly JsonObject[] {
  let left = maxMarks;
  return system
    .filter(({ text }) => text.trim() !== "")
    .map(({ text, cache }) => {
      const block = { type: "text", text: wellFormed(text) };
      if (!cache || mark === undefined || left-- <= 0) return block;
      return { ...block, cache_control: mark };
    });
}

function cacheMark({ cacheTtl }: ModelRequest, quirks: Quirks): JsonObject | undefined {
  if (quirks.cacheControl === false) return undefined;
  return cacheTtl === "1h" && quirks.cacheTtl !== false ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" };
}

/** Every request needs an output limit, and old models reject a high one. */
function usualMaxTokens(model: string): number {
  if (/claude-3-(?:opus|sonnet|haiku)|claude-2/u.test(model)) return 4096;
  return /claude-3-5/u.test(model) ? 8192 : 32_000;
}

/** Models that decide themselves how long they think. Other models need a token budget. */
const adaptiveModels = /claude-(?:[a-z]+-)?(?:4[-.](?:[6-9]|\d\d)|[5-9])(?:\D|$)|claude-mythos/u;
/** Models with adaptive thinking that hide their thinking by default and support one more effort. */
const reticentModels = /claude-(?:[a-z]+-)?(?:4[-.](?:[7-9]|\d\d)|[5-9])(?:\D|$)|claude-mythos/u;

function thinking(request: ModelRequest, context: RequestContext, maxTokens: number): JsonObject {
  const { quirks = {} } = context.endpoint;
  const { model, reasoning } = request;
  if (reasoning === undefined || reasoning === "off" || quirks.reasoning === "none" || !supportsReasoning(model))
    return {};
  const style = quirks.reasoning ?? (adaptiveModels.test(model) ? "adaptive" : "budget");
  if (style === "adaptive") {
    const reticent = reticentModels.test(model);
    const efforts = quirks.efforts ?? ["low", "medium", "high", ...(reticent ? ["xhigh"] : [])];
    const effort = nearestEffort(reasoning, efforts);
    return {
      thinking: { type: "adaptive", ...(reticent ? { display: "summarized" } : {}) },
      ...(effort === undefined ? {} : { output_config: { effort } }),
    };
  }
  const budget = Math.min(thinkingBudgets[reasoning], maxTokens - 1024);
  // Returns whether thinking can be requested: a turn whose calls were made without thinking must continue without it.
  if (budget < 1024 || !canThink(request, context.endpoint)) return {};
  return { thinking: { type: "enabled", budget_tokens: budget } };
}
