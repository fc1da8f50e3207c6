import { z } from "zod";

import { defineTool } from "../../contracts/define-tool.ts";
import { noSuchTool } from "./no-such-tool.ts";

/** The dispatcher runs the tool that is named in its place; this is reached only when there is none. */
export default defineTool({
  name: "tool_call",
  toolset: "tool_search",
  description:
    "Run a tool that tool_search found. Read its parameters with tool_describe first. It is checked and approved like " +
    "any other call.",
  emoji: "📞",
  input: z.object({
    name: z.string().min(1).describe("The exact name of the tool"),
    arguments: z
      .union([z.record(z.string(), z.unknown()), z.string()])
      .default({})
      .describe("The arguments of that tool, as an object or as JSON text"),
  }),
  needs: ["toolIndex"],
  effects: () => [],
  async run({ name }, { toolIndex }) {
    return noSuchTool(name, toolIndex);
  },
});
