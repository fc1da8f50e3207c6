import { systemClock as clock } from "../../src/base/clock.ts";
import type { Http } from "../../src/base/http/http-client.ts";
import { type ModelClient, type ModelFacts, noUsage } from "../../src/contracts/model/model.ts";
import type { Endpoint } from "../../src/providers/endpoint.ts";
import { createProvider } from "../../src/providers/provider.ts";

/** A client for one endpoint without retries and fallbacks: each request is sent once. */
export function wireModel(endpoint: Endpoint, http: Http, more: Partial<ModelFacts> = {}): ModelClient {
  const provider = createProvider(endpoint, { http, clock });
  const facts: ModelFacts = {
    provider: endpoint.providerId,
    model: "scripted-1",
    contextTokens: 1_000_000,
    contextSource: "table",
    vision: false,
    ...more,
  };
  return {
    facts: () => facts,
    async *stream(request, signal) {
      yield { type: "called", provider: facts.provider, model: facts.model, attempt: 1 };
      for await (const event of provider.stream({ ...request, model: facts.model }, signal)) {
        yield event.type === "finish" ? { ...event, usage: event.usage ?? noUsage, by: facts } : event;
      }
    },
  };
}
