import { providerIdOf } from "./find-row.ts";
import type { ModelSettings } from "./model-settings.ts";

type ByProvider = Pick<ModelSettings, "providers" | "credential_pool_strategies" | "model_overrides">;

/** Returns provider settings keyed by id instead of alias. Settings under the id itself take precedence. */
export function withCanonicalIds<S extends ByProvider>(settings: S): S {
  const { providers, credential_pool_strategies: strategies, model_overrides: overrides } = settings;
  return {
    ...settings,
    providers: renamed(providers, providerIdOf),
    credential_pool_strategies: renamed(strategies, providerIdOf),
    // The original keys are kept too, because routers use names such as `openai/gpt-5` for models.
    model_overrides: { ...renamed(overrides, modelOf), ...overrides },
  };
}

function renamed<T>(named: Readonly<Record<string, T>>, nameOf: (name: string) => string): Readonly<Record<string, T>> {
  const entries = Object.entries(named);
  const aliased = entries.flatMap(([name, value]) => (nameOf(name) === name ? [] : [[nameOf(name), value] as const]));
  return Object.fromEntries([...aliased, ...entries.filter(([name]) => nameOf(name) === name)]);
}

function modelOf(name: string): string {
  const slash = name.indexOf("/");
  return slash < 1 ? name : `${providerIdOf(name.slice(0, slash))}${name.slice(slash)}`;
}
