import { cut } from "../../base/text/text.ts";
import type { AssistantMessage, ContentPart, Message, UserMessage } from "../../contracts/model/message.ts";

/**
 * Returns the texts of user and assistant without calls and results. They alternate, and the first and last are from
 * the user. If the total exceeds `maxChars` characters, older messages are dropped first.
 */
export function textConversation(messages: readonly Message[], maxChars: number): readonly Message[] {
  const fitted = fitting(joined(messages), Math.max(1, maxChars - aside.length));
  const last = fitted.at(-1);
  if (!last) return [];
  return last.role === "user"
    ? fitted.map(messageOf)
    : [...fitted, { role: "user", text: aside } as const].map(messageOf);
}

interface SpokenMessage {
  readonly role: "user" | "assistant";
  readonly text: string;
}

/** Joins consecutive messages of one role. */
function joined(messages: readonly Message[]): readonly SpokenMessage[] {
  const all: SpokenMessage[] = [];
  for (const { role, content } of messages) {
    const text = textOf(content).trim();
    if (role === "tool" || text === "") continue;
    const last = all.at(-1);
    if (last?.role === role) all[all.length - 1] = { role, text: `${last.text}\n\n${text}` };
    else all.push({ role, text });
  }
  return all;
}

/** Keeps the newest messages that fit, and always the last two. Long texts keep their beginning and end. */
function fitting(all: readonly SpokenMessage[], maxChars: number): readonly SpokenMessage[] {
  const max = all.length === 1 ? maxChars : Math.floor(maxChars / 2);
  const kept: SpokenMessage[] = [];
  let left = maxChars;
  for (const message of all.toReversed()) {
    const fitted = shortened(message, max);
    left -= fitted.text.length;
    if (left < 0 && kept.length > 1) break;
    kept.unshift(fitted);
  }
  return kept[0]?.role === "assistant" ? kept.slice(1) : kept;
}

function shortened({ role, text }: SpokenMessage, maxChars: number): SpokenMessage {
  if (text.length <= maxChars) return { role, text };
  const half = Math.max(0, Math.floor((maxChars - gap.length) / 2));
  const end = text.slice(text.length - half);
  return { role, text: `${cut(text, half)}${gap}${/^[\udc00-\udfff]/u.test(end) ? end.slice(1) : end}` };
}

function messageOf({ role, text }: SpokenMessage): UserMessage | AssistantMessage {
  const content: readonly ContentPart[] = [{ type: "text", text }];
  return role === "user" ? { role, content } : { role, content, calls: [], stop: "end" };
}

function textOf(content: readonly ContentPart[]): string {
  return content
    .map((part) =>
      part.type === "text" ? part.text : part.type === "file" ? `[file: ${part.path}]` : `[${part.type}]`,
    )
    .join("\n");
}

const gap = "\n[… omitted: too long …]\n";
const aside = "(The assistant is working with its tools; you do not see their results. What should it do next?)";
