import type { CallId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";

export type ContentPart =
  /** `resource`: its text is that of the resource. */
  | {
      readonly type: "text";
      readonly text: string;
      readonly resource?: { readonly uri: string; readonly mimeType?: string };
    }
  | { readonly type: "image"; readonly mimeType: string; readonly data: string }
  | { readonly type: "audio"; readonly mimeType: string; readonly data: string }
  | { readonly type: "video"; readonly mimeType: string; readonly data: string }
  | { readonly type: "file"; readonly path: string; readonly mimeType?: string };

export type ImagePart = Extract<ContentPart, { type: "image" }>;
export type VideoPart = Extract<ContentPart, { type: "video" }>;

/** One call as the model requests it. `args` is text when the provider sends text; it may be anything, JSON or not. */
export interface ToolCall {
  readonly id: CallId;
  readonly name: string;
  readonly args: string | JsonObject;
}

export interface UserMessage {
  readonly role: "user";
  readonly content: readonly ContentPart[];
}

export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: readonly ContentPart[];
  readonly calls: readonly ToolCall[];
  readonly reasoning?: string;
  readonly stop: "end" | "calls" | "length" | "refused";
  /** Fields that only the provider that wrote them understands (signatures, encrypted reasoning). */
  readonly provider?: { readonly id: string; readonly data: JsonObject };
}

export interface ToolMessage {
  readonly role: "tool";
  readonly callId: CallId;
  readonly name: string;
  readonly failed: boolean;
  readonly content: readonly ContentPart[];
}

export type Message = UserMessage | AssistantMessage | ToolMessage;

/** The text parts of a content; every other part appears as its kind in brackets. */
export function shownContent(content: readonly ContentPart[]): string {
  return content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
}
