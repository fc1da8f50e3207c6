import type { CountTokens } from "../../contracts/model/context.ts";
import type { Message } from "../../contracts/model/message.ts";
import type { ContextMeter } from "../loop/context-keeper.ts";
import { fixedSize, isTextOnly, messageSize } from "./tokens.ts";

export interface MeterDeps {
  /** Returns the tokenizer of a model. Undefined if it is unknown. */
  tokenizerOf?(model: string): Promise<CountTokens | undefined>;
}

/**
 * Uses the provider's count of the last request. Counts later messages with the model's tokenizer once `sharpen` has
 * loaded it, and estimates them before. Corrects the estimates of a session by their previous error.
 */
export function createContextMeter({ tokenizerOf }: MeterDeps = {}): ContextMeter {
  let sizes = new WeakMap<Message, number>();
  let fixed = new WeakMap<object, number>();
  let count: CountTokens | undefined;
  let counted: { readonly messages: readonly Message[]; readonly tokens: number } | undefined;
  let factor = 1;

  function sizeOf(message: Message): number {
    const cached = sizes.get(message);
    if (cached !== undefined) return cached;
    const size = messageSize(message, count);
    sizes.set(message, size);
    return size;
  }

  const sum = (messages: readonly Message[]) => messages.reduce((total, message) => total + sizeOf(message), 0);

  function fixedOf(request: Parameters<ContextMeter["fixed"]>[0]): number {
    const cached = fixed.get(request.tools);
    if (cached !== undefined) return cached;
    const size = fixedSize(request, count);
    fixed.set(request.tools, size);
    return size;
  }

  const isGuessed = (messages: readonly Message[]) => count === undefined || !messages.every(isTextOnly);

  /** The messages that the provider has not counted. */
  function uncounted({ messages }: Parameters<ContextMeter["size"]>[0]) {
    return counted && isBeginning(counted.messages, messages)
      ? { countedTokens: counted.tokens, rest: messages.slice(counted.messages.length) }
      : { countedTokens: undefined, rest: messages };
  }

  return {
    counted(request, usage) {
      if (usage.estimated || usage.input === 0) return;
      const guessed = fixedOf(request) + sum(request.messages);
      // An extreme ratio is caused by the endpoint and not by the text, so the factor is limited.
      factor = Math.min(3, Math.max(0.5, usage.input / Math.max(1, guessed)));
      counted = { messages: request.messages, tokens: usage.input };
    },
    size(request) {
      const { countedTokens, rest } = uncounted(request);
      const tokens =
        countedTokens === undefined ? (fixedOf(request) + sum(rest)) * factor : countedTokens + sum(rest) * factor;
      const isKnown = countedTokens !== undefined && rest.length === 0;
      return { tokens: Math.ceil(tokens), estimated: !isKnown && isGuessed(rest) };
    },
    fixed: (request) => Math.ceil(fixedOf(request) * factor),
    async sharpen(request, model) {
      const tokenizer = await tokenizerOf?.(model);
      if (tokenizer !== count) {
        count = tokenizer;
        sizes = new WeakMap();
        fixed = new WeakMap();
        factor = 1;
      }
      if (tokenizer === undefined) return;
      let chars = 0;
      for (const message of uncounted(request).rest) {
        if (sizes.has(message)) continue;
        sizeOf(message);
        chars += JSON.stringify(message.content).length;
        if (chars < charsAtOnce) continue;
        chars = 0;
        await new Promise(setImmediate);
      }
    },
  };
}

/** The number of characters to count before other work may run. */
const charsAtOnce = 200_000;

/** Compares only the first and the last message: messages are only appended, or replaced from the start. */
function isBeginning(before: readonly Message[], now: readonly Message[]): boolean {
  return before.length <= now.length && before[0] === now[0] && before.at(-1) === now[before.length - 1];
}
