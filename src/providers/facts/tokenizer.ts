import { once } from "../../base/async/once.ts";
import type { CountTokens } from "../../contracts/model/context.ts";

/** Tokenizers of known models. The library is loaded when the first model needs it. */
export function createTokenizers(): (model: string) => Promise<CountTokens | undefined> {
  const newest = once(loadNewest);
  return async (model) => (newestOfOpenAi.test(model) ? newest() : undefined);
}

/** OpenAI models since GPT-4o share this tokenizer; others have their own. */
const newestOfOpenAi = /^(?:openai\/)?(?:gpt-(?:4o|4\.\d|[5-9]|oss)|chatgpt-4o|codex|o[134](?:-|$))/iu;

async function loadNewest(): Promise<CountTokens> {
  const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
  // Special tokens in messages and files count as plain text.
  const asText = { disallowedSpecial: new Set<string>() };
  return (text) => pieces(text).reduce((sum, piece) => sum + countTokens(piece, asText), 0);
}

/** Encoding time grows quadratically with the length of a sequence without breaks, so long sequences are split. */
const maxRunChars = 1_000;

function pieces(text: string): readonly string[] {
  return endless.test(text) ? (text.match(runs) ?? []) : [text];
}

const endless = new RegExp(`\\S{${maxRunChars}}|\\s{${maxRunChars}}`, "u");
const runs = new RegExp(`\\s{0,${maxRunChars}}\\S{0,${maxRunChars}}`, "gu");
