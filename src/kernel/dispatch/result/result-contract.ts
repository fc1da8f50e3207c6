import { checkJson, isObject, type JsonLimits, type JsonValue } from "../../../base/json.ts";
import { err, ok, reasonOf, type Result } from "../../../base/result.ts";
import type { ContentPart } from "../../../contracts/model/message.ts";
import { fail, type FailureKind, type ToolFailure, type ToolResult } from "../../../contracts/tool/tool-result.ts";

/**
 * Validates the value that a tool or hook returned as a result: content parts are copied field by field, `data` must be
 * plain JSON, and text must be well formed. The error describes the violation. Never throws.
 */
export function readResult(returned: unknown): Result<ToolResult, string> {
  try {
    return ok(read(returned));
  } catch (thrown) {
    return err(thrown instanceof Breach ? thrown.message : `it cannot be read: ${reasonOf(thrown)}`);
  }
}

/** The failure of a tool that returned an invalid value. The tool ran, so its effect is unknown. */
export function contractFailure(tool: string, returned: unknown, why: string): ToolResult {
  return fail(`Tool '${tool}' returned a value that is not a tool result: ${why}`, "crashed", {
    effect: "unknown",
    data: { error_type: "tool_result_contract", tool, result_type: typeName(returned) },
  });
}

class Breach extends Error {}

const dataLimits: JsonLimits = { maxChars: 20_000_000, maxDepth: 200 };
const maxMediaChars = 20_000_000;
const failureKinds: Readonly<Record<FailureKind, true>> = {
  unknown_tool: true,
  invalid_args: true,
  unavailable: true,
  denied: true,
  blocked: true,
  timeout: true,
  aborted: true,
  failed: true,
  crashed: true,
};

function read(returned: unknown): ToolResult {
  if (!isObject(returned) || typeof returned.ok !== "boolean") {
    throw new Breach(`${typeName(returned)}; use text(), json() or fail()`);
  }
  if (!returned.ok) return { ok: false, error: readFailure(returned.error) };
  const { value } = returned;
  if (!isObject(value)) throw new Breach("its value is not an object");
  return { ok: true, value: { content: readContent(value.content), ...readData(value.data) } };
}

function readFailure(error: unknown): ToolFailure {
  if (!isObject(error)) throw new Breach("its error is not an object");
  const { kind, message, effect, content, data } = error;
  if (!isFailureKind(kind)) throw new Breach("its error has no known kind");
  if (typeof message !== "string") throw new Breach("its error has no message");
  if (effect !== "none" && effect !== "done" && effect !== "unknown") throw new Breach("its error has no known effect");
  const shown = content === undefined ? undefined : { content: readContent(content) };
  return { kind, message: message.toWellFormed(), effect, ...shown, ...readData(data) };
}

function readContent(content: unknown): readonly ContentPart[] {
  if (!Array.isArray(content)) throw new Breach("its content is not a list");
  return content.map(readPart);
}

function readPart(part: unknown, index: number): ContentPart {
  const { type, text, mimeType, data, path, resource } = isObject(part) ? part : {};
  if (type === "text" && typeof text === "string")
    return { type, text: text.toWellFormed(), ...(isObject(resource) && readTextResource(resource)) };
  if (
    (type === "image" || type === "audio" || type === "video") &&
    typeof mimeType === "string" &&
    typeof data === "string"
  ) {
    if (data.length > maxMediaChars) throw new Breach(`its ${type} has more than ${maxMediaChars} characters`);
    return { type, mimeType, data };
  }
  if (type === "file" && typeof path === "string") {
    return typeof mimeType === "string" ? { type, path, mimeType } : { type, path };
  }
  throw new Breach(`content part ${index} is not a text, image, audio, video or file`);
}

type TextPart = Extract<ContentPart, { readonly type: "text" }>;

function readTextResource({ uri, mimeType }: Readonly<Record<string, unknown>>): Pick<TextPart, "resource"> {
  if (typeof uri !== "string") return {};
  const address = uri.toWellFormed();
  return { resource: { uri: address, ...(typeof mimeType === "string" && { mimeType: mimeType.toWellFormed() }) } };
}

function readData(data: unknown): { data?: JsonValue } {
  if (data === undefined) return {};
  const admitted = checkJson(data, dataLimits);
  if (!admitted.ok) throw new Breach(`its data is not JSON: ${admitted.error}`);
  return { data: admitted.value };
}

function isFailureKind(kind: unknown): kind is FailureKind {
  return typeof kind === "string" && Object.hasOwn(failureKinds, kind);
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
