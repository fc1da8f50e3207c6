import { z } from "zod";

import { cut } from "../../base/text/text.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import { json } from "../../contracts/tool/tool-result.ts";

export default defineTool({
  name: "tool_search",
  toolset: "tool_search",
  description: "Search for more tools by purpose; tool_describe shows their parameters, tool_call runs them.",
  emoji: "🔎",
  input: z.object({
    query: z.string().min(1),
    limit: z.number().int().min(1).optional(),
  }),
  needs: ["toolIndex"],
  traits: { readOnly: true, parallel: true },
  async run({ query, limit }, { toolIndex }) {
    const { total, matches } = toolIndex.search(query, limit);
    const match = {
      query: cut(query, 200),
      total_available: total,
      matches: matches.map(({ name, source, sourceName, description }) => ({
        name,
        source,
        source_name: sourceName,
        description: cut(description, maxDescriptionChars),
      })),
    };
    if (matches.length > 0) return json(match);
    return json({
      ...match,
      available_sources: toolIndex.sources().map(({ name, tools }) => ({ name, tools })),
      hint: "Nothing matched. Try other words, or the name of one of the available sources.",
    });
  },
});

const maxDescriptionChars = 400;
