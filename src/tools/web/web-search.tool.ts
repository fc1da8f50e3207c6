import { z } from "zod";

import { defineTool } from "../../contracts/tool/define-tool.ts";
import { fail, json } from "../../contracts/tool/tool-result.ts";
import { serviceEffects } from "../service-effects.ts";

export default defineTool({
  name: "web_search",
  toolset: "web",
  description:
    "Search the web. Returns addresses, titles and descriptions; read a page with web_extract. Use the operators of search " +
    'engines if they help ("exact words", site:example.org, -without).',
  emoji: "🔍",
  input: z.object({
    query: z.string().min(1).max(2_000),
    limit: z.int().min(1).max(100).default(5).describe("Number of results"),
  }),
  needs: ["pages"],
  traits: { readOnly: true, parallel: true, callers: "both", untrusted: true, timeoutMs: 180_000 },
  effects: (_, place) => serviceEffects("search", place),
  async run({ query, limit }, { pages, turnId, signal }) {
    const answered = await pages.search({ query, limit, ...(turnId !== undefined && { turnId }) }, signal);
    if (!answered.ok) {
      const { message } = answered.error;
      return fail(message, signal.aborted ? "aborted" : "failed", { data: { success: false, error: message } });
    }
    const { backend, hits, notes } = answered.value;
    const web = hits.map((hit, index) => ({ ...hit, position: index + 1 }));
    const note = [...notes, ...(web.length === 0 ? ["No results: use fewer or other words."] : [])].join(" ");
    return json({ success: true, data: { web }, backend, ...(note !== "" && { note }) });
  },
});
