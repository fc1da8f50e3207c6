interface Address {
  readonly base_url?: string;
  readonly key_env?: string;
}

/**
 * What the settings say when a model is kept for later conversations: nothing of the one before it is true any more.
 * Without an address it is at the one that the settings name already.
 */
export function keptModel(provider: string, model: string, address?: Address) {
  const reply = { default: model, provider, context_length: undefined, supports_vision: undefined };
  const place = { base_url: undefined, key_env: undefined, api_key: undefined, api_mode: undefined, ...address };
  return Object.entries({ ...reply, ...(address && place) }).map(([name, value]) => ({ path: ["model", name], value }));
}
