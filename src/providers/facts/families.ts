import type { Price } from "../../contracts/model/model.ts";

/** Built-in facts about a family of models, as of November 2026. The settings override them. */
export interface ModelFamily {
  /** Matches the lower-case name without the provider. */
  readonly match: RegExp;
  readonly contextTokens: number;
  readonly maxOutputTokens?: number;
  readonly vision?: boolean;
  /** US dollars per million tokens at the vendor. */
  readonly price?: Price;
}

const million = 1_000_000;

const row = (
  match: RegExp,
  contextTokens: number,
  maxOutputTokens: number | undefined,
  vision: boolean,
  price?: readonly [input: number, output: number, cacheRead?: number, cacheWrite?: number],
  long?: readonly [above: number, input: number, output: number, cacheRead: number],
): ModelFamily => {
  const [input, output, cacheRead, cacheWrite] = price ?? [];
  return {
    match,
    contextTokens,
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    vision,
    ...(input !== undefined &&
      output !== undefined && {
        price: {
          input,
          output,
          ...(cacheRead !== undefined && { cacheRead }),
          ...(cacheWrite !== undefined && { cacheWrite }),
          ...(long && { long: { above: long[0], input: long[1], output: long[2], cacheRead: long[3] } }),
        },
      }),
  };
};

/** The first match is used, so special patterns come before general ones. */
export const modelFamilies: readonly ModelFamily[] = [
  // ── Anthropic ──
  row(/claude-fable-5/u, million, 128_000, true, [10, 50, 1, 12.5]),
  row(/claude-opus-5[-.]5/u, million, 128_000, true, [4, 20, 0.2, 5]),
  row(/claude-opus-5/u, million, 128_000, true, [5, 25, 0.5, 6.25]),
  row(/claude-sonnet-5/u, million, 128_000, true, [2, 10, 0.2, 2.5]),
  row(/claude-haiku-5/u, million, 128_000, true, [0.1, 0.5, 0.01, 0.125]),
  row(/claude-opus-4[-.][6-9]/u, million, 128_000, true, [5, 25, 0.5, 6.25]),
  row(/claude-opus-4[-.]5/u, 200_000, 64_000, true, [5, 25, 0.5, 6.25]),
  row(/claude-opus-4(?:[-.][01](?!\d))?/u, 200_000, 32_000, true, [15, 75, 1.5, 18.75]),
  row(/claude-sonnet-4[-.][6-9]/u, million, 64_000, true, [3, 15, 0.3, 3.75]),
  row(/claude-sonnet-4(?:[-.][05](?!\d))?/u, 200_000, 64_000, true, [3, 15, 0.3, 3.75]),
  row(/claude-haiku-4(?:[-.]5(?!\d))?/u, 200_000, 64_000, true, [1, 5, 0.1, 1.25]),
  row(/claude-3[-.]7-sonnet/u, 200_000, 64_000, true, [3, 15, 0.3, 3.75]),
  row(/claude-3[-.]5-sonnet/u, 200_000, 8_192, true, [3, 15, 0.3, 3.75]),
  row(/claude-3[-.]5-haiku/u, 200_000, 8_192, true, [0.8, 4, 0.08, 1]),
  row(/claude-3-opus/u, 200_000, 4_096, true, [15, 75, 1.5, 18.75]),
  row(/claude-3-sonnet/u, 200_000, 4_096, true, [3, 15, 0.3, 3.75]),
  row(/claude-3-haiku/u, 200_000, 4_096, true, [0.25, 1.25, 0.03, 0.3]),
  row(/claude/u, 200_000, 32_000, true),
  // ── OpenAI ──
  row(/gpt-5\.[45]-pro/u, 1_050_000, 128_000, true, [30, 180], [272_000, 60, 270, 60]),
  row(/gpt-5\.5/u, 1_050_000, 128_000, true, [5, 30, 0.5], [272_000, 10, 45, 1]),
  row(/gpt-5\.4-mini/u, 400_000, 128_000, true, [0.75, 4.5, 0.075]),
  row(/gpt-5\.4-nano/u, 400_000, 128_000, true, [0.2, 1.25, 0.02]),
  row(/gpt-5\.4/u, 1_050_000, 128_000, true, [2.5, 15, 0.25], [272_000, 5, 22.5, 0.5]),
  row(/gpt-5\.3-codex-spark/u, 128_000, 32_000, false),
  row(/gpt-5(?:\.\d)?-chat/u, 128_000, 16_384, true, [1.25, 10, 0.125]),
  row(/gpt-5\.[23](?:-codex)?/u, 400_000, 128_000, true, [1.75, 14, 0.175]),
  row(/gpt-5(?:\.1)?(?:-codex)?-mini/u, 400_000, 128_000, true, [0.25, 2, 0.025]),
  row(/gpt-5-nano/u, 400_000, 128_000, true, [0.05, 0.4, 0.005]),
  row(/gpt-5(?:\.1)?(?:-codex(?:-max)?)?(?=-|$)/u, 400_000, 128_000, true, [1.25, 10, 0.125]),
  row(/gpt-[56]/u, 400_000, 128_000, true),
  row(/gpt-4\.1-mini/u, 1_047_576, 32_768, true, [0.4, 1.6, 0.1]),
  row(/gpt-4\.1-nano/u, 1_047_576, 32_768, true, [0.1, 0.4, 0.025]),
  row(/gpt-4\.1/u, 1_047_576, 32_768, true, [2, 8, 0.5]),
  row(/gpt-4o-mini/u, 128_000, 16_384, true, [0.15, 0.6, 0.075]),
  row(/gpt-4o/u, 128_000, 16_384, true, [2.5, 10, 1.25]),
  row(/gpt-4-(?:turbo|1106|0125)/u, 128_000, 4_096, true, [10, 30]),
  row(/gpt-4-32k/u, 32_768, 4_096, false, [60, 120]),
  row(/gpt-4(?:-0\d{3})?$/u, 8_192, 4_096, false, [30, 60]),
  row(/gpt-3\.5-turbo/u, 16_385, 4_096, false, [0.5, 1.5]),
  row(/gpt-oss-120b/u, 131_072, 32_768, false),
  row(/gpt-oss/u, 131_072, 32_768, false),
  row(/(?:^|\/)o4-mini/u, 200_000, 100_000, true, [1.1, 4.4, 0.275]),
  row(/(?:^|\/)o3-mini/u, 200_000, 100_000, false, [1.1, 4.4, 0.55]),
  row(/(?:^|\/)o3-pro/u, 200_000, 100_000, true, [20, 80]),
  row(/(?:^|\/)o3(?=-|$)/u, 200_000, 100_000, true, [2, 8, 0.5]),
  row(/(?:^|\/)o1-mini/u, 128_000, 65_536, false, [1.1, 4.4, 0.55]),
  row(/(?:^|\/)o1-pro/u, 200_000, 100_000, true, [150, 600]),
  row(/(?:^|\/)o1(?=-|$)/u, 200_000, 100_000, true, [15, 60, 7.5]),
  // ── Google ──
  row(/gemini-3\.1-pro|gemini-3-pro/u, 1_048_576, 65_536, true, [2, 12, 0.2], [200_000, 4, 18, 0.4]),
  row(/gemini-3-flash/u, 1_048_576, 65_536, true, [0.5, 3, 0.05]),
  row(/gemini-3\.5-flash-lite/u, 1_048_576, 65_536, true, [0.3, 2.5, 0.03]),
  row(/gemini-3/u, 1_048_576, 65_536, true),
  row(/gemini-2\.5-pro/u, 1_048_576, 65_536, true, [1.25, 10, 0.125], [200_000, 2.5, 15, 0.25]),
  row(/gemini-2\.5-flash-lite/u, 1_048_576, 65_536, true, [0.1, 0.4, 0.01]),
  row(/gemini-2\.5-flash/u, 1_048_576, 65_536, true, [0.3, 2.5, 0.03]),
  row(/gemini-1\.5-pro/u, 2_097_152, 8_192, true),
  row(/gemini-(?:1\.5|2\.0)-flash-(?:lite|8b)/u, 1_048_576, 8_192, true, [0.075, 0.3]),
  row(/gemini-2\.0-flash/u, 1_048_576, 8_192, true, [0.1, 0.4, 0.025]),
  row(/gemini/u, 1_048_576, 65_536, true),
  row(/gemma-?4/u, 256_000, 8_192, true),
  row(/gemma-?3/u, 131_072, 8_192, true),
  row(/gemma/u, 8_192, 8_192, false),
  // ── xAI ──
  row(/grok-4[-.]\d?-?fast|grok-4-fast/u, 2_000_000, 30_000, true, [0.2, 0.5, 0.05]),
  row(/grok-4\.[56]/u, 500_000, undefined, true, [2, 6, 0.5], [200_000, 4, 12, 1]),
  row(/grok-code-fast(?:-1)?|grok-build/u, 256_000, undefined, false, [0.2, 1.5, 0.02]),
  row(/grok-4\.(?:3|20)/u, million, undefined, true, [1.25, 2.5, 0.2]),
  row(/grok-4/u, 256_000, undefined, true, [3, 15, 0.75]),
  row(/grok-3-mini/u, 131_072, undefined, false, [0.3, 0.5, 0.075]),
  row(/grok/u, 131_072, undefined, false),
  // ── DeepSeek ──
  row(/deepseek-v4-flash|deepseek-flash|deepseek-chat/u, million, 384_000, false, [0.28, 1.12, 0.006]),
  row(/deepseek-v4(?:-pro)?|deepseek-reasoner/u, million, 384_000, false, [1.26, 3.8, 0.042]),
  row(/deepseek-(?:v3|r1)/u, 163_840, 65_536, false),
  row(/deepseek/u, 128_000, 8_192, false),
  // ── Moonshot ──
  row(/kimi-k3/u, 1_048_576, undefined, true, [3, 15, 0.3]),
  row(/kimi-k2(?:\.[5-9]|p5)/u, 262_144, undefined, true),
  row(/kimi-k2/u, 262_144, undefined, false),
  row(/kimi|moonshot/u, 131_072, undefined, false),
  // ── Z.AI ──
  row(/glm-5\.3-flash/u, 1_048_576, 131_072, false, [0.15, 0.5]),
  row(/glm-5\.[23]/u, 1_048_576, 131_072, false, [1.4, 4.4, 0.26]),
  row(/glm-5\.1/u, 200_000, 131_072, false, [1.4, 4.4, 0.26]),
  row(/glm-5/u, 200_000, 131_072, false, [1, 3.2, 0.2]),
  row(/glm-4\.5v|glm-4\.6v/u, 65_536, 16_384, true),
  row(/glm-4\.[67]/u, 200_000, 131_072, false, [0.6, 2.2, 0.11]),
  row(/glm-4\.5/u, 131_072, 98_304, false, [0.6, 2.2, 0.11]),
  row(/glm/u, 128_000, undefined, false),
  // ── others ──
  row(/minimax-m3/u, million, 131_072, false, [0.35, 1.4, 0.07, 0.4]),
  row(/minimax-m[12](?:\.\d)?/u, 204_800, 131_072, false, [0.3, 1.2, 0.03]),
  row(/minimax-m/u, 204_800, 131_072, false),
  row(/qwen3\.[5-9]|qwen3-coder-plus|qwen-(?:plus|flash)/u, million, 65_536, false),
  row(/qwen3-coder|qwen3-next|qwen3-max/u, 262_144, 65_536, false),
  row(/qwen[\w.-]*-vl|qvq/u, 131_072, 32_768, true),
  row(/qwen3/u, 131_072, 32_768, false),
  row(/qwen/u, 131_072, 8_192, false),
  row(/mistral-(?:large|medium)|magistral-medium/u, 131_072, undefined, true),
  row(/devstral|codestral/u, 262_144, undefined, false),
  row(/mistral-small|ministral|pixtral/u, 131_072, undefined, true),
  row(/mistral/u, 131_072, undefined, false),
  row(/llama-4|llama4/u, million, undefined, true),
  row(/llama-?3\.[123]/u, 131_072, undefined, false),
  row(/llama-?3/u, 8_192, undefined, false),
  row(/hermes-4/u, 131_072, undefined, false),
  row(/nemotron/u, 262_144, undefined, false),
  row(/step-3/u, 262_144, undefined, false),
  row(/muse-spark/u, 1_048_576, undefined, true),
  row(/mimo-v2(?:\.5|-pro)/u, 1_048_576, undefined, false),
  row(/mimo/u, 262_144, undefined, false),
  row(/solar/u, 65_536, undefined, false),
  row(/command-[ar]/u, 131_072, undefined, false),
  row(/phi-?4/u, 16_384, undefined, false),
];
