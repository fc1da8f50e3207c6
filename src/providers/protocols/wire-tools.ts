import { sha256 } from "../../base/digest.ts";
import { isObject, type JsonObject, parsedJson } from "../../base/json.ts";
import type { ToolDefinition } from "../../contracts/tool/tool-definition.ts";
import type { NormalisedSchema } from "../schema/normalise.ts";
import { plainSchema } from "../schema/plain-schema.ts";
import type { SchemaProvider } from "../schema/provider-rules.ts";
import { hasRenames, restoreArguments } from "../schema/renames.ts";
import { wellFormed } from "./conversation.ts";

/** The tools of a request in the provider's format, and the mapping of names in its calls. */
export interface WireTools {
  readonly list: readonly ListedTool[];
  /** Returns the real name of a tool. Unknown names are returned unchanged. */
  realName(sent: string): string;
  /** Restores the tool's property names in arguments. Returns text unchanged if nothing was renamed. */
  realArgs(realName: string, args: string | JsonObject): string | JsonObject;
}

export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonObject;
}

/** Caches the result for each definition, which never changes. */
export function createToolWriter(provider: SchemaProvider): (tools: readonly ToolDefinition[]) => Promise<WireTools> {
  const done = new WeakMap<ToolDefinition, WrittenSchema>();
  const standard = provider === "openai" || provider === "anthropic";

  async function write(tool: ToolDefinition): Promise<WrittenSchema> {
    const plain = standard ? plainSchema(tool.inputSchema) : undefined;
    if (plain) return { schema: plain, renames: {} };
    // The schema normaliser, loaded for the first tool that needs it.
    const { normaliseSchema } = await import("../schema/normalise.ts");
    return normaliseSchema(tool.inputSchema, provider);
  }

  return async (tools) => {
    const real = new Map<string, { readonly tool: ToolDefinition; readonly written: WrittenSchema }>();
    const list: ListedTool[] = [];
    for (const tool of tools) {
      const written = done.get(tool) ?? (await write(tool));
      done.set(tool, written);
      const name = wireName(tool.name);
      real.set(name, { tool, written });
      list.push({ name, description: wellFormed(tool.description), schema: written.schema });
    }
    return {
      list,
      realName: (sent) => real.get(sent)?.tool.name ?? sent,
      realArgs(name, args) {
        const renames = real.get(wireName(name))?.written.renames;
        if (renames === undefined || !hasRenames(renames)) return args;
        const value = typeof args === "string" ? objectIn(args) : args;
        return value === undefined ? args : restoreArguments(value, renames);
      },
    };
  };
}

type WrittenSchema = Omit<NormalisedSchema, "notes">;

/**
 * Converts to a name that every provider accepts: letters, digits, `_` and `-`, at most 64 characters, no leading
 * digit. Deterministic.
 */
export function wireName(name: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/u.test(name)) return name;
  const plain = name.replaceAll(/[^A-Za-z0-9_-]/gu, "_").slice(0, 54);
  return `${/^[A-Za-z_]/u.test(plain) ? "" : "t"}${plain}_${sha256(name).slice(0, 8)}`;
}

/** Converts to a call id that the provider accepts: OpenAI rejects more than 40 characters. Deterministic. */
export function wireCallId(id: string, short: boolean): string {
  if (short) return /^[A-Za-z0-9]{9}$/u.test(id) ? id : sha256(id).slice(0, 9);
  return /^[A-Za-z0-9_.:-]{1,40}$/u.test(id) ? id : `call_${sha256(id).slice(0, 24)}`;
}

/** Returns the arguments as the JSON text of an object, because templates and servers parse it. */
export function argumentsText(args: string | JsonObject): string {
  if (typeof args !== "string") return JSON.stringify(args);
  return objectIn(args) === undefined ? "{}" : args;
}

export function argumentsObject(args: string | JsonObject): JsonObject {
  return typeof args === "string" ? (objectIn(args) ?? {}) : args;
}

function objectIn(text: string): JsonObject | undefined {
  const value = parsedJson(text);
  // Safe cast: the value was parsed from JSON.
  return isObject(value) ? (value as JsonObject) : undefined;
}
