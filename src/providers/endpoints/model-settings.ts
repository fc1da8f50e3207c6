import type { JsonValue } from "../../base/json.ts";

export interface ModelSettings {
  readonly model: ModelChoice;
  readonly model_aliases: Named<{ readonly model: string; readonly provider: string; readonly base_url: string }>;
  readonly providers: Named<ProviderSettings>;
  readonly custom_providers: readonly CustomProvider[];
  readonly fallback_providers: readonly FallbackEntry[];
  readonly credential_pool_strategies: Named<KeyStrategy>;
  readonly model_overrides: Named<ModelOverride>;
  readonly bedrock: { readonly region: string };
  readonly vertex: { readonly project_id: string; readonly region: string };
  readonly moa: MixtureSettings;
}

type Named<T> = Readonly<Record<string, T>>;

export type KeyStrategy = "fill_first" | "round_robin" | "least_used" | "random";
export type ApiMode = "auto" | "chat_completions" | "codex_responses" | "anthropic_messages" | "gemini";
type YesNo = "auto" | "yes" | "no";

/** The address of a server, and its key. */
export interface GivenAddress {
  readonly base_url: string;
  readonly api_key: string;
  readonly key_env: string;
  readonly api_mode: ApiMode;
}

export interface ModelChoice extends GivenAddress {
  readonly default: string;
  readonly provider: string;
  readonly context_length: number;
  readonly max_tokens: number;
  readonly supports_vision: YesNo;
  readonly aliases: Named<string>;
}

export interface ProviderSettings extends GivenAddress {
  readonly headers: Named<string>;
  readonly extra_body: Named<JsonValue>;
  readonly request_timeout_seconds: number;
  readonly stale_timeout_seconds: number;
  readonly models: Named<{
    readonly context_length: number;
    readonly supports_vision: YesNo;
    readonly timeout_seconds: number;
  }>;
}

export interface MixtureSettings {
  readonly default_preset: string;
  readonly presets: Named<MixturePreset>;
  /** Seconds. */
  readonly reference_timeout: number;
  readonly save_traces: boolean;
  readonly privacy_filter: "" | "display" | "full";
}

/** The reference models answer first; the aggregator combines their answers. */
export interface MixturePreset {
  readonly reference_models: readonly NamedModel[];
  readonly aggregator: NamedModel;
  readonly reference_temperature: number;
  readonly aggregator_temperature: number;
  readonly max_tokens: number;
  readonly enabled: boolean;
  readonly rounds: number;
  readonly min_answers: number;
}

export interface NamedModel {
  readonly provider: string;
  readonly model: string;
}

export interface CustomProvider {
  readonly name?: string | undefined;
  readonly base_url?: string | undefined;
  readonly api_key?: string | undefined;
  readonly key_env?: string | undefined;
  readonly api_mode?: ApiMode | undefined;
  readonly model?: string | undefined;
  readonly [more: string]: JsonValue | undefined;
}

export interface FallbackEntry {
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly base_url?: string | undefined;
  readonly key_env?: string | undefined;
  readonly [more: string]: JsonValue | undefined;
}

export interface ModelOverride {
  readonly context_length: number;
  readonly max_output_tokens: number;
  readonly supports_vision: YesNo;
  readonly price_input: number | null;
  readonly price_output: number | null;
  readonly price_cache_read: number | null;
  readonly price_cache_write: number | null;
}
