import type { ModelFacts, Usage } from "../../../../contracts/model/model.ts";
import type { ContextUse } from "../../../../contracts/session/runtime.ts";
import { elapsedText } from "./tool-line.ts";

export interface Status {
  readonly model: ModelFacts;
  readonly context: ContextUse;
  readonly usage: Usage;
  readonly durationMs: number;
}

/** `groq/llama · 12 % of 128k (shortened at 85 %) · $0.0042 · 3.4 s`. */
export function statusLine({ model, context, usage, durationMs }: Status): string {
  const { tokens, window, threshold, estimated } = context;
  const part = (of: number) => `${Math.round((of / window) * 100)} %`;
  const shortened = Number.isFinite(threshold) ? ` (compacts at ${part(threshold)})` : "";
  return [
    `${model.provider}/${model.model}`,
    ...(model.offline
      ? []
      : [`${estimated ? "~" : ""}${part(tokens)} of ${tokenText(window)}${shortened}`, ...costText(usage)]),
    elapsedText(durationMs),
  ].join(" · ");
}

/** `128k`, `1.2M`, `900`. */
export function tokenText(tokens: number): string {
  if (tokens >= 1_000_000) return `${Number((tokens / 1_000_000).toFixed(1))}M`;
  return tokens >= 1_000 ? `${Math.round(tokens / 1_000)}k` : String(tokens);
}

/** The cost of the session. Empty before the first request. */
function costText({ costUsd, input, output }: Usage): readonly string[] {
  if (input + output === 0) return [];
  if (costUsd === undefined) return ["cost unknown"];
  if (costUsd === 0) return ["free"];
  return [`$${costUsd < 0.1 ? costUsd.toFixed(4) : costUsd.toFixed(2)}`];
}
