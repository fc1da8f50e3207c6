import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { Result } from "../../base/result.ts";
import type { ContentPart } from "../model/message.ts";

export interface ToolOutput {
  /** Content for the model. */
  readonly content: readonly ContentPart[];
  /** The result as data, for hooks, the transcript and `execute_code`. */
  readonly data?: JsonValue;
}

export type FailureKind =
  | "unknown_tool"
  | "invalid_args"
  | "unavailable"
  | "denied"
  | "blocked"
  | "timeout"
  | "aborted"
  | "failed"
  | "crashed";

export interface ToolFailure {
  readonly kind: FailureKind;
  /** Text for the model: what happened and what to do next. */
  readonly message: string;
  /** The output before the failure. It is always kept. */
  readonly content?: readonly ContentPart[];
  readonly data?: JsonValue;
  /** Whether the failed call changed anything, as far as it is known. */
  readonly effect: "none" | "done" | "unknown";
}

export type ToolResult = Result<ToolOutput, ToolFailure>;

/** Creates a result that the model reads as plain text. */
export function text(body: string, data?: JsonValue): ToolResult {
  const content: readonly ContentPart[] = [{ type: "text", text: body }];
  return { ok: true, value: data === undefined ? { content } : { content, data } };
}

/** Creates a result that the model reads as JSON text. Non-ASCII characters are not escaped. */
export function json(data: JsonValue): ToolResult {
  return { ok: true, value: { content: [{ type: "text", text: JSON.stringify(data) }], data } };
}

/** Creates a failure. `effect` says whether the call changed anything (default: none). */
export function fail(
  message: string,
  kind: FailureKind = "failed",
  more: Partial<Pick<ToolFailure, "effect" | "data" | "content">> = {},
): { readonly ok: false; readonly error: ToolFailure } {
  return { ok: false, error: { kind, message, effect: "none", ...more } };
}

/** Missing environment variables, and how a user sets them. */
export function settingHints(names: readonly string[]): string {
  return `${names.join(", ")}: ${names.map((name) => `hermes config set ${name} …`).join("; ")}`;
}

/**
 * Calls another tool of the session on behalf of the running call. The nested call goes through the whole dispatch:
 * hooks, policy, ledger, checkpoint, redaction and size limits; an approval of the calling tool does not cover it. It
 * ends when the calling tool ends. Never rejects.
 */
export type CallTool = (
  tool: string,
  args: JsonObject,
  /** The origin of the nested call, if it is not a script. */
  by?: "plugin",
) => Promise<ToolResult>;
