import type { CountTokens } from "../../contracts/model/context.ts";
import type { ContentPart, Message } from "../../contracts/model/message.ts";
import type { ModelRequest } from "../../contracts/model/model.ts";

/**
 * Estimates the tokens of a text, rarely too low: current tokenizers need about one token for four characters of Latin
 * text, more for digits and signs, and one or more for each Chinese, Japanese or Korean character.
 */
export function textTokens(text: string): number {
  let units = 0;
  let run = 0;
  for (let offset = 0; offset < text.length; offset++) {
    const code = text.charCodeAt(offset);
    run = isWordLike(code) ? run + 1 : 0;
    units += run > maxWordChars ? encodedWeight : weightOf(code);
  }
  return Math.ceil(units / scale);
}

/**
 * Longer sequences of letters are not words but keys, hashes or base64, which need about one token per one or two
 * characters.
 */
const maxWordChars = 40;
const encodedWeight = 8;

function isWordLike(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 47 && code <= 57) || (code >= 65 && code <= 90) || code === 43;
}

const scale = 12;

/** The cost of a character in twelfths of a token. */
function weightOf(code: number): number {
  if (code < 128) return asciiWeights[code] ?? 3;
  if (code < 0x250) return 6;
  if (code < 0x2e80) return 8;
  // One half of a surrogate pair. The whole pair is one character and costs two tokens.
  if (code >= 0xd800 && code < 0xe000) return 12;
  return 13;
}

const asciiWeights: readonly number[] = Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  if (/[a-z ]/u.test(char)) return 3;
  if (/[A-Z]/u.test(char)) return 4;
  if (/[0-9]/u.test(char)) return 5;
  return 7;
});

const imageTokens = 1600;
const messageTokens = 4;

function partTokens(part: ContentPart, count: CountTokens): number {
  switch (part.type) {
    case "text":
      return count(part.text);
    case "image":
      return imageTokens;
    case "audio":
      return Math.ceil(part.data.length / 1000);
    case "video":
      return Math.ceil(part.data.length / 500);
    case "file":
      return count(part.path);
  }
}

/** Estimates the size of a message. `count` is the tokenizer of the model; without it, the size is estimated. */
export function messageSize(message: Message, count: CountTokens = textTokens): number {
  const content = message.content.reduce((sum, part) => sum + partTokens(part, count), messageTokens);
  if (message.role !== "assistant") return content;
  return message.calls.reduce(
    (sum, { name, args }) =>
      sum + messageTokens + count(name) + count(typeof args === "string" ? args : JSON.stringify(args)),
    content + count(message.reasoning ?? ""),
  );
}

export function fixedSize(
  { system, tools }: Pick<ModelRequest, "system" | "tools">,
  count: CountTokens = textTokens,
): number {
  const prompt = system.reduce((sum, { text }) => sum + count(text), 0);
  return tools.reduce(
    (sum, { name, description, inputSchema }) =>
      sum + 8 + count(name) + count(description) + count(JSON.stringify(inputSchema)),
    prompt,
  );
}

/** Tokenizers cannot count images, audio or reasoning that is sent in another form. */
export function isTextOnly(message: Message): boolean {
  return (
    message.content.every(({ type }) => type === "text") &&
    !(message.role === "assistant" && message.provider !== undefined)
  );
}
