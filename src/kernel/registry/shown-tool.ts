import { reasonOf, type Result, err, ok } from "../../base/result.ts";
import type { ToolDefinition } from "../../contracts/tool/tool-definition.ts";
import type { CatalogView } from "../../contracts/tool/tool-index.ts";
import type { Tool } from "../../contracts/tool/tool.ts";
import { leanSchema } from "./lean-schema.ts";
import { schemaWithoutMentions, withoutMentions } from "./search/mentions.ts";
import { admitTool } from "./tool-admission.ts";
import { toolAs } from "./tool-as.ts";

/** A tool as one catalog shows it. */
export interface ShownTool {
  readonly tool: Tool;
  /** Why its own refinement was not used. */
  readonly notice?: string;
}

/**
 * The tool as its own `refine` wants it in this view, under the name it is registered by, naming no tool that `isGone`.
 * Never throws: a refinement that fails leaves the tool as it was.
 */
export function showTool(tool: Tool, view: CatalogView, isGone: (name: string) => boolean): ShownTool {
  const refined = refine(tool, view);
  const base = refined.ok ? refined.value : tool;
  const shown = toolAs(base, {
    name: tool.name,
    description: withoutMentions(base.description, isGone),
    inputSchema: schemaWithoutMentions(base.inputSchema, isGone),
  });
  return refined.ok ? { tool: shown } : { tool: shown, notice: `${tool.name}: ${refined.error}` };
}

export function definitionOf({ name, description, inputSchema }: Tool): ToolDefinition {
  return Object.freeze({ name, description, inputSchema: leanSchema(inputSchema) });
}

function refine(tool: Tool, view: CatalogView): Result<Tool, string> {
  if (!tool.refine) return ok(tool);
  try {
    const refined = admitTool(tool.refine(view));
    return refined.ok ? refined : err(`its refinement is not used: ${refined.error}`);
  } catch (thrown) {
    return err(`its refinement failed and is not used: ${reasonOf(thrown)}`);
  }
}
