import type { JsonObject } from "../../base/json.ts";
import type { ReasoningEffort } from "../../contracts/model/model.ts";
import type { ReasoningStyle } from "../endpoint.ts";

/** Model families that reject a reasoning effort. */
const plainModels =
  /(?:^|\/)(?:gpt-(?:3|4)|chatgpt-4|claude-(?:2|3-(?:opus|sonnet|haiku|5))|gemini-(?:1|2\.0)|gemma|llama|meta-llama|mixtral|mistral-(?:7b|nemo)|codestral|command-)/iu;

export function supportsReasoning(model: string): boolean {
  return !plainModels.test(model);
}

const order = ["none", "minimal", "low", "medium", "high", "xhigh"];

/** Returns the nearest effort that the provider supports, or undefined if none is sent. */
export function nearestEffort(effort: ReasoningEffort, efforts: readonly string[] | undefined): string | undefined {
  const requested = effort === "off" ? "none" : effort;
  if (efforts === undefined) return requested === "none" ? undefined : requested;
  if (efforts.includes(requested)) return requested;
  const index = order.indexOf(requested);
  const ranked = efforts
    .filter((one) => order.includes(one))
    .toSorted((a, b) => Math.abs(order.indexOf(a) - index) - Math.abs(order.indexOf(b) - index));
  return ranked[0];
}

export function chatReasoning(
  effort: ReasoningEffort | undefined,
  style: ReasoningStyle,
  efforts: readonly string[] | undefined,
): JsonObject {
  if (effort === undefined) return {};
  const on = effort !== "off";
  const level = nearestEffort(effort, efforts);
  switch (style) {
    case "effort":
      return level === undefined ? {} : { reasoning_effort: level };
    case "object":
      return { reasoning: on ? { enabled: true, effort: level ?? "medium" } : { enabled: false } };
    case "thinking":
      return { thinking: { type: on ? "enabled" : "disabled" } };
    case "enable_thinking":
      return { enable_thinking: on };
    case "template":
      return { chat_template_kwargs: { enable_thinking: on } };
    case "budget":
    case "adaptive":
    case "none":
      return {};
  }
}

export const thinkingBudgets: Readonly<Record<Exclude<ReasoningEffort, "off">, number>> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 32_000,
};
