import { z } from "zod";

import { defineTool } from "../../contracts/tool/define-tool.ts";
import { noSuchTool } from "./no-such-tool.ts";

/** The dispatcher runs the named tool instead of this one; this code runs only if no such tool exists. */
export default defineTool({
  name: "tool_call",
  toolset: "tool_search",
  description: "Run a tool from tool_search with its parameters.",
  emoji: "📞",
  input: z.object({
    name: z.string().min(1),
    // The dispatcher also accepts an object that is given as JSON text.
    arguments: z.record(z.string(), z.unknown()).default({}),
  }),
  needs: ["toolIndex"],
  effects: () => [],
  async run({ name }, { toolIndex }) {
    return noSuchTool(name, toolIndex);
  },
});
