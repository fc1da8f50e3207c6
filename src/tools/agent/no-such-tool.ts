import { cut } from "../../base/text/text.ts";
import type { ToolIndex } from "../../contracts/tool/tool-index.ts";
import { fail, type ToolResult } from "../../contracts/tool/tool-result.ts";

export function noSuchTool(name: string, index: ToolIndex): ToolResult {
  const near = index.nearest(name);
  const advice = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "Find its name with tool_search.";
  return fail(`There is no tool ${JSON.stringify(cut(name, 100))} here. ${advice}`, "unknown_tool");
}
