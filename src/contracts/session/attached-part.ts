import type { ContentPart } from "../model/message.ts";

/** The content of a reference such as a file, attached to the prompt that mentions it. */
export function attachedPart(reference: string, detail: string, part: ContentPart): ContentPart {
  return part.type === "text" ? { ...part, text: `${head}${reference} (${detail})\n${part.text}` } : part;
}

/** Returns whether this part was added because the user's prompt contains a reference. */
export function isAttachedPart(part: ContentPart): boolean {
  return part.type === "text" && part.text.startsWith(head);
}

const head = "Attached by the user: ";
