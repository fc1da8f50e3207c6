import type { Message } from "../../contracts/message.ts";
import type { ContextMeter } from "../loop/context-keeper.ts";
import { fixedSize, messageSize } from "./tokens.ts";

/**
 * Counts by what the provider said of the last request, and estimates only what came after it. The estimates of one
 * conversation are corrected by how far they were off.
 */
export function createContextMeter(): ContextMeter {
  const sizes = new WeakMap<Message, number>();
  const fixed = new WeakMap<object, number>();
  let counted: { readonly messages: readonly Message[]; readonly tokens: number } | undefined;
  let factor = 1;

  function sizeOf(message: Message): number {
    const known = sizes.get(message);
    if (known !== undefined) return known;
    const size = messageSize(message);
    sizes.set(message, size);
    return size;
  }

  const sum = (messages: readonly Message[]) => messages.reduce((total, message) => total + sizeOf(message), 0);

  function fixedOf(request: Parameters<ContextMeter["fixed"]>[0]): number {
    const known = fixed.get(request.tools);
    if (known !== undefined) return known;
    const size = fixedSize(request);
    fixed.set(request.tools, size);
    return size;
  }

  return {
    counted(request, usage) {
      if (usage.estimated || usage.input === 0) return;
      const guessed = fixedOf(request) + sum(request.messages);
      // An answer that is far off says more about the endpoint than about the text.
      factor = Math.min(3, Math.max(0.5, usage.input / Math.max(1, guessed)));
      counted = { messages: request.messages, tokens: usage.input };
    },
    size(request) {
      const { messages } = request;
      if (counted && isBeginning(counted.messages, messages)) {
        const rest = sum(messages.slice(counted.messages.length));
        return { tokens: Math.ceil(counted.tokens + rest * factor), estimated: rest > 0 };
      }
      return { tokens: Math.ceil((fixedOf(request) + sum(messages)) * factor), estimated: true };
    },
    fixed: (request) => Math.ceil(fixedOf(request) * factor),
  };
}

/** The first and the last are enough: messages are only ever added at the end, or replaced from the beginning. */
function isBeginning(before: readonly Message[], now: readonly Message[]): boolean {
  return before.length <= now.length && before[0] === now[0] && before.at(-1) === now[before.length - 1];
}
