import type { NamedList } from "../../base/named-list.ts";
import type { ModelProvider } from "../../contracts/model/model.ts";
import type { ProviderContribution } from "../../contracts/plugin/plugin.ts";
import type { Endpoint, ProgramEndpoint } from "../../providers/endpoint.ts";
import type { BuiltinProviderContext } from "./builtin-providers.ts";

/** Connects to endpoints. Caches by endpoint and key, because a provider keeps state. */
export function createConnector(
  providers: Pick<NamedList<ProviderContribution>, "find">,
  context: BuiltinProviderContext,
): (endpoint: Endpoint | ProgramEndpoint) => ModelProvider {
  const connections = new Map<
    string,
    { readonly contribution: ProviderContribution; readonly provider: ModelProvider }
  >();
  return (endpoint) => {
    const contribution = providers.find(endpoint.protocol);
    if (!contribution) return missingProvider(endpoint);
    const key = JSON.stringify(endpoint);
    const cached = connections.get(key);
    if (cached?.contribution === contribution) return cached.provider;
    const provider = contribution.connect(endpoint, context);
    connections.set(key, { contribution, provider });
    const [oldest] = connections.keys();
    if (connections.size > maxConnections && oldest !== undefined) connections.delete(oldest);
    return provider;
  };
}

const maxConnections = 64;

export function missingProvider({ providerId }: { readonly providerId: string }): ModelProvider {
  return {
    id: providerId,
    async *stream() {
      yield { type: "error", error: { kind: "invalid_request", message: `The provider ${providerId} is not loaded.` } };
    },
  };
}
