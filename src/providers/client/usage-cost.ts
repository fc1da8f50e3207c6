import type { AssistantMessage, ContentPart } from "../../contracts/model/message.ts";
import type { ModelRequest, Price, Usage } from "../../contracts/model/model.ts";

/** Adds the cost to the usage, unless the provider reported it. */
export function withCost(usage: Usage, basePrice: Price | undefined, cacheTtl?: ModelRequest["cacheTtl"]): Usage {
  if (usage.costUsd !== undefined || basePrice === undefined) return usage;
  const price = basePrice.long && usage.input > basePrice.long.above ? { ...basePrice, ...basePrice.long } : basePrice;
  const { cacheRead = price.input } = price;
  const cacheWrite = price.cacheWrite === undefined ? price.input : price.cacheWrite * (cacheTtl === "1h" ? hourly : 1);
  const fresh = Math.max(0, usage.input - usage.cacheRead - usage.cacheWrite);
  const micro =
    fresh * price.input + usage.cacheRead * cacheRead + usage.cacheWrite * cacheWrite + usage.output * price.output;
  return { ...usage, costUsd: micro / 1e6 };
}

/** A one-hour cache entry costs twice the input price, not 1.25 times. */
const hourly = 1.6;

/** Estimates the usage for providers that report none. */
export function estimateUsage(request: ModelRequest, answer: AssistantMessage): Usage {
  const system = request.system.reduce((sum, { text }) => sum + tokensIn(text), 0);
  const tools = request.tools.reduce((sum, tool) => sum + tokensIn(JSON.stringify(tool)), 0);
  const messages = request.messages.reduce((sum, message) => {
    const calls = message.role === "assistant" ? tokensIn(JSON.stringify(message.calls)) : 0;
    return sum + contentTokens(message.content) + calls + perMessage;
  }, 0);
  const reasoning = tokensIn(answer.reasoning ?? "");
  const outputText =
    contentTokens(answer.content) + tokensIn(JSON.stringify(answer.calls.map(({ name, args }) => [name, args])));
  return {
    input: system + tools + messages,
    output: outputText + reasoning,
    cacheRead: 0,
    cacheWrite: 0,
    reasoning,
    estimated: true,
  };
}

function contentTokens(content: readonly ContentPart[]): number {
  return content.reduce((sum, part) => sum + (part.type === "text" ? tokensIn(part.text) : perPicture), 0);
}

function tokensIn(text: string): number {
  return Math.ceil(text.length / 4);
}

const perMessage = 4;
const perPicture = 1_600;
