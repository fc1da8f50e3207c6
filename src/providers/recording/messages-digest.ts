import { sha256 } from "../../base/digest.ts";
import { oneLine } from "../../base/text/text.ts";
import type { ContentPart, Message } from "../../contracts/model/message.ts";

/**
 * A digest of the model's input: messages by role, tool calls and arguments. It ignores call ids, which differ on every
 * run, and provider-specific data.
 */
export function messagesDigest(messages: readonly Message[], cache: DigestCache = new WeakMap()): string {
  const each = messages.map((message) => {
    const digest = cache.get(message) ?? sha256(JSON.stringify(digestInput(message)));
    cache.set(message, digest);
    return digest;
  });
  return sha256(each.join(" "));
}

/** Messages stay the same objects across requests, so each digest is computed once. */
export type DigestCache = WeakMap<Message, string>;

export interface Difference {
  /** The position of the message, starting at 1. */
  readonly message: number;
  readonly role: string;
  readonly recorded: string;
  readonly now: string;
}

export function firstDifference(recorded: readonly Message[], now: readonly Message[]): Difference | undefined {
  const max = Math.max(recorded.length, now.length);
  for (let index = 0; index < max; index++) {
    const one = recorded[index];
    const other = now[index];
    const texts = [one, other].map((message) => (message ? JSON.stringify(digestInput(message)) : ""));
    if (texts[0] === texts[1]) continue;
    return {
      message: index + 1,
      role: (one ?? other)?.role ?? "",
      recorded: excerpt(one, other),
      now: excerpt(other, one),
    };
  }
  return undefined;
}

function digestInput(message: Message): unknown {
  const content = message.content.map(toldPart);
  switch (message.role) {
    case "user":
      return { role: "user", content };
    case "assistant":
      return {
        role: "assistant",
        content,
        calls: message.calls.map(({ name, args }) => ({ name, args: argsText(args) })),
      };
    case "tool":
      return { role: "tool", name: message.name, content: JSON.stringify(content).replaceAll(volatile, "$1:0") };
  }
}

/** Values that differ on every real run of a tool, in the escaped form of nested JSON text. */
const volatile = /(\\"(?:duration_ms|waited_ms|uptime_seconds|pid)\\"):\d+/gu;

/** Sorts the keys, so that equal values have equal digests. */
function toldPart(part: ContentPart): unknown {
  switch (part.type) {
    case "text":
      return { text: part.text };
    case "file":
      return { path: part.path };
    default:
      return { type: part.type, data: part.data };
  }
}

function argsText(args: unknown): string {
  return typeof args === "string" ? args : JSON.stringify(args);
}

const excerptChars = 160;

function excerpt(message: Message | undefined, other: Message | undefined): string {
  if (!message) return "(no message)";
  const text = plain(message);
  const against = other ? plain(other) : "";
  let offset = 0;
  while (offset < text.length && text[offset] === against[offset]) offset++;
  const start = Math.max(0, offset - 40);
  return `${start > 0 ? "…" : ""}${oneLine(text.slice(start, start + 4 * excerptChars), excerptChars)}`;
}

function plain(message: Message): string {
  const content = message.content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
  const calls = message.role === "assistant" ? message.calls.map(({ name, args }) => `${name} ${argsText(args)}`) : [];
  return [content, ...calls].filter((part) => part !== "").join("\n");
}
