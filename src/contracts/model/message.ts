import type { CallId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";

export type ContentPart =
  /** If `resource` is set, the text is the content of that MCP resource. */
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

/** One call as the model requests it. `args` is a text if the provider sends text; that text may not be valid JSON. */
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
  /** Provider-specific fields, such as signatures and encrypted reasoning, that only the same provider understands. */
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

/** The text parts of a message's content. Every other part is shown as its kind in brackets. */
export function shownContent(content: readonly ContentPart[]): string {
  return content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
}
