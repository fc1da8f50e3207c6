import type { ContentPart } from "../model/message.ts";

/** The content of a reference, as a part of the prompt that names the reference. */
export function attachedPart(reference: string, detail: string, part: ContentPart): ContentPart {
  return part.type === "text" ? { ...part, text: `${head}${reference} (${detail})\n${part.text}` } : part;
}

/** Whether a reference of the person added this part to a prompt. */
export function isAttachedPart(part: ContentPart): boolean {
  return part.type === "text" && part.text.startsWith(head);
}

const head = "Attached by the user: ";
