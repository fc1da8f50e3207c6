import { checkJson, isObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { cut } from "../../base/text/text.ts";
import type {
  McpAnnotations,
  McpPromptArgument,
  McpPromptDefinition,
  McpResource,
  McpToolDefinition,
} from "../../contracts/mcp/definitions.ts";

/**
 * The definitions of a server within limits. `problem` receives a sentence for the user about each part that was
 * dropped or cut.
 */
export interface DefinitionReader {
  tool(raw: unknown): McpToolDefinition | undefined;
  prompt(raw: unknown): McpPromptDefinition | undefined;
  resource(raw: unknown): McpResource | undefined;
}

export function readDefinitions(problem: (text: string) => void): DefinitionReader {
  function nameOf(kind: string, raw: Record<string, unknown>): string | undefined {
    const { name } = raw;
    if (typeof name === "string" && name.length <= maxNameChars && isPlainName(name)) return name;
    const shown = typeof name === "string" ? quoted(cut(name, 60)) : "no text";
    problem(`A ${kind} was left out: ${shown} is not a name that can be used.`);
    return undefined;
  }

  function describe(of: string, value: unknown): string {
    const full = typeof value === "string" ? value.toWellFormed() : "";
    if (full.length > maxDescriptionChars)
      problem(`The description of ${of} was cut after ${maxDescriptionChars} characters.`);
    return cut(full, maxDescriptionChars);
  }

  function schemaOf(tool: string, which: string, value: unknown): JsonObject | undefined {
    const checked = checkJson(value, schemaLimits);
    if (
      checked.ok &&
      isJsonObject(checked.value) &&
      (which !== "input schema" || (checked.value.type ?? "object") === "object")
    )
      return checked.value;
    problem(
      `The tool ${tool} was left out: ${checked.ok ? `its ${which} does not describe an object` : `of its ${which}, ${checked.error}`}.`,
    );
    return undefined;
  }

  return {
    tool(raw) {
      const source = isObject(raw) ? raw : {};
      const name = nameOf("tool", source);
      if (name === undefined) return undefined;
      const inputSchema = schemaOf(name, "input schema", source.inputSchema ?? { type: "object" });
      if (!inputSchema) return undefined;
      const hasOutput = source.outputSchema !== undefined && source.outputSchema !== null;
      const outputSchema = hasOutput ? schemaOf(name, "output schema", source.outputSchema) : undefined;
      if (hasOutput && !outputSchema) return undefined;
      const annotations = annotationsOf(source.annotations);
      const title = titleOf(source);
      return {
        name,
        ...(title && { title }),
        description: describe(`the tool ${name}`, source.description),
        inputSchema,
        ...(outputSchema && { outputSchema }),
        ...(annotations && { annotations }),
      };
    },
    prompt(raw) {
      const source = isObject(raw) ? raw : {};
      const name = nameOf("prompt", source);
      if (name === undefined) return undefined;
      const args = Array.isArray(source.arguments) ? (source.arguments as unknown[]) : [];
      const title = titleOf(source);
      return {
        name,
        ...(title && { title }),
        description: describe(`the prompt ${name}`, source.description),
        arguments: args.slice(0, maxArguments).flatMap((each): McpPromptArgument[] => {
          const argument = isObject(each) ? each : {};
          const key = nameOf(`argument of the prompt ${name}`, argument);
          const description = describe(`an argument of ${name}`, argument.description);
          return key === undefined ? [] : [{ name: key, description, isRequired: argument.required === true }];
        }),
      };
    },
    resource(raw) {
      const source = isObject(raw) ? raw : {};
      const isTemplate = source.uri === undefined;
      const uri = isTemplate ? source.uriTemplate : source.uri;
      if (typeof uri !== "string" || uri.length > maxUriChars || controls.test(uri)) {
        problem("A resource was left out: its address cannot be used.");
        return undefined;
      }
      return {
        uri,
        name: textOf(source.title) || textOf(source.name) || uri,
        description: describe("a resource", source.description),
        ...(typeof source.mimeType === "string" && { mimeType: textOf(source.mimeType) }),
        ...(typeof source.size === "number" && { size: source.size }),
        isTemplate,
      };
    },
  };
}

function annotationsOf(raw: unknown): McpAnnotations | undefined {
  if (!isObject(raw)) return undefined;
  const hints = hintNames.flatMap((name) => (typeof raw[name] === "boolean" ? [[name, raw[name]] as const] : []));
  return hints.length > 0 ? Object.fromEntries(hints) : undefined;
}

const hintNames = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

function titleOf(source: Record<string, unknown>): string {
  const annotations = isObject(source.annotations) ? source.annotations : {};
  return textOf(source.title) || textOf(annotations.title);
}

function textOf(value: unknown): string {
  return typeof value === "string" && !controls.test(value) ? cut(value.toWellFormed(), maxNameChars) : "";
}

function isJsonObject(value: JsonValue): value is JsonObject {
  return isObject(value);
}

function isPlainName(name: string): boolean {
  return name.trim() !== "" && name.isWellFormed() && !controls.test(name);
}

/** Escapes characters that a terminal would not show. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(/[^\x20-\x7e]/gu, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Control characters, format characters such as direction marks, and line separators. */
const controls = /[\p{Cc}\p{Cf}\u2028\u2029]/u;
const maxNameChars = 256;
const maxDescriptionChars = 16_384;
const maxArguments = 100;
const maxUriChars = 4_096;
const schemaLimits = { maxChars: 262_144, maxDepth: 64 };
