import { reasonOf } from "../../base/result.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { endpointRows } from "../../providers/endpoints/find-row.ts";
import type { SecretRedactor } from "../../safety/secrets.ts";
import type { LoadedContributions } from "../contributions.ts";

export interface SupplyDeps {
  readonly redactor: Pick<SecretRedactor, "add">;
  readonly say: (sentence: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Queries the secret sources of plugins for keys that providers and tools can use and that are not set. Values stay in
 * memory and are masked like all others. Without a source, nothing is loaded or queried.
 */
export async function supplySecrets(
  { secrets }: Pick<LoadedConfig, "secrets">,
  contributions: LoadedContributions,
  { redactor, say, signal }: SupplyDeps,
): Promise<void> {
  const sources = contributions.secretSources.list();
  await contributions.load("toolsets", "tools", "providerProfiles");
  const names = new Set([
    ...endpointRows.flatMap(({ keyVars }) => keyVars),
    ...contributions.providerProfiles.list().flatMap(({ keyVars }) => keyVars),
    ...contributions.registry.loaded().flatMap(({ tool }) => tool.requiresEnv),
  ]);
  for (const source of sources) {
    const missing = [...names].filter((name) => !secrets.get(name));
    const fetched = await source.fetch(missing, signal).catch((thrown: unknown) => {
      return { ok: false as const, error: { message: reasonOf(thrown) } };
    });
    if (!fetched.ok) {
      say(`The secret source ${source.name} failed: ${fetched.error.message}`);
      continue;
    }
    for (const [name, value] of Object.entries(fetched.value)) {
      redactor.add(value);
      secrets.supply(name, value);
    }
  }
}
