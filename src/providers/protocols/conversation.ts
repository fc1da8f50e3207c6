import type { ContentPart, Message, ToolCall, ToolMessage } from "../../contracts/model/message.ts";

/** A message and its index in the request. The index is undefined for an added message. */
export interface PlacedMessage<M extends Message = Message> {
  readonly message: M;
  readonly index?: number;
}

/**
 * Returns the conversation with exactly one result for each call, directly after the answer that made the call, as
 * every provider requires. Omits results without a call, and empty answers.
 */
export function pairedMessages(messages: readonly Message[]): readonly PlacedMessage[] {
  const placed: PlacedMessage[] = [];
  const open = new Map<string, ToolCall>();
  const close = (): void => {
    for (const call of open.values()) placed.push({ message: missing(call) });
    open.clear();
  };
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") {
      if (open.delete(message.callId)) placed.push({ message, index });
      continue;
    }
    close();
    if (message.role === "assistant") {
      if (message.calls.length === 0 && sendableText(message.content).trim() === "") continue;
      for (const call of message.calls) open.set(call.id, call);
    }
    placed.push({ message, index });
  }
  close();
  return placed;
}

/** Joins all parts into one text, with notes for other media. */
export function sendableText(content: readonly ContentPart[]): string {
  const texts = content.flatMap((part) =>
    part.type === "text" ? part.text : part.type === "file" ? fileNote(part) : part.type === "video" ? noVideoNote : [],
  );
  return wellFormed(texts.length === 1 ? (texts[0] ?? "") : texts.join("\n"));
}

/** Providers reject lone surrogates. */
export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}

function fileNote({ path }: { readonly path: string }): string {
  return `[file: ${path}]`;
}

/** Converts a part for a model: files and images that the model cannot see become notes. */
export function sentPart(part: ContentPart, canSee = true): Exclude<ContentPart, { type: "file" | "video" }> {
  if (part.type === "video") return { type: "text", text: noVideoNote };
  if (part.type === "text") return { type: "text", text: wellFormed(part.text) };
  if (part.type === "file") return { type: "text", text: wellFormed(fileNote(part)) };
  return part.type === "image" && !canSee ? { type: "text", text: noImageNote } : part;
}

export function imagesOf(content: readonly ContentPart[]): readonly Extract<ContentPart, { type: "image" }>[] {
  return content.filter((part) => part.type === "image");
}

const noImageNote = "[an image that this model cannot see]";
export const noAudioNote = "[audio that this model cannot process]";
const noVideoNote = "[video that this model cannot process]";

export const emptyResult = "(no output)";

function missing(call: ToolCall): ToolMessage {
  const content = [{ type: "text" as const, text: "No result of this call was recorded." }];
  return { role: "tool", callId: call.id, name: call.name, failed: true, content };
}
