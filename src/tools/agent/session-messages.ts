import { cut } from "../../base/text/text.ts";
import type { ContentPart } from "../../contracts/model/message.ts";
import type { SearchedRole } from "../../contracts/session/session-search.ts";
import type { Entry } from "../../contracts/session/session.ts";

/** A message of an earlier conversation, as a model reads it. */
export interface ShownMessage {
  readonly id: string;
  readonly role: SearchedRole;
  readonly at: string;
  readonly text: string;
}

/** What was said on a path, in order. Of tool results only which they were, unless they are asked for. */
export function sessionMessages(path: readonly Entry[], withResults: boolean): readonly ShownMessage[] {
  return path.flatMap((entry): readonly ShownMessage[] => {
    const { id, at } = entry;
    const place = { id, at: new Date(at).toISOString() };
    if (entry.type === "message") {
      const { message } = entry;
      const calls = message.role === "assistant" ? message.calls.map(({ name }) => `[called ${name}]`) : [];
      const text = [textOf(message.content), ...calls].filter((part) => part !== "").join("\n");
      return text === "" ? [] : [{ ...place, role: message.role, text }];
    }
    if (entry.type !== "settled") return [];
    const { result, tool } = entry;
    const told = result.ok ? textOf(result.value.content) : result.error.message;
    const how = result.ok ? "done" : "failed";
    return [{ ...place, role: "tool" as const, text: withResults ? `${tool}: ${told}` : `[${tool} ${how}]` }];
  });
}

/** Each at most that long. */
export function shortened(messages: readonly ShownMessage[], maxChars: number): readonly ShownMessage[] {
  return messages.map((message) =>
    message.text.length <= maxChars
      ? message
      : { ...message, text: `${cut(message.text, maxChars)}… (${message.text.length} characters)` },
  );
}

function textOf(parts: readonly ContentPart[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
}
