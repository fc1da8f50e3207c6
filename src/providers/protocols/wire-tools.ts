import { sha256 } from "../../base/digest.ts";
import { isObject, type JsonObject } from "../../base/json.ts";
import type { ToolDefinition } from "../../contracts/tool/tool-definition.ts";
import type { NormalisedSchema } from "../schema/normalise.ts";
import { plainSchema } from "../schema/plain-schema.ts";
import type { SchemaProvider } from "../schema/provider-rules.ts";
import { hasRenames, restoreArguments } from "../schema/renames.ts";
import { wellFormed } from "./conversation.ts";

/** The tools of a request as the provider takes them, and the way back for what it calls. */
export interface WireTools {
  readonly list: readonly ListedTool[];
  /** The tool that the provider means. A name that was not sent stays as it is. */
  realName(sent: string): string;
  /** Arguments with the property names that the tool knows. Text stays text where nothing was renamed. */
  realArgs(realName: string, args: string | JsonObject): string | JsonObject;
}

export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonObject;
}

/** Remembers what it did for a definition, which never changes. */
export function createToolWriter(provider: SchemaProvider): (tools: readonly ToolDefinition[]) => Promise<WireTools> {
  const done = new WeakMap<ToolDefinition, WrittenSchema>();
  const standard = provider === "openai" || provider === "anthropic";

  async function write(tool: ToolDefinition): Promise<WrittenSchema> {
    const plain = standard ? plainSchema(tool.inputSchema) : undefined;
    if (plain) return { schema: plain, renames: {} };
    // Loaded for the first tool that needs it.
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

/** A name that every provider takes: letters, digits, `_` and `-`, at most 64, no digit first. Equal for equal names. */
export function wireName(name: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/u.test(name)) return name;
  const plain = name.replaceAll(/[^A-Za-z0-9_-]/gu, "_").slice(0, 54);
  return `${/^[A-Za-z_]/u.test(plain) ? "" : "t"}${plain}_${sha256(name).slice(0, 8)}`;
}

/** The id of a call as the provider takes it: OpenAI refuses one of more than 40 letters. Equal for equal ids. */
export function wireCallId(id: string, short: boolean): string {
  if (short) return /^[A-Za-z0-9]{9}$/u.test(id) ? id : sha256(id).slice(0, 9);
  return /^[A-Za-z0-9_.:-]{1,40}$/u.test(id) ? id : `call_${sha256(id).slice(0, 24)}`;
}

/** Arguments as JSON text of an object, whatever the model wrote: templates and servers read it. */
export function argumentsText(args: string | JsonObject): string {
  if (typeof args !== "string") return JSON.stringify(args);
  return objectIn(args) === undefined ? "{}" : args;
}

export function argumentsObject(args: string | JsonObject): JsonObject {
  return typeof args === "string" ? (objectIn(args) ?? {}) : args;
}

function objectIn(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    // Parsed from JSON.
    return isObject(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
