import type { CallToolResult } from "@modelcontextprotocol/server";

import { isObject, ownValue } from "../../base/json.ts";
import { fromJsonSchema } from "../../contracts/tool/json-input.ts";
import type { JsonSchema } from "../../contracts/tool/tool-definition.ts";
import type { InputSchema } from "../../contracts/tool/tool.ts";

/** Makes the results of tools match the output schemas in the tool list. */
export interface PromisedOutputs {
  keep(tool: string, result: CallToolResult): Promise<CallToolResult>;
}

/** The output schema of a tool whose results are data. */
export function outputSchemaOf(tool: string): JsonSchema | undefined {
  const data = ownValue(dataOf, tool);
  return data && { type: "object", anyOf: [data, asText] };
}

/**
 * A result whose text was fenced, shortened or replaced by a hook no longer equals the tool's data. Such a result
 * uses the other form of the schema: its text.
 */
export function createPromisedOutputs(): PromisedOutputs {
  const checks = new Map<string, InputSchema>();

  async function isData(tool: string, structured: unknown): Promise<boolean> {
    const data = ownValue(dataOf, tool);
    if (!data || !isObject(structured)) return false;
    const check = checks.get(tool) ?? fromJsonSchema(data);
    checks.set(tool, check);
    return (await check["~standard"].validate(structured)).issues === undefined;
  }

  return {
    async keep(tool, result) {
      if (result.isError || !Object.hasOwn(dataOf, tool) || (await isData(tool, result.structuredContent)))
        return result;
      const text = result.content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
      return { ...result, structuredContent: { text } };
    },
  };
}

function object(properties: JsonSchema, required: readonly string[]): JsonSchema {
  return { type: "object", properties, required: [...required] };
}

const [text, whole, flag] = [{ type: "string" }, { type: "integer" }, { type: "boolean" }];
const texts = { type: "array", items: text };

const asText = object(
  { text: { ...text, description: "The text of the result, if it was fenced, shortened or replaced" } },
  ["text"],
);

const match = object({ path: text, line: whole, content: text, before: texts, after: texts }, [
  "path",
  "line",
  "content",
]);
const paging = { truncated: flag, next_offset: whole, limit_reason: text, warning: text, hint: text };
const changed = { files_modified: texts, verified: flag, backend: text, lint: {}, note: text };
const checkpoint = object({ number: whole, id: text, kind: text, at: text, name: text, before: text }, ["id"]);

/**
 * Tools that may return an image have no output schema, because a client may show its model only the structured
 * content.
 */
const dataOf: Readonly<Record<string, JsonSchema>> = {
  terminal: object(
    {
      output: text,
      exit_code: whole,
      error: { type: ["string", "null"] },
      timed_out: flag,
      cwd: text,
      backend: text,
      duration_ms: whole,
      session_id: { ...text, description: "Set for a background process" },
      full_output_path: text,
      hint: text,
    },
    ["output", "exit_code", "error"],
  ),
  search_files: object(
    {
      total_count: whole,
      matches: { type: "array", items: match },
      matches_text: { ...text, description: "Given instead of matches if there are many" },
      files: texts,
      counts: { type: "object", additionalProperties: whole },
      ...paging,
    },
    ["total_count"],
  ),
  write_file: object({ bytes_written: whole, dirs_created: flag, resolved_path: text, ...changed }, [
    "bytes_written",
    "files_modified",
  ]),
  patch: object({ success: flag, diff: text, files_created: texts, files_deleted: texts, ...changed }, [
    "files_modified",
  ]),
  memory: object({ message: text, used: text, entries: texts }, ["message", "entries"]),
  checkpoint: {
    type: "object",
    anyOf: [
      object({ checkpoints: { type: "array", items: checkpoint } }, ["checkpoints"]),
      object({ created: text, name: text, notes: texts }, ["created"]),
      object({ restored: { type: "array", items: object({ path: text, how: text }, ["path"]) }, undo: text }, [
        "restored",
      ]),
    ],
  },
};
