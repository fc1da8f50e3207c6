interface Address {
  readonly base_url?: string;
  readonly key_env?: string;
}

/**
 * The settings that make a model the default. Removes all settings of the previous model. Without an address the model
 * keeps the address that the settings already name.
 */
export function defaultModelSettings(provider: string, model: string, address?: Address) {
  const reply = { default: model, provider, context_length: undefined, supports_vision: undefined };
  const place = { base_url: undefined, key_env: undefined, api_key: undefined, api_mode: undefined, ...address };
  return Object.entries({ ...reply, ...(address && place) }).map(([name, value]) => ({ path: ["model", name], value }));
}
