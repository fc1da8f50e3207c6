import type { LoadedConfig } from "../../config/load.ts";
import type { ContextEngineContribution } from "../../contracts/plugin/plugin.ts";
import { compressorName, createCompressor } from "../../kernel/context/engine.ts";

export function builtinEngines({ values: { compression } }: LoadedConfig): readonly ContextEngineContribution[] {
  const settings = {
    auto: compression.auto === "on",
    threshold: compression.threshold,
    ...(compression.threshold_tokens !== null && { thresholdTokens: compression.threshold_tokens }),
    targetRatio: compression.target_ratio,
    protectLast: compression.protect_last_n,
    timeoutMs: compression.context_timeout * 1000,
  };
  return [{ name: compressorName, create: (session) => createCompressor({ settings, ...session }) }];
}
