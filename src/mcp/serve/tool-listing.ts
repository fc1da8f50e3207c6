import type { McpAnnotations } from "../../contracts/mcp/definitions.ts";
import { isBridge } from "../../contracts/tool/bridge-tools.ts";
import type { Catalog } from "../../contracts/tool/registry.ts";
import type { JsonSchema } from "../../contracts/tool/tool-definition.ts";
import type { Tool } from "../../contracts/tool/tool.ts";
import { outputSchemaOf } from "./output-schemas.ts";

/** A tool as a client sees it. */
export interface ServedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations: McpAnnotations;
}

/**
 * Lists every tool of a catalog. A client has its own search, so deferred tools are listed, and the tools that search
 * for them are not. `opaque` names tools that may do more than they declare, because of the settings.
 */
export function servedTools(catalog: Catalog, opaque: ReadonlySet<string>): readonly ServedTool[] {
  const names = [...catalog.definitions, ...catalog.deferred].map(({ name }) => name).filter((name) => !isBridge(name));
  return [...new Set(names)].toSorted().flatMap((name) => {
    const tool = catalog.find(name);
    return tool ? [servedTool(tool, opaque.has(name) ? worst : annotationsOf(tool))] : [];
  });
}

function servedTool({ name, description, inputSchema }: Tool, annotations: McpAnnotations): ServedTool {
  // A schema with definitions depends on its JSON Schema dialect; other schemas mean the same in every dialect.
  const dialect = "$defs" in inputSchema ? { $schema: "https://json-schema.org/draft/2020-12/schema" } : {};
  const outputSchema = outputSchemaOf(name);
  return {
    name,
    description,
    inputSchema: { ...dialect, type: "object", ...inputSchema },
    ...(outputSchema && { outputSchema }),
    annotations,
  };
}

/** A hint is set only if it is always true; without a hint, the protocol assumes the worst. */
function annotationsOf({ traits, toolset, declaresEffects }: Tool): McpAnnotations {
  const isLocal = !traits.untrusted && localToolsets.has(toolset);
  if (traits.readOnly) return { readOnlyHint: true, ...(isLocal && { openWorldHint: false }) };
  return { ...worst, ...(isLocal && declaresEffects && { openWorldHint: false }) };
}

const worst: McpAnnotations = { readOnlyHint: false, destructiveHint: true };

/** Tools of these toolsets access only this machine. */
const localToolsets: ReadonlySet<string> = new Set([
  "file",
  "skills",
  "memory",
  "session_search",
  "checkpoint",
  "todo",
  "conversations",
]);
