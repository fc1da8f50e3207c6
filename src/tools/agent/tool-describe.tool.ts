import { z } from "zod";

import { defineTool } from "../../contracts/tool/define-tool.ts";
import { json } from "../../contracts/tool/tool-result.ts";
import { noSuchTool } from "./no-such-tool.ts";

export default defineTool({
  name: "tool_describe",
  toolset: "tool_search",
  description: "Show the parameters of a deferred tool.",
  emoji: "📖",
  input: z.object({ name: z.string().min(1) }),
  needs: ["toolIndex"],
  traits: { readOnly: true, parallel: true },
  async run({ name }, { toolIndex }) {
    const match = toolIndex.describe(name.trim());
    if (!match) return noSuchTool(name, toolIndex);
    return json({ name: match.name, description: match.description, parameters: match.inputSchema });
  },
});
