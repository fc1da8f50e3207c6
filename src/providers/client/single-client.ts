import type { ModelClient, ModelFacts, ModelProvider } from "../../contracts/model/model.ts";
import { estimatedUsage, priced } from "./spent.ts";

/** A client of one provider without keys, retries and fallbacks: the built-in model, a recording. */
export function createSingleClient(provider: ModelProvider, facts: ModelFacts): ModelClient {
  return {
    facts: () => facts,
    async *stream(asked, signal) {
      const request = { ...asked, model: facts.model };
      yield { type: "called", provider: facts.provider, model: facts.model, attempt: 1 };
      for await (const event of provider.stream(request, signal)) {
        if (event.type !== "finish") {
          yield event;
          if (event.type === "error") return;
          continue;
        }
        const usage = event.usage ?? estimatedUsage(request, event.message);
        yield { type: "finish", message: event.message, usage: priced(usage, facts.price), by: facts };
        return;
      }
      yield { type: "error", error: { kind: "malformed", message: `${facts.provider} ended without an answer` } };
    },
  };
}
