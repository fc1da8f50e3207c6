import type { NamedList } from "../../base/named-list.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { ModelError, ModelProvider } from "../../contracts/model/model.ts";
import type {
  ProviderContext,
  ProviderContribution,
  ProviderProfile,
  RewriteBody,
} from "../../contracts/plugin/plugin.ts";
import type { Endpoint, ProgramEndpoint } from "../../providers/endpoint.ts";
import type { ListedModel } from "../../providers/facts/facts-file.ts";
import type { BuiltinProviderContext } from "./builtin-providers.ts";

/** Connects to endpoints. Caches by endpoint and key, because a provider keeps state. */
export function createConnector(
  providers: Pick<NamedList<ProviderContribution>, "find">,
  profiles: Pick<NamedList<ProviderProfile>, "find">,
  context: BuiltinProviderContext,
): (endpoint: Endpoint | ProgramEndpoint) => ModelProvider {
  const connections = new Map<string, Connection>();
  return (endpoint) => {
    const contribution = providers.find(endpoint.protocol);
    if (!contribution) return missingProvider(endpoint);
    const key = JSON.stringify(endpoint);
    const cached = connections.get(key);
    const rewriteBody = profiles.find(endpoint.providerId)?.rewriteBody;
    if (cached?.contribution === contribution && cached.rewriteBody === rewriteBody) return cached.provider;
    // Passes the whole context, because the built-in protocols need it.
    const whole: ProviderContext = { ...context, ...(rewriteBody && { rewriteBody }) };
    const provider = contribution.connect(endpoint, whole);
    connections.set(key, { contribution, rewriteBody, provider });
    const [oldest] = connections.keys();
    if (connections.size > maxConnections && oldest !== undefined) connections.delete(oldest);
    return provider;
  };
}

interface Connection {
  readonly contribution: ProviderContribution;
  readonly rewriteBody: RewriteBody | undefined;
  readonly provider: ModelProvider;
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

/** The models that the function of a plugin lists. */
export async function listOfProfile(
  fetch: NonNullable<ProviderProfile["fetchModels"]>,
  key: string | undefined,
  signal: AbortSignal,
): Promise<Result<readonly ListedModel[], ModelError>> {
  const listed = await fetch(key, signal);
  return listed.ok ? ok(listed.value.map((id) => ({ id }))) : err({ kind: "network", message: listed.error.message });
}
