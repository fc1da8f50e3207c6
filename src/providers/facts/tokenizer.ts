import { once } from "../../base/async/once.ts";
import type { CountTokens } from "../../contracts/model/context.ts";

/** The tokenizers of models that are known here. What they need is loaded by the first model that has one. */
export function createTokenizers(): (model: string) => Promise<CountTokens | undefined> {
  const newest = once(loadNewest);
  return async (model) => (newestOfOpenAi.test(model) ? newest() : undefined);
}

/** OpenAI's since GPT-4o share one; older ones, and those of others, have tokenizers of their own. */
const newestOfOpenAi = /^(?:openai\/)?(?:gpt-(?:4o|4\.\d|[5-9]|oss)|chatgpt-4o|codex|o[134](?:-|$))/iu;

async function loadNewest(): Promise<CountTokens> {
  const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
  // Words that mean something to the tokenizer are plain text when a person or a file has them.
  const asText = { disallowedSpecial: new Set<string>() };
  return (text) => pieces(text).reduce((sum, piece) => sum + countTokens(piece, asText), 0);
}

/** A run without an end takes a time that grows with the square of its length. */
const longestRun = 1_000;

function pieces(text: string): readonly string[] {
  return endless.test(text) ? (text.match(runs) ?? []) : [text];
}

const endless = new RegExp(`\\S{${longestRun}}|\\s{${longestRun}}`, "u");
const runs = new RegExp(`\\s{0,${longestRun}}\\S{0,${longestRun}}`, "gu");
