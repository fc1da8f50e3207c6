import type { Http } from "../../base/http/http-client.ts";
import type { ModelProvider } from "../../contracts/model/model.ts";
import type { ProviderContext, ProviderContribution, RewriteBody } from "../../contracts/plugin/plugin.ts";
import { type Endpoint, type ProgramEndpoint, protocols } from "../../providers/endpoint.ts";
import { offlineId } from "../../providers/endpoints/route.ts";
import { offlineFacts, offlineProvider } from "../../providers/offline/offline-provider.ts";
import { createProvider } from "../../providers/provider.ts";

/** Inputs of the built-in providers. */
export interface BuiltinProviderContext extends ProviderContext {
  readonly http: () => Http;
  /** Finds the function of a provider's profile that rewrites requests. */
  readonly rewriteBody?: RewriteBody;
  /** Starts a program as a model. */
  readonly agent: (endpoint: ProgramEndpoint) => ModelProvider;
}

export const builtinProviders: readonly ProviderContribution[] = [
  ...protocols.map((name) => ({
    name,
    connect: (endpoint: Endpoint, { http, clock, rewriteBody }: BuiltinProviderContext) =>
      createProvider(endpoint, { http: http(), clock, ...(rewriteBody && { rewriteBody }) }),
  })),
  { name: "acp", connect: (endpoint: ProgramEndpoint, { agent }: BuiltinProviderContext) => agent(endpoint) },
  { name: offlineId, connect: offlineProvider, facts: () => offlineFacts },
];
