import type { ModelClient, ModelFacts, ModelProvider } from "../../contracts/model/model.ts";
import { estimateUsage, withCost } from "./usage-cost.ts";

/** A client for one provider without keys, retries and fallbacks, such as the built-in model or a recording. */
export function createSingleClient(provider: ModelProvider, facts: ModelFacts): ModelClient {
  return {
    facts: () => facts,
    async *stream(original, signal) {
      const request = { ...original, model: facts.model };
      yield { type: "called", provider: facts.provider, model: facts.model, attempt: 1 };
      for await (const event of provider.stream(request, signal)) {
        if (event.type !== "finish") {
          yield event;
          if (event.type === "error") return;
          continue;
        }
        const usage = event.usage ?? estimateUsage(request, event.message);
        yield { type: "finish", message: event.message, usage: withCost(usage, facts.price), by: facts };
        return;
      }
      yield { type: "error", error: { kind: "malformed", message: `${facts.provider} ended without an answer` } };
    },
  };
}
