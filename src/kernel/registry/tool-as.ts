import type { Tool, ToolHeader } from "../../contracts/tool/tool.ts";

/** Returns a copy of the tool with another header. Its functions are those of the author's object. */
export function toolAs(tool: Tool, change: Partial<ToolHeader>): Tool {
  const { refine, check, load } = tool;
  const prepare = tool.prepare.bind(tool);
  return {
    name: tool.name,
    toolset: tool.toolset,
    description: tool.description,
    inputSchema: tool.inputSchema,
    needs: tool.needs,
    requiresEnv: tool.requiresEnv,
    traits: tool.traits,
    emoji: tool.emoji,
    ...change,
    ...(check && { check }),
    ...(load && { load: async () => toolAs(await load.call(tool), change) }),
    ...(refine && { refine: (view) => refine.call(tool, view) }),
    prepare,
  };
}
