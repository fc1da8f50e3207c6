import type { ContentPart } from "../model/message.ts";
import type { McpPromptArgument } from "./definitions.ts";

/** Resources and prompts that our MCP server offers to its clients, in addition to skills and context files. */
export interface ServedContent {
  /** A unique name, used in messages. */
  readonly name: string;
  readonly resources?: readonly ServedResource[];
  readonly prompts?: readonly ServedPrompt[];
}

export interface ServedResource {
  /** An address, or a template with variables: `note://{day}`. */
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  readonly mimeType?: string;
  /** Reads the resource. `variables` contains the values of a template's variables. May reject. */
  read(uri: string, variables: Readonly<Record<string, string>>, signal: AbortSignal): Promise<ResourceContent>;
  /**
   * Returns a text that changes whenever the content changes, for subscriptions. Default: the content itself. May
   * reject.
   */
  version?(signal: AbortSignal): Promise<string>;
}

/** The content: text, or bytes in base64 (`data`). */
export type ResourceContent = { readonly text: string } | { readonly data: string };

export interface ServedPrompt {
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly McpPromptArgument[];
  /** May reject. */
  get(args: Readonly<Record<string, string>>, signal: AbortSignal): Promise<readonly ServedMessage[]>;
  /** Suggests values of an argument that begin with the typed text. */
  complete?(argument: string, typed: string, signal: AbortSignal): Promise<readonly string[]> | readonly string[];
}

export interface ServedMessage {
  readonly role: "user" | "assistant";
  readonly content: ContentPart;
}
